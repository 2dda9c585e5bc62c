//! `### N. Title`, with or without a tick.

use crate::draft::Spanned;
use crate::markdown::{Document, Heading, Line, LineKind};
use crate::source::Span;

/// The mark of a finished step.
pub(crate) const TICK: &str = "✅";
/// What some editors put after a tick to have it drawn in colour.
const VARIATION: char = '\u{fe0f}';

/// The parts of a step's heading.
#[derive(Debug, Default)]
pub(super) struct HeadingParts {
    pub(super) number: Option<Spanned<u64>>,
    /// What stands in place of a number where one heading means several steps.
    pub(super) unexpanded: Option<Spanned<String>>,
    pub(super) title: Spanned<String>,
    /// The ticks, each with the space that goes with it.
    pub(super) ticks: Vec<Span>,
    /// Where a tick goes.
    pub(super) insert_tick: usize,
}

/// Whether a heading begins with a number, or with what stands for several.
pub(super) fn is_numbered(text: &str) -> bool {
    let parts = read(text, Span::new(0, text.len()));
    parts.number.is_some() || parts.unexpanded.is_some()
}

/// The heading of a line; also where the space behind the `#`s is missing before a number.
pub(super) fn of_line(document: &Document<'_>, line: &Line) -> Option<Heading> {
    if let Some(heading) = document.heading(line) {
        return Some(heading);
    }
    let text = document.slice(line.span);
    let after = text.trim_start_matches('#');
    let level = text.len() - after.len();
    let meant = line.kind == LineKind::Text
        && (2..=6).contains(&level)
        && after.starts_with(|c: char| c.is_ascii_digit())
        && is_numbered(after);
    meant.then(|| Heading {
        level,
        text: document.trim_span(Span::new(line.span.start + level, line.span.end)),
    })
}

/// Reads the heading that stands at `span` of `text`.
pub(super) fn read(text: &str, span: Span) -> HeadingParts {
    let mut parts = HeadingParts::default();
    let mut rest = span;
    rest = leading_tick(text, rest, &mut parts.ticks);
    if let Some(end) = number_end(rest.slice(text)) {
        let token = Span::new(rest.start, rest.start + end);
        let word = token.slice(text);
        match word.parse() {
            Ok(number) => parts.number = Some(Spanned::new(number, token)),
            Err(_) => parts.unexpanded = Some(Spanned::new(word.to_owned(), token)),
        }
        // Past the full stop.
        rest = trim(text, Span::new(token.end + 1, rest.end));
    }
    parts.insert_tick = rest.start;
    rest = leading_tick(text, rest, &mut parts.ticks);
    rest = trailing_tick(text, rest, &mut parts.ticks);
    parts.title = Spanned::new(rest.slice(text).to_owned(), rest);
    parts
}

/// Length of the number before its full stop: `3`, `3–N`, `N+1`, `3..N`.
fn number_end(text: &str) -> Option<usize> {
    // No number is longer, and headings are as long as people like.
    let stops = text.match_indices('.').map(|(index, _)| index);
    stops.take_while(|end| *end <= 40).find(|end| {
        let next_is_a_stop = text
            .get(end + 1..)
            .is_some_and(|after| after.starts_with('.'));
        !next_is_a_stop && text.get(..*end).is_some_and(is_number)
    })
}

/// Whether a word is a number or stands for several.
fn is_number(word: &str) -> bool {
    let sign = |c: char| matches!(c, '+' | '-' | '–' | '—' | '…' | ' ' | '.');
    let part = |part: &str| {
        let letter = matches!(part, "N" | "n" | "M" | "m" | "K" | "k");
        letter || part.chars().all(|c| c.is_ascii_digit())
    };
    !word.is_empty()
        && !word.starts_with(sign)
        && !word.ends_with(sign)
        && word.split(sign).all(part)
}

fn leading_tick(text: &str, span: Span, ticks: &mut Vec<Span>) -> Span {
    let Some(after) = span.slice(text).strip_prefix(TICK) else {
        return span;
    };
    let after = after.strip_prefix(VARIATION).unwrap_or(after);
    let after = after.strip_prefix(' ').unwrap_or(after);
    let end = span.end - after.len();
    ticks.push(Span::new(span.start, end));
    trim(text, Span::new(end, span.end))
}

fn trailing_tick(text: &str, span: Span, ticks: &mut Vec<Span>) -> Span {
    let slice = span.slice(text);
    let kept = slice.strip_suffix(VARIATION).unwrap_or(slice);
    let Some(kept) = kept.strip_suffix(TICK) else {
        return span;
    };
    let kept = kept.strip_suffix(' ').unwrap_or(kept);
    let end = span.start + kept.len();
    ticks.push(Span::new(end, span.end));
    trim(text, Span::new(span.start, end))
}

fn trim(text: &str, span: Span) -> Span {
    let slice = span.slice(text);
    let start = span.start + (slice.len() - slice.trim_start().len());
    Span::new(start, start + slice.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, number: Option<u64>, unexpanded: Option<&str>, title: &str, ticks: usize) {
        let parts = read(text, Span::new(0, text.len()));
        assert_eq!(parts.number.map(|n| n.value), number, "{text}");
        assert_eq!(
            parts.unexpanded.map(|word| word.value).as_deref(),
            unexpanded,
            "{text}"
        );
        assert_eq!(parts.title.value, title, "{text}");
        assert_eq!(parts.title.span.slice(text), title, "{text}");
        assert_eq!(parts.ticks.len(), ticks, "{text}");
    }

    #[test]
    fn numbers_ticks_and_titles_are_told_apart() {
        check("1. Build", Some(1), None, "Build", 0);
        check("12.Build", Some(12), None, "Build", 0);
        check("1. ✅ Build it", Some(1), None, "Build it", 1);
        check("✅ 1. Build", Some(1), None, "Build", 1);
        check("1. Build ✅\u{fe0f}", Some(1), None, "Build", 1);
        check("1. Build ✅ now", Some(1), None, "Build ✅ now", 0);
        check("1.", Some(1), None, "", 0);
        check("1. ✅", Some(1), None, "", 1);
        check("2. 3-way merge", Some(2), None, "3-way merge", 0);
        check("2. 3. x", Some(2), None, "3. x", 0);
        check("2. 1.5 times", Some(2), None, "1.5 times", 0);
    }

    #[test]
    fn ranges_are_unexpanded() {
        check("3–N. Migrate", None, Some("3–N"), "Migrate", 0);
        check("3-7. Migrate", None, Some("3-7"), "Migrate", 0);
        check("N+1. Remove", None, Some("N+1"), "Remove", 0);
        check("N. Remove", None, Some("N"), "Remove", 0);
        check("3..N. Migrate", None, Some("3..N"), "Migrate", 0);
        check("3 – N. Migrate", None, Some("3 – N"), "Migrate", 0);
    }

    #[test]
    fn anything_else_is_a_title() {
        check("Build", None, None, "Build", 0);
        check("Node.js", None, None, "Node.js", 0);
        check("kmN. x", None, None, "kmN. x", 0);
        check("3) Build", None, None, "3) Build", 0);
        check(
            "99999999999999999999. x",
            None,
            Some("99999999999999999999"),
            "x",
            0,
        );
        check("", None, None, "", 0);
    }
}
