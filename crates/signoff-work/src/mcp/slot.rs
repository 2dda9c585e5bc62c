//! The place of a server in a run: started when it is needed, again when it was lost.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use signoff_plan::tools::schema_problems;
use signoff_sandbox::{Command, Limits as Uses, Sandbox, Stdin};

use super::connection::{Connection, Link};
use super::http_link::HttpLink;
use super::process_link::ProcessLink;
use super::{Definition, Server, ServerReach};
use crate::call::{CallError, Limits};
use crate::confine::Confined;
use crate::project::helpers::PinnedCommand;

/// Bytes of its complaints that are kept for messages, and in the log.
const KEPT: u64 = 64 * 1024;
const LOGGED: u64 = 16 * 1024 * 1024;

/// A server's place.
#[derive(Debug)]
pub(crate) struct ServerSlot {
    pub(crate) server: Server,
    connection: Mutex<Option<Arc<Connection>>>,
}

/// What a server is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerContext<'a> {
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) workspace: &'a Path,
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) marker: &'a str,
    /// What a server that asks to be confined is confined to, and where it finds the workspace.
    pub(crate) confined: Option<&'a (PathBuf, Confined)>,
    /// Gets what it writes to stderr, if this call is the one that starts it.
    pub(crate) log: Option<&'a PathBuf>,
}

impl ServerSlot {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server,
            connection: Mutex::default(),
        }
    }

    /// What the server offers now.
    pub(crate) fn tools(
        &self,
        context: ServerContext<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<Definition>, CallError> {
        Ok(self.connect(context, limits)?.tools().to_vec())
    }

    /// Calls a tool, whose arguments fit what the server says of it now.
    pub(crate) fn call(
        &self,
        tool: &str,
        args: &Value,
        context: ServerContext<'_>,
        limits: &Limits<'_>,
    ) -> Result<Value, CallError> {
        let limits = limits.at_most(self.server.timeout);
        let connection = self.connect(context, &limits)?;
        // The call itself has the whole time, however long the server took to start.
        let limits = limits.at_most(None);
        let offered = connection
            .tools()
            .iter()
            .find(|offered| offered.name == tool);
        let name = &self.server.name;
        let Some(offered) = offered else {
            let message =
                format!("server `{name}` has no tool `{tool}`; `signoff tools` lists them");
            return Err(CallError::lasting(message));
        };
        let recorded = self.server.definition(tool);
        if recorded.is_some_and(|recorded| !recorded.rules_as(offered)) {
            return Err(CallError::lasting(format!(
                "`{name}.{tool}` is not the tool that was signed for: the server describes it otherwise now; `signoff tools` records it anew"
            )));
        }
        let unfit = schema_problems(args, &offered.input_schema);
        if !unfit.is_empty() {
            return Err(CallError::lasting(unfit.join("; ")));
        }
        let mut result = connection.call(tool, args, &limits);
        let is_forgotten = matches!(
            &result,
            Err(CallError::Failed {
                transient: true,
                ..
            })
        );
        if is_forgotten && !connection.is_open() {
            // It refused the call because it no longer knows the session, so the call did not take place.
            result = self.connect(context, &limits)?.call(tool, args, &limits);
        }
        call_result(name, &result?)
    }

    /// What a tool that runs says of its arguments.
    pub(crate) fn schema(&self, tool: &str) -> Option<Value> {
        if let Some(recorded) = self.server.definition(tool) {
            return Some(recorded.input_schema.clone());
        }
        let held = self.connection.try_lock().ok()?;
        let mut tools = held.as_ref()?.tools().iter();
        let offered = tools.find(|offered| offered.name == tool)?;
        Some(offered.input_schema.clone())
    }

    /// Has the server end by itself.
    pub(crate) fn hang_up(&self) {
        let held = self.connection.lock();
        let held = held.unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = held.as_ref() {
            connection.hang_up();
        }
    }

    /// The conversation with the server, begun if there is none. Others wait meanwhile, so that it is
    /// started once.
    fn connect(
        &self,
        context: ServerContext<'_>,
        limits: &Limits<'_>,
    ) -> Result<Arc<Connection>, CallError> {
        let held = self.connection.lock();
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        let usable = held.as_ref().filter(|open| open.is_responsive(limits));
        if let Some(open) = usable {
            return Ok(Arc::clone(open));
        }
        // The old one is ended before a new one begins. The time that takes if it hangs is not the new one's.
        *held = None;
        let limits = &limits.at_most(None);
        let opened = Connection::open(&self.server.name, self.link(context, limits)?, limits)?;
        Ok(Arc::clone(held.insert(Arc::new(opened))))
    }

    /// The way to the server.
    fn link(&self, context: ServerContext<'_>, limits: &Limits<'_>) -> Result<Link, CallError> {
        let name = &self.server.name;
        match &self.server.reach {
            ServerReach::Http { url, token } => {
                let link = HttpLink::new(name, url, token.as_ref(), context.environment)?;
                Ok(Link::Http(link))
            }
            ServerReach::Process {
                command,
                confined,
                pinned,
                env,
            } => {
                self.refuse_start(*confined, pinned, context)?;
                let command = process((command, *confined, env), context);
                let link = ProcessLink::start(name, command, context.sandbox, limits)?;
                Ok(Link::Process(link))
            }
        }
    }

    /// A process that would run other files than the person trusted is not started, nor one that cannot be confined.
    fn refuse_start(
        &self,
        confined: bool,
        pinned: &PinnedCommand,
        context: ServerContext<'_>,
    ) -> Result<(), CallError> {
        let name = &self.server.name;
        let differences = pinned.differences(context.workspace);
        if !differences.is_empty() {
            return Err(CallError::lasting(format!(
                "server `{name}` is not started: {}; read what it runs, then type `signoff trust`",
                differences.join(", ")
            )));
        }
        if confined && context.confined.is_none() {
            return Err(CallError::lasting(format!(
                "server `{name}` is not started: `confined = true` cannot be met where nothing is confined; `signoff doctor` tells why"
            )));
        }
        Ok(())
    }
}

/// The process to start.
fn process(
    (command, confined, own): (&[String], bool, &[(OsString, OsString)]),
    context: ServerContext<'_>,
) -> Command {
    let given = context.environment.iter();
    let given = given.filter(|(name, _)| own.iter().all(|(other, _)| other != name));
    let mut env = given.chain(own).cloned().collect();
    let policy = context.confined.filter(|_| confined);
    let cwd = policy
        .map_or(context.workspace, |(shown_at, _)| shown_at)
        .to_owned();
    let policy = policy.map(|(_, confined)| confined.clone().into_policy(&mut env));
    Command {
        argv: command.iter().map(OsString::from).collect(),
        cwd,
        env,
        stdin: Stdin::Null,
        marker: Some(context.marker.to_owned()),
        limits: Uses {
            time: None,
            output: KEPT,
            log: LOGGED,
        },
        log: context.log.cloned(),
        policy,
        mounts: None,
    }
}

/// The value of a call: what has a structure, else the text, else all that there is.
fn call_result(server: &str, result: &Value) -> Result<Value, CallError> {
    let parts = result.get("content").and_then(Value::as_array);
    let parts = parts.map(Vec::as_slice).unwrap_or_default();
    let texts = parts.iter().map(|part| match part.get("type") {
        Some(kind) if kind == "text" => part.get("text").and_then(Value::as_str),
        _ => None,
    });
    let text: Option<Vec<&str>> = texts.collect();
    let text = text.map(|texts| texts.join("\n"));
    if result.get("isError") == Some(&Value::Bool(true)) {
        let said = text.filter(|text| !text.is_empty());
        let said = said.unwrap_or_else(|| Value::from(parts).to_string());
        return Err(CallError::lasting(said));
    }
    if result
        .get("resultType")
        .is_some_and(|kind| kind != "complete")
    {
        let message = format!("server `{server}` asks for more, which a plan cannot give");
        return Err(CallError::lasting(message));
    }
    let structured = result.get("structuredContent");
    Ok(match (structured.filter(|value| !value.is_null()), text) {
        (Some(structured), _) => structured.clone(),
        (None, Some(text)) => text.into(),
        (None, None) => Value::from(parts),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_its_structure_or_its_text() {
        let check = |result: Value, expected: Result<Value, &str>| {
            let seen = call_result("s", &result).map_err(|fault| match fault {
                CallError::Failed { message, transient } => {
                    assert!(!transient);
                    message
                }
                CallError::CutOff { .. } | CallError::Stopped => unreachable!(),
            });
            assert_eq!(seen, expected.map_err(str::to_owned), "{result}");
        };
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        check(
            json!({"content": [text("a"), text("b")]}),
            Ok(json!("a\nb")),
        );
        check(json!({"content": []}), Ok(json!("")));
        check(json!({}), Ok(json!("")));
        check(
            json!({"content": [text("x")], "structuredContent": {"n": 1}, "resultType": "complete"}),
            Ok(json!({"n": 1})),
        );
        check(
            json!({"content": [text("a"), image]}),
            Ok(json!([text("a"), image])),
        );
        check(
            json!({"content": [text("no such city")], "isError": true}),
            Err("no such city"),
        );
        check(json!({"content": [], "isError": true}), Err("[]"));
        check(
            json!({"resultType": "input_required", "inputRequests": {}}),
            Err("server `s` asks for more, which a plan cannot give"),
        );
    }
}
