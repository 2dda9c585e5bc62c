//! A scalar with a way back to the source, for text that is parsed further: a contract in a
//! block scalar, or in quotes, has other offsets than its file.

use crate::node::{Node, NodeKind};
use crate::source::{CommandText, Span, text_from, text_up_to};

/// The text of a scalar, each stretch of it with its place; `None` = it is not a scalar.
///
/// `source` is the whole text that the node's place counts from.
pub(crate) fn command(node: &Node, source: &str) -> Option<CommandText> {
    let NodeKind::Scalar { text, plain } = &node.kind else {
        return None;
    };
    let mut command = CommandText::default();
    if node.span.slice(source).starts_with('*') && node.shared {
        // All of it is written elsewhere; an anchored block may begin with a star, and loses no more than places.
        command.push(text, node.span);
        return Some(command);
    }
    let mut reader = ScalarReader::new(node.span, source, *plain);
    let mut from = 0;
    let mut span = Span::at(reader.at);
    for (offset, c) in text.char_indices() {
        let raw = reader.next(c);
        // A stretch goes on while text and source run side by side.
        if offset > 0 && (span.end != raw.start || span.len() != offset - from) {
            command.push(text.get(from..offset).unwrap_or_default(), span);
            (from, span) = (offset, raw);
        } else {
            span = Span::new(if offset == 0 { raw.start } else { span.start }, raw.end);
        }
    }
    command.push(text_from(text, from), span);
    Some(command)
}

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    /// A block whose lines are indented so far.
    Block(usize),
}

/// Walks over the characters of a scalar as written.
struct ScalarReader<'a> {
    source: &'a str,
    at: usize,
    end: usize,
    style: Style,
}

impl<'a> ScalarReader<'a> {
    fn new(span: Span, source: &'a str, plain: bool) -> Self {
        let raw = span.slice(source);
        let quoted = |mark| raw.len() >= 2 && raw.starts_with(mark) && raw.ends_with(mark);
        let style = if plain {
            Style::Plain
        } else if quoted('"') {
            Style::Double
        } else if quoted('\'') {
            Style::Single
        } else {
            let before = text_up_to(source, span.start);
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            Style::Block(span.start - line)
        };
        let quote = usize::from(matches!(style, Style::Single | Style::Double));
        Self {
            source,
            at: span.start + quote,
            end: span.end - quote,
            style,
        }
    }

    /// Where the next character of the text was written.
    fn next(&mut self, wanted: char) -> Span {
        if self.style == Style::Double && self.rest().starts_with('\\') {
            return self.escape();
        }
        let white = |c: char| matches!(c, '\n' | '\r' | ' ' | '\t');
        // Indentation that is not part of the text.
        if !white(wanted) && self.rest().starts_with(white) {
            self.skip_white_space();
        }
        let start = self.at;
        match self.rest().chars().next() {
            Some('\n' | '\r') if wanted == '\n' => self.line_end(),
            // Two lines that were folded into one.
            Some('\n' | '\r') if wanted == ' ' => self.skip_white_space(),
            Some(c) if c == wanted => {
                self.at += c.len_utf8();
                let doubled = self.style == Style::Single && c == '\'';
                self.at += usize::from(doubled && self.rest().starts_with('\''));
            }
            _ => {}
        }
        let end = self.at;
        if let (Style::Block(indent), '\n') = (self.style, wanted) {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            self.at += spaces.min(indent);
        }
        Span::new(start, end)
    }

    fn line_end(&mut self) {
        self.at += usize::from(self.rest().starts_with('\r'));
        self.at += usize::from(self.rest().starts_with('\n'));
    }

    fn escape(&mut self) -> Span {
        let start = self.at;
        let length = match self.rest().chars().nth(1) {
            Some('x') => 4,
            Some('u') => 6,
            Some('U') => 10,
            Some(c) => 1 + c.len_utf8(),
            None => 1,
        };
        self.at = self
            .source
            .floor_char_boundary((start + length).min(self.end));
        Span::new(start, self.at)
    }

    fn skip_white_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..self.end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// Asserts that a part of the text of `c` leads back to a part of the source.
    #[track_caller]
    fn check(source: &str, part: &str, expected: &str) {
        let (root, problems) = parse(source, 0);
        assert_eq!(problems, []);
        let root = root.expect("a mapping");
        let entries = root.entries().expect("entries");
        let command = command(&entries[0].value, source).expect("a scalar");
        let text = entries[0].value.text().expect("text").value;
        assert_eq!(command.text, text);
        let at = text.find(part).expect(part);
        let span = command.source_span(Span::new(at, at + part.len()));
        assert_eq!(span.slice(source), expected, "{source:?}");
    }

    #[test]
    fn every_style_leads_back() {
        check("c: make test\n", "test", "test");
        check("c: 'it''s here'\n", "here", "here");
        check("c: 'it''s here'\n", "'s", "''s");
        check("c: \"a \\\"b\\\" c\"\n", "b", "b");
        check("c: \"a\\u00e9 b\\tc\"\n", "c", "c");
        check("c: |\n  ab\n    cd\n\n  e && f\n", "e && f", "e && f");
        check("c: |\n  ab\n    cd\n\n  e\n", "  cd", "  cd");
        check("c: |-\r\n  ab\r\n  cd\r\n", "cd", "cd");
        check("c: |2\n    ab\n   cd\n", " cd", " cd");
        check("c: |\n  \"a\" b\n  'c' \"d\"\nd: 1\n", "d", "d");
        check("c: >-\n  ab\n  cd\nd: 1\n", "cd", "cd");
        check("c: ab\n  cd\nd: 1\n", "cd", "cd");
        check("c: \"ab\n  cd\"\nd: 1\n", "b cd", "b\n  cd");
        check("c: |\n  é\n  x\n", "x", "x");
        check("c: [a]\n".replace("[a]", "''").as_str(), "", "");
    }
}
