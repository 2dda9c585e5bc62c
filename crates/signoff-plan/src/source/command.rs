//! Shell text that knows where each part of it was written.

use super::Span;

/// Shell text with a way back to where each part of it was written.
///
/// The text has LF line ends and no list indentation; the file may have both otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandText {
    /// The text that is run.
    pub text: String,
    /// Offset in the text and the source bytes it came from, in order.
    pub pieces: Vec<Piece>,
}

/// A stretch of text taken from the source in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where the stretch begins in the text.
    pub offset: usize,
    /// Where it stands in the source.
    pub span: Span,
}

impl CommandText {
    /// Adds a stretch of text and the place it came from.
    pub(crate) fn push(&mut self, text: &str, span: Span) {
        let offset = self.text.len();
        self.pieces.push(Piece { offset, span });
        self.text.push_str(text);
    }

    /// Where an offset of the text stands in the source.
    pub fn source_offset(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.offset <= offset);
        let piece = after
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        match piece.or(self.pieces.first()) {
            Some(piece) => {
                let inside = offset.saturating_sub(piece.offset);
                (piece.span.start + inside).min(piece.span.end)
            }
            None => 0,
        }
    }

    /// Where a range of the text stands in the source.
    pub fn source_span(&self, span: Span) -> Span {
        if self.pieces.is_empty() {
            return Span::default();
        }
        let start = self.source_offset(span.start);
        // The end is found from the last covered byte: the next piece may begin a line later.
        let end = match span.end.checked_sub(1) {
            Some(last) if last >= span.start => self.source_offset(last) + 1,
            _ => start,
        };
        Span::new(start, end)
    }

    /// The whole text in the source.
    pub fn span(&self) -> Span {
        match (self.pieces.first(), self.pieces.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_a_command_lead_back_to_the_source() {
        let mut command = CommandText::default();
        command.push("ab\n", Span::new(10, 13));
        command.push("cd", Span::new(16, 18));
        assert_eq!(command.source_offset(0), 10);
        assert_eq!(command.source_offset(3), 16);
        assert_eq!(command.source_span(Span::new(0, 5)), Span::new(10, 18));
        assert_eq!(command.source_span(Span::new(0, 2)), Span::new(10, 12));
        assert_eq!(command.source_span(Span::new(5, 5)), Span::at(18));
        assert_eq!(
            CommandText::default().source_span(Span::new(0, 9)),
            Span::at(0)
        );
    }
}
