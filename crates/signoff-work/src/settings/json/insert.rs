//! Puts an entry where it belongs.

use serde_json::{Map, Value};

use super::layout::{self, Layout};
use super::parse::{Content, Node, parse};
use super::{Entry, Slot, empty};
use crate::settings::Uneditable;

/// The text with the entry; unchanged if it is there already.
pub(super) fn insert(text: &str, entry: &Entry) -> Result<String, Uneditable> {
    let Some(root) = parse(text)? else {
        return Ok(insert_into_empty_file(text, entry));
    };
    let layout = Layout::of(text, Some(&root));
    let Innermost { container, missing } = innermost_container(&root, entry)?;
    if missing.is_empty()
        && let Some(found) = entry.find(container.items().unwrap_or_default())
    {
        return Ok(update(text, container, found, entry, &layout));
    }
    let (key, value) = match missing.split_first() {
        None => (entry_key(entry), entry.value.clone()),
        Some((first, deeper)) => (Some(first.clone()), wrap(deeper, entry)),
    };
    Ok(append(text, container, key.as_deref(), &value, &layout))
}

/// The deepest container that is there, and the members that are missing below it.
struct Innermost<'n, 'e> {
    container: &'n Node,
    missing: &'e [String],
}

fn innermost_container<'n, 'e>(
    root: &'n Node,
    entry: &'e Entry,
) -> Result<Innermost<'n, 'e>, Uneditable> {
    let occupied = |depth: usize| Uneditable::Occupied {
        at: match depth {
            0 => "the whole file".to_owned(),
            depth => entry.path[..depth].join("."),
        },
    };
    let mut container = root;
    for (depth, key) in entry.path.iter().enumerate() {
        if !matches!(container.content, Content::Object(_)) {
            return Err(occupied(depth));
        }
        let Some(item) = container.member(key) else {
            return Ok(Innermost {
                container,
                missing: &entry.path[depth..],
            });
        };
        container = &item.value;
    }
    let fits = match entry.slot {
        Slot::Member(_) => matches!(container.content, Content::Object(_)),
        Slot::Element { .. } => matches!(container.content, Content::Array(_)),
    };
    if !fits {
        return Err(occupied(entry.path.len()));
    }
    Ok(Innermost {
        container,
        missing: &[],
    })
}

fn entry_key(entry: &Entry) -> Option<String> {
    match &entry.slot {
        Slot::Member(key) => Some(key.clone()),
        Slot::Element { .. } => None,
    }
}

/// The entry inside the containers that are missing for it.
fn wrap(missing: &[String], entry: &Entry) -> Value {
    let mut value = empty(entry.is_element());
    match (&entry.slot, &mut value) {
        (Slot::Member(key), Value::Object(object)) => {
            object.insert(key.clone(), entry.value.clone());
        }
        (Slot::Element { .. }, Value::Array(list)) => list.push(entry.value.clone()),
        _ => {}
    }
    missing.iter().rev().fold(value, |value, key| {
        Value::Object(Map::from_iter([(key.clone(), value)]))
    })
}

/// A file without any value gets one.
fn insert_into_empty_file(text: &str, entry: &Entry) -> String {
    let layout = Layout::of(text, None);
    let value = wrap(&entry.path, entry);
    let object = layout::format_pretty(&value, &layout.indent, layout.line_end, "");
    let gap = match text.trim_start_matches('\u{feff}') {
        "" => "",
        text if text.ends_with('\n') => "",
        _ => layout.line_end,
    };
    format!("{text}{gap}{object}{}", layout.line_end)
}

fn update(text: &str, container: &Node, at: usize, entry: &Entry, layout: &Layout) -> String {
    let items = container.items().unwrap_or_default();
    let value = &items[at].value;
    if value.to_value() == entry.value {
        return text.to_owned();
    }
    let is_flat = !text[value.span.clone()].contains('\n');
    let base = layout::line_indent(text, items[at].span.start);
    let new = if is_flat {
        layout::flat(&entry.value)
    } else {
        layout::format_pretty(&entry.value, &layout.indent, layout.line_end, base)
    };
    splice(text, value.span.start, value.span.end, &new)
}

/// Adds an item behind the last one.
fn append(
    text: &str,
    container: &Node,
    key: Option<&str>,
    value: &Value,
    layout: &Layout,
) -> String {
    let named = |value: String| match key {
        Some(key) => format!("{}: {value}", layout::quote(key)),
        None => value,
    };
    let Layout {
        line_end, indent, ..
    } = layout;
    let close = container.span.end - 1;
    let Some(last) = container.items().and_then(<[_]>::last) else {
        return into_empty(text, container, &named, value, layout);
    };
    let comma = if last.comma.is_some() { "" } else { "," };
    let Some(base) = layout::own_indent(text, last) else {
        let after = last.comma.map_or(last.span.end, |comma| comma + 1);
        let tail = if last.comma.is_some() { "," } else { "" };
        let new = format!("{comma} {}{tail}", named(layout::flat(value)));
        return splice(text, after, after, &new);
    };
    let new = named(layout::format_pretty(value, indent, line_end, base));
    let tail = if last.comma.is_some() { "," } else { "" };
    let after = end_of_line(
        text,
        last.comma.map_or(last.span.end, |comma| comma + 1),
        close,
    );
    let with_new = splice(text, after, after, &format!("{line_end}{base}{new}{tail}"));
    splice(&with_new, last.span.end, last.span.end, comma)
}

/// The first item of a container. Space and comments in it stay in front of the item.
fn into_empty(
    text: &str,
    container: &Node,
    named: &dyn Fn(String) -> String,
    value: &Value,
    layout: &Layout,
) -> String {
    let Layout {
        line_end, indent, ..
    } = layout;
    let (open, close) = (container.span.start + 1, container.span.end - 1);
    if layout.is_flat {
        return splice(text, close, close, &named(layout::flat(value)));
    }
    let base = layout::line_indent(text, container.span.start);
    let inner = format!("{base}{indent}");
    let new = named(layout::format_pretty(value, indent, line_end, &inner));
    // Comments are kept; space alone is not worth a line.
    let inside = text[open..close].trim_end();
    let after = open + inside.len();
    splice(
        text,
        after,
        close,
        &format!("{line_end}{inner}{new}{line_end}{base}"),
    )
}

/// The end of what belongs to an item in its line: a comment behind it stays with it.
fn end_of_line(text: &str, from: usize, close: usize) -> usize {
    let rest = &text[from..close];
    let line = rest.find('\n').map_or(rest, |newline| &rest[..newline]);
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end();
    // A comment that goes on in the next line is not cut.
    if line.contains("/*") && !line.contains("*/") {
        return from;
    }
    from + line.len()
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}
