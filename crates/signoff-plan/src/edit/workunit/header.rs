//! Fields of the frontmatter.

use serde_json::Value;

use super::line_end;
use crate::draft::Draft;
use crate::edit::{EditRefused, Splice};
use crate::markdown::frontmatter::locate;
use crate::source::{Source, Span};
use crate::write::workunit::scalar;
use crate::yaml::{self, Entry, Kind};

/// Sets, inserts or takes away a field.
pub(super) fn set(
    source: &Source,
    draft: &Draft,
    name: &str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let text = source.text();
    let located = locate(text, source.byte_order_mark_len());
    let no_place = || EditRefused::Unreadable("there is no frontmatter".to_owned());
    let located = located.ok_or_else(no_place)?;
    let (root, _) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    let entries = root.as_ref().and_then(yaml::Node::entries);
    let mut entries = entries.unwrap_or_default().iter();
    let entry = entries.find(|entry| entry.key.value == name);
    let splice = match (entry, value) {
        (None, Value::Null) => return Ok(Vec::new()),
        (None, value) => {
            let end = line_end(source, draft.anchors.header.end);
            let line = format!("{name}: {}{end}", written(value));
            Splice::insert(located.yaml.end, line)
        }
        (Some(entry), Value::Null) => Splice::remove(line_of(text, entry)?),
        (Some(entry), value) if entry.value.kind == Kind::Null => {
            let after = text.get(entry.key.span.end..).unwrap_or_default();
            let colon = after.find(':').unwrap_or(0) + 1;
            let offset = entry.key.span.end + colon;
            Splice::insert(offset, format!(" {}", written(value)))
        }
        (Some(entry), value) => Splice::replace(value_of(text, entry)?, written(value)),
    };
    Ok(vec![splice])
}

/// A value on one line. What may be text for us stays text for every other reader.
fn written(value: &Value) -> String {
    scalar(value)
}

/// The value's place, if nothing else stands in it.
fn value_of(text: &str, entry: &Entry) -> Result<Span, EditRefused> {
    let place = entry.value.span;
    let value = place.slice(text).trim_end();
    if entry.value.has_comment(text) {
        let why = format!("a comment stands inside `{}`", entry.key.value);
        return Err(EditRefused::Unreadable(why));
    }
    Ok(Span::new(place.start, place.start + value.len()))
}

/// The whole line of a field, if nothing else stands on it.
fn line_of(text: &str, entry: &Entry) -> Result<Span, EditRefused> {
    let end = if entry.value.kind == Kind::Null {
        let after = text.get(entry.key.span.end..).unwrap_or_default();
        entry.key.span.end + after.find(':').unwrap_or(0) + 1
    } else {
        value_of(text, entry)?.end
    };
    let before = text.get(..entry.key.span.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text.get(end..).unwrap_or_default();
    let line = rest.split_inclusive('\n').next().unwrap_or_default();
    if !line.trim().is_empty() || start != entry.key.span.start {
        let why = format!("something else stands on the line of `{}`", entry.key.value);
        return Err(EditRefused::Unreadable(why));
    }
    Ok(Span::new(start, end + line.len()))
}
