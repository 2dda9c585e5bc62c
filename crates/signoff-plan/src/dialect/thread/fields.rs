//! Fields of a strict frontmatter.

use super::{DIALECT, ThreadFile};
use crate::check::{bad_value, frontmatter_invalid, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{CommandText, Spanned};
use crate::markdown::frontmatter::FrontmatterSpans;
use crate::node::{Entry, NodeKind};
use crate::source::Span;
use crate::yaml;

/// The fields of one file.
pub(super) struct FileFields<'a> {
    entries: Vec<Entry>,
    text: &'a str,
    /// Whether all of it could be read: otherwise it is unknown what is missing.
    pub(super) whole: bool,
}

impl<'a> FileFields<'a> {
    /// Reads them and reports those that are not known; `None` = nothing could be read.
    pub(super) fn read(
        file: &ThreadFile<'a>,
        located: &FrontmatterSpans,
        known: &[&str],
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        if !located.closed {
            problems.push(frontmatter_invalid::unclosed_frontmatter(
                DIALECT,
                located.opening,
            ));
            return None;
        }
        let yaml = located.yaml;
        let (root, found) = yaml::parse(yaml.slice(file.text), yaml.start);
        let mut whole = found.is_empty();
        let found = found
            .iter()
            .map(|problem| frontmatter_invalid::yaml(DIALECT, problem));
        problems.extend(found);
        let mut entries = Vec::new();
        if let Some(root) = root {
            match root.kind {
                NodeKind::Mapping(found) => entries = found,
                NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Sequence(_) => {
                    whole = false;
                    let (span, found) = (root.span, root.describe());
                    problems.push(frontmatter_invalid::no_mapping(DIALECT, span, found));
                }
            }
        }
        let text = file.text;
        let known_key = |entry: &&Entry| known.contains(&entry.key.value.as_str());
        let unknown = entries.iter().filter(|entry| !known_key(entry));
        problems.extend(unknown.map(|entry| unknown_field::key(DIALECT, &entry.key, known)));
        Some(Self {
            entries,
            text,
            whole,
        })
    }

    fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.value == name)
    }

    /// Where the name of a field stands, if it is given.
    pub(super) fn key(&self, name: &str) -> Option<Span> {
        self.get(name).map(|entry| entry.key.span)
    }

    /// Whether a field is given and has a value, of whatever kind.
    pub(super) fn has(&self, name: &str) -> bool {
        let value = self.get(name).map(|entry| &entry.value);
        let empty = |text: Spanned<String>| text.value.trim().is_empty();
        value.is_some_and(|value| !value.is_nothing() && !value.text().is_some_and(empty))
    }

    /// A text; `None` = not given, or empty.
    pub(super) fn text(
        &self,
        name: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Spanned<String>> {
        let entry = self.get(name)?;
        if entry.value.is_nothing() {
            return None;
        }
        let Some(text) = entry.value.text() else {
            let (span, found) = (entry.value.span, entry.value.describe());
            problems.push(bad_value::no_text(DIALECT, &entry.key, span, found));
            return None;
        };
        let span = entry.value.inner_span(self.text);
        let text = Spanned::new(text.value, span);
        Some(text).filter(|text| !text.value.trim().is_empty())
    }

    /// A list of texts; `None` = not given.
    pub(super) fn list(
        &self,
        name: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Spanned<String>>> {
        let entry = self.get(name)?;
        let items = match &entry.value.kind {
            NodeKind::Sequence(items) => items,
            _ if entry.value.is_nothing() => return Some(Vec::new()),
            NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Mapping(_) => {
                problems.push(bad_value::no_list(DIALECT, &entry.key, &entry.value));
                return Some(entry.value.text().into_iter().collect());
            }
        };
        let mut texts = Vec::new();
        for item in items {
            match item.text() {
                Some(text) => {
                    let span = item.inner_span(self.text);
                    texts.push(Spanned::new(text.value, span));
                }
                None => {
                    let found = item.describe();
                    problems.push(bad_value::no_text(DIALECT, &entry.key, item.span, found));
                }
            }
        }
        Some(texts)
    }

    /// A list, or one text alone.
    pub(super) fn list_or_text(
        &self,
        name: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<Spanned<String>> {
        match self.get(name).and_then(|entry| entry.value.text()) {
            Some(_) => self.text(name, problems).into_iter().collect(),
            None => self.list(name, problems).unwrap_or_default(),
        }
    }

    /// Shell text, each part of it with its place.
    pub(super) fn command(
        &self,
        name: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<CommandText> {
        self.text(name, problems)?;
        let mut command = yaml::command(&self.get(name)?.value, self.text)?;
        // A lone carriage return ends a line too; a shell must never be handed one.
        command.text = command.text.replace('\r', "\n");
        let kept = command.text.trim_end_matches('\n').len();
        command.text.truncate(kept);
        Some(command)
    }
}
