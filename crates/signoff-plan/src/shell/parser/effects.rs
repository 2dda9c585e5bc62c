//! What an expansion does besides being replaced by its value.

use super::Parser;
use crate::source::Span;

impl Parser<'_> {
    /// Notes `${…}` that does more than look at a variable: assign to it, evaluate a subscript, or read its
    /// value as a name, a number or a prompt. It ends here.
    pub(super) fn note_effect_of_braces(&mut self, start: usize) {
        let inside = Span::new(start + 2, self.at - 1).slice(self.text);
        if !only_looks(inside) {
            self.note_hidden_effect(start, self.at);
        }
    }

    /// Notes arithmetic with more than numbers: what a variable holds is evaluated, commands included. It
    /// ends here.
    pub(super) fn note_effect_of_arithmetic(&mut self, begin: usize) {
        let inside = Span::new(begin, self.at).slice(self.text);
        let number = |byte: u8| byte.is_ascii_digit() || b" +-*/%<>=!&|^~?:(),".contains(&byte);
        if !inside.bytes().all(number) {
            self.note_hidden_effect(begin, self.at);
        }
    }
}

/// Whether the text between `${` and `}` only looks at a variable.
fn only_looks(inside: &str) -> bool {
    let inside = match inside.strip_prefix('#') {
        Some(name) if !name.is_empty() => name,
        _ => inside,
    };
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = match inside.bytes().take_while(name).count() {
        // `${@}`, `${?}`
        0 => 1,
        length => length,
    };
    let Some((name, operator)) = inside.split_at_checked(length) else {
        return false;
    };
    if name == "!" && !operator.is_empty() {
        return false;
    }
    match operator.strip_prefix(':') {
        Some(part) => {
            let number = |byte: u8| byte.is_ascii_digit() || byte == b':';
            part.starts_with(['-', '+', '?']) || part.bytes().all(number)
        }
        None => {
            operator.is_empty() || operator.starts_with(['-', '+', '?', '%', '#', '/', '^', ','])
        }
    }
}
