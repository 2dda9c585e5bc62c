//! JSON of other tools: every member is used or listed as a loss.

use std::collections::BTreeSet;

use super::imported::ImportedPlan;
use super::{ImportError, ImportLoss};
use crate::json::{Comments, parse};
use crate::node::{Entry, Node, NodeKind};
use crate::source::{Source, first_line};

/// Why a member is listed.
pub(super) const NO_FIELD: &str = "a plan has no field for it";

/// A file of JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonFile<'s> {
    pub(super) source: &'s Source,
}

impl<'s> JsonFile<'s> {
    /// Takes a source that is one file.
    pub(super) fn new(source: &'s Source) -> Result<Self, ImportError> {
        let file = Self { source };
        if source.parts().is_empty() {
            return Ok(file);
        }
        Err(file.error(None, "this is a directory; name the file in it".to_owned()))
    }

    /// The text without a byte order mark, and where it begins.
    pub(super) fn text(self) -> (&'s str, usize) {
        let start = self.source.byte_order_mark_len();
        (self.source.text().get(start..).unwrap_or_default(), start)
    }

    /// Reads a value that stands at `offset`; anything wrong in it is an error.
    pub(super) fn value(self, text: &str, offset: usize) -> Result<Node, ImportError> {
        let (node, problems) = parse(text, offset, Comments::Refused);
        if let Some(problem) = problems.first() {
            let message = format!("this is not JSON: {}", problem.message);
            return Err(self.error(Some(problem.span.start), message));
        }
        node.ok_or_else(|| self.error(Some(offset), "there is no JSON here".to_owned()))
    }

    pub(super) fn error(self, at: Option<usize>, message: String) -> ImportError {
        ImportError {
            file: self.source.name().to_owned(),
            line: at.map(|at| self.line(at)),
            message,
        }
    }

    pub(super) fn line(self, at: usize) -> usize {
        self.source.line_column(at).0
    }

    /// Lists every value in a node as lost.
    pub(super) fn note_loss(
        self,
        imported: &mut ImportedPlan,
        field: &str,
        node: &Node,
        why: &str,
    ) {
        let mut values = Vec::new();
        leaves(field, node, &mut values);
        imported
            .losses
            .extend(values.into_iter().map(|(field, node)| ImportLoss {
                file: self.source.name().to_owned(),
                line: Some(self.line(node.span.start)),
                field,
                value: text(node).unwrap_or_default(),
                why: why.to_owned(),
            }));
    }
}

/// The values in a node that hold something, with the names that lead to them.
fn leaves<'n>(field: &str, node: &'n Node, found: &mut Vec<(String, &'n Node)>) {
    match &node.kind {
        NodeKind::Null => {}
        NodeKind::Scalar { .. } => {
            if text(node).is_some() {
                found.push((field.to_owned(), node));
            }
        }
        NodeKind::Sequence(items) => items.iter().for_each(|item| leaves(field, item, found)),
        NodeKind::Mapping(entries) => {
            for entry in entries {
                leaves(&format!("{field}.{}", entry.key.value), &entry.value, found);
            }
        }
    }
}

/// The text of a value that holds something: text, a number, or a truth value.
pub(super) fn text(node: &Node) -> Option<String> {
    let NodeKind::Scalar { text, plain } = &node.kind else {
        return None;
    };
    let nothing = (*plain && text == "null") || text.trim().is_empty();
    (!nothing).then(|| text.clone())
}

/// The items of a list.
pub(super) fn items(node: &Node) -> Option<&[Node]> {
    match &node.kind {
        NodeKind::Sequence(items) => Some(items),
        NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Mapping(_) => None,
    }
}

/// The members of an object, each of which is used once or lost.
pub(super) struct MemberReader<'n> {
    entries: &'n [Entry],
    used: BTreeSet<usize>,
}

impl<'n> MemberReader<'n> {
    pub(super) fn new(entries: &'n [Entry]) -> Self {
        Self {
            entries,
            used: BTreeSet::new(),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let found = self
            .entries
            .iter()
            .position(|entry| entry.key.value == name)?;
        (!self.used.contains(&found)).then_some(found)
    }

    /// Uses a member if `read` can do something with it.
    pub(super) fn take_member<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&'n Node) -> Option<T>,
    ) -> Option<T> {
        let at = self.position(name)?;
        let value = read(&self.entries.get(at)?.value)?;
        self.used.insert(at);
        Some(value)
    }

    /// Uses a member that is text or a number.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take_member(name, text)
    }

    /// Lists what was not used.
    pub(super) fn lose_rest(self, file: JsonFile<'_>, imported: &mut ImportedPlan) {
        for (at, entry) in self.entries.iter().enumerate() {
            if !self.used.contains(&at) {
                file.note_loss(imported, &entry.key.value, &entry.value, NO_FIELD);
            }
        }
    }
}

/// Acceptance criteria of a text: its lines without list marks, unless it has structure of its own.
pub(super) fn criteria(text: &str) -> Option<Vec<String>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let plain = |line: &&str| {
        let marks = ["#", "```", "~~~", "|", ">", "**", "<"];
        // An item of a list that is nothing but code would be read without its ticks.
        let item = without_mark(line);
        let is_code = item.starts_with('`') && item.ends_with('`');
        let is_marked = marks.iter().any(|mark| line.starts_with(mark));
        !is_marked && !is_code && !line.contains(char::is_control)
    };
    let lines: Vec<&str> = lines.collect();
    let all = !lines.is_empty() && lines.iter().all(plain);
    all.then(|| {
        lines
            .iter()
            .map(|line| without_mark(line).to_owned())
            .collect()
    })
}

/// A line without the mark of a list and an empty check box.
fn without_mark(line: &str) -> &str {
    let rest = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let rest = rest.unwrap_or(line).trim_start();
    let rest = rest.strip_prefix("[ ] ").unwrap_or(rest).trim_start();
    if rest.is_empty() { line } else { rest }
}

/// A task made of its parts, each below what it is called.
pub(super) fn task(title: &str, parts: &[(&str, Option<String>)]) -> String {
    let mut task = title.trim().to_owned();
    for (label, text) in parts {
        let Some(text) = text
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
        else {
            continue;
        };
        if !task.is_empty() {
            task.push_str("\n\n");
        }
        if !label.is_empty() {
            task.push_str(label);
            task.push_str(if text.contains('\n') { "\n\n" } else { " " });
        }
        task.push_str(text);
    }
    task
}

/// A title, or where there is none the first line of the description.
pub(super) fn title_or_first_line(title: &str, description: Option<&str>) -> String {
    let of_description = || description.map_or("", |text| first_line(text.trim()));
    let title = if title.is_empty() {
        of_description()
    } else {
        title
    };
    title.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_lines_unless_there_is_structure() {
        let found = criteria("- [ ] a\n\n* b\nc: d\n");
        assert_eq!(
            found,
            Some(vec!["a".to_owned(), "b".to_owned(), "c: d".to_owned()])
        );
        assert_eq!(criteria("run\n```sh\nls\n```"), None);
        assert_eq!(criteria("- it runs\n- `make test`\n"), None);
        assert_eq!(criteria(" \n"), None);
    }

    #[test]
    fn a_task_has_all_its_parts() {
        let parts = [
            ("", Some("b".to_owned())),
            ("C:", Some("c\nd".to_owned())),
            ("D:", None),
        ];
        assert_eq!(task("a", &parts), "a\n\nb\n\nC:\n\nc\nd");
    }
}
