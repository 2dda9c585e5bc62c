//! Follows an agent while it works, on the thread that waits for its process.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::SystemTime;

use signoff_engine::{AgentReport, Input, ProcessEnd};
use signoff_sandbox::{CommandReport, ExitStatus, RunningCommand};
use signoff_work::agent::{
    AgentEvent, AgentExit, AgentProblem, DriverKind, LineSplitter, PermissionRequest, Prices,
};
use signoff_work::confine::agent_advice;
use signoff_work::secrets::Secrets;

use super::activity::AgentActivity;
use super::channel::{AgentChannel, ParsedLine};
use super::denials::Denials;
use super::handle::{AgentHandle, EndReason};
use super::progress_file::ProgressFile;
use super::questions::Questions;
use crate::drive::{ActiveAgent, WakeReason};
use crate::local::message::Message;
use crate::local::supervisor::Ended;
use crate::runs::agent_report;

/// The end of stderr that tells why an agent failed.
pub(super) const STDERR_TAIL: usize = 8 * 1024;

/// What is needed to follow an agent.
pub(in crate::local) struct MonitorSetup {
    pub(in crate::local) step: usize,
    pub(in crate::local) attempt: u32,
    pub(in crate::local) driver: DriverKind,
    /// The model that it was asked to use.
    pub(in crate::local) model: Option<String>,
    pub(in crate::local) talk: AgentChannel,
    pub(in crate::local) questions: Questions,
    pub(in crate::local) denials: Denials,
    pub(in crate::local) prices: Prices,
    /// The agent confines what it starts itself.
    pub(in crate::local) own_sandbox: bool,
    /// The attempt's `progress.jsonl`.
    pub(in crate::local) progress: PathBuf,
    pub(in crate::local) secrets: Secrets,
}

/// Follows one agent.
pub(in crate::local) struct AgentMonitor {
    step: usize,
    attempt: u32,
    driver: DriverKind,
    model: Option<String>,
    own_sandbox: bool,
    talk: AgentChannel,
    questions: Questions,
    denials: Denials,
    lines: LineSplitter,
    activity: AgentActivity,
    file: ProgressFile,
    handle: AgentHandle,
    secrets: Secrets,
    sender: Sender<Message>,
    /// Something was read that has not been passed on.
    is_news: bool,
    /// It is about tokens, which a budget limits and a crash must not lose: it is passed on at once.
    is_urgent: bool,
}

/// What is known of an agent's end in addition to that of a command.
pub(in crate::local) struct AgentEnding {
    /// How it ended, where the harness ended it.
    pub(in crate::local) ended: Option<ProcessEnd>,
    /// Its last words, where its stream tells them.
    pub(in crate::local) text: Option<String>,
    pub(in crate::local) report: Box<AgentReport>,
}

impl AgentMonitor {
    pub(in crate::local) fn new(setup: MonitorSetup, sender: Sender<Message>) -> Self {
        Self {
            step: setup.step,
            attempt: setup.attempt,
            driver: setup.driver,
            handle: AgentHandle::new(setup.questions.clone(), setup.talk.as_dialogue().cloned()),
            activity: AgentActivity::new(setup.driver.name(), setup.prices),
            model: setup.model,
            own_sandbox: setup.own_sandbox,
            talk: setup.talk,
            questions: setup.questions,
            denials: setup.denials,
            lines: LineSplitter::default(),
            file: ProgressFile::new(setup.progress),
            secrets: setup.secrets,
            sender,
            is_news: false,
            is_urgent: false,
        }
    }

    /// Ends the agent from elsewhere.
    pub(in crate::local) fn handle(&self) -> AgentHandle {
        self.handle.clone()
    }

    /// Follows the agent to its end. `None` if the run was stopped, which says nothing about the agent.
    pub(in crate::local) fn follow(
        mut self,
        mut running: RunningCommand,
    ) -> Option<Ended<AgentEnding>> {
        self.handle.on_started(running.stopper());
        self.questions.begin(running.time_limit());
        self.talk.begin(running.take_stdin());
        self.is_news = true;
        self.send_activity();
        let command = running.wait_with(&mut |bytes| self.read_bytes(bytes));
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.read_line(line));
        // An agent that is told to end may do so by itself.
        let ended = match (self.handle.end_reason(), command.status) {
            (Some(EndReason::Stopped), _) | (None, ExitStatus::Stopped) => None?,
            (Some(EndReason::OverBudget), _) => Some(ProcessEnd::OverBudget),
            (Some(EndReason::Done), ExitStatus::Stopped) => Some(ProcessEnd::Exited(0)),
            (Some(EndReason::Done) | None, _) => None,
        };
        let more = self.finish(&command, ended);
        Some(Ended { command, more })
    }

    fn read_bytes(&mut self, bytes: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(bytes, |line| self.read_line(line));
        self.lines = lines;
        self.send_activity();
    }

    fn read_line(&mut self, line: &[u8]) {
        let ParsedLine {
            events,
            asks,
            is_done,
        } = self.talk.read_line(line);
        for event in events {
            self.is_urgent |= matches!(event, AgentEvent::Usage(_));
            self.activity.note(event);
            self.is_news = true;
        }
        if let Some(question) = asks {
            self.ask(question);
        }
        if is_done {
            self.handle.end(EndReason::Done);
        }
    }

    /// A person has to answer: the loop is told, and the agent waits.
    fn ask(&mut self, question: PermissionRequest) {
        let Some(dialogue) = self.talk.as_dialogue().cloned() else {
            return;
        };
        let what = self.secrets.hide(&question.summary()).into_owned();
        self.activity.note_question(&what);
        self.send_activity_now();
        let asked = Input::PermissionAsked {
            step: self.step,
            attempt: self.attempt,
            what,
        };
        // The receiver is gone if the run was abandoned.
        let tell = || drop(self.sender.send(Message::Happened(asked.into())));
        let pass_on = move |allow| dialogue.answer(&question, allow);
        self.questions.ask(tell, pass_on);
    }

    /// Passes on what was read, unless that was done just before and can wait.
    fn send_activity(&mut self) {
        if self.is_news && (self.is_urgent || self.file.is_due()) {
            self.send_activity_now();
        }
    }

    fn send_activity_now(&mut self) {
        self.is_news = false;
        self.is_urgent = false;
        let mut progress = self
            .activity
            .snapshot(signoff_store::timestamp::rfc3339_ms(SystemTime::now()));
        progress.doing = self.secrets.hide(&progress.doing).into_owned();
        self.denials.add_to(&mut progress.denied);
        for todo in &mut progress.todo {
            todo.text = self.secrets.hide(&todo.text).into_owned();
        }
        self.file.write(&progress);
        let active = WakeReason::Active(Box::new(ActiveAgent {
            step: self.step,
            attempt: self.attempt,
            usage: self.activity.live_usage(),
            progress,
        }));
        // The receiver is gone: the run was abandoned.
        drop(self.sender.send(Message::Happened(active)));
    }

    fn finish(mut self, command: &CommandReport, ended: Option<ProcessEnd>) -> AgentEnding {
        let stderr = command.stderr.tail(STDERR_TAIL);
        let last = self.talk.finish(AgentExit {
            status: command.status,
            stderr: stderr.as_bytes(),
        });
        self.denials.read_file();
        self.send_activity_now();
        let mut report = agent_report(self.activity.snapshot(String::new()));
        self.denials.add_to(&mut report.denied);
        report.own_sandbox = self.own_sandbox;
        report.model = self.model.or(report.model);
        // The end of its process is reported separately.
        report.problem = last
            .problem
            .filter(|problem| ended.is_none() && problem.is_explained())
            .map(|problem| problem_text(&problem, self.driver))
            .map(|problem| self.secrets.hide(&problem).into_owned());
        AgentEnding {
            ended,
            text: (self.driver != DriverKind::Command).then_some(last.text),
            report: Box::new(report),
        }
    }
}

/// What is wrong, and what a person can do about it.
pub(super) fn problem_text(problem: &AgentProblem, driver: DriverKind) -> String {
    let advice = agent_advice(driver.name()).filter(|_| *problem == AgentProblem::LoginRequired);
    match advice {
        Some(advice) => format!("{problem}: {}", advice.log_in),
        None => problem.to_string(),
    }
}
