//! Reports what this machine can do for a run, by trying it.

pub mod agents;

use signoff_api::doctor::{
    Doctor, Helper, HelperState, HiddenHome as HomeReport, Level as LevelReport, LevelState,
    LostCapability, MissedPath, Project as ProjectReport, RoomReport, SCHEMA, Sandbox, UNKNOWN,
    Worktrees,
};
use signoff_engine::{StepState, StepStatus};
use signoff_plan::model::Step;
use signoff_sandbox::Level;
use signoff_store::config::{Config, SandboxMode};
use signoff_store::trust::projects::ProjectStatus;
use signoff_work::confine::Home;
use signoff_work::environment::path_inside;

use crate::confinement::levels::{Machine, MachineLevels, weaker_than};
use crate::confinement::obstacles;
use crate::error::{Error, WeakerConfinement};
use crate::project::Project;
use crate::project::sandbox_level::{level, probe_levels};
use crate::runs::view::RunView;
use crate::trust::{Trust, helpers};
use crate::{confinement, trees};

/// Every level, the strongest first, and what it enforces.
const LEVELS: [(Level, &str); 4] = [
    (
        Level::Namespaces,
        "only the tree and private directories are writable; the store, the plan and protected files are not; sockets and keys are hidden",
    ),
    (Level::Bubblewrap, "the same, by the program `bwrap`"),
    (
        Level::Landlock,
        "no file outside the tree is written, but permissions and times can be changed; what is in the tree is not protected, nothing is hidden",
    ),
    (
        Level::None,
        "a private home for agents; files are protected by hashes only",
    ),
];

/// Whether runs of a project can have trees of their own, and why not.
pub fn worktrees(project: &Project) -> Result<Worktrees, Error> {
    let why = obstacles(project)?;
    let private = match trees::why_private(project) {
        _ if !why.is_empty() => Vec::new(),
        Err(Error::Git(why)) => vec![why.to_string()],
        found => found?,
    };
    Ok(Worktrees {
        possible: why.is_empty(),
        why,
        private,
    })
}

/// A part of what there is to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// How agents and contracts are confined, and what is trusted of the project.
    Sandbox,
    /// Which agents are installed, and what the configured roles need.
    Agents,
}

impl Section {
    /// Every section that is cheap enough to be looked at unasked.
    pub const CHEAP: [Self; 2] = [Self::Sandbox, Self::Agents];
}

/// Looks at what a configuration asks for and what works here, and in this project, if there is one.
pub fn doctor(machine: Machine<'_>, sections: &[Section]) -> Result<Doctor, Error> {
    let mut report = Doctor {
        schema: SCHEMA.to_owned(),
        sandbox: None,
        worktrees: None,
        path_dropped: Vec::new(),
        project: None,
        room: None,
        home: None,
        weaker: Vec::new(),
        agents: None,
        probe: None,
        guard: None,
    };
    for section in sections {
        match section {
            Section::Sandbox => sandbox_report(machine, &mut report)?,
            Section::Agents => report.agents = Some(agents::agents_report(machine)),
        }
    }
    Ok(report)
}

fn sandbox_report(machine: Machine<'_>, report: &mut Doctor) -> Result<(), Error> {
    let (config, project) = (machine.config, machine.project);
    let before = machine.recorded_levels()?;
    let sandbox = Sandbox {
        before: before.sandbox.clone(),
        ..sandbox(config)
    };
    // Where nothing can be tried nothing is compared.
    let found = match sandbox.level.as_str() {
        UNKNOWN => None,
        _ => machine.probe_levels(config.run.isolation.value)?,
    };
    let overlay = found.as_ref().and_then(MachineLevels::overlay_level);
    report.room = overlay.map(|(now, why)| RoomReport {
        now: now.to_string(),
        before: before.overlay.clone(),
        why: why.to_vec(),
    });
    let weaker = found.and_then(|found| weaker_than(&before, &found));
    report.weaker = weaker.as_ref().map(lost_levels).unwrap_or_default();
    report.sandbox = Some(sandbox);
    report.worktrees = project.map(worktrees).transpose()?;
    report.path_dropped = project.map(dropped_path_entries).unwrap_or_default();
    report.project = project.map(project_report).transpose()?;
    report.home = project.and_then(home);
    Ok(())
}

/// What is hidden of the home, and what of it the newest run's contracts seem to have missed. What cannot be read is
/// passed over: nothing depends on it.
fn home(project: &Project) -> Option<HomeReport> {
    if !level(project).is_ok_and(Level::uses_mounts) {
        return None;
    }
    let home = confinement::home(project);
    let unseen = home.unseen_entries().ok()?;
    let unseen = unseen.iter().map(|name| format!("~/{}", name.display()));
    Some(HomeReport {
        unseen: unseen.collect(),
        missed: missed_paths(project, &home),
    })
}

fn missed_paths(project: &Project, home: &Home) -> Vec<MissedPath> {
    let Ok(Some(RunView { run, .. })) = RunView::newest(project) else {
        return Vec::new();
    };
    let named = |(step, state): (&Step, &StepState)| {
        let is_done = state.status == StepStatus::Completed;
        let failure = state.advice.failure.as_ref().filter(|_| !is_done);
        let text = failure.map(|failure| [failure.stdout.as_str(), &failure.stderr].join("\n"));
        let paths = text.map_or_else(Vec::new, |text| home.unseen_paths_in(&text));
        let missed = paths.into_iter().map(|path| MissedPath {
            path,
            run: run.id().to_owned(),
            step: step.id.clone(),
        });
        missed.collect::<Vec<MissedPath>>()
    };
    run.steps().flat_map(named).collect()
}

fn lost_levels(weaker: &WeakerConfinement) -> Vec<LostCapability> {
    let lost = weaker.lost.iter().map(|lost| LostCapability {
        what: lost.what.to_owned(),
        before: lost.before.clone(),
        now: lost.now.clone(),
    });
    lost.collect()
}

/// Entries of PATH inside the project, where nothing is looked for.
pub fn dropped_path_entries(project: &Project) -> Vec<String> {
    let dropped = path_inside(&project.process.path(), project.store.workspace());
    let shown = dropped.iter().map(|entry| entry.display().to_string());
    shown.collect()
}

fn project_report(project: &Project) -> Result<ProjectReport, Error> {
    let (id, status) = project.id_status()?;
    let trust = match project.trust() {
        Trust::NotNeeded => "not_needed",
        Trust::Given => "given",
        Trust::Missing(_) => "missing",
        Trust::Changed(_) => "changed",
    };
    Ok(ProjectReport {
        root: project.store.workspace().display().to_string(),
        id,
        copy_of: match status {
            ProjectStatus::Copy { of } => Some(of.display().to_string()),
            ProjectStatus::Known | ProjectStatus::First => None,
        },
        trust: trust.to_owned(),
        helpers: helper_states(project),
    })
}

fn helper_states(project: &Project) -> Vec<Helper> {
    let (trusted, present) = (
        helpers::trusted_hashes(project),
        helpers::present_hashes(project),
    );
    let of = |helper: helpers::Helper| {
        let state = |file: &String| match trusted.get(file) {
            None => HelperState::New,
            then if then == present.get(file) => HelperState::Trusted,
            Some(_) => HelperState::Changed,
        };
        let files = helper.named.files.iter();
        let states = files.map(|file| Helper {
            command: helper.title.clone(),
            path: file.clone(),
            state: state(file),
        });
        states.collect::<Vec<Helper>>()
    };
    helpers::helpers(project).into_iter().flat_map(of).collect()
}

/// How agents and contracts will be confined.
pub fn sandbox(config: &Config) -> Sandbox {
    let mode = config.sandbox.mode.value;
    let found = (mode != SandboxMode::Off).then(probe_levels).transpose();
    let level = match &found {
        Ok(found) => Some(found.as_ref().map_or(Level::None, |found| found.level)),
        Err(_) => None,
    };
    let level_report = |(one, enforces): (Level, &str)| {
        let tried = found.as_ref().ok().and_then(Option::as_ref);
        let tried =
            tried.and_then(|found| found.failed_levels.iter().find(|tried| tried.level == one));
        let untried = found.as_ref().err().filter(|untried| untried.level == one);
        LevelReport {
            level: one.to_string(),
            state: match tried {
                Some(_) => LevelState::Fails,
                None if Some(one) == level => LevelState::Works,
                None => LevelState::NotTried,
            },
            why: tried
                .map(|tried| tried.why.clone())
                .or_else(|| untried.map(ToString::to_string)),
            enforces: enforces.to_owned(),
        }
    };
    Sandbox {
        mode: mode.name().to_owned(),
        level: level.map_or_else(|| UNKNOWN.to_owned(), |level| level.to_string()),
        before: None,
        network: config.sandbox.network.value,
        levels: LEVELS.map(level_report).into(),
    }
}
