//! YAML as a small tree in which every key and value knows its place.
//!
//! Only what plans need: no aliases, no anchors, no tags of one's own, each key once. Everything
//! refused is a [`Problem`]; the rest of the tree is there all the same.

mod tree;
mod value;

pub(crate) use self::tree::parse;
use crate::draft::Spanned;
use crate::source::Span;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
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

/// Something refused, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Node {
    /// The entries of a mapping.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            Kind::Mapping(entries) => Some(entries),
            Kind::Null | Kind::Scalar { .. } | Kind::Sequence(_) => None,
        }
    }

    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<Spanned<String>> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(Spanned::new(text.clone(), self.span)),
            Kind::Null | Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "nothing",
            Kind::Scalar { .. } => "text",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        }
    }
}
