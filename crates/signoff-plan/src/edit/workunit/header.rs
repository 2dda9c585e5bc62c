//! Fields of the frontmatter.

use serde_json::Value;

use crate::edit::frontmatter::Frontmatter;
use crate::edit::members::not_shared;
use crate::edit::{EditRefused, Splice};
use crate::node::{Entry, NodeKind};
use crate::source::{Source, Span};
// What may be text for us stays text for every other reader.
use crate::write::workunit::scalar;

/// Sets, inserts or takes away a field.
pub(super) fn set(source: &Source, name: &str, value: &Value) -> Result<Vec<Splice>, EditRefused> {
    let text = source.text();
    let header = Frontmatter::new(text, source.byte_order_mark_len())?;
    if let Some((editor, root)) = header.flow_mapping() {
        return editor.set(root, name, value);
    }
    let splice = match (header.entry(name), value) {
        (None, Value::Null) => return Ok(Vec::new()),
        (None, value) => {
            let line = format!("{name}: {}{}", scalar(value), header.line_end());
            Splice::insert(header.end(), line)
        }
        (Some(entry), Value::Null) => Splice::remove(header.lines_of(entry)?),
        (Some(entry), value) if entry.value.kind == NodeKind::Null => {
            Splice::insert(entry.after_colon(text), format!(" {}", scalar(value)))
        }
        (Some(entry), value) => Splice::replace(value_of(text, entry)?, scalar(value)),
    };
    Ok(vec![splice])
}

/// The value's span, if nothing else stands in it.
fn value_of(text: &str, entry: &Entry) -> Result<Span, EditRefused> {
    not_shared(entry)?;
    let span = entry.value.span;
    let value = span.slice(text).trim_end();
    if entry.value.has_comment(text) {
        let why = format!("a comment stands inside `{}`", entry.key.value);
        return Err(EditRefused::Unreadable(why));
    }
    Ok(Span::new(span.start, span.start + value.len()))
}
