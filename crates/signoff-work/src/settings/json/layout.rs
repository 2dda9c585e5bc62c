//! How new text is laid out, after the text that is there.

use serde_json::Value;

use super::parse::{Item, Node};
use crate::settings::line_end;

/// How a file is laid out.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) line_end: &'static str,
    /// One step of indentation.
    pub(super) indent: String,
    /// It has no lines: everything is in one.
    pub(super) is_flat: bool,
}

impl Layout {
    pub(super) fn of(text: &str, root: Option<&Node>) -> Self {
        let items = root.and_then(Node::items).unwrap_or_default();
        let own_line = items.iter().find_map(|item| own_indent(text, item));
        let indent = own_line.filter(|indent| !indent.is_empty());
        Self {
            line_end: line_end(text),
            indent: indent.unwrap_or("  ").to_owned(),
            is_flat: !items.is_empty() && own_line.is_none(),
        }
    }
}

/// The space before an item, if it is the first thing in its line.
pub(super) fn own_indent<'t>(text: &'t str, item: &Item) -> Option<&'t str> {
    let before = &text[..item.span.start];
    let line = before.rfind('\n')? + 1;
    let indent = &before[line..];
    indent
        .chars()
        .all(|c| c == ' ' || c == '\t')
        .then_some(indent)
}

/// The space that the line of this byte begins with.
pub(super) fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..at];
    let end = rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len());
    &rest[..end]
}

/// A value over several lines; `base` is the indentation of the line that it begins in.
pub(super) fn format_pretty(value: &Value, indent: &str, line_end: &str, base: &str) -> String {
    let inner = format!("{base}{indent}");
    let lines = |open: &str, close: &str, parts: Vec<String>| {
        let separator = format!(",{line_end}{inner}");
        let parts = parts.join(&separator);
        format!("{open}{line_end}{inner}{parts}{line_end}{base}{close}")
    };
    let nested = |value: &Value| format_pretty(value, indent, line_end, &inner);
    match value {
        Value::Object(object) if !object.is_empty() => {
            let member =
                |(key, value): (&String, &Value)| format!("{}: {}", quote(key), nested(value));
            lines("{", "}", object.iter().map(member).collect())
        }
        Value::Array(list) if list.iter().any(is_container) => {
            lines("[", "]", list.iter().map(nested).collect())
        }
        // Words of a command line are one line.
        Value::Array(list) => flat_list(list),
        other => other.to_string(),
    }
}

/// A value in one line.
pub(super) fn flat(value: &Value) -> String {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let member =
                |(key, value): (&String, &Value)| format!("{}: {}", quote(key), flat(value));
            let members: Vec<String> = object.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(list) => flat_list(list),
        other => other.to_string(),
    }
}

fn flat_list(list: &[Value]) -> String {
    let elements: Vec<String> = list.iter().map(flat).collect();
    format!("[{}]", elements.join(", "))
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

/// A string in JSON.
pub(super) fn quote(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
