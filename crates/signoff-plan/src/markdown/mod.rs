//! Markdown as lines that know what they are part of.
//!
//! Plans put several fields into what markdown calls one paragraph, so structure is read line by
//! line. What only a real parser can tell – which lines are inside a fenced block or a comment –
//! comes from `pulldown-cmark`.

mod fence;
pub(crate) mod frontmatter;

pub(crate) use self::fence::Fence;
use crate::source::{Span, text_from};

/// The body of a file, line by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document<'a> {
    text: &'a str,
    pub(crate) lines: Vec<Line>,
    pub(crate) fences: Vec<Fence>,
    /// Comments that are never closed.
    pub(crate) open_comments: Vec<Span>,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line without its end.
    pub(crate) span: Span,
    /// Offset after the line end.
    pub(crate) next: usize,
    pub(crate) kind: LineKind,
}

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Ordinary text, headings and lists included.
    Text,
    /// A fenced block, its fences included: index into [`Document::fences`].
    Fence(usize),
    /// An HTML comment that begins a line.
    Comment,
}

/// A heading of the `#` kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: usize,
    /// The text after the `#`s, trimmed, without closing `#`s.
    pub(crate) text: Span,
}

impl<'a> Document<'a> {
    /// Splits the part of `text` from `start` on into lines; all places are offsets into `text`.
    pub(crate) fn new(text: &'a str, start: usize) -> Self {
        let body = text_from(text, start);
        let blocks = fence::blocks(body, start);
        let mut document = Self {
            text,
            lines: text_lines(body, start),
            fences: blocks.fences,
            open_comments: blocks.open_comments,
        };
        for (index, fence) in document.fences.iter().enumerate() {
            mark_lines(&mut document.lines, fence.span, LineKind::Fence(index));
        }
        for comment in blocks.comments {
            mark_lines(&mut document.lines, comment, LineKind::Comment);
        }
        document
    }

    /// The text of a place.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        span.slice(self.text)
    }

    /// The place without white space at both ends.
    pub(crate) fn trim_span(&self, span: Span) -> Span {
        let text = self.slice(span);
        let start = span.start + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    }

    /// The heading a line is, if it is one.
    pub(crate) fn heading(&self, line: &Line) -> Option<Heading> {
        if line.kind != LineKind::Text {
            return None;
        }
        let text = self.slice(line.span);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let rest = text.get(indent..)?;
        let level = rest.len() - rest.trim_start_matches('#').len();
        let after = rest.get(level..)?;
        let separated = after.is_empty() || after.starts_with([' ', '\t']);
        if indent > 3 || !(1..=6).contains(&level) || !separated {
            return None;
        }
        let text = self.trim_span(Span::new(line.span.start + indent + level, line.span.end));
        Some(Heading {
            level,
            text: self.without_closing_hashes(text),
        })
    }

    fn without_closing_hashes(&self, span: Span) -> Span {
        let text = self.slice(span);
        let kept = text.trim_end_matches('#');
        if kept.is_empty() || kept.ends_with([' ', '\t']) {
            Span::new(span.start, span.start + kept.trim_end().len())
        } else {
            span
        }
    }

    /// Whether a line holds nothing but white space.
    pub(crate) fn is_blank(&self, line: &Line) -> bool {
        line.kind == LineKind::Text && self.slice(line.span).trim().is_empty()
    }

    /// Whether a line only separates: a rule such as `---`, or blank.
    pub(crate) fn is_separator(&self, line: &Line) -> bool {
        if line.kind != LineKind::Text {
            return false;
        }
        // Asked of nearly every line: the first letter mostly decides.
        let mut marks = self
            .slice(line.span)
            .chars()
            .filter(|letter| !letter.is_whitespace());
        match marks.next() {
            None => true,
            Some(mark @ ('-' | '*' | '_')) => {
                let mut count = 1;
                let is_rule = marks.all(|letter| {
                    count += 1;
                    letter == mark
                });
                is_rule && count >= 3
            }
            Some(_) => false,
        }
    }
}

fn text_lines(body: &str, start: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = start;
    for raw in body.split_inclusive('\n') {
        let kept = raw.strip_suffix('\n').unwrap_or(raw);
        let kept = kept.strip_suffix('\r').unwrap_or(kept);
        lines.push(Line {
            span: Span::new(at, at + kept.len()),
            next: at + raw.len(),
            kind: LineKind::Text,
        });
        at += raw.len();
    }
    lines
}

/// Gives every line that a block covers the block's kind.
fn mark_lines(lines: &mut [Line], block: Span, kind: LineKind) {
    let first = lines.partition_point(|line| line.next <= block.start);
    for line in lines.iter_mut().skip(first) {
        if line.span.start >= block.end {
            break;
        }
        line.kind = kind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let document = Document::new(text, 0);
        let kinds: String = document
            .lines
            .iter()
            .map(|line| match line.kind {
                LineKind::Fence(index) => {
                    char::from_digit(u32::try_from(index).unwrap(), 10).unwrap()
                }
                LineKind::Comment => 'c',
                LineKind::Text if document.is_blank(line) => '_',
                LineKind::Text if document.heading(line).is_some() => '#',
                LineKind::Text => 't',
            })
            .collect();
        assert_eq!(kinds, expected, "{text:?}");
    }

    #[test]
    fn lines_know_what_they_are_part_of() {
        check("# a\n\ntext\n", "#_t");
        check("```\n# a\n```\n# b", "000#");
        check("````md\n```sh\n### 2. x\n```\n````\nt\n", "00000t");
        check("<!-- a\n# b\n-->\nt\n", "ccct");
        check("- x\n  ```\n  # a\n  ```\n- y\n", "t000t");
        check("~~~\n```\n~~~\r\n```\r\n```\r\n", "00011");
        check("    # no\n#no\n####### no\n#\n", "ttt#");
        check("<div>\n### 2. x\n", "t#");
        check("text\n---\n", "tt");
    }

    #[test]
    fn heading_text_is_without_hashes() {
        let text = "  ###  1. C# ##\r\n";
        let document = Document::new(text, 0);
        let heading = document.heading(&document.lines[0]).expect("a heading");
        assert_eq!((heading.level, heading.text.slice(text)), (3, "1. C#"));
    }
}
