//! A small tree in which every key and value knows its place: what JSON and YAML are read into.

mod comment;
mod value;

pub(crate) use self::value::plain_value;
use crate::source::{Span, Spanned, text_from};

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: NodeKind,
    /// It means the same in several places: a YAML alias, or what has an anchor. It is read, but not edited:
    /// an edit would change another place too, or hide that the places belong together.
    pub(crate) shared: bool,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeKind {
    /// Not given.
    Null,
    /// Text; `plain` = written without quotes, so that it may also mean a number or truth value.
    Scalar { text: String, plain: bool },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values, in the order written.
    Mapping(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Spanned<String>,
    pub(crate) value: Node,
}

impl Entry {
    /// Where the colon behind the key ends. `source` is the text that places count from.
    pub(crate) fn after_colon(&self, source: &str) -> usize {
        let from = self.key.span.end;
        let rest = text_from(source, from);
        from + rest.find(':').map_or(0, |colon| colon + 1)
    }
}

/// Something refused, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Whether nothing behind it could be read.
    pub(crate) last: bool,
}

impl Node {
    pub(crate) fn new(span: Span, kind: NodeKind) -> Self {
        Self {
            span,
            kind,
            shared: false,
        }
    }

    /// The entries of a mapping.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            NodeKind::Mapping(entries) => Some(entries),
            NodeKind::Null | NodeKind::Scalar { .. } | NodeKind::Sequence(_) => None,
        }
    }

    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<Spanned<String>> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Some(Spanned::new(text.clone(), self.span)),
            NodeKind::Null | NodeKind::Sequence(_) | NodeKind::Mapping(_) => None,
        }
    }

    /// Its place without quotes, and without the line end of a block: where the text itself stands.
    /// `source` is the text that places count from.
    pub(crate) fn inner_span(&self, source: &str) -> Span {
        let NodeKind::Scalar { plain, .. } = &self.kind else {
            return self.span;
        };
        let raw = self.span.slice(source);
        let quoted = !plain && raw.len() >= 2 && raw.starts_with(['"', '\'']);
        if quoted && raw.ends_with(['"', '\'']) {
            return Span::new(self.span.start + 1, self.span.end - 1);
        }
        Span::new(self.span.start, self.span.start + raw.trim_end().len())
    }

    /// Is it nothing, in whatever way that is written?
    pub(crate) fn is_nothing(&self) -> bool {
        match &self.kind {
            NodeKind::Null => true,
            NodeKind::Scalar { text, plain } => {
                *plain && matches!(text.as_str(), "null" | "Null" | "NULL")
            }
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => false,
        }
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Null => "nothing",
            NodeKind::Scalar { .. } => "text",
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
        }
    }
}
