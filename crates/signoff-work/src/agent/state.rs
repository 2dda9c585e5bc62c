//! What a reader has understood so far: the same for all agents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use signoff_sandbox::ExitStatus;

use super::end::{AgentEnd, AgentExit, AgentProblem};
use super::event::{AgentEvent, ModelUsage, TodoEntry};
use super::json::call_subject;
use super::text::{one_line, short_message, short_output};
use super::usage::UsageMeter;

/// Tool calls that are remembered until they end. More are shown, but the files they change are not known.
const REMEMBERED: usize = 1024;

/// Collects events, and what the end needs to know.
#[derive(Debug, Default)]
pub(super) struct StreamState {
    pub(super) usage: UsageMeter,
    /// The model of the messages, if they do not name one.
    model: Option<String>,
    session: Option<String>,
    events: Vec<AgentEvent>,
    /// Files that calls change, by the call.
    calls: BTreeMap<String, String>,
    open: BTreeSet<String>,
    /// Parts of a message that is not complete.
    part: String,
    last_text: String,
    last_error: Option<String>,
    problem: Option<AgentProblem>,
    denied: Option<Denial>,
    question: Option<String>,
    has_used_tools: bool,
    /// The agent said that it is done.
    is_done: bool,
}

#[derive(Debug)]
struct Denial {
    tool: String,
    reason: String,
    calls: u64,
}

impl StreamState {
    /// The model that was asked for stands in where the stream names none.
    pub(super) fn new(model: Option<&str>) -> Self {
        Self {
            model: model.map(str::to_owned),
            ..Self::default()
        }
    }

    pub(super) fn session(&mut self, id: &str) {
        if !id.is_empty() && self.session.as_deref() != Some(id) {
            self.session = Some(id.to_owned());
            self.events.push(AgentEvent::Session { id: id.to_owned() });
        }
    }

    pub(super) fn model(&mut self, name: &str) {
        if !name.is_empty() {
            self.model = Some(name.to_owned());
            let name = name.to_owned();
            self.events.push(AgentEvent::Model { name });
        }
    }

    pub(super) fn version(&mut self, text: &str) {
        if !text.is_empty() {
            let text = text.to_owned();
            self.events.push(AgentEvent::Version { text });
        }
    }

    /// A part of a message.
    pub(super) fn note_message_part(&mut self, text: &str) {
        if self.part.len() < 1024 * 1024 {
            self.part.push_str(text);
        }
    }

    /// A message; parts before it are one of their own.
    pub(super) fn note_message(&mut self, text: &str) {
        self.end_parts();
        let text = text.trim();
        if !text.is_empty() {
            text.clone_into(&mut self.last_text);
            self.last_error = None;
            let text = short_message(text);
            self.events.push(AgentEvent::Said { text });
        }
    }

    /// The message whose parts came is complete.
    pub(super) fn end_parts(&mut self) {
        if !self.part.is_empty() {
            let whole = std::mem::take(&mut self.part);
            self.note_message(&whole);
        }
    }

    pub(super) fn note_tool_start(&mut self, id: &str, tool: &str, arguments: &Value) {
        self.tool_started_about(id, tool, call_subject(arguments));
    }

    pub(super) fn tool_started_about(&mut self, id: &str, tool: &str, about: String) {
        self.end_parts();
        self.has_used_tools = true;
        self.question = None;
        self.last_error = None;
        self.events.push(AgentEvent::ToolStarted {
            id: id.to_owned(),
            tool: tool.to_owned(),
            about,
        });
    }

    /// Whether it uses tools cannot be seen.
    pub(super) fn used_tools(&mut self) {
        self.has_used_tools = true;
    }

    /// The call changes this file if it succeeds.
    pub(super) fn remember_file(&mut self, call: &str, path: &str) {
        if !path.is_empty() && self.calls.len() < REMEMBERED {
            self.calls.insert(call.to_owned(), path.to_owned());
        }
    }

    /// The call was started, and will end.
    pub(super) fn remember_call(&mut self, id: &str) {
        if self.open.len() < REMEMBERED {
            self.open.insert(id.to_owned());
        }
    }

    /// Whether the call was started.
    pub(super) fn forget_call(&mut self, id: &str) -> bool {
        self.open.remove(id)
    }

    pub(super) fn note_tool_end(&mut self, id: &str, ok: bool, output: &str) {
        self.events.push(AgentEvent::ToolEnded {
            id: id.to_owned(),
            ok,
            output: short_output(output),
        });
        if let Some(path) = self.calls.remove(id).filter(|_| ok) {
            self.note_changed_file(&path);
        }
    }

    pub(super) fn note_changed_file(&mut self, path: &str) {
        if !path.is_empty() {
            let path = path.to_owned();
            self.events.push(AgentEvent::FileChanged { path });
        }
    }

    pub(super) fn note_todo(&mut self, entries: Vec<TodoEntry>) {
        self.end_parts();
        if !entries.is_empty() {
            self.events.push(AgentEvent::Todo { entries });
        }
    }

    /// Counts an increment; without a model of its own it is the stream's.
    pub(super) fn count_usage(&mut self, mut usage: ModelUsage) {
        usage.model = usage.model.or_else(|| self.model.clone());
        self.events.extend(self.usage.add(usage));
    }

    /// Counts what a total of the stream has beyond what was counted.
    pub(super) fn used_in_total(&mut self, mut total: ModelUsage) {
        total.model = total.model.or_else(|| self.model.clone());
        self.events.extend(self.usage.raise_to(&total));
    }

    pub(super) fn used_at_end(&mut self, totals: &[ModelUsage]) {
        self.events.extend(self.usage.raise_to_totals(totals));
    }

    pub(super) fn note_denial(&mut self, tool: &str, reason: &str) {
        let reason = one_line(reason);
        self.events.push(AgentEvent::Denied {
            tool: tool.to_owned(),
            reason: reason.clone(),
        });
        let calls = self.denied.as_ref().map_or(1, |denial| denial.calls + 1);
        self.denied = Some(Denial {
            tool: tool.to_owned(),
            reason,
            calls,
        });
    }

    /// It asked a person; only an agent that stops there has a problem.
    pub(super) fn note_question(&mut self, question: &str) {
        self.question = Some(one_line(question));
    }

    /// What the end line repeats of the last message, or says instead of one.
    pub(super) fn last_words(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            text.clone_into(&mut self.last_text);
        }
    }

    /// An error that the agent may survive.
    pub(super) fn error(&mut self, message: &str) {
        let message = one_line(message);
        if !message.is_empty() {
            self.last_error = Some(message.clone());
            self.events.push(AgentEvent::Problem { message });
        }
    }

    /// An error that explains nothing that comes later.
    pub(super) fn note_warning(&mut self, message: &str) {
        let message = one_line(message);
        if !message.is_empty() {
            self.events.push(AgentEvent::Problem { message });
        }
    }

    /// An error that ends the work.
    pub(super) fn record_failure(&mut self, problem: AgentProblem) {
        self.problem = Some(problem);
    }

    /// The agent says that it is done; what failed before did not matter.
    pub(super) fn record_done(&mut self) {
        self.is_done = true;
        self.problem = None;
    }

    /// The events since the last call.
    pub(super) fn take_events(&mut self) -> Vec<AgentEvent> {
        std::mem::take(&mut self.events)
    }

    /// The end of an agent that says in its stream when it is done.
    pub(super) fn end(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.end_parts();
        AgentEnd {
            text: self.last_text.clone(),
            problem: self.final_problem(exit),
            totals: self.usage.totals().to_vec(),
        }
    }

    fn final_problem(&mut self, exit: AgentExit<'_>) -> Option<AgentProblem> {
        let stated = self.problem.take();
        match exit.status {
            ExitStatus::Exited(0) => stated.or_else(|| self.quiet_problem()),
            ExitStatus::Exited(code) => {
                Some(stated.unwrap_or_else(|| self.failure(code, exit.stderr)))
            }
            ExitStatus::Signaled(signal) => Some(stated.unwrap_or(AgentProblem::Signaled(signal))),
            // The harness ended it and knows why; a model that failed before explains it.
            ExitStatus::TimedOut => stated.or_else(|| {
                let last = AgentProblem::of_message(self.last_error.as_deref()?);
                (!matches!(last, AgentProblem::Other(_))).then_some(last)
            }),
            ExitStatus::Stopped => stated,
        }
    }

    fn failure(&self, code: i32, stderr: &[u8]) -> AgentProblem {
        if let Some(error) = &self.last_error {
            return AgentProblem::of_message(error);
        }
        let stderr = String::from_utf8_lossy(stderr);
        // Lines of a stack have numbers that mean nothing here; Gemini measures its own start on stderr.
        let is_message = |line: &&str| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with("at ") && !line.starts_with("[STARTUP]")
        };
        let mut messages = stderr
            .lines()
            .filter(is_message)
            .map(AgentProblem::of_message);
        let first = messages.find(|problem| !matches!(problem, AgentProblem::Other(_)));
        first.unwrap_or_else(|| {
            let last = stderr.lines().rev().find(is_message);
            last.map_or(AgentProblem::ExitCode(code), |last| {
                AgentProblem::Other(one_line(last))
            })
        })
    }

    /// What is wrong although the exit code is 0.
    fn quiet_problem(&mut self) -> Option<AgentProblem> {
        if let Some(question) = self.question.take() {
            return Some(AgentProblem::AskedQuestion(question));
        }
        if let Some(Denial {
            tool,
            reason,
            calls,
        }) = self.denied.take()
        {
            return Some(AgentProblem::Denied {
                tool,
                reason,
                calls,
            });
        }
        if !self.is_done {
            let last = self.last_error.as_deref().map(AgentProblem::of_message);
            return Some(last.unwrap_or(AgentProblem::Incomplete));
        }
        let last_line = self.last_text.lines().next_back().unwrap_or_default();
        let asks = !self.has_used_tools && last_line.trim_end().ends_with('?');
        asks.then(|| AgentProblem::AskedQuestion(one_line(last_line)))
    }
}
