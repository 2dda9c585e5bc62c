//! Keys and values set in place: in JSON, and in YAML in block or flow style.

use serde_json::Value;

use super::{EditRefused, Splice};
use crate::dialect::object::Format;
use crate::json::{self, Comments, Separators, inline};
use crate::node::{Entry, Node, NodeKind};
use crate::source::{Span, text_from, text_up_to};
use crate::yaml::emit::scalar;

/// A text of keys and values to edit.
#[derive(Clone, Copy)]
pub(super) struct MemberEditor<'a> {
    pub(super) text: &'a str,
    pub(super) format: Format,
}

impl MemberEditor<'_> {
    /// What to write where so that a key of a mapping has this value; `null` takes the key away.
    pub(super) fn set(
        self,
        mapping: &Node,
        key: &str,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        let entries = mapping.entries().unwrap_or_default();
        let position = entries.iter().position(|entry| entry.key.value == key);
        if mapping.shared {
            return Err(EditRefused::Shared(key.to_owned()));
        }
        match position.and_then(|at| Some((at, entries.get(at)?))) {
            None if value.is_null() => Ok(Vec::new()),
            None => Ok(self.insert(mapping, &[(key, value)])),
            Some((at, _)) if value.is_null() => self.remove(mapping, entries, at),
            Some((_, entry)) => self.replace(mapping, entry, value),
        }
    }

    /// What to write where so that an entry has this value.
    pub(super) fn replace(
        self,
        mapping: &Node,
        entry: &Entry,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        if entry.value.to_json() == *value {
            return Ok(Vec::new());
        }
        not_shared(entry)?;
        let raw = entry.value.span.slice(self.text).trim_end();
        if self.has_comment(&entry.value, raw) {
            return Err(EditRefused::NotOnlyField(
                "a comment inside the value".to_owned(),
            ));
        }
        let written = self.render(value, self.spacing(mapping), Some(raw));
        let after_colon = entry.after_colon(self.text);
        let between = Span::new(after_colon, entry.value.span.start).slice(self.text);
        let end = entry.value.span.start + raw.len();
        // A value that begins on the next line, or is not there, begins behind its key now.
        if raw.is_empty() {
            return Ok(vec![Splice::insert(after_colon, format!(" {written}"))]);
        }
        if between.contains('\n') && between.trim().is_empty() {
            let span = Span::new(after_colon, end);
            return Ok(vec![Splice::replace(span, format!(" {written}"))]);
        }
        let span = Span::new(entry.value.span.start, end);
        Ok(vec![Splice::replace(span, written)])
    }

    /// Whether taking a value away would take a comment with it.
    pub(super) fn has_comment(self, value: &Node, raw: &str) -> bool {
        match self.format {
            Format::Json => !json::parse(raw, 0, Comments::Refused).1.is_empty(),
            Format::Yaml => value.has_comment(self.text),
        }
    }

    /// A value as it is written here; text keeps the quotes that were there.
    fn render(self, value: &Value, spacing: Separators, before: Option<&str>) -> String {
        match (self.format, value) {
            (Format::Yaml, Value::String(text))
                if !before.is_some_and(|raw| raw.starts_with('"')) =>
            {
                let single = before.is_some_and(|raw| raw.starts_with('\''));
                if single && !text.contains('\'') && text.chars().all(|c| !c.is_control()) {
                    format!("'{text}'")
                } else {
                    scalar(text)
                }
            }
            _ => inline(value, spacing),
        }
    }

    /// Wide, unless the keys around have no space behind them.
    fn spacing(self, mapping: &Node) -> Separators {
        let first = mapping.entries().unwrap_or_default().first();
        let narrow = first.is_some_and(|entry| {
            self.format == Format::Json && entry.after_colon(self.text) == entry.value.span.start
        });
        if narrow {
            Separators::NARROW
        } else {
            Separators::WIDE
        }
    }

    pub(super) fn is_flow(self, mapping: &Node) -> bool {
        self.format == Format::Json || mapping.span.slice(self.text).starts_with('{')
    }

    /// Where a key begins, with its quote.
    pub(super) fn key_start(self, entry: &Entry) -> usize {
        let before = text_up_to(self.text, entry.key.span.start);
        let quoted = self.format == Format::Json && before.ends_with('"');
        entry.key.span.start - usize::from(quoted)
    }

    /// Where the line of an offset begins.
    pub(super) fn line_start(self, offset: usize) -> usize {
        let before = text_up_to(self.text, offset);
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The line end in use behind an offset; on the last line, the one before it.
    fn line_end(self, offset: usize) -> &'static str {
        let rest = text_from(self.text, offset);
        let before = text_up_to(self.text, offset);
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        if line.ends_with("\r\n") || (!line.ends_with('\n') && before.ends_with("\r\n")) {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// The splices that add new keys to a mapping.
    pub(super) fn insert(self, mapping: &Node, members: &[(&str, &Value)]) -> Vec<Splice> {
        if members.is_empty() {
            return Vec::new();
        }
        let spacing = self.spacing(mapping);
        let pair = |(key, value): &(&str, &Value)| {
            let written = self.render(value, spacing, None);
            match self.format {
                Format::Json => format!("\"{key}\"{}{written}", spacing.colon),
                Format::Yaml => format!("{key}: {written}"),
            }
        };
        let pairs: Vec<String> = members.iter().map(pair).collect();
        let entries = mapping.entries().unwrap_or_default();
        match (self.is_flow(mapping), entries.last()) {
            (true, Some(last)) => self.insert_in_flow(last, &pairs, spacing),
            (true, None) => {
                let pairs = pairs.join(spacing.comma);
                vec![Splice::insert(mapping.span.start + 1, pairs)]
            }
            (false, _) => vec![self.insert_in_block(mapping, entries, &pairs)],
        }
    }

    /// Behind the last entry; on a line of its own if that one is.
    fn insert_in_flow(self, last: &Entry, pairs: &[String], spacing: Separators) -> Vec<Splice> {
        let value_end = last.value.span.end;
        let start = self.key_start(last);
        let line = self.line_start(start);
        let indent = Span::new(line, start).slice(self.text);
        // YAML allows a comma behind the last entry.
        let rest = text_from(self.text, value_end);
        let blank = rest.len() - rest.trim_start().len();
        let has_comma = self.format == Format::Yaml && rest.trim_start().starts_with(',');
        let end = if has_comma {
            value_end + blank + 1
        } else {
            value_end
        };
        let comma = if has_comma { "" } else { "," };
        if !indent.trim().is_empty() || line == 0 {
            let gap = spacing.comma.trim_start_matches(',');
            let pairs = pairs.join(spacing.comma);
            return vec![Splice::insert(end, format!("{comma}{gap}{pairs}"))];
        }
        let line_end = self.line_end(line);
        let between = format!(",{line_end}{indent}");
        let lines = format!("{line_end}{indent}{}", pairs.join(&between));
        let behind = text_from(self.text, end);
        let behind = behind.split('\n').next().unwrap_or_default();
        let behind = behind.strip_suffix('\r').unwrap_or(behind);
        let mark = match self.format {
            Format::Json => "//",
            Format::Yaml => "#",
        };
        if behind.trim_start().starts_with(mark) {
            let behind = end + behind.len();
            return vec![Splice::insert(end, comma), Splice::insert(behind, lines)];
        }
        vec![Splice::insert(end, format!("{comma}{lines}"))]
    }

    /// Behind the last entry that ends with its line; else before the first one.
    fn insert_in_block(self, mapping: &Node, entries: &[Entry], pairs: &[String]) -> Splice {
        let one_line = |entry: &&Entry| {
            let span = Span::new(entry.key.span.start, entry.value.span.end);
            matches!(entry.value.kind, NodeKind::Scalar { .. })
                && !span.slice(self.text).contains('\n')
        };
        let first = entries
            .first()
            .map_or(mapping.span.start, |entry| entry.key.span.start);
        let indent = self.indent(first);
        match entries.iter().rev().find(one_line) {
            Some(entry) => {
                let rest = text_from(self.text, entry.value.span.end);
                let line = rest.split('\n').next().unwrap_or_default();
                let line = line.strip_suffix('\r').unwrap_or(line);
                let at = entry.value.span.end + line.len();
                let line_end = self.line_end(self.line_start(entry.key.span.start));
                let line = |pair: &String| format!("{line_end}{indent}{pair}");
                Splice::insert(at, pairs.iter().map(line).collect::<String>())
            }
            None => {
                let line_end = self.line_end(first);
                let line = |pair: &String| format!("{pair}{line_end}{indent}");
                Splice::insert(first, pairs.iter().map(line).collect::<String>())
            }
        }
    }

    /// White space as wide as what stands before an offset on its line.
    fn indent(self, offset: usize) -> String {
        let before = Span::new(self.line_start(offset), offset).slice(self.text);
        before
            .trim_start_matches('\u{feff}')
            .chars()
            .map(|_| ' ')
            .collect()
    }
}

/// Refuses to change, or to take away, what other places mean too.
pub(super) fn not_shared(entry: &Entry) -> Result<(), EditRefused> {
    if entry.value.shared {
        return Err(EditRefused::Shared(entry.key.value.clone()));
    }
    Ok(())
}
