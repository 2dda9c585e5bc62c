//! Notifies an absent person, by the command they configured, that something waits on them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use signoff_engine::{Event, RecordedEvent, Run};
use signoff_sandbox::{
    Command, CommandReport, ExitStatus, Limits, Sandbox, StartError, Stdin, start_thread,
};
use signoff_work::environment::path_outside;
use signoff_work::project::helpers::PinnedCommand;

use crate::drive::Observe;
use crate::error::Error;
use crate::project::Project;
use crate::trust::helpers::pin_command;

/// Longer than passing on a message takes.
const TIME: Duration = Duration::from_secs(10);

/// Bytes of the command's output that are kept, to report why it failed.
const OUTPUT: u64 = 4096;

/// Runs the command once for each item that is opened.
pub(crate) struct Notify {
    sandbox: Arc<Sandbox>,
    argv: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(OsString, OsString)>,
    plan: String,
    /// The files of the project that it runs, as they were trusted.
    pinned: PinnedCommand,
    /// Why it was not started.
    refused: Vec<String>,
    /// Commands under way: the run does not wait for them.
    under_way: Vec<JoinHandle<Option<String>>>,
}

impl Notify {
    /// The configured command, if there is one. `plan` is the name of the plan in messages.
    pub(crate) fn new(project: &Project, sandbox: Arc<Sandbox>, plan: &str) -> Option<Self> {
        let command = &project.config.notify.command.value;
        if command.is_empty() {
            return None;
        }
        let workspace = project.store.workspace();
        // A program of the person's: it may need their display or session. It is not looked up in anything that agents
        // write.
        let mut variables = project.process.variables.clone();
        let path = path_outside(&project.process.path(), workspace);
        variables.insert("PATH".into(), path);
        Some(Self {
            sandbox,
            argv: command.iter().map(OsString::from).collect(),
            cwd: workspace.to_owned(),
            env: variables.into_iter().collect(),
            plan: plan.to_owned(),
            pinned: pin_command(project, command),
            refused: Vec::new(),
            under_way: Vec::new(),
        })
    }

    /// Waits for the notifications under way; returns why they failed.
    pub(crate) fn finish(self) -> Vec<String> {
        let ended = self.under_way.into_iter();
        let ended = ended.filter_map(|one| one.join().ok().flatten());
        let mut notes: Vec<String> = self.refused.into_iter().chain(ended).collect();
        // The same command fails for the same reason.
        notes.dedup();
        notes
    }

    fn command(&self, about: [(&str, &str); 5]) -> Command {
        let mut env = self.env.clone();
        env.extend(about.map(|(name, value)| {
            // A variable cannot hold a zero byte.
            let value = value.replace('\0', "");
            (format!("SIGNOFF_NOTIFY_{name}").into(), value.into())
        }));
        Command {
            argv: self.argv.clone(),
            cwd: self.cwd.clone(),
            env,
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: Some(TIME),
                output: OUTPUT,
                log: 0,
            },
            log: None,
            policy: None,
            mounts: None,
        }
    }
}

impl Observe for Notify {
    fn event(&mut self, run: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        let Event::InboxOpened {
            item,
            kind,
            question,
            ..
        } = &recorded.event
        else {
            return Ok(());
        };
        let differences = self.pinned.differences(&self.cwd);
        if !differences.is_empty() {
            self.refused.push(format!(
                "the command of `[notify]` was not started: {}; read it, then type `signoff trust`",
                differences.join(", ")
            ));
            return Ok(());
        }
        let command = self.command([
            ("RUN", run.id()),
            ("ITEM", &format!("{}/{item}", run.id())),
            ("KIND", signoff_api::event::item_kind_name(*kind)),
            ("QUESTION", question),
            ("PLAN", &self.plan),
        ]);
        let sandbox = Arc::clone(&self.sandbox);
        let work = move || failure_reason(sandbox.run(command));
        match start_thread("signoff-notify", work) {
            Ok(thread) => self.under_way.push(thread),
            Err(error) => self.refused.push(format!(
                "the command of `[notify]` was not started: {error}"
            )),
        }
        Ok(())
    }
}

/// Why the command failed, if it did.
fn failure_reason(ended: Result<CommandReport, StartError>) -> Option<String> {
    let why = match ended {
        Err(error) => error.to_string(),
        Ok(ended) => match ended.status {
            ExitStatus::Exited(0) => return None,
            ExitStatus::Exited(code) => format!("exit code {code}{}", last_line(&ended)),
            ExitStatus::Signaled(signal) => format!("signal {signal}"),
            ExitStatus::TimedOut => format!("it took longer than {} s", TIME.as_secs()),
            ExitStatus::Stopped => "it was stopped".to_owned(),
        },
    };
    Some(format!("the command of `[notify]` failed: {why}"))
}

fn last_line(ended: &CommandReport) -> String {
    let said = ended.stderr.text();
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| format!(": {}", line.trim()))
}
