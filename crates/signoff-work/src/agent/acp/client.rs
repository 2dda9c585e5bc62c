//! Our side of a dialogue: what to send for what was received. It reads and writes nothing itself.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::message::{
    AUTH_REQUIRED, INVALID_PARAMS, METHOD_NOT_FOUND, error, notification, request, response,
};
use super::permission::{Decision, PermissionRequest, cancelled_answer, decide};
use super::update::{OpenCalls, turn_usage};
use crate::agent::driver::{LaunchOptions, LaunchServer};
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::AgentEvent;
use crate::agent::json::{flag, number, object, text};
use crate::agent::scope::ToolScope;
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

/// The version that we speak. The next is a draft.
const PROTOCOL: u64 = 1;
/// Ids of our requests; there is one of each.
const INITIALIZE: u64 = 0;
const SESSION: u64 = 1;
const PROMPT: u64 = 2;
const SET_MODEL: u64 = 3;

/// What a dialogue is about.
#[derive(Debug, Clone, Default)]
pub struct AcpOptions {
    prompt: String,
    workspace: PathBuf,
    model: Option<String>,
    scope: Option<ToolScope>,
    confined: bool,
    resume: Option<String>,
    servers: Vec<LaunchServer>,
}

impl AcpOptions {
    pub fn new(options: &LaunchOptions<'_>) -> Self {
        Self {
            prompt: options.prompt.to_owned(),
            workspace: options.workspace.to_owned(),
            model: options.model.map(str::to_owned),
            scope: options.tools.map(ToolScope::of),
            confined: options.confined,
            resume: options.resume.map(str::to_owned),
            servers: options
                .guard
                .map_or_else(Vec::new, |guard| guard.servers.to_vec()),
        }
    }
}

/// The effect of a message of the agent.
#[derive(Debug, Default, PartialEq)]
pub struct AcpStep {
    /// Messages to send, each as one line.
    pub send: Vec<Value>,
    pub events: Vec<AgentEvent>,
    /// A question for a person: [`AcpClient::answer`] it. The agent waits.
    pub ask: Option<PermissionRequest>,
    /// The turn is over: close the agent's input, and end it if it stays.
    pub finished: bool,
}

/// Our side of a dialogue.
#[derive(Debug)]
pub struct AcpClient {
    options: AcpOptions,
    state: StreamState,
    calls: OpenCalls,
    session: Option<String>,
    /// The earlier session is being loaded: the agent repeats what was said in it.
    is_loading: bool,
    /// Questions that a person has not answered.
    open: Vec<PermissionRequest>,
    is_finished: bool,
}

impl AcpClient {
    pub fn new(options: AcpOptions) -> Self {
        Self {
            state: StreamState::new(options.model.as_deref()),
            options,
            calls: OpenCalls::default(),
            session: None,
            is_loading: false,
            open: Vec::new(),
            is_finished: false,
        }
    }

    /// Reads a dialogue that is over.
    pub(super) fn observer(model: Option<&str>) -> Self {
        let model = model.map(str::to_owned);
        Self::new(AcpOptions {
            model,
            ..AcpOptions::default()
        })
    }

    /// The first messages. We offer neither files nor terminals: the agent has its own, in our sandbox.
    pub fn start() -> Vec<Value> {
        let params = json!({
            "protocolVersion": PROTOCOL,
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
            "clientInfo": { "name": "signoff", "version": env!("CARGO_PKG_VERSION") },
        });
        vec![request(INITIALIZE, "initialize", params)]
    }

    /// Takes a line of the agent. Whatever is not understood is skipped.
    pub fn receive(&mut self, line: &[u8]) -> AcpStep {
        let mut step = AcpStep::default();
        if let Some(message) = object(line) {
            let method = text(&message, "/method");
            let params = message.get("params").unwrap_or(&Value::Null);
            match message.get("id") {
                Some(id) if !method.is_empty() => self.on_request(&mut step, id, method, params),
                Some(id) => self.on_response(&mut step, id, &message),
                None if method == "session/update" => self.on_update(params),
                None => {}
            }
        }
        step.events = self.state.take_events();
        step.finished = self.is_finished;
        step
    }

    /// Answers a question that was passed on. `None` if it is not open any more.
    pub fn answer(&mut self, question: &PermissionRequest, allow: bool) -> Option<Value> {
        let at = self.open.iter().position(|open| open.id == question.id)?;
        let question = self.open.remove(at);
        Some(self.permission_reply(&question, allow, "a person refused it"))
    }

    /// Asks the agent to stop. Its open questions are answered, as the protocol demands.
    pub fn cancel(&mut self) -> Vec<Value> {
        let questions = std::mem::take(&mut self.open);
        let mut messages: Vec<_> = questions
            .iter()
            .map(|one| response(&one.id, cancelled_answer()))
            .collect();
        let session = self.session.iter();
        messages
            .extend(session.map(|id| notification("session/cancel", json!({ "sessionId": id }))));
        messages
    }

    /// The process has ended. An agent that we ended after its turn did nothing wrong.
    pub fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        let status = if self.is_finished {
            signoff_sandbox::ExitStatus::Exited(0)
        } else {
            exit.status
        };
        self.state.end(AgentExit { status, ..exit })
    }

    fn on_update(&mut self, params: &Value) {
        let Some(update) = params.get("update").filter(|_| !self.is_loading) else {
            return;
        };
        if text(update, "/sessionUpdate") != "agent_message_chunk" {
            self.state.end_parts();
        }
        self.calls.read(&mut self.state, update);
    }

    fn on_request(&mut self, step: &mut AcpStep, id: &Value, method: &str, params: &Value) {
        if method != "session/request_permission" {
            let message = format!("`{method}` is not offered");
            step.send.push(error(id, METHOD_NOT_FOUND, &message));
            return;
        }
        if params
            .pointer("/options")
            .is_none_or(|options| !options.is_array())
        {
            step.send.push(error(id, INVALID_PARAMS, "no options"));
            return;
        }
        let mut question = PermissionRequest::read(id, params);
        if question.kind.is_empty() {
            self.calls
                .kind(&question.call)
                .clone_into(&mut question.kind);
        }
        match decide(
            &question.kind,
            self.options.scope.as_ref(),
            self.options.confined,
        ) {
            Decision::Allow => step.send.push(self.permission_reply(&question, true, "")),
            Decision::Reject => {
                step.send.push(self.permission_reply(
                    &question,
                    false,
                    "the plan's tools do not contain it",
                ));
            }
            Decision::Ask => {
                self.open.push(question.clone());
                step.ask = Some(question);
            }
        }
    }

    fn permission_reply(
        &mut self,
        question: &PermissionRequest,
        allow: bool,
        reason: &str,
    ) -> Value {
        let (outcome, is_allowed) = question.outcome(allow);
        if !is_allowed {
            let tool = if question.kind.is_empty() {
                "other"
            } else {
                &question.kind
            };
            let reason = if allow {
                "the agent cannot be allowed a single call"
            } else {
                reason
            };
            self.state
                .note_denial(tool, &format!("{}: {reason}", question.title));
        }
        response(&question.id, outcome)
    }

    fn on_response(&mut self, step: &mut AcpStep, id: &Value, message: &Value) {
        let Some(id) = id.as_u64() else {
            return;
        };
        if let Some(error) = message.get("error") {
            return self.request_failed(step, id, error);
        }
        let result = message.get("result").unwrap_or(&Value::Null);
        match id {
            INITIALIZE => self.on_initialized(step, result),
            SESSION => self.session_made(step, result),
            SET_MODEL => {
                if let Some(model) = self.options.model.clone() {
                    self.state.model(&model);
                }
                step.send.extend(self.prompt());
            }
            PROMPT => self.turn_ended(result),
            _ => {}
        }
    }

    fn request_failed(&mut self, step: &mut AcpStep, id: u64, error: &Value) {
        let details = match text(error, "/data/details") {
            "" => text(error, "/data/message"),
            details => details,
        };
        let message = format!("{} {details}", text(error, "/message"));
        self.state.error(&message);
        if id == SET_MODEL {
            // It works with a model other than the requested one: that is reported, but is no failure.
            step.send.extend(self.prompt());
            return;
        }
        let code = error.get("code").and_then(Value::as_i64);
        let problem = match code {
            Some(AUTH_REQUIRED) => AgentProblem::LoginRequired,
            _ => AgentProblem::of_message(&message),
        };
        self.state.record_failure(problem);
        self.is_finished = true;
    }

    fn on_initialized(&mut self, step: &mut AcpStep, result: &Value) {
        self.state.version(text(result, "/agentInfo/version"));
        let version = number(result, "/protocolVersion");
        if version != PROTOCOL {
            let message =
                format!("it speaks version {version} of the protocol, we speak {PROTOCOL}");
            self.state.record_failure(AgentProblem::Other(message));
            self.is_finished = true;
            return;
        }
        let cwd = path_text(&self.options.workspace);
        let resume = self.options.resume.clone();
        let servers: Vec<Value> = self.options.servers.iter().map(server_entry).collect();
        let new = json!({ "cwd": cwd, "mcpServers": servers });
        let (method, params) = match resume {
            Some(id) if flag(result, "/agentCapabilities/loadSession") => {
                self.is_loading = true;
                self.session = Some(id.clone());
                (
                    "session/load",
                    json!({ "sessionId": id, "cwd": cwd, "mcpServers": servers }),
                )
            }
            // An agent that cannot continue starts anew; the prompt says what happened.
            _ => ("session/new", new),
        };
        step.send.push(request(SESSION, method, params));
    }

    fn session_made(&mut self, step: &mut AcpStep, result: &Value) {
        self.is_loading = false;
        let id = text(result, "/sessionId");
        if !id.is_empty() {
            self.session = Some(id.to_owned());
        }
        let Some(session) = self.session.clone() else {
            self.state
                .record_failure(AgentProblem::Other("it made no session".to_owned()));
            self.is_finished = true;
            return;
        };
        self.state.session(&session);
        self.state.model(text(result, "/models/currentModelId"));
        match self.options.model.clone() {
            Some(model) if result.get("models").is_some() => {
                let params = json!({ "sessionId": session, "modelId": model });
                step.send
                    .push(request(SET_MODEL, "session/set_model", params));
            }
            _ => step.send.extend(self.prompt()),
        }
    }

    fn prompt(&self) -> Option<Value> {
        let session = self.session.as_deref()?;
        let prompt = json!([{ "type": "text", "text": self.options.prompt }]);
        Some(request(
            PROMPT,
            "session/prompt",
            json!({ "sessionId": session, "prompt": prompt }),
        ))
    }

    fn turn_ended(&mut self, result: &Value) {
        self.state.end_parts();
        if let Some(usage) = result.get("usage") {
            self.state.used_in_total(turn_usage(usage));
        }
        let limit = |text: &str| AgentProblem::LimitReached(text.to_owned());
        match text(result, "/stopReason") {
            "max_tokens" => self
                .state
                .record_failure(limit("the answer became too long")),
            "max_turn_requests" => self.state.record_failure(limit("too many turns")),
            "refusal" => self
                .state
                .record_failure(AgentProblem::Refused(one_line("it gave no reason"))),
            "cancelled" => self
                .state
                .record_failure(AgentProblem::Other("it was cancelled".to_owned())),
            _ => self.state.record_done(),
        }
        self.is_finished = true;
    }
}

fn server_entry(server: &LaunchServer) -> Value {
    json!({
        "name": server.name,
        "command": server.program(),
        "args": server.arguments(),
        "env": [],
    })
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
