//! Fields of a frontmatter set in place: of a whole file, or of one file of a directory.

use serde_json::Value;

use super::members::{MemberEditor, not_shared};
use super::{EditRefused, Splice};
use crate::dialect::object::Format;
use crate::markdown::frontmatter::{FrontmatterSpans, find_frontmatter};
use crate::node::{Entry, Node, NodeKind};
use crate::source::{Span, text_from, text_up_to};
use crate::write::yaml::{block_entry, entry, scalar, text as quoted};
use crate::yaml;

/// A frontmatter to edit.
pub(super) struct Frontmatter<'a> {
    /// The text up to the end of the file.
    text: &'a str,
    located: FrontmatterSpans,
    root: Option<Node>,
}

impl<'a> Frontmatter<'a> {
    /// The frontmatter of the file that begins at `start` and ends with the text.
    pub(super) fn new(text: &'a str, start: usize) -> Result<Self, EditRefused> {
        let located = find_frontmatter(text, start).filter(|located| located.closed);
        let missing = || EditRefused::Unreadable("there is no frontmatter".to_owned());
        let located = located.ok_or_else(missing)?;
        let (root, _) = yaml::parse(located.yaml.slice(text), located.yaml.start);
        Ok(Self {
            text,
            located,
            root,
        })
    }

    /// Where the body begins.
    pub(super) fn body(&self) -> usize {
        self.located.body
    }

    /// The line end in use.
    pub(super) fn line_end(&self) -> &'static str {
        let before = text_up_to(self.text, self.located.yaml.start);
        if before.ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// Whether a field is given.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// A field as it is given.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        let entries = self.root.as_ref().and_then(Node::entries);
        let mut entries = entries.unwrap_or_default().iter();
        entries.find(|entry| entry.key.value == key)
    }

    /// What to write where so that a field has this value; `null` takes it away.
    pub(super) fn set(&self, key: &str, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        if let Some((editor, root)) = self.flow_mapping() {
            return editor.set(root, key, value);
        }
        match self.entry(key) {
            None if value.is_null() => Ok(Vec::new()),
            None => {
                let line = self.field_lines(key, value);
                Ok(vec![Splice::insert(self.end(), line)])
            }
            Some(entry) if value.is_null() => Ok(vec![Splice::remove(self.lines_of(entry)?)]),
            Some(entry) if entry.value.to_json() == *value => Ok(Vec::new()),
            Some(entry) => self.replace(entry, value),
        }
    }

    /// A field on lines of its own.
    fn field_lines(&self, key: &str, value: &Value) -> String {
        match value.as_str() {
            Some(text) => block_entry(key, text, self.line_end()),
            None => entry(key, value, self.line_end()),
        }
    }

    fn replace(&self, entry: &Entry, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        not_shared(entry)?;
        let colon = entry.after_colon(self.text);
        let span = entry.value.span;
        let raw = span.slice(self.text).trim_end();
        let end = span.start + raw.len();
        let between = Span::new(colon, span.start).slice(self.text);
        let one_line = matches!(entry.value.kind, NodeKind::Scalar { .. })
            && !raw.contains('\n')
            && !between.contains('\n');
        if entry.value.kind == NodeKind::Null {
            let written = inline(value, "");
            return Ok(vec![Splice::insert(colon, format!(" {written}"))]);
        }
        if one_line && !value.is_array() {
            return Ok(vec![Splice::replace(span, inline(value, raw))]);
        }
        self.refuse_comment(entry, between)?;
        // All from the colon on: a block has marks of its own there.
        let whole = self.field_lines("k", value);
        let written = whole.strip_prefix("k:").unwrap_or(&whole).trim_end();
        let kept = matches!(&entry.value.kind, NodeKind::Sequence(_)) && raw.starts_with('[');
        if kept {
            return Ok(vec![Splice::replace(span, inline(value, raw))]);
        }
        Ok(vec![Splice::replace(Span::new(colon, end), written)])
    }

    /// Where a new line of fields goes.
    pub(super) fn end(&self) -> usize {
        self.located.yaml.end
    }

    /// The whole in braces, if that is how it is written, to be changed there.
    pub(super) fn flow_mapping(&self) -> Option<(MemberEditor<'a>, &Node)> {
        let root = self.root.as_ref()?;
        let format = Format::Yaml;
        let text = self.text;
        let is_flow = root.span.slice(text).starts_with('{');
        is_flow.then_some((MemberEditor { text, format }, root))
    }

    /// Refuses to take a comment away with a value.
    fn refuse_comment(&self, entry: &Entry, between: &str) -> Result<(), EditRefused> {
        if entry.value.has_comment(self.text) || between.contains('#') {
            let what = format!("a comment beside `{}`", entry.key.value);
            return Err(EditRefused::NotOnlyField(what));
        }
        Ok(())
    }

    /// The lines of a field, if nothing else stands on them.
    pub(super) fn lines_of(&self, entry: &Entry) -> Result<Span, EditRefused> {
        not_shared(entry)?;
        let colon = entry.after_colon(self.text);
        let raw = entry.value.span.slice(self.text).trim_end();
        let end = (entry.value.span.start + raw.len()).max(colon);
        let between = Span::new(colon, entry.value.span.start.max(colon));
        self.refuse_comment(entry, between.slice(self.text))?;
        let start = entry.key.span.start;
        let before = text_up_to(self.text, start);
        let rest = text_from(self.text, end);
        let rest = rest.split_inclusive('\n').next().unwrap_or_default();
        if !before.ends_with('\n') || !rest.trim().is_empty() {
            let what = format!("what stands beside `{}`", entry.key.value);
            return Err(EditRefused::NotOnlyField(what));
        }
        Ok(Span::new(start, end + rest.len()))
    }
}

/// A value on one line, in the quotes that were there.
fn inline(value: &Value, before: &str) -> String {
    let simple = |text: &str| !text.contains('\'') && !text.contains(char::is_control);
    match value.as_str() {
        Some(text) if before.starts_with('\'') && simple(text) => format!("'{text}'"),
        Some(text) if before.starts_with(['"', '\'']) => quoted(text),
        _ => scalar(value),
    }
}
