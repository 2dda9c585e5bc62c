//! Values of one kind or another.

use serde_json::Value;

use super::{Format, ObjectReader};
use crate::check::bad_value;
use crate::draft::Spanned;
use crate::node::{Entry, Node, NodeKind};
use crate::source::Span;

impl ObjectReader<'_> {
    /// Text. In YAML an unquoted number counts as text.
    pub(in crate::dialect) fn text(&mut self, entry: Entry) -> Option<Spanned<String>> {
        let Entry { key, value } = entry;
        if self.format == Format::Json && matches!(value.kind, NodeKind::Scalar { plain: true, .. })
        {
            self.report_wrong_kind(&key, &value, "text");
            return None;
        }
        self.word(Entry { key, value })
    }

    /// Text, a number or a truth value, as it is written.
    pub(in crate::dialect) fn word(&mut self, entry: Entry) -> Option<Spanned<String>> {
        let Entry { key, value } = entry;
        if value.is_nothing() {
            return None;
        }
        let span = value.inner_span(self.source);
        match value.kind {
            NodeKind::Scalar { text, .. } => Some(Spanned::new(text, span)),
            NodeKind::Null | NodeKind::Sequence(_) | NodeKind::Mapping(_) => {
                self.report_wrong_kind(&key, &value, "text");
                None
            }
        }
    }

    /// A list of texts; `None` = not given.
    pub(in crate::dialect) fn texts(&mut self, entry: Entry) -> Option<Vec<Spanned<String>>> {
        let Entry { key, value } = entry;
        let items = self.items(&key, value)?;
        let mut texts = Vec::with_capacity(items.len());
        for value in items {
            if value.is_nothing() {
                self.report_wrong_kind(&key, &value, "a list of texts");
                continue;
            }
            let key = key.clone();
            texts.extend(self.text(Entry { key, value }));
        }
        Some(texts)
    }

    /// The items of a list; `None` = not given, or no list.
    pub(in crate::dialect) fn items(
        &mut self,
        key: &Spanned<String>,
        value: Node,
    ) -> Option<Vec<Node>> {
        if value.is_nothing() {
            return None;
        }
        match value.kind {
            NodeKind::Sequence(items) => Some(items),
            NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Mapping(_) => {
                self.report_wrong_kind(key, &value, "a list");
                None
            }
        }
    }

    /// The entries of a mapping; `None` = not given, or no mapping.
    pub(in crate::dialect) fn members(
        &mut self,
        key: &Spanned<String>,
        value: Node,
    ) -> Option<Vec<Entry>> {
        if value.is_nothing() {
            return None;
        }
        match value.kind {
            NodeKind::Mapping(entries) => Some(entries),
            NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Sequence(_) => {
                self.report_wrong_kind(key, &value, "keys and values");
                None
            }
        }
    }

    /// Any value.
    pub(in crate::dialect) fn value(&self, entry: &Entry) -> Option<Spanned<Value>> {
        let value = entry.value.to_json();
        let span = entry.value.inner_span(self.source);
        (!value.is_null()).then(|| Spanned::new(value, span))
    }

    /// A whole number.
    pub(in crate::dialect) fn whole(&mut self, key: &Spanned<String>, value: &Node) -> Option<u64> {
        if value.is_nothing() {
            return None;
        }
        let number = match &value.kind {
            NodeKind::Scalar { text, .. } => whole(text),
            NodeKind::Null | NodeKind::Sequence(_) | NodeKind::Mapping(_) => None,
        };
        if number.is_none() {
            self.report_wrong_kind(key, value, "a whole number from 0 on");
        }
        number
    }

    /// Reports a value of the wrong kind.
    pub(in crate::dialect) fn report_wrong_kind(
        &mut self,
        key: &Spanned<String>,
        value: &Node,
        wanted: &str,
    ) {
        let span = value.inner_span(self.source);
        // An alias has been refused already.
        if value.kind == NodeKind::Null && span.slice(self.source).starts_with('*') {
            return;
        }
        let span = if span.is_empty() {
            key.span
        } else {
            first_line(span, self.source)
        };
        let found = self.describe(value);
        let found = bad_value::kind(self.dialect, &key.value, span, wanted, &found);
        self.problems.push(found);
    }

    fn describe(&self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Scalar { plain: true, text } => format!("`{text}`"),
            // What text it is says more than that it is text.
            NodeKind::Scalar { plain: false, text } if text.len() <= 40 => {
                format!("the text `{text}`")
            }
            NodeKind::Mapping(_) if self.format == Format::Json => "an object".to_owned(),
            NodeKind::Null
            | NodeKind::Scalar { .. }
            | NodeKind::Sequence(_)
            | NodeKind::Mapping(_) => node.describe().to_owned(),
        }
    }
}

/// A whole number in digits.
pub(in crate::dialect) fn whole(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// As much of a place as stands on its first line: a caret under a whole page shows nothing.
fn first_line(span: Span, source: &str) -> Span {
    let line = span.slice(source).lines().next().unwrap_or_default();
    Span::new(span.start, span.start + line.len())
}
