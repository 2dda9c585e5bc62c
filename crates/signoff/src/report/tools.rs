//! The list of tools, for people.

use serde_json::Value;
use signoff_api::tools::{CallApproval, Server, Tool, Tools};

use crate::style::{DIM, ERROR, TITLE, paint, sanitize};

/// The maximum length of a description.
const SHOWN: usize = 160;

/// The built-in tools, then every server with its own.
pub(crate) fn lines(tools: &Tools) -> Vec<String> {
    let of = |server: Option<&str>| -> Vec<String> {
        let tools = tools.tools.iter();
        let tools = tools.filter(|tool| tool.server.as_deref() == server);
        tools.flat_map(tool).collect()
    };
    let mut lines = vec![paint(TITLE, "built in").to_string()];
    lines.extend(of(None));
    for server in &tools.servers {
        lines.push(String::new());
        lines.push(heading(server));
        lines.extend(of(Some(&server.name)));
    }
    lines
}

/// The errors of servers.
pub(crate) fn server_errors(tools: &Tools) -> Vec<String> {
    let trouble = |server: &Server| {
        let why = server.error.as_ref()?;
        let mut text = format!("{} {}", paint(ERROR, "error:"), sanitize(why));
        if server.tools > 0 {
            text.push_str("\n  showing its tools as recorded before");
        }
        Some(text)
    };
    tools.servers.iter().filter_map(trouble).collect()
}

fn heading(server: &Server) -> String {
    let words = server.command.iter().chain(&server.url);
    let command: Vec<_> = words.map(|word| sanitize(word)).collect();
    let changed = if server.changed {
        ", differs from its record: plans that call it must be signed again"
    } else {
        ""
    };
    let command = paint(DIM, format!("({}){changed}", command.join(" ")));
    format!("{} {command}", paint(TITLE, &server.name))
}

fn tool(tool: &Tool) -> [String; 2] {
    let asks = match tool.approval {
        CallApproval::Never => None,
        CallApproval::Always => Some("asks"),
        CallApproval::Overwriting => Some("asks before it overwrites"),
        CallApproval::Sending => Some("asks unless `GET` or `HEAD`"),
    };
    let repeats = (tool.repeatable && !tool.read_only).then_some("repeatable");
    let notes: Vec<_> = asks.into_iter().chain(repeats).collect();
    let notes = match notes.as_slice() {
        [] => String::new(),
        notes => format!("  {}", paint(DIM, notes.join(", "))),
    };
    let arguments = arguments(&tool.input_schema);
    let call = format!(
        "  {}({}){notes}",
        sanitize(&tool.name),
        arguments.join(", ")
    );
    let description = sanitize(tool.description.trim());
    let cut = description.char_indices().nth(SHOWN).map(|(at, _)| at);
    let description = match cut.and_then(|at| description.get(..at)) {
        Some(beginning) => format!("{beginning}…"),
        None => description,
    };
    [call, format!("      {}", paint(DIM, description))]
}

/// Names of arguments; those that a call may leave out end in `?`.
fn arguments(schema: &Value) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(serde_json::Map::keys);
    let shown = |name: &String| {
        let optional = if is_required(name) { "" } else { "?" };
        format!("{}{optional}", sanitize(name))
    };
    names.map(shown).collect()
}
