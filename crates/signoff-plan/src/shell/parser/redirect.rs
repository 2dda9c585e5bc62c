//! Redirections.

use super::{ParseResult, ParseStop, Parser, error};
use crate::shell::bash_only::BashOnly;
use crate::shell::syntax::Redirect;
use crate::source::Span;

/// The operators, longest first; whether a file follows.
const OPERATORS: [(&str, bool); 11] = [
    ("&>>", true),
    ("<<<", false),
    ("<<-", false),
    ("&>", true),
    ("<<", false),
    (">>", true),
    (">|", true),
    ("<>", true),
    (">&", true),
    ("<&", false),
    (">", true),
];

impl<'a> Parser<'a> {
    /// The redirections behind a command that is not a simple one.
    pub(super) fn redirects(&mut self) -> ParseResult<Vec<Redirect<'a>>> {
        let mut redirects = Vec::new();
        let mut end = self.at;
        loop {
            self.blanks();
            if !self.redirect(&mut redirects)? {
                break;
            }
            end = self.at;
        }
        self.at = end;
        Ok(redirects)
    }

    /// Adds the redirection here, if there is one. A here-document has no target to add.
    pub(super) fn redirect(&mut self, redirects: &mut Vec<Redirect<'a>>) -> ParseResult<bool> {
        let descriptor = self.descriptor_len();
        let Some((operator, file)) = self.operator(descriptor) else {
            return Ok(false);
        };
        let start = self.at + descriptor;
        if self.byte() == Some(b'{') {
            // It assigns to the variable of this name.
            self.note_hidden_effect(self.at, start);
        }
        self.at = start;
        if matches!(operator, "<<" | "<<-") {
            self.heredoc(operator.len())?;
            return Ok(true);
        }
        match operator {
            "<<<" => self.beyond_sh(start, 3, BashOnly::HereString),
            "&>" | "&>>" => self.beyond_sh(start, operator.len(), BashOnly::RedirectBoth),
            _ => {}
        }
        self.at += operator.len();
        self.blanks();
        // In `> 2>&1` the number belongs to the next redirection.
        let duplicates = matches!(operator, ">&" | "<&");
        let target = if duplicates || self.descriptor_len() == 0 {
            self.word()?
        } else {
            None
        };
        let Some(target) = target else {
            let operator = Span::new(start, start + operator.len());
            return Err(self.missing_target(operator, "a file name"));
        };
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let file = file && !(operator == ">&" && target.text().is_some_and(number));
        redirects.push(Redirect {
            operator,
            target,
            file,
        });
        Ok(true)
    }

    fn operator(&self, ahead: usize) -> Option<(&'static str, bool)> {
        let rest = self.rest().get(ahead..)?;
        let first = rest.bytes().next()?;
        let both = ahead == 0 && rest.starts_with("&>");
        if !both && !matches!(first, b'<' | b'>') {
            return None;
        }
        if rest.get(1..2) == Some("(") {
            return None;
        }
        let known = OPERATORS
            .iter()
            .find(|(operator, _)| rest.starts_with(operator));
        Some(known.copied().unwrap_or(("<", true)))
    }

    /// Length of the `2` or `{name}` right before an operator.
    fn descriptor_len(&self) -> usize {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = match rest.strip_prefix('{') {
            Some(inside) => {
                let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let name = inside.bytes().take_while(name).count();
                if name > 0 && inside.as_bytes().get(name) == Some(&b'}') {
                    name + 2
                } else {
                    0
                }
            }
            None => digits,
        };
        match rest.as_bytes().get(length) {
            Some(b'<' | b'>') => length,
            _ => 0,
        }
    }

    pub(super) fn missing_target(&self, operator: Span, what: &str) -> ParseStop {
        let name = operator.slice(self.text);
        error(operator, format!("{what} is missing after `{name}`"))
    }
}
