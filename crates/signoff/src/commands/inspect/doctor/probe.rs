//! `doctor agents --probe`: one small task through each agent, in the sandbox, with a model on loopback. It costs
//! nothing: the agent sees neither a key nor a setting of the person.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use signoff_api::doctor::{AgentProbe, AgentsReport, Doctor, KnownAgent};
use signoff_engine::StepStatus;
use signoff_runtime::project::ProcessContext;
use signoff_runtime::runs::view::RunView;
use signoff_store::signatures::Proof;
use signoff_stub::{ClientSettings, Reply, Script, Stub};

use crate::args::{Color, Format, Run, RunLimits};
use crate::commands::running::run;
use crate::commands::start::trust;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::sanitize;

/// What the model says at the end.
const LAST_WORDS: &str = "The probe is done.";
const PLAN: &str = include_str!("probe/plan.md");
/// Variables that no agent logs in with, and that it may need to start at all.
const KEPT: [&str; 6] = ["PATH", "LANG", "TERM", "USER", "TMPDIR", "TZ"];

/// Probes the named agents, or all that are installed.
pub(super) fn probe(
    session: &Session,
    found: &AgentsReport,
    named: &[String],
) -> Result<Vec<AgentProbe>, Failure> {
    let is_named = |agent: &&KnownAgent| match named {
        [] => agent.path.is_some(),
        named => named.contains(&agent.name),
    };
    let probed = found.known.iter().filter(is_named);
    probed
        .map(|agent| match &agent.path {
            Some(_) => probe_one(session, &agent.name),
            None => Ok(AgentProbe {
                problem: Some(format!("not installed; `{}` installs it", agent.install)),
                ..nothing_seen(&agent.name)
            }),
        })
        .collect()
}

fn nothing_seen(agent: &str) -> AgentProbe {
    AgentProbe {
        name: agent.to_owned(),
        started: false,
        stream_read: false,
        inside_written: false,
        outside_refused: None,
        usage_seen: false,
        tokens: None,
        duration_ms: 0,
        problem: None,
    }
}

fn probe_one(session: &Session, agent: &str) -> Result<AgentProbe, Failure> {
    let folder = tempfile::Builder::new().prefix("signoff-probe-").tempdir();
    let folder = folder.map_err(|why| cannot_probe(&why))?;
    let place = folder
        .path()
        .canonicalize()
        .map_err(|why| cannot_probe(&why))?;
    let target = Target::new(&session.process, &place);
    let stub = Stub::start(script(&target.path)).map_err(|why| cannot_probe(&why))?;
    let settings = stub.client_settings(agent).unwrap_or_default();
    let process =
        set_up(&session.process, &place, agent, &settings).map_err(|why| cannot_probe(&why))?;
    let begun = Instant::now();
    let mut inner = Session::new(process, Color::Never, Format::Human);
    inner.proof = Some(Proof::Policy);
    inner.out.silent = true;
    let ran = trust::trust(&mut inner).and_then(|_| run::run(&mut inner, &run_args()));
    let duration = begun.elapsed().as_millis();
    let mut probe = AgentProbe {
        duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
        problem: ran.err().map(|failure| failure.message),
        ..nothing_seen(agent)
    };
    read_outcome(&inner, &mut probe)?;
    let asked = stub.requests();
    let turns = asked.iter().filter_map(|request| request.prompt.as_ref());
    let last = turns
        .filter(|prompt| !prompt.tools.is_empty())
        .map(|prompt| prompt.turn)
        .max();
    probe.started = last.is_some();
    // The third turn comes after the agent tried to write there.
    probe.outside_refused = (last >= Some(2)).then(|| !target.is_there());
    Ok(probe)
}

/// Takes over what the run recorded.
fn read_outcome(inner: &Session, probe: &mut AgentProbe) -> Result<(), Failure> {
    let project = inner.project()?;
    let Some(view) = RunView::newest(&project)? else {
        return Ok(());
    };
    let Some((_, step)) = view.run.steps().next() else {
        return Ok(());
    };
    let used = &step.usage.total;
    probe.inside_written = step.status == StepStatus::Completed;
    let said = step.history.said.as_deref();
    probe.stream_read = said.is_some_and(|text| text.contains(LAST_WORDS));
    probe.usage_seen = used.is_counted() && used.tokens() > 0;
    probe.tokens = probe.usage_seen.then(|| used.tokens());
    if probe.problem.is_none() {
        probe.problem = step
            .attempt
            .work_failure()
            .or_else(|| step.outcome.reason.clone());
    }
    Ok(())
}

/// The lines about what was seen.
pub(super) fn lines(found: &[AgentProbe]) -> Vec<String> {
    let title = "probe: a small task, with a model on this machine";
    let mut lines = vec![title.to_owned()];
    lines.extend(found.iter().flat_map(agent_lines));
    lines
}

fn agent_lines(probe: &AgentProbe) -> Vec<String> {
    let mark = if probe.works() { "✓" } else { "✗" };
    let seen = match (probe.started, probe.outside_refused) {
        (false, _) => "did not start".to_owned(),
        (true, refused) => {
            let outside = match refused {
                Some(true) => "write outside refused",
                Some(false) => "WRITE OUTSIDE NOT REFUSED",
                None => "no write outside tried",
            };
            let or_not = |is_so: bool, what: &str| {
                if is_so {
                    what.to_owned()
                } else {
                    format!("no {what}")
                }
            };
            let rest = [
                or_not(probe.stream_read, "stream read"),
                or_not(probe.inside_written, "file written inside"),
                outside.to_owned(),
                or_not(probe.usage_seen, "usage seen"),
            ];
            format!("started, {}", rest.join(", "))
        }
    };
    let seconds = Duration::from_millis(probe.duration_ms).as_secs_f32();
    let name = &probe.name;
    let mut lines = vec![format!("  {mark} {name:<8} {seen} ({seconds:.1}s)")];
    let problem = probe.problem.as_ref().filter(|_| !probe.works());
    lines.extend(problem.map(|problem| format!("    {}", sanitize(problem))));
    lines
}

/// The lines about agents that were named, or that a role uses, and that do not work.
pub(super) fn failed_lines(found: &Doctor, named: &[String]) -> Vec<String> {
    let failed = found.probe.iter().flatten().filter(|probe| !probe.works());
    let failed: Vec<&AgentProbe> = failed.collect();
    let asked = failed.iter().filter(|probe| named.contains(&probe.name));
    let mut lines: Vec<String> = asked.map(|probe| named_line(probe)).collect();
    let is_told = |driver: &String| named.contains(driver);
    let roles = found.agents.iter().flat_map(|agents| &agents.roles);
    let mut broken = roles
        .filter(|role| failed.iter().any(|probe| probe.name == role.driver))
        .filter(|role| !is_told(&role.driver));
    if let Some(first) = broken.next() {
        let role = sanitize(&first.role);
        let more = match broken.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!(
            "the agent of role `{role}`{more} did not do its probe"
        ));
    }
    lines
}

fn named_line(probe: &AgentProbe) -> String {
    let why = probe.problem.as_deref().map(sanitize);
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    format!("`{}` did not do its probe{why}", probe.name)
}

/// A file that must not come into being, in the person's home.
struct Target {
    path: PathBuf,
}

impl Target {
    fn new(process: &ProcessContext, place: &Path) -> Self {
        let home = process.variables.get(OsStr::new("HOME")).map(PathBuf::from);
        let name = place.file_name().unwrap_or(OsStr::new("signoff-probe"));
        let mut hidden = OsString::from(".");
        hidden.push(name);
        let path = home.unwrap_or_else(|| place.to_owned()).join(hidden);
        Self { path }
    }

    fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It is there only if nothing is confined here.
        fs::remove_file(&self.path).ok();
    }
}

fn script(outside: &Path) -> Script {
    let outside = crate::shell_words::shell_word(&outside.to_string_lossy());
    let shell = |command: String| Reply::Shell { command };
    Script::new([
        shell("echo inside > inside.txt".to_owned()),
        shell(format!("echo outside > {outside}; true")),
        Reply::Text(LAST_WORDS.to_owned()),
    ])
}

/// Writes a project and a home, and returns what the run knows instead of this process.
fn set_up(
    process: &ProcessContext,
    place: &Path,
    agent: &str,
    settings: &ClientSettings,
) -> io::Result<ProcessContext> {
    let (project, home) = (place.join("project"), place.join("home"));
    let config = format!("[agents.default]\ndriver = \"{agent}\"\n");
    write(&project.join("plan.md"), PLAN)?;
    write(&project.join(".signoff/config.toml"), &config)?;
    for (path, text) in &settings.files {
        write(&home.join(path), text)?;
    }
    let kept = process
        .variables
        .iter()
        .filter(|(name, _)| KEPT.iter().any(|kept| name == kept));
    let mut variables: signoff_work::environment::Variables = kept
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    variables.insert("HOME".into(), home.into_os_string());
    for (name, value) in &settings.variables {
        variables.insert((*name).into(), value.into());
    }
    Ok(ProcessContext {
        variables,
        directory: project,
        user_config: None,
        state_dir: Some(place.join("state")),
        person: process.person.clone(),
        services: signoff_runtime::project::ExternalServices::default(),
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

fn run_args() -> Run {
    Run {
        detach: false,
        from: None,
        path: Some(PathBuf::from("plan.md")),
        approve: true,
        preview: false,
        again: false,
        all: false,
        limits: RunLimits::default(),
        isolation: None,
        task: None,
        agent: None,
        contract: None,
        format: Format::Human,
    }
}

fn cannot_probe(why: &io::Error) -> Failure {
    Failure::new(6, "probe", format!("the probe cannot be set up: {why}"))
}
