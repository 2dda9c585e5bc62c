//! Labelled fields: set, inserted, taken away.

use serde_json::Value;

use super::line_end;
use crate::dialect::workunit::layout::{FieldGroup, Layout, LocatedField};
use crate::dialect::workunit::values::{marker_len, without_comment};
use crate::edit::{EditRefused, Splice};
use crate::field::is_prose;
use crate::source::{Source, Span, text_from};
use crate::spelling::label;
use crate::write::workunit::{FieldOwner, Probe, render};

/// Changes fields of one file.
pub(super) struct FieldEditor<'e> {
    pub(super) source: &'e Source,
    pub(super) layout: &'e Layout,
    probe: Probe,
}

impl<'e> FieldEditor<'e> {
    pub(super) fn new(source: &'e Source, layout: &'e Layout) -> Self {
        Self {
            source,
            layout,
            probe: Probe::new(),
        }
    }

    /// Sets, inserts or takes away a field.
    pub(super) fn set(
        &self,
        part: &FieldGroup,
        owner: FieldOwner,
        name: &str,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        // An empty list is not a list, but an empty scope allows nothing.
        let empty = value.as_array().is_some_and(Vec::is_empty) && !has_none(name);
        let lines = if value.is_null() || empty {
            None
        } else {
            Some(self.rendered_lines(owner, name, value)?)
        };
        let known = part.get(label(name));
        match (known, lines) {
            (None, None) => Ok(Vec::new()),
            (None, Some(lines)) => Ok(vec![self.insert(part, &lines)]),
            (Some(field), None) => Ok(vec![self.remove(field, name)?]),
            (Some(field), Some(lines)) => self.replace(field, name, value, &lines),
        }
    }

    /// The lines of a field; or why there are none.
    pub(super) fn rendered_lines(
        &self,
        owner: FieldOwner,
        name: &str,
        value: &Value,
    ) -> Result<String, EditRefused> {
        let lines = render(&self.probe, owner, name, value);
        lines.map_err(|why| EditRefused::BadValue(format!("`{name}` cannot be written: {why}")))
    }

    /// Adds a field after the last line of its part.
    pub(super) fn insert(&self, part: &FieldGroup, lines: &str) -> Splice {
        let end = line_end(self.source, 0);
        let gap = if part.bare { "\n\n" } else { "\n" };
        let text = format!("{gap}{lines}").replace('\n', end);
        Splice::insert(part.end, text)
    }

    fn remove(&self, field: &LocatedField, name: &str) -> Result<Splice, EditRefused> {
        if !is_prose(name) {
            self.refuse_comment(field, name)?;
        }
        let end = field.below.map_or(field.line.end, |below| below.end);
        let rest = text_from(self.source.text(), end);
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        Ok(Splice::remove(Span::new(
            field.line.start,
            end + line.len(),
        )))
    }

    fn replace(
        &self,
        field: &LocatedField,
        name: &str,
        value: &Value,
        lines: &str,
    ) -> Result<Vec<Splice>, EditRefused> {
        if let Value::Array(items) = value
            && field.inline.is_empty()
            && !field.lines.is_empty()
            && !items.is_empty()
        {
            return self.items(field, items, lines);
        }
        if is_prose(name) {
            return Ok(vec![self.rewrite(field, lines)]);
        }
        let new = lines.split_once(":** ").map(|(_, value)| value);
        match new {
            // A comment behind the value stays.
            Some(new) if field.below.is_none() && !field.inline.is_empty() => {
                Ok(vec![Splice::replace(self.inline(field), new)])
            }
            _ => {
                self.refuse_comment(field, name)?;
                Ok(vec![self.rewrite(field, lines)])
            }
        }
    }

    /// The value on the label's line, without a comment behind it.
    pub(super) fn inline(&self, field: &LocatedField) -> Span {
        let kept = without_comment(field.inline.slice(self.source.text()));
        Span::new(field.inline.start, field.inline.start + kept.len())
    }

    /// Puts the new value where the old one stands; the label stays as it is spelled.
    pub(super) fn rewrite(&self, field: &LocatedField, lines: &str) -> Splice {
        let text = self.source.text();
        let after_label = text
            .get(field.label.end..field.line.end)
            .unwrap_or_default();
        let marks = after_label.find(":**").map_or(0, |at| at + ":**".len());
        let start = field.label.end + marks;
        let end = field.below.map_or(field.line.end, |below| below.end);
        let value = lines.split_once(":**").map_or(lines, |(_, value)| value);
        let value = value.replace('\n', line_end(self.source, 0));
        Splice::replace(Span::new(start, end), value)
    }

    /// Changes the items of a list that differ; the others keep their lines.
    fn items(
        &self,
        field: &LocatedField,
        items: &[Value],
        lines: &str,
    ) -> Result<Vec<Splice>, EditRefused> {
        let text = self.source.text();
        // In front of a list every line must be an item of its own for the two to be compared.
        let simple = field
            .lines
            .iter()
            .all(|line| marker_len(line.slice(text)).is_some());
        let block: Vec<&str> = lines
            .lines()
            .filter(|line| line.starts_with("- "))
            .collect();
        let from_inline: Vec<String> = items
            .iter()
            .filter_map(|item| Some(format!("- {}", item.as_str()?)))
            .collect();
        let new: Vec<&str> = if block.len() == items.len() {
            block
        } else {
            from_inline.iter().map(String::as_str).collect()
        };
        if !simple {
            self.refuse_comment(field, field.name)?;
            return Ok(vec![self.rewrite(field, lines)]);
        }
        let old: Vec<&str> = field
            .lines
            .iter()
            .map(|line| item(line.slice(text)))
            .collect();
        let same = |(a, b): (&&str, &&str)| item_text(a) == item_text(item(b));
        let start = old
            .iter()
            .zip(&new)
            .take_while(|(a, b)| same((a, b)))
            .count();
        let (old_rest, new_rest) = (old.len() - start, new.len() - start);
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take_while(|(a, b)| same((a, b))).count();
        let tail = tail.min(old_rest).min(new_rest);
        Ok(self.item_splices(
            field,
            start,
            old.len() - tail,
            new.get(start..new.len() - tail),
        ))
    }

    /// Replaces the items from `start` up to `end` by new ones.
    fn item_splices(
        &self,
        field: &LocatedField,
        start: usize,
        end: usize,
        new: Option<&[&str]>,
    ) -> Vec<Splice> {
        let text = self.source.text();
        let newline = line_end(self.source, 0);
        let new = new.unwrap_or_default();
        let gone = field.lines.get(start..end).unwrap_or_default();
        let mut splices = Vec::new();
        for (index, line) in gone.iter().enumerate() {
            match new.get(index) {
                Some(item_line) => {
                    let marker = marker_len(line.slice(text)).unwrap_or(0);
                    let span = Span::new(line.start + marker, line.end);
                    splices.push(Splice::replace(span, item(item_line)));
                }
                None => splices.push(Splice::remove(super::whole_line(self.source, *line))),
            }
        }
        let more = new.get(gone.len()..).unwrap_or_default();
        if !more.is_empty() {
            let last = (start + gone.len()).checked_sub(1);
            let last = last.and_then(|at| field.lines.get(at));
            let (offset, before) = match last {
                Some(last) => (last.end, true),
                None => (
                    field
                        .lines
                        .first()
                        .map_or(field.line.end, |line| line.start),
                    false,
                ),
            };
            let ordered = |line| {
                if before {
                    [newline, line]
                } else {
                    [line, newline]
                }
            };
            let text: String = more.iter().copied().flat_map(ordered).collect();
            splices.push(Splice::insert(offset, text));
        }
        splices
    }

    /// Sets the risks, in the field or the section that they stand in.
    pub(super) fn risks(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        let Some(section) = &self.layout.risks else {
            if self.layout.plan.get("risks").is_some() {
                return self.set(&self.layout.plan, FieldOwner::Plan, "risks", value);
            }
            return self.new_risks(value);
        };
        let items = value.as_array().cloned().unwrap_or_default();
        if items.is_empty() {
            self.refuse_comment(section, "risks")?;
            let end = section.below.map_or(section.line.end, |below| below.end);
            return Ok(vec![Splice::remove(Span::new(section.line.start, end))]);
        }
        let lines = self.rendered_lines(FieldOwner::Plan, "risks", value)?;
        if section.lines.is_empty() {
            let body = lines.strip_prefix("## Risks\n").unwrap_or(&lines);
            let text = format!("\n{body}").replace('\n', line_end(self.source, 0));
            return Ok(vec![Splice::insert(section.line.end, text)]);
        }
        self.items(section, &items, &lines)
    }

    fn new_risks(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        if value.as_array().is_none_or(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let lines = self.rendered_lines(FieldOwner::Plan, "risks", value)?;
        let newline = line_end(self.source, 0);
        let end = self.source.bytes().len();
        let text = match self.layout.rejections {
            Some(_) => format!("{lines}\n\n"),
            None if self.source.bytes().ends_with(b"\n") => format!("\n{lines}\n"),
            None => format!("\n\n{lines}\n"),
        };
        let offset = self.layout.rejections.unwrap_or(end);
        Ok(vec![Splice::insert(offset, text.replace('\n', newline))])
    }

    /// Refuses to take a comment away together with a value.
    pub(super) fn refuse_comment(
        &self,
        field: &LocatedField,
        name: &str,
    ) -> Result<(), EditRefused> {
        let end = field.below.map_or(field.line.end, |below| below.end);
        let span = Span::new(field.line.start, end);
        if field.comment || span.slice(self.source.text()).contains("<!--") {
            let why = format!("a comment stands inside `{name}` and would be lost");
            return Err(EditRefused::Unreadable(why));
        }
        Ok(())
    }
}

/// A list item without its marker.
fn item(line: &str) -> &str {
    line.get(marker_len(line).unwrap_or(0)..)
        .unwrap_or_default()
}

/// An item without a comment behind it and back-ticks around it.
fn item_text(item: &str) -> &str {
    let text = without_comment(item.trim_end());
    let inside = text
        .strip_prefix('`')
        .and_then(|text| text.strip_suffix('`'));
    inside.unwrap_or(text)
}

/// Whether the word `none` is a value of this list.
fn has_none(name: &str) -> bool {
    matches!(name, "tools" | "depends_on")
}
