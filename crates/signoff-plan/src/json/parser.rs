//! From text to the tree.

use super::{Comments, DEPTH, PROBLEMS, number, text};
use crate::node::{Node, NodeKind, Problem};
use crate::source::{Span, first_line, text_from, text_up_to};

/// Reads one JSON value that begins at `offset` of the file and goes to the end of the text.
///
/// `None` = there is nothing.
pub(crate) fn parse(text: &str, offset: usize, comments: Comments) -> (Option<Node>, Vec<Problem>) {
    run(text, offset, comments, None)
}

/// The same, but the items of the list under a key of the whole go to `each` as they come, and their
/// list stays empty: a tree of all of them would be larger than what is made of it.
pub(crate) fn parse_items<'a>(
    text: &'a str,
    offset: usize,
    comments: Comments,
    key: &'a str,
    each: &'a mut dyn FnMut(Node),
) -> (Option<Node>, Vec<Problem>) {
    run(text, offset, comments, Some((key, each)))
}

fn run<'a>(
    text: &'a str,
    offset: usize,
    comments: Comments,
    items: Option<Items<'a>>,
) -> (Option<Node>, Vec<Problem>) {
    let mut parser = Parser {
        text,
        offset,
        comments,
        at: 0,
        depth: 0,
        stopped: false,
        problems: Vec::new(),
        items,
        taking: false,
    };
    parser.skip();
    if parser.peek().is_none() {
        return (None, parser.problems);
    }
    let node = parser.value();
    parser.skip();
    if parser.peek().is_some() {
        let rest = parser.rest().trim_end();
        let line = first_line(rest).len();
        let span = Span::new(parser.at, parser.at + line);
        parser.problem(span, "there is more after the end of the plan");
    }
    (node, parser.problems)
}

/// A key, and who takes the items of its list.
type Items<'a> = (&'a str, &'a mut dyn FnMut(Node));

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) offset: usize,
    comments: Comments,
    pub(super) depth: usize,
    /// Nothing more can be understood.
    stopped: bool,
    problems: Vec<Problem>,
    pub(super) items: Option<Items<'a>>,
    /// The list that begins next is the one whose items are taken.
    pub(super) taking: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<u8> {
        if self.stopped {
            return None;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        if self.stopped {
            return "";
        }
        text_from(self.text, self.at)
    }

    pub(super) fn problem(&mut self, span: Span, message: impl Into<String>) {
        if self.stopped {
            return;
        }
        self.problems.push(Problem {
            span: span.shift(self.offset),
            message: message.into(),
            last: false,
        });
        self.stopped = self.problems.len() >= PROBLEMS;
    }

    pub(super) fn stop_parsing(&mut self, span: Span, message: impl Into<String>) {
        self.problem(span, message);
        if let Some(problem) = self.problems.last_mut() {
            problem.last = true;
        }
        self.stopped = true;
    }

    /// Goes past white space and comments.
    pub(super) fn skip(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' if self.rest().starts_with("//") => {
                    let line = self.rest().split('\n').next().unwrap_or_default();
                    let line = line.trim_end();
                    if self.comments == Comments::Refused {
                        let span = Span::new(self.at, self.at + line.len());
                        self.problem(span, "comments are not part of JSON");
                    }
                    self.at += line.len();
                }
                b'/' if self.rest().starts_with("/*") => self.block_comment(),
                _ => return,
            }
        }
    }

    /// Skips `/* … */` and reports it.
    fn block_comment(&mut self) {
        let rest = self.rest();
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        let span = Span::new(self.at, self.at + length);
        self.problem(
            span,
            match self.comments {
                Comments::Refused => "comments are not part of JSON",
                Comments::Tolerated => "`/* … */` is not read here: write comments as `// …`",
            },
        );
        self.at = span.end;
    }

    pub(super) fn node(&self, start: usize, kind: NodeKind) -> Node {
        let span = Span::new(start, self.at).shift(self.offset);
        Node::new(span, kind)
    }

    /// Reads a value; `None` = none is here.
    pub(super) fn value(&mut self) -> Option<Node> {
        let start = self.at;
        match self.peek()? {
            b'{' | b'[' if self.depth >= DEPTH => {
                let message = format!("values are nested more than {DEPTH} deep");
                self.stop_parsing(Span::new(start, start + 1), message);
                None
            }
            b'{' => Some(self.parse_nested(Self::object)),
            b'[' => Some(self.parse_nested(Self::array)),
            b'"' | b'\'' => {
                let text = text::read(self);
                let plain = false;
                Some(self.node(start, NodeKind::Scalar { text, plain }))
            }
            b'}' | b']' | b',' | b':' => None,
            _ => Some(self.word()),
        }
    }

    fn parse_nested(&mut self, read: fn(&mut Self) -> Node) -> Node {
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        node
    }

    /// A number, `true`, `false` or `null`; anything else is a problem and read as text.
    fn word(&mut self) -> Node {
        let start = self.at;
        let ends =
            |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '}' | ']' | '{' | '[' | '"');
        let rest = self.rest();
        let word = rest.split(ends).next().unwrap_or_default();
        let word = word.split("//").next().unwrap_or_default();
        // What begins with `/` is not a comment here and would never end.
        let length = word
            .len()
            .max(rest.chars().next().map_or(0, char::len_utf8));
        let word = text_up_to(rest, length);
        self.at += length;
        let span = Span::new(start, self.at);
        let (text, plain) = (word.to_owned(), true);
        match word {
            "null" => return self.node(start, NodeKind::Null),
            "true" | "false" => {}
            _ if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
                if let Some(why) = number::refusal(word) {
                    self.problem(span, format!("`{word}` {why}"));
                }
            }
            _ => {
                self.problem(span, format!("`{word}` must stand in double quotes"));
                return self.node(start, NodeKind::Scalar { text, plain: false });
            }
        }
        self.node(start, NodeKind::Scalar { text, plain })
    }

    /// Reports what cannot be here, and goes past it.
    pub(super) fn report_unexpected(&mut self, wanted: &str) {
        let Some(found) = self.rest().chars().next() else {
            return;
        };
        let span = Span::new(self.at, self.at + found.len_utf8());
        self.problem(span, format!("`{found}` stands where {wanted} should"));
        if matches!(found, '{' | '[') {
            let _value = self.value();
        } else {
            self.at = span.end;
        }
    }
}
