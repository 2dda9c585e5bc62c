//! The beginning and the end of an output stream, and its length.

use std::collections::VecDeque;

/// The part of an output stream that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
}

impl CapturedOutput {
    /// Keeps at most `limit` bytes: the first half and the last half.
    pub(crate) fn new(limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let tail_limit = limit / 2;
        Self {
            head_limit: limit - tail_limit,
            tail_limit,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_limit)..];
        let overflow = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..overflow);
        self.tail.extend(rest);
    }

    /// Returns the kept part as text. A line in the middle says how much is left out.
    pub fn text(&self) -> String {
        let tail = self.tail_bytes();
        let left_out = self.left_out();
        if left_out == 0 {
            // In one piece, because a character may lie on both sides of the border.
            return lossy_text(&[&self.head[..], &tail[..]].concat());
        }
        let head = lossy_text(&self.head);
        let tail = lossy_text(from_character(&tail));
        format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
    }

    /// Returns every byte of the stream, or `None` if its middle was not kept.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        (!self.is_cut()).then(|| [&self.head[..], &self.tail_bytes()[..]].concat())
    }

    /// Returns at most the last `bytes` bytes as text, but nothing before a gap.
    pub fn tail(&self, bytes: usize) -> String {
        let mut kept = self.tail_bytes();
        if self.left_out() == 0 {
            kept.splice(0..0, self.head.iter().copied());
        }
        let cut = kept.len().saturating_sub(bytes);
        let cut_bytes = &kept[cut..];
        if cut == 0 && self.left_out() == 0 {
            lossy_text(cut_bytes)
        } else {
            lossy_text(from_character(cut_bytes))
        }
    }

    /// Returns the length of the stream, kept or not.
    pub fn bytes_total(&self) -> u64 {
        self.total
    }

    /// Whether the middle of the stream was not kept.
    pub fn is_cut(&self) -> bool {
        self.left_out() > 0
    }

    fn left_out(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    fn tail_bytes(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Skips the rest of a character that was cut.
fn from_character(bytes: &[u8]) -> &[u8] {
    let continues = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let rest = bytes.iter().take(3).take_while(continues).count();
    &bytes[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: u64, pieces: &[&str], text: &str) {
        let mut captured = CapturedOutput::new(limit);
        for piece in pieces {
            captured.push(piece.as_bytes());
        }
        assert_eq!(captured.text(), text);
    }

    #[test]
    fn keeps_what_fits() {
        check(8, &[], "");
        check(8, &["abc", "", "defgh"], "abcdefgh");
        check(7, &["abcd", "efg"], "abcdefg");
        check(4, &["aé", "b"], "aéb");
    }

    #[test]
    fn keeps_head_and_tail() {
        check(4, &["abcdefgh"], "ab\n[… 4 bytes left out …]\ngh");
        check(
            4,
            &["a", "b", "c", "d", "e"],
            "ab\n[… 1 bytes left out …]\nde",
        );
        check(0, &["abc"], "\n[… 3 bytes left out …]\n");
        check(1, &["abc"], "a\n[… 2 bytes left out …]\n");
        check(6, &["abcdxé", "y"], "abc\n[… 2 bytes left out …]\néy");
    }

    #[test]
    fn bytes_are_all_or_none() {
        let mut captured = CapturedOutput::new(4);
        captured.push(b"a\xff");
        captured.push(b"bc");
        assert_eq!(captured.bytes().as_deref(), Some(&b"a\xffbc"[..]));
        captured.push(b"d");
        assert_eq!(captured.bytes(), None);
    }

    #[test]
    fn tail_does_not_cross_the_gap() {
        let mut captured = CapturedOutput::new(4);
        captured.push(b"abc");
        assert_eq!(captured.tail(2), "bc");
        assert_eq!(captured.tail(99), "abc");
        captured.push(b"defgh");
        assert_eq!(captured.tail(1), "h");
        assert_eq!(captured.tail(99), "gh");
        assert_eq!(captured.bytes_total(), 8);
    }

    #[test]
    fn tail_starts_at_a_character() {
        let mut captured = CapturedOutput::new(64);
        captured.push("aéb".as_bytes());
        assert_eq!(captured.tail(2), "b");
        assert_eq!(captured.tail(3), "éb");
    }
}
