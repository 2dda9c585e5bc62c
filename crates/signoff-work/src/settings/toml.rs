//! TOML: one table of ours, behind everything else in the file.

#[cfg(test)]
mod tests;

use std::ops::Range;

use toml::de::DeTable;
use toml::{Table, Value};

use super::{Uneditable, line_end, line_of};

/// A table of ours, with its members in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The name of the table that it lies in, and its own.
    pub path: [String; 2],
    /// What it says.
    pub members: Vec<(String, Value)>,
}

impl Section {
    fn header(&self) -> String {
        let [outer, inner] = &self.path;
        format!("[{outer}.{inner}]")
    }

    fn lines(&self) -> Vec<String> {
        let member = |(key, value): &(String, Value)| format!("{key} = {value}");
        let members = self.members.iter().map(member);
        [self.header()].into_iter().chain(members).collect()
    }

    fn find<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        let [outer, inner] = &self.path;
        table.get(outer)?.get(inner)
    }
}

/// The section as a person can paste it.
pub fn snippet(section: &Section) -> String {
    section.lines().join("\n") + "\n"
}

/// The text with the section: behind everything else, or brought up to date where it is. What a person added to it stays.
pub fn with_section(text: &str, section: &Section) -> Result<String, Uneditable> {
    let table = table_of(text)?;
    let edited = match section.find(&table) {
        None => appended(text, section),
        Some(Value::Table(_)) => updated(text, section)?,
        Some(_) => {
            let at = section.path.join(".");
            return Err(Uneditable::Occupied { at });
        }
    };
    let mut expected = table;
    put_in(&mut expected, section);
    confirm(edited, &expected)
}

/// The text without the section.
pub fn without_section(text: &str, section: &Section) -> Result<String, Uneditable> {
    let mut expected = table_of(text)?;
    if section.find(&expected).is_none() {
        return Ok(text.to_owned());
    }
    let Some(lines) = lines_of(text, section)? else {
        return Err(Uneditable::Unclear);
    };
    let before = text[..lines.start].trim_end_matches(['\n', '\r']);
    let gap = &text[before.len()..lines.start];
    // The empty line before the section came with it.
    let one = line_end(text);
    let keep = if before.is_empty() || gap.len() < 2 * one.len() {
        gap.len()
    } else {
        gap.len() - one.len()
    };
    let edited = format!("{before}{}{}", &gap[..keep], &text[lines.end..]);
    let [outer, inner] = &section.path;
    if let Some(Value::Table(table)) = expected.get_mut(outer) {
        table.remove(inner);
        // The header of the section was all that made the outer table, unless it has one of its own.
        if table.is_empty() && !table_of(&edited)?.contains_key(outer) {
            expected.remove(outer);
        }
    }
    confirm(edited, &expected)
}

fn confirm(edited: String, expected: &Table) -> Result<String, Uneditable> {
    match table_of(&edited) {
        Ok(table) if table == *expected => Ok(edited),
        _ => Err(Uneditable::Unclear),
    }
}

/// The text without a byte order mark, which the parser does not take.
fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn table_of(text: &str) -> Result<Table, Uneditable> {
    let text = without_byte_order_mark(text);
    text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let why = error.message().lines().next().unwrap_or_default();
        Uneditable::Malformed {
            line: line_of(text, at),
            why: why.to_owned(),
        }
    })
}

fn put_in(table: &mut Table, section: &Section) {
    let [outer, inner] = &section.path;
    let empty = || Value::Table(Table::new());
    let outer = table.entry(outer.clone()).or_insert_with(empty);
    let Value::Table(outer) = outer else { return };
    let Value::Table(inner) = outer.entry(inner.clone()).or_insert_with(empty) else {
        return;
    };
    for (key, value) in &section.members {
        inner.insert(key.clone(), value.clone());
    }
}

fn appended(text: &str, section: &Section) -> String {
    let end = line_end(text);
    let gap = match without_byte_order_mark(text) {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    format!("{text}{gap}{}{end}", section.lines().join(end))
}

/// The section's values, replaced where they are; members that are missing follow its header.
fn updated(text: &str, section: &Section) -> Result<String, Uneditable> {
    let offset = text.len() - without_byte_order_mark(text).len();
    let document =
        DeTable::parse(without_byte_order_mark(text)).map_err(|_| Uneditable::Unclear)?;
    let [outer, inner] = &section.path;
    let found = document.get_ref().get(outer.as_str());
    let found = found.and_then(|outer| outer.get_ref().get(inner.as_str()));
    let found = found.ok_or(Uneditable::Unclear)?.get_ref();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (key, value) in &section.members {
        let old = found.get(key.as_str());
        match old.map(toml::Spanned::span) {
            Some(span) => {
                let span = span.start + offset..span.end + offset;
                let old = &text[span.clone()];
                if format!("v = {old}")
                    .parse::<Table>()
                    .ok()
                    .as_ref()
                    .and_then(|t| t.get("v"))
                    != Some(value)
                {
                    edits.push((span, value.to_string()));
                }
            }
            None => {
                let after = header_end(text, section).ok_or(Uneditable::Unclear)?;
                edits.push((after..after, format!("{}{key} = {value}", line_end(text))));
            }
        }
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut edited = text.to_owned();
    for (span, new) in edits {
        edited.replace_range(span, &new);
    }
    Ok(edited)
}

/// Where the line of the section's header ends; the last one, because the same text may be in a string before it.
fn header_end(text: &str, section: &Section) -> Option<usize> {
    let header = section.header();
    let mut end = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if without_byte_order_mark(line).trim() == header {
            end = Some(at + line.trim_end().len());
        }
        at += line.len();
    }
    end
}

/// The lines of the section, from its header to its last value.
fn lines_of(text: &str, section: &Section) -> Result<Option<Range<usize>>, Uneditable> {
    let Some(header_end) = header_end(text, section) else {
        return Ok(None);
    };
    let start = text[..header_end]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let offset = text.len() - without_byte_order_mark(text).len();
    let document =
        DeTable::parse(without_byte_order_mark(text)).map_err(|_| Uneditable::Unclear)?;
    let [outer, inner] = &section.path;
    let found = document.get_ref().get(outer.as_str());
    let found = found.and_then(|outer| outer.get_ref().get(inner.as_str()));
    let members = found.and_then(|found| found.get_ref().as_table());
    let Some(members) = members else {
        return Ok(None);
    };
    // A table below ours has a header of its own and is a person's: then nothing is removed.
    let ends = members.iter().map(|(_, value)| value.span().end + offset);
    let end = ends.max().unwrap_or(header_end).max(header_end);
    let end = text[end..]
        .find('\n')
        .map_or(text.len(), |newline| end + newline + 1);
    Ok(Some(start.max(offset)..end))
}
