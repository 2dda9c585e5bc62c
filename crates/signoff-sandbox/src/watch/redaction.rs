//! Keeps words out of logs, also words that arrive in pieces.

use std::sync::Arc;

/// Replaces a word.
const HIDDEN: &[u8] = b"[redacted]";

/// Words that no log may contain.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    /// Longest first, because one may be a part of another.
    words: Vec<Vec<u8>>,
}

impl Redaction {
    pub(crate) fn new(words: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let words = words.into_iter().filter(|word| !word.is_empty());
        let mut words: Vec<Vec<u8>> = words.collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Self { words }
    }

    /// Returns what a text begins with. More text may follow unless this is the last.
    fn match_at(&self, text: &[u8], is_last: bool) -> WordMatch {
        let mut starting = self
            .words
            .iter()
            .filter(|word| word.first() == text.first());
        let found = starting.find_map(|word| {
            if text.starts_with(word) {
                Some(WordMatch::Word(word.len()))
            } else {
                // Longer words are tried first, and this may still become one.
                (!is_last && word.starts_with(text)).then_some(WordMatch::Unknown)
            }
        });
        found.unwrap_or(WordMatch::Other)
    }
}

enum WordMatch {
    /// A word of this length begins here.
    Word(usize),
    /// The next bytes decide.
    Unknown,
    Other,
}

/// Redacts one stream on its way to a log.
#[derive(Debug)]
pub(crate) struct Redactor {
    redaction: Arc<Redaction>,
    /// Bytes that may be the beginning of a word.
    pending: Vec<u8>,
}

impl Redactor {
    pub(crate) fn new(redaction: Arc<Redaction>) -> Self {
        Self {
            redaction,
            pending: Vec::new(),
        }
    }

    /// Takes the next piece, and returns what can be written now.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(piece);
        self.write(false)
    }

    /// Returns the rest, at the end of the stream.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.write(true)
    }

    fn write(&mut self, is_last: bool) -> Vec<u8> {
        if self.redaction.words.is_empty() {
            return std::mem::take(&mut self.pending);
        }
        let mut written = Vec::with_capacity(self.pending.len());
        let mut rest = &self.pending[..];
        while let Some((first, after)) = rest.split_first() {
            match self.redaction.match_at(rest, is_last) {
                WordMatch::Word(length) => {
                    written.extend_from_slice(HIDDEN);
                    rest = &rest[length..];
                }
                WordMatch::Unknown => break,
                WordMatch::Other => {
                    written.push(*first);
                    rest = after;
                }
            }
        }
        self.pending = rest.to_vec();
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], pieces: &[&str], expected: &[&str]) {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        let mut redactor = Redactor::new(Arc::new(Redaction::new(words)));
        let mut written: Vec<Vec<u8>> = pieces
            .iter()
            .map(|piece| redactor.push(piece.as_bytes()))
            .collect();
        written.push(redactor.finish());
        let written: Vec<_> = written
            .iter()
            .map(|part| String::from_utf8_lossy(part))
            .collect();
        assert_eq!(written, expected, "{pieces:?}");
    }

    #[test]
    fn words_are_found_whole_and_in_pieces() {
        check(&["secret"], &["a secret!"], &["a [redacted]!", ""]);
        check(
            &["secret"],
            &["a sec", "re", "t!"],
            &["a ", "", "[redacted]!", ""],
        );
        check(&["secret"], &["a sec", "ond"], &["a ", "second", ""]);
        check(&["secret"], &["sec"], &["", "sec"]);
        check(&["secret"], &["sesecret"], &["se[redacted]", ""]);
        check(
            &["secretsecret", "secret"],
            &["secretsecond"],
            &["[redacted]second", ""],
        );
        check(
            &["secret", "secret-long"],
            &["secret", "-long"],
            &["", "[redacted]", ""],
        );
        check(
            &["secret", "secret-long"],
            &["secret-lo"],
            &["", "[redacted]-lo"],
        );
        check(&[], &["secret"], &["secret", ""]);
    }
}
