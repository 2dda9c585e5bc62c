//! Markdown as lines that know whether they are a heading, an item of a list, or text.

use crate::markdown::{Document, LineKind};

/// One line.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkdownLine<'s> {
    /// From 1.
    pub(super) number: usize,
    /// The line without its end.
    pub(super) text: &'s str,
    /// In columns.
    pub(super) indent: usize,
    pub(super) kind: MarkdownKind<'s>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkdownKind<'s> {
    Blank,
    /// A line such as `---`, which only separates.
    Rule,
    Heading(MarkdownHeading<'s>),
    Item(ListItem<'s>),
    /// A line of a fenced block or a comment, by the number of the block.
    Block(usize),
    Text,
}

impl<'s> MarkdownKind<'s> {
    pub(super) fn heading(&self) -> Option<MarkdownHeading<'s>> {
        if let Self::Heading(heading) = self {
            Some(*heading)
        } else {
            None
        }
    }

    pub(super) fn item(&self) -> Option<ListItem<'s>> {
        if let Self::Item(item) = self {
            Some(*item)
        } else {
            None
        }
    }

    pub(super) fn block(&self) -> Option<usize> {
        if let Self::Block(block) = self {
            Some(*block)
        } else {
            None
        }
    }
}

/// A heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkdownHeading<'s> {
    pub(super) level: usize,
    pub(super) text: &'s str,
}

/// An item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListItem<'s> {
    /// Whether it has a number rather than a bullet.
    pub(super) numbered: bool,
    /// What stands in its check box.
    pub(super) mark: Option<char>,
    /// Whether a `*` stands behind the box.
    pub(super) starred: bool,
    /// Its first line behind marker and box.
    pub(super) text: &'s str,
}

/// A comment is not a fence, so it has no number of its own.
const COMMENT: usize = usize::MAX;

/// The lines of a text.
pub(super) fn lines(text: &str) -> Vec<MarkdownLine<'_>> {
    let document = Document::new(text, 0);
    let line = |(at, line): (usize, &crate::markdown::Line)| {
        let content = document.slice(line.span);
        let kind = match line.kind {
            LineKind::Fence(block) => MarkdownKind::Block(block),
            LineKind::Comment => MarkdownKind::Block(COMMENT),
            LineKind::Text if content.trim().is_empty() => MarkdownKind::Blank,
            LineKind::Text if document.is_separator(line) => MarkdownKind::Rule,
            LineKind::Text => match document.heading(line) {
                Some(heading) => MarkdownKind::Heading(MarkdownHeading {
                    level: heading.level,
                    text: document.slice(heading.text),
                }),
                None => item(content).map_or(MarkdownKind::Text, MarkdownKind::Item),
            },
        };
        MarkdownLine {
            number: at + 1,
            text: content,
            indent: columns(content),
            kind,
        }
    };
    document.lines.iter().enumerate().map(line).collect()
}

/// How far a line is indented; a tab counts as four columns.
fn columns(text: &str) -> usize {
    let white = text.chars().take_while(|c| matches!(c, ' ' | '\t'));
    white.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The item that a line begins, if it is one.
fn item(line: &str) -> Option<ListItem<'_>> {
    let text = line.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = (1..=9).contains(&digits);
    let rest = if numbered {
        text.get(digits..)?.strip_prefix(['.', ')'])?
    } else {
        text.strip_prefix(['-', '*', '+', '•'])?
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim();
    let (mark, starred, text) = check_box(rest).unwrap_or((None, false, rest));
    Some(ListItem {
        numbered,
        mark,
        starred,
        text,
    })
}

/// The mark of a check box, whether a `*` follows, and the text behind it.
fn check_box(text: &str) -> Option<(Option<char>, bool, &str)> {
    let inside = text.strip_prefix('[')?;
    let (mark, rest) = match inside.strip_prefix(']') {
        Some(rest) => (' ', rest),
        None => {
            let mark = inside.chars().next()?;
            (mark, inside.get(mark.len_utf8()..)?.strip_prefix(']')?)
        }
    };
    let known = " xX-~/>!?✓✔✅".contains(mark);
    let starred = rest.starts_with('*') && !rest.starts_with("**");
    let rest = if starred {
        rest.strip_prefix('*')?
    } else {
        rest
    };
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (known && apart).then(|| (Some(mark), starred, rest.trim()))
}

/// Whether a mark says that something is done.
pub(super) fn is_done(mark: char) -> bool {
    "xX✓✔✅".contains(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(bool, Option<char>, bool, &str)>) {
        let found = item(line).map(|item| (item.numbered, item.mark, item.starred, item.text));
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn items_are_told_from_text() {
        check("- [ ] a b ", Some((false, Some(' '), false, "a b")));
        check("  * [X] a", Some((false, Some('X'), false, "a")));
        check(
            "- [ ]* 2.1 tests",
            Some((false, Some(' '), true, "2.1 tests")),
        );
        check("- [x](url) a", Some((false, None, false, "[x](url) a")));
        check("- [US1] a", Some((false, None, false, "[US1] a")));
        check("-", Some((false, None, false, "")));
        check("12) a", Some((true, None, false, "a")));
        check("1. [-] a", Some((true, Some('-'), false, "a")));
        check("1.5 a", None);
        check("**bold** a", None);
        check("-a", None);
        check("- [é] a", Some((false, None, false, "[é] a")));
    }
}
