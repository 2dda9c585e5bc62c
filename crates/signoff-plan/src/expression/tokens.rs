//! The words and signs of an expression, with their places.

use crate::source::{Span, text_from, text_up_to};

/// A word or sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExprToken<'a> {
    pub(super) kind: ExprTokenKind<'a>,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExprTokenKind<'a> {
    Name(&'a str),
    /// Text in quotes, without them. With escapes, it is not the name of anything.
    Text(Option<&'a str>),
    Number,
    Sign(char),
}

/// Splits an expression; what is not a valid one may come out as anything.
pub(super) fn tokens(text: &str) -> Vec<ExprToken<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text_from(text, at);
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = token(c, rest);
        tokens.push(ExprToken {
            kind,
            span: Span::new(at, at + length),
        });
        at += length;
    }
    tokens
}

fn token(c: char, rest: &str) -> (ExprTokenKind<'_>, usize) {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let name = text_up_to(rest, length);
    match c {
        'a'..='z' | 'A'..='Z' | '_' => (ExprTokenKind::Name(name), length),
        '0'..='9' => (ExprTokenKind::Number, length),
        '"' | '\'' => read_quoted(c, rest),
        _ => (ExprTokenKind::Sign(c), c.len_utf8()),
    }
}

fn read_quoted(quote: char, rest: &str) -> (ExprTokenKind<'_>, usize) {
    let mut escaped = false;
    let mut escapes = false;
    for (at, c) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
            escapes = true;
        } else if c == quote {
            let inside = rest.get(1..at).filter(|_| !escapes);
            return (ExprTokenKind::Text(inside), at + 1);
        }
    }
    (ExprTokenKind::Text(None), rest.len())
}
