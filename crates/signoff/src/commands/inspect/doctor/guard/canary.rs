//! Fires one canary: a call that leaves a file, through a real agent with a hook in front of it.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use signoff_api::doctor::Canary;
use signoff_plan::guard::Agent;
use signoff_runtime::project::ProcessContext;
use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};
use signoff_stub::{Received, Reply, Script, Stub};

use super::agent_setup::{AgentSetup, set_up};
use super::situation::Situation;

/// Variables that no agent logs in with, and that it may need to start at all.
const KEPT: [&str; 6] = ["PATH", "LANG", "TERM", "USER", "TMPDIR", "TZ"];
/// Agents need some seconds, and more where nobody answers them.
const LONGEST: Duration = Duration::from_secs(90);
/// The file that a call leaves.
const LEFT: &str = "canary.txt";

/// An agent of this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct CanarySubject<'a> {
    pub(super) process: &'a ProcessContext,
    pub(super) agent: Agent,
    pub(super) program: &'a Path,
    /// This program.
    pub(super) binary: &'a Path,
}

pub(super) fn run_canary(subject: CanarySubject<'_>, situation: Situation) -> io::Result<Canary> {
    let folder = tempfile::Builder::new()
        .prefix("signoff-canary-")
        .tempdir()?;
    let place = folder.path().canonicalize()?;
    let (home, project) = (place.join("home"), place.join("project"));
    fs::create_dir_all(&project)?;
    let stub = Stub::start(script())?;
    let hook = situation.hook(subject.binary, subject.agent);
    let settings = stub
        .client_settings(subject.agent.name())
        .unwrap_or_default();
    let setup = set_up(subject.agent, situation, &hook, &settings);
    for (path, text) in &setup.files {
        write(&home.join(path), text)?;
    }
    for (path, text) in &setup.project_files {
        write(&project.join(path), text)?;
    }
    write(
        &home.join(".config/signoff/config.toml"),
        situation.settings(),
    )?;
    let command = command(subject, &setup, &home, &project);
    let ended = Sandbox::new()?
        .start(command)
        .map_err(io::Error::other)?
        .wait();
    let asked = stub.requests();
    let came_back = asked.iter().any(has_result);
    let is_left = project.join(LEFT).exists();
    let why = || {
        let said = [ended.stderr.text(), ended.stdout.text()].join("\n");
        format!("{}: {}", end_text(ended.status), telling_line(&said))
    };
    // One that waits for a person's answer until it is ended has not made the call.
    let waits = ended.status == ExitStatus::TimedOut && asked.iter().any(is_asked);
    let ran = (came_back || is_left || waits).then_some(is_left);
    Ok(Canary {
        situation: situation.description().to_owned(),
        ours: situation.is_ours(),
        ran,
        should_run: situation == Situation::Passes,
        told: asked.iter().any(is_told),
        problem: ran.is_none().then(why),
    })
}

fn end_text(status: ExitStatus) -> String {
    match status {
        ExitStatus::Exited(code) => format!("exit code {code}"),
        ExitStatus::Signaled(signal) => format!("signal {signal}"),
        ExitStatus::TimedOut => format!("it took longer than {} s", LONGEST.as_secs()),
        ExitStatus::Stopped => "it was stopped".to_owned(),
    }
}

/// The line that says what went wrong, where one looks like that: behind it comes all that the program could do, or a trace.
fn telling_line(said: &str) -> &str {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let tells = |line: &&str| {
        ["error:", "Error:", "Unknown "]
            .iter()
            .any(|sign| line.contains(sign))
    };
    let found = lines().find(tells).or_else(|| lines().next_back());
    found.unwrap_or("it said nothing")
}

fn script() -> Script {
    let command = format!("echo ran > {LEFT}");
    Script::new([
        Reply::Shell { command },
        Reply::Text("The canary is done.".to_owned()),
    ])
}

/// Whether the model was asked what to do.
fn is_asked(request: &Received) -> bool {
    let prompt = request.prompt.as_ref();
    prompt.is_some_and(|prompt| !prompt.tools.is_empty())
}

/// Whether the model was told what became of the call.
fn has_result(request: &Received) -> bool {
    let prompt = request.prompt.as_ref();
    is_asked(request) && prompt.is_some_and(|prompt| prompt.turn > 0)
}

fn is_told(request: &Received) -> bool {
    let body = request.body.to_string();
    ["Plan mode: ", "signoff guard", "canary\""]
        .iter()
        .any(|words| body.contains(words))
        && has_result(request)
}

fn command(subject: CanarySubject<'_>, setup: &AgentSetup, home: &Path, project: &Path) -> Command {
    let kept = (subject.process.variables.iter())
        .filter(|(name, _)| KEPT.iter().any(|kept| name == kept))
        .map(|(name, value)| (name.clone(), value.clone()));
    let given = setup
        .variables
        .iter()
        .map(|(name, value)| (name.into(), value.into()));
    let mut env: Vec<(OsString, OsString)> = kept.chain(given).collect();
    env.push(("HOME".into(), home.into()));
    let words = setup.arguments.iter().map(OsString::from);
    Command {
        argv: std::iter::once(subject.program.into())
            .chain(words)
            .collect(),
        cwd: project.to_owned(),
        env,
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(LONGEST),
            output: 64 * 1024,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::telling_line;

    #[test]
    fn a_program_that_lists_its_options_is_quoted_where_it_says_why() {
        for (said, told) in [
            ("", "it said nothing"),
            ("starting\nbroken\n\n", "broken"),
            (
                "warning: x\nerror: unexpected argument '--y' found\n\nFor more information, try '--help'.\n",
                "error: unexpected argument '--y' found",
            ),
            (
                "Unknown arguments: skip-trust\n  -h, --help  Show help\n",
                "Unknown arguments: skip-trust",
            ),
            (
                "file:///x.js:9\nSyntaxError: no export named 'y'\n    at run (z:1)\n\nNode.js v20\n",
                "SyntaxError: no export named 'y'",
            ),
        ] {
            assert_eq!(telling_line(said), told);
        }
    }
}
