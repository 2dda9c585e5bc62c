//! Prose of a plan in markdown, collected in the order it stands in.

use std::ops::Range;

use crate::draft::Spanned;
use crate::markdown::{Document, Line, LineKind};
use crate::source::Span;

/// The pieces of prose found so far.
#[derive(Debug, Default)]
pub(super) struct Narrative {
    pieces: Vec<Spanned<String>>,
}

impl Narrative {
    /// Adds a piece.
    pub(super) fn add(&mut self, piece: Spanned<String>) {
        self.pieces.push(piece);
    }

    /// Adds what stands at `place` in some lines, if they say anything.
    pub(super) fn add_text(
        &mut self,
        document: &Document<'_>,
        lines: Range<usize>,
        span: Option<Span>,
    ) {
        let says_nothing =
            |line: &Line| line.kind == LineKind::Comment || document.is_separator(line);
        let lines = document.lines.get(lines).unwrap_or_default();
        if let Some(span) = span.filter(|_| !lines.iter().all(says_nothing)) {
            let text = document.slice(span).replace("\r\n", "\n");
            self.add(Spanned::new(text, span));
        }
    }

    /// All pieces as one text.
    pub(super) fn into_context(mut self) -> Option<Spanned<String>> {
        self.pieces.sort_by_key(|piece| piece.span);
        let first = self.pieces.first()?.span;
        let span = self.pieces.last().map_or(first, |last| first.to(last.span));
        let texts: Vec<_> = self.pieces.into_iter().map(|piece| piece.value).collect();
        Some(Spanned::new(texts.join("\n\n"), span))
    }
}
