//! Replacing stretches of bytes.

use crate::source::Span;

/// Bytes that are replaced, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::replace(Span::at(offset), text)
    }

    pub(super) fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }

    pub(super) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

/// The bytes with every splice made. Splices do not overlap; one that does is left out.
pub(super) fn apply(bytes: &[u8], mut splices: Vec<Splice>) -> Vec<u8> {
    splices.sort_by_key(|splice| splice.span);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for Splice { span, text } in splices {
        if span.start < at {
            continue;
        }
        out.extend_from_slice(bytes.get(at..span.start).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        at = span.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}
