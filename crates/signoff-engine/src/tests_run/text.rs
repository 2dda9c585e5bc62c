//! What the readers of all runners share: text without colours, and numbers with their words.

use std::borrow::Cow;

use super::Summary;
use super::summary::CountedAs;

/// The text without terminal sequences (`ESC [ … letter`, `ESC ] … BEL`).
pub(super) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\x1b');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(after_sequence(part));
    }
    Cow::Owned(plain)
}

/// What follows the sequence that a text after an escape character begins with.
// The search stays within the part, so that many unfinished sequences cost no more than their text.
fn after_sequence(part: &str) -> &str {
    let end = match part.as_bytes().first() {
        Some(b'[') => part
            .char_indices()
            .skip(1)
            .find(|(_, c)| !matches!(c, ' '..='?')),
        Some(b']') => part.char_indices().find(|(_, c)| *c == '\x07'),
        Some(_) => part.char_indices().next(),
        None => None,
    };
    // An unfinished sequence does not count: its text may be the summary.
    end.map_or(part, |(at, last)| {
        part.get(at + last.len_utf8()..).unwrap_or_default()
    })
}

/// `3 passed` as number and words.
pub(super) fn count_and_words(part: &str) -> Option<(u64, &str)> {
    let (number, words) = part.trim().split_once(' ')?;
    Some((number.parse().ok()?, words.trim()))
}

/// Adds up the numbers by what their words mean. `None` unless every part of the list is a number with
/// words that are known: anything else is not the summary it looks like.
pub(super) fn sum_of<'a>(
    parts: impl IntoIterator<Item = &'a str>,
    known: &[(&str, CountedAs)],
) -> Option<Summary> {
    let mut sum = Summary::default();
    for part in parts {
        let (count, words) = count_and_words(part)?;
        let (_, fate) = known.iter().find(|(known, _)| *known == words)?;
        sum.add(*fate, count);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_sequences_are_taken_out() {
        for (text, plain) in [
            ("plain", "plain"),
            ("\x1b[1m\x1b[32m3 passed\x1b[0m, 1", "3 passed, 1"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b[38;5;12mé", "é"),
            ("\x1b(Btext", "Btext"),
            ("\x1bé", ""),
            ("a\x1b[", "a["),
            ("a\x1b]never ended 3 passed", "a]never ended 3 passed"),
            ("\x1b", ""),
        ] {
            assert_eq!(without_colours(text), plain, "{text:?}");
        }
    }

    #[test]
    fn a_list_is_a_summary_only_as_a_whole() {
        let known = [
            ("passed", CountedAs::Passed),
            ("failed", CountedAs::Failed),
            ("skipped", CountedAs::Skipped),
        ];
        let sum = |text: &str| Some(sum_of(text.split(','), &known)?.ran());
        assert_eq!(sum("2 passed, 1 failed, 4 skipped"), Some(3));
        assert_eq!(sum("4 skipped"), Some(0));
        for other in ["2 passed, 1 lost", "two passed", "passed", "", "-1 passed"] {
            assert_eq!(sum(other), None, "{other}");
        }
        let many = format!("{0} passed, {0} passed", u64::MAX);
        assert_eq!(sum(&many), Some(u64::MAX));
    }
}
