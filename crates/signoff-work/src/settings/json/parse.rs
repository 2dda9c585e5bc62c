//! Reads the text into values that know where they are.

use std::ops::Range;

use serde_json::Value;

use crate::settings::{Uneditable, line_of};

/// A settings file is not nested more deeply.
const DEEPEST: usize = 100;

/// A value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Scalar(Value),
}

/// A member of an object or an element of an array.
#[derive(Debug)]
pub(super) struct Item {
    /// Of a member.
    pub(super) key: Option<String>,
    /// With the key, without the comma.
    pub(super) span: Range<usize>,
    pub(super) value: Node,
    /// The byte of the comma behind it.
    pub(super) comma: Option<usize>,
}

impl Item {
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.key.as_deref() == Some(name)
    }
}

impl Node {
    pub(super) fn to_value(&self) -> Value {
        match &self.content {
            Content::Object(items) => {
                let member = |item: &Item| Some((item.key.clone()?, item.value.to_value()));
                Value::Object(items.iter().filter_map(member).collect())
            }
            Content::Array(items) => {
                Value::Array(items.iter().map(|item| item.value.to_value()).collect())
            }
            Content::Scalar(value) => value.clone(),
        }
    }

    /// The items of a container.
    pub(super) fn items(&self) -> Option<&[Item]> {
        match &self.content {
            Content::Object(items) | Content::Array(items) => Some(items),
            Content::Scalar(_) => None,
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Item> {
        match &self.content {
            Content::Object(items) => items.iter().find(|item| item.is_named(name)),
            Content::Array(_) | Content::Scalar(_) => None,
        }
    }
}

/// The value of the text; `None` if there is nothing but space and comments.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Uneditable> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader { text, at: start };
    reader.skip()?;
    if reader.peek().is_none() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.syntax_error("there is something after the end of the value")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn syntax_error(&self, why: &str) -> Uneditable {
        Uneditable::Malformed {
            line: line_of(self.text, self.at),
            why: why.to_owned(),
        }
    }

    /// Passes space and comments.
    fn skip(&mut self) -> Result<(), Uneditable> {
        loop {
            let rest = &self.text[self.at..];
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') if rest.starts_with("//") => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                Some(b'/') if rest.starts_with("/*") => match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return Err(self.syntax_error("this comment has no end")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Uneditable> {
        if depth > DEEPEST {
            return Err(self.syntax_error("values are nested too deeply"));
        }
        let start = self.at;
        let content = match self.peek() {
            Some(b'{') => Content::Object(self.items(depth, b'}')?),
            Some(b'[') => Content::Array(self.items(depth, b']')?),
            Some(b'"') => Content::Scalar(Value::String(self.string()?)),
            _ => self.word()?,
        };
        Ok(Node {
            span: start..self.at,
            content,
        })
    }

    fn items(&mut self, depth: usize, close: u8) -> Result<Vec<Item>, Uneditable> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip()?;
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(items);
                }
                Some(b',') => match items.last_mut() {
                    Some(last) if last.comma.is_none() => {
                        last.comma = Some(self.at);
                        self.at += 1;
                    }
                    _ => return Err(self.syntax_error("a value is expected before this comma")),
                },
                None => return Err(self.syntax_error("the end is missing")),
                Some(_) if items.last().is_some_and(|last| last.comma.is_none()) => {
                    return Err(self.syntax_error("a comma is missing before this"));
                }
                Some(_) => {
                    let item = self.item(depth, close)?;
                    if item.key.is_some() && items.iter().any(|other| other.key == item.key) {
                        return Err(self.syntax_error("a member is there twice"));
                    }
                    items.push(item);
                }
            }
        }
    }

    fn item(&mut self, depth: usize, close: u8) -> Result<Item, Uneditable> {
        let start = self.at;
        let key = if close == b'}' {
            if self.peek() != Some(b'"') {
                return Err(self.syntax_error("a name in double quotes is expected"));
            }
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.syntax_error("a colon is expected"));
            }
            self.at += 1;
            self.skip()?;
            Some(key)
        } else {
            None
        };
        let value = self.value(depth + 1)?;
        Ok(Item {
            key,
            span: start..self.at,
            value,
            comma: None,
        })
    }

    fn string(&mut self) -> Result<String, Uneditable> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        let quoted = self.text.get(self.at..=end);
        let read = quoted.and_then(|quoted| serde_json::from_str(quoted).ok());
        let text = read.ok_or_else(|| self.syntax_error("this string is not valid JSON"))?;
        self.at = end + 1;
        Ok(text)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Content, Uneditable> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let read = serde_json::from_str(&rest[..length]);
        let value = read.map_err(|_| self.syntax_error("a JSON value is expected"))?;
        self.at += length;
        Ok(Content::Scalar(value))
    }
}
