//! Lists and objects.

use std::collections::BTreeSet;

use super::parser::Parser;
use super::text;
use crate::node::{Entry, Node, NodeKind};
use crate::source::{Span, Spanned};

/// A name that is looked for among this many others one by one; among more, by a set.
const FEW: usize = 16;

impl Parser<'_> {
    pub(super) fn array(&mut self) -> Node {
        let start = self.at;
        let mut items = Vec::new();
        self.at += 1;
        let taken = std::mem::take(&mut self.taking);
        self.list(start, b']', |parser| match parser.value() {
            Some(node) => match &mut parser.items {
                Some((_, each)) if taken => each(node),
                _ => items.push(node),
            },
            None => parser.report_unexpected("a value"),
        });
        self.node(start, NodeKind::Sequence(items))
    }

    pub(super) fn object(&mut self) -> Node {
        let start = self.at;
        let mut entries: Vec<Entry> = Vec::new();
        let mut names = BTreeSet::new();
        self.at += 1;
        self.list(start, b'}', |parser| {
            let Some(key) = parser.key() else {
                return;
            };
            let new = is_new(&key.value, &entries, &mut names);
            if !new {
                parser.problem(key.span, format!("`{}` is given twice", key.value));
            }
            let wanted = parser
                .items
                .as_ref()
                .is_some_and(|(name, _)| *name == key.value);
            parser.taking = new && wanted && parser.depth == 1;
            let value = parser.member(&key);
            parser.taking = false;
            if new {
                let key = Spanned::new(key.value, key.span.shift(parser.offset));
                entries.push(Entry { key, value });
            }
        });
        self.node(start, NodeKind::Mapping(entries))
    }

    /// What stands between an opening bracket, which has been read, and its end.
    fn list(&mut self, start: usize, end: u8, mut item: impl FnMut(&mut Self)) {
        let mut comma: Option<usize> = None;
        let mut first = true;
        loop {
            self.skip();
            match self.peek() {
                None => {
                    let open = self.text.get(start..=start).unwrap_or_default();
                    let message = format!("`{open}` is never closed");
                    self.stop_parsing(Span::new(start, start + 1), message);
                    return;
                }
                Some(byte) if byte == end => {
                    if let Some(comma) = comma {
                        let message = "a comma must be followed by something";
                        self.problem(Span::new(comma, comma + 1), message);
                    }
                    self.at += 1;
                    return;
                }
                // The end of something around this: the bracket between the two is missing.
                Some(byte @ (b'}' | b']')) => {
                    let (found, wanted) = (char::from(byte), char::from(end));
                    let message = format!("`{found}` stands where `{wanted}` should");
                    self.problem(Span::new(self.at, self.at + 1), message);
                    self.at += usize::from(self.depth == 1);
                    return;
                }
                Some(b',') => {
                    if first || comma.is_some() {
                        let message = "a comma must stand between two values";
                        self.problem(Span::new(self.at, self.at + 1), message);
                    }
                    comma = Some(self.at);
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            if !first && comma.is_none() {
                let found = self.rest().chars().next().map_or(0, char::len_utf8);
                let span = Span::new(self.at, self.at + found);
                self.problem(span, "a comma is missing before this");
            }
            (comma, first) = (None, false);
            item(self);
        }
    }

    /// Reads a key; its place counts from the text.
    fn key(&mut self) -> Option<Spanned<String>> {
        let start = self.at;
        Some(match self.peek()? {
            b'"' | b'\'' => {
                let value = text::read(self);
                // The place is that of the name itself, which is what a message is about.
                let written = Span::new(start + 1, self.at).slice(self.text);
                let closed = written.ends_with(['"', '\'']);
                let end = self.at - usize::from(closed);
                Spanned::new(value, Span::new(start + 1, end))
            }
            b'{' | b'[' | b':' => {
                let keyless = self.peek() == Some(b':');
                self.report_unexpected("a key in double quotes");
                self.skip();
                // Its value goes with it, so that it is not taken for another key.
                self.at += usize::from(!keyless && self.peek() == Some(b':'));
                self.skip();
                let _value = self.value();
                return None;
            }
            _ => {
                let word = self.rest();
                let ends =
                    |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '}' | ']' | '{' | '[');
                let word = word.split(ends).next().unwrap_or_default();
                self.at += word.len();
                let span = Span::new(start, self.at);
                self.problem(span, format!("key `{word}` must stand in double quotes"));
                Spanned::new(word.to_owned(), span)
            }
        })
    }

    /// Reads the value of a key.
    fn member(&mut self, key: &Spanned<String>) -> Node {
        self.skip();
        if self.peek() == Some(b':') {
            self.at += 1;
        } else {
            let message = format!("a colon is missing after `{}`", key.value);
            self.problem(key.span, message);
        }
        self.skip();
        let value = self.value();
        if value.is_none() && self.peek().is_some() {
            self.problem(key.span, format!("`{}` has no value", key.value));
        }
        value.unwrap_or_else(|| self.node(self.at, NodeKind::Null))
    }
}

fn is_new(name: &str, entries: &[Entry], names: &mut BTreeSet<String>) -> bool {
    if entries.len() < FEW {
        return !entries.iter().any(|entry| entry.key.value == name);
    }
    if names.is_empty() {
        names.extend(entries.iter().map(|entry| entry.key.value.clone()));
    }
    names.insert(name.to_owned())
}
