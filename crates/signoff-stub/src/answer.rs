//! What the model says in one turn, before it is written in a wire format.

use serde_json::Value;

use crate::script::Usage;

/// A whole answer of the model.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Makes the ids in the answer unique among all answers of the stub.
    pub(crate) number: u64,
    pub(crate) model: String,
    pub(crate) text: String,
    /// Carried out by the agent in this order.
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
}

impl Answer {
    /// The calls, each with an id that no other call has.
    pub(crate) fn identified_calls(&self) -> impl Iterator<Item = (String, &ToolCall)> {
        let id = |index| format!("{}_{}", self.number, index + 1);
        self.calls
            .iter()
            .enumerate()
            .map(move |(index, call)| (id(index), call))
    }
}

/// A call of a tool that the agent declares.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// The longest piece of text in one event.
const PIECE: usize = 16 << 10;

/// The text in about three pieces, so that a client has to put an answer together; a long text in more.
pub(crate) fn split_in_pieces(text: &str) -> Vec<&str> {
    let size = (text.len() / 3 + 1).min(PIECE);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_the_text_again() {
        for text in ["", "a", "Done.", "äöü€", &"line\n".repeat(10_000)] {
            let pieces = split_in_pieces(text);
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| piece.len() <= PIECE + 3));
        }
        assert_eq!(split_in_pieces("abcdef"), ["abc", "def"]);
    }
}
