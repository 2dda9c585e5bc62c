//! Simple commands, and the functions that begin like one.

use std::borrow::Cow;

use super::{ParseResult, ParseStop, Parser, error, is_delimiter};
use crate::shell::bash_only::BashOnly;
use crate::shell::syntax::{Assignment, Command, CommandKind, Redirect, SimpleCommand, Word};
use crate::source::{Span, first_line};

/// Commands whose arguments may be arrays.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl<'a> Parser<'a> {
    pub(super) fn simple(&mut self) -> ParseResult<Command<'a>> {
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        let mut end = self.at;
        loop {
            self.blanks();
            if self.redirect(&mut redirects)? {
            } else if let Some(assignment) = self.assignment(&simple.words)? {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.word()? {
                simple.words.push(word);
            } else if self.byte() == Some(b'(') {
                let [name] = simple.words.as_slice() else {
                    return Err(self.stray_parenthesis());
                };
                if !redirects.is_empty() || !simple.assignments.is_empty() {
                    return Err(self.unexpected_here());
                }
                let name = self.function_name(name)?;
                return self.function(name);
            } else {
                break;
            }
            end = self.at;
        }
        if simple == SimpleCommand::default() && redirects.is_empty() {
            return Err(self.nothing_here());
        }
        self.at = end;
        self.note_extended_globs(&simple);
        Ok(Command {
            kind: CommandKind::Simple(simple),
            redirects,
            span: Span::default(),
        })
    }

    fn nothing_here(&self) -> ParseStop {
        match self.byte() {
            Some(b'|' | b'&' | b';') if self.at == 0 => {
                let length = if self.is_at("||") || self.is_at("&&") || self.is_at(";;") {
                    2
                } else {
                    1
                };
                let span = Span::new(0, length);
                let name = span.slice(self.text);
                error(span, format!("a command is missing before `{name}`"))
            }
            _ => self.unexpected_here(),
        }
    }

    fn stray_parenthesis(&self) -> ParseStop {
        let start = self.at.saturating_sub(1);
        let before = Span::new(start, self.at + 1);
        if matches!(before.slice(self.text), "?(" | "*(" | "+(" | "@(" | "!(") {
            let pattern = before.slice(self.text);
            return error(
                before,
                format!("`{pattern}` needs `shopt -s extglob` on an earlier line"),
            );
        }
        self.unexpected_here()
    }

    fn note_extended_globs(&mut self, simple: &SimpleCommand<'_>) {
        let mut words = simple.words.iter().map(Word::text);
        if words.next() == Some(Some("shopt"))
            && words.next() == Some(Some("-s"))
            && words.any(|word| word == Some("extglob"))
        {
            self.extended_globs_from_next_line = true;
        }
    }

    /// `NAME=value`, `NAME+=value`, `NAME[n]=value`, `NAME=(values)`, where it may stand.
    fn assignment(&mut self, words: &[Word<'a>]) -> ParseResult<Option<Assignment<'a>>> {
        let declares = words
            .first()
            .and_then(Word::text)
            .is_some_and(|name| DECLARING.contains(&name));
        if !words.is_empty() && !declares {
            return Ok(None);
        }
        let Some((name, length)) = self.assigned_name() else {
            if self.sees_subscript() {
                return Err(ParseStop::Declined);
            }
            return Ok(None);
        };
        if length > name.len() + 2 {
            // The subscript is evaluated.
            self.note_hidden_effect(self.at, self.at + length);
        }
        self.at += length;
        let values = if self.byte() == Some(b'(') {
            self.beyond_sh(self.at - length, length + 1, BashOnly::Array);
            self.array()?
        } else {
            self.word()?.into_iter().collect()
        };
        Ok(Some(Assignment { name, values }))
    }

    /// The name that is assigned to here, and the length up to the value.
    fn assigned_name(&self) -> Option<(&'a str, usize)> {
        let rest = self.rest();
        let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let length = rest.bytes().take_while(name).count();
        let name = rest.get(..length).filter(|name| !name.is_empty())?;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let after = rest.get(length..)?;
        let after = match after.strip_prefix('[') {
            Some(inside) => {
                let line = first_line(inside);
                inside
                    .get(line.find([']', '[', '"', '\'', '$', '`', '\\'])?..)?
                    .strip_prefix(']')?
            }
            None => after,
        };
        let after = after.strip_prefix('+').unwrap_or(after);
        let value = after.strip_prefix('=')?;
        Some((name, rest.len() - value.len()))
    }

    /// Whether a name with a bracket stands here: bash reads to the end of the bracket first, and
    /// then sees whether it was an assignment.
    fn sees_subscript(&self) -> bool {
        let rest = self.rest();
        let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        name.len() < rest.len() && name.starts_with('[')
    }

    fn array(&mut self) -> ParseResult<Vec<Word<'a>>> {
        let start = self.at;
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            match self.byte() {
                Some(b')') => break,
                None => {
                    return Err(self.unclosed_error(start, "this list is never closed with `)`"));
                }
                Some(_) => match self.word()? {
                    Some(word) => words.push(word),
                    None => return Err(self.unexpected_here()),
                },
            }
        }
        self.at += 1;
        Ok(words)
    }

    /// The name before `()`, which are stepped over.
    fn function_name(&mut self, name: &Word<'a>) -> ParseResult<Cow<'a, str>> {
        let open = self.at;
        self.at += 1;
        self.blanks();
        if self.byte() != Some(b')') {
            self.at = open;
            return Err(self.stray_parenthesis());
        }
        // Bash takes quotes in the name too; nobody writes them.
        let value = name.value.clone().filter(|_| !name.quoted);
        let value = value.ok_or(ParseStop::Declined)?;
        self.at += 1;
        Ok(value)
    }

    /// A function from its body on.
    pub(super) fn function(&mut self, name: Cow<'a, str>) -> ParseResult<Command<'a>> {
        self.newlines()?;
        let start = self.at;
        let Some(kind) = self.compound()? else {
            return Err(if self.at >= self.end {
                error(self.before(), format!("the body of `{name}` is missing"))
            } else {
                self.unexpected_here()
            });
        };
        let body = Command {
            kind,
            redirects: self.redirects()?,
            span: Span::new(start, self.at),
        };
        self.ends_here(&body.redirects)?;
        Ok(Command {
            kind: CommandKind::Function(name, Box::new(body)),
            redirects: Vec::new(),
            span: Span::default(),
        })
    }

    /// Refuses a word where a compound command has ended. Behind a redirection not even a word
    /// that ends something is known.
    pub(super) fn ends_here(&mut self, redirects: &[Redirect<'_>]) -> ParseResult<()> {
        let end = self.at;
        self.blanks();
        match self.byte() {
            Some(byte) if !is_delimiter(byte) && (!redirects.is_empty() || !self.sees_closer()) => {
                Err(self.unexpected_here())
            }
            Some(b'(' | b'<' | b'>') => Err(self.unexpected_here()),
            _ => {
                self.at = end;
                Ok(())
            }
        }
    }
}
