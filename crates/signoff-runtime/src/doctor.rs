//! What this machine can do for a run, found by trying it.

use signoff_api::doctor::{
    Doctor, Helper, HelperState, Level as Told, Project as ProjectReport, SCHEMA, Sandbox, State,
    UNKNOWN, Worktrees,
};
use signoff_sandbox::{Level, probe};
use signoff_store::config::{Config, Mode};
use signoff_store::trust::projects::ProjectStatus;
use signoff_work::environment::path_inside;

use crate::error::Error;
use crate::project::{Project, Trust};
use crate::{helpers, trees};

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

/// Whether runs of a project can have worktrees, and why not.
pub fn worktrees(project: &Project) -> Result<Worktrees, Error> {
    let found = trees::obstacles(project);
    let why = match found {
        Err(Error::Git(why)) => vec![why.to_string()],
        found => found?,
    };
    Ok(Worktrees {
        possible: why.is_empty(),
        why,
    })
}

/// Looks at what a configuration asks for and what works here, and in this project, if there is one.
pub fn doctor(config: &Config, project: Option<&Project>) -> Result<Doctor, Error> {
    Ok(Doctor {
        schema: SCHEMA.to_owned(),
        sandbox: sandbox(config),
        worktrees: project.map(worktrees).transpose()?,
        path_dropped: project.map(path_dropped).unwrap_or_default(),
        project: project.map(project_report).transpose()?,
    })
}

fn path_dropped(project: &Project) -> Vec<String> {
    let dropped = path_inside(&project.around.path(), project.store.workspace());
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
    let (trusted, present) = (helpers::trusted(project), helpers::present(project));
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
    let found = (mode != Mode::Off).then(probe).transpose();
    let level = match &found {
        Ok(found) => Some(found.map_or(Level::None, |found| found.level)),
        Err(_) => None,
    };
    let told = |(one, enforces): (Level, &str)| {
        let tried = found.as_ref().ok().copied().flatten();
        let tried = tried.and_then(|found| found.tried.iter().find(|tried| tried.level == one));
        let untried = found.as_ref().err().filter(|untried| untried.level == one);
        Told {
            level: one.to_string(),
            state: match tried {
                Some(_) => State::Fails,
                None if Some(one) == level => State::Works,
                None => State::NotTried,
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
        network: config.sandbox.network.value,
        levels: LEVELS.map(told).into(),
    }
}
