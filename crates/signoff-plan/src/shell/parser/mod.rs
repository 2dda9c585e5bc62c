//! Reads shell text of the forms that people write, by hand and fast.
//!
//! It follows bash's own grammar. What it accepts is valid, what it refuses is not, and what it
//! does not know it declines, and the full grammar of [`super::full`] reads the text.

mod compound;
mod condition;
mod effects;
mod expansion;
mod heredoc;
mod redirect;
mod simple;
mod word;

use self::heredoc::Heredoc;
use super::ShellError;
use super::bash_only::BashOnly;
use super::syntax::{AndOrList, Command, CommandList, Connector, NestedText, Pipeline};
use crate::source::{Span, first_line, text_from, text_up_to};

/// Why reading ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParseStop {
    /// The text is not valid shell.
    Error(ShellError),
    /// The text has a form that only the full grammar knows.
    Declined,
}

pub(super) type ParseResult<T> = Result<T, ParseStop>;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> ParseResult<ParsedText<'_>> {
    if joins_words(text) {
        return Err(ParseStop::Declined);
    }
    let mut parser = Parser::new(text, 0, text.len(), 0);
    let script = parser.script()?;
    if parser.at < parser.end {
        return Err(parser.unexpected_here());
    }
    parser.all_heredocs_closed()?;
    let mut scripts = vec![script];
    scripts.append(&mut parser.in_heredocs);
    Ok(ParsedText {
        scripts,
        nested: parser.nested,
        beyond_sh: parser.beyond_sh,
        hidden: parser.hidden,
    })
}

/// Whether a word goes on on the next line, which is not where people look for it.
fn joins_words(text: &str) -> bool {
    text.ends_with('\\')
        || text.match_indices("\\\n").any(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
            before.is_some_and(|byte| !is_delimiter(*byte))
        })
}

/// How deep commands may be nested; deeper ones are declined, to limit the stack.
const DEPTH: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    depth: usize,
    /// Here-documents whose bodies begin after the next line end.
    pending: Vec<Heredoc<'a>>,
    in_heredocs: Vec<CommandList<'a>>,
    /// Whether `shopt -s extglob` stands on an earlier line; bash reads line by line.
    extended_globs: bool,
    extended_globs_from_next_line: bool,
    /// See [`ParsedText::nested`].
    nested: Vec<NestedText>,
    /// What `sh` does not know.
    beyond_sh: Vec<ShellError>,
    /// See [`ParsedText::hidden`].
    hidden: Option<Span>,
}

/// A text that could be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedText<'a> {
    /// What is read, and what stands in the bodies of its here-documents.
    pub(super) scripts: Vec<CommandList<'a>>,
    /// Commands between back-ticks that stand with backslashes there or have mistakes in them, as the shell reads them.
    pub(super) nested: Vec<NestedText>,
    /// What `sh` does not know.
    pub(super) beyond_sh: Vec<ShellError>,
    /// The first place that may have an effect which the scripts do not show: commands that could not
    /// be read, arithmetic with variables, an assignment inside of an expansion.
    pub(super) hidden: Option<Span>,
}

/// Words that can only go on with or end what another word began.
const CLOSERS: [&str; 10] = [
    "then", "else", "elif", "fi", "do", "done", "esac", "}", "in", "]]",
];

impl<'a> Parser<'a> {
    fn new(text: &'a str, at: usize, end: usize, depth: usize) -> Self {
        Self {
            text,
            at,
            end,
            depth,
            pending: Vec::new(),
            in_heredocs: Vec::new(),
            nested: Vec::new(),
            extended_globs: false,
            extended_globs_from_next_line: false,
            beyond_sh: Vec::new(),
            hidden: None,
        }
    }

    /// Commands up to something that cannot begin one. May be empty.
    fn script(&mut self) -> ParseResult<CommandList<'a>> {
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            if self.at >= self.end || self.sees_closer() {
                break;
            }
            let mut item = self.item()?;
            self.blanks();
            match self.byte() {
                Some(b';') if !self.is_at(";;") && !self.is_at(";&") => self.at += 1,
                Some(b'&') if !self.is_at("&&") => {
                    item.background = true;
                    self.at += 1;
                }
                Some(b'\n') => {}
                _ => {
                    items.push(item);
                    break;
                }
            }
            items.push(item);
        }
        Ok(CommandList {
            items,
            decides: false,
        })
    }

    /// Commands of which there must be one, to decide what runs next.
    fn deciding_script(&mut self) -> ParseResult<CommandList<'a>> {
        let script = self.filled_script()?;
        Ok(CommandList {
            decides: true,
            ..script
        })
    }

    /// Commands of which there must be one.
    fn filled_script(&mut self) -> ParseResult<CommandList<'a>> {
        let script = self.script()?;
        if script.items.is_empty() && self.at < self.end {
            return Err(self.unexpected_here());
        }
        Ok(script)
    }

    fn item(&mut self) -> ParseResult<AndOrList<'a>> {
        let start = self.at;
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let end = self.at;
            self.blanks();
            let joint = match self.byte() {
                Some(b'&') if self.is_at("&&") => Connector::And,
                Some(b'|') if self.is_at("||") => Connector::Or,
                _ => {
                    let span = Span::new(start, end);
                    return Ok(AndOrList {
                        first,
                        rest,
                        background: false,
                        span,
                    });
                }
            };
            self.joint(2)?;
            rest.push((joint, self.pipeline()?));
        }
    }

    /// Steps over an operator that must be followed by a command.
    fn joint(&mut self, length: usize) -> ParseResult<()> {
        let operator = Span::new(self.at, self.at + length);
        self.at += length;
        self.newlines()?;
        if self.at >= self.end {
            let name = operator.slice(self.text);
            return Err(error(
                operator,
                format!("a command is missing after `{name}`"),
            ));
        }
        Ok(())
    }

    fn pipeline(&mut self) -> ParseResult<Pipeline<'a>> {
        let mut pipeline = Pipeline::default();
        let mut prefixed = false;
        loop {
            self.blanks();
            match self.reserved_word() {
                Some("!") if self.byte_at(1) == Some(b'(') => return Err(ParseStop::Declined),
                Some("!") => {
                    pipeline.negated = !pipeline.negated;
                    self.at += 1;
                }
                Some("time") => {
                    self.at += 4;
                    self.blanks();
                    if self.is_at("-p") && self.byte_at(2).is_none_or(is_delimiter) {
                        self.at += 2;
                    }
                }
                _ => break,
            }
            prefixed = true;
        }
        // Bash takes `!` and `time` alone: they turn around and time nothing.
        if prefixed && matches!(self.byte(), None | Some(b'\n' | b';')) && !self.is_at(";;") {
            return Ok(pipeline);
        }
        loop {
            pipeline.parts.push(self.command()?);
            self.blanks();
            if self.byte() != Some(b'|') || self.is_at("||") {
                return Ok(pipeline);
            }
            let length = if self.is_at("|&") { 2 } else { 1 };
            if length == 2 {
                self.beyond_sh(self.at, 2, BashOnly::PipeBoth);
            }
            self.joint(length)?;
        }
    }

    fn command(&mut self) -> ParseResult<Command<'a>> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ParseStop::Declined);
        }
        let start = self.at;
        let compound = self.compound()?;
        let mut command = match compound {
            Some(kind) => {
                let redirects = self.redirects()?;
                self.ends_here(&redirects)?;
                Command {
                    kind,
                    redirects,
                    span: Span::default(),
                }
            }
            None => self.simple()?,
        };
        command.span = Span::new(start, self.at);
        self.depth -= 1;
        Ok(command)
    }

    /// Whether the next word or operator can only end something.
    fn sees_closer(&self) -> bool {
        match self.byte() {
            Some(b')') => true,
            Some(b';') => self.is_at(";;") || self.is_at(";&"),
            _ => self
                .reserved_word()
                .is_some_and(|word| CLOSERS.contains(&word)),
        }
    }

    /// The word here, if it is written as words with a meaning of their own are: bare and whole.
    fn reserved_word(&self) -> Option<&'a str> {
        let rest = self.rest();
        let part = |byte: &u8| byte.is_ascii_lowercase() || b"!{}[]".contains(byte);
        let length = rest.bytes().take_while(|byte| part(byte)).count();
        let ends = rest
            .as_bytes()
            .get(length)
            .copied()
            .is_none_or(is_delimiter);
        // A process substitution goes on with the word.
        let after = text_from(rest, length);
        let ends = ends && !after.starts_with("<(") && !after.starts_with(">(");
        rest.get(..length).filter(|word| !word.is_empty() && ends)
    }

    /// Steps over spaces, continued lines and a comment.
    fn blanks(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.byte_at(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Steps over line ends too, and over the bodies of here-documents behind them.
    fn newlines(&mut self) -> ParseResult<()> {
        loop {
            self.blanks();
            if self.byte() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.extended_globs |= self.extended_globs_from_next_line;
            self.heredoc_bodies()?;
        }
    }

    /// Notes something that `sh` does not know.
    fn beyond_sh(&mut self, start: usize, length: usize, what: BashOnly) {
        let span = Span::new(start, start + length);
        self.beyond_sh.push(what.at(span));
    }

    /// Notes a place whose effect the scripts do not show.
    fn note_hidden_effect(&mut self, start: usize, end: usize) {
        self.hidden.get_or_insert(Span::new(start, end));
    }

    /// Takes over what a parser for a part of the text found aside, and hides.
    fn takes_over(&mut self, mut inner: Self, start: usize) {
        if inner.hidden.is_some() || !inner.in_heredocs.is_empty() || !inner.pending.is_empty() {
            self.note_hidden_effect(start, inner.end);
        }
        self.in_heredocs.append(&mut inner.in_heredocs);
        self.nested.append(&mut inner.nested);
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.byte_at(0)
    }

    fn byte_at(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        self.text
            .as_bytes()
            .get(at)
            .copied()
            .filter(|_| at < self.end)
    }

    fn is_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// The word or operator here cannot stand here.
    fn unexpected_here(&self) -> ParseStop {
        let rest = self.rest();
        let operators = [
            ";;&", "&>>", "<<<", "&&", "||", ";;", ";&", "|&", "&>", ">>", "<<", ">&", "<&", "()",
        ];
        let line = first_line(rest);
        let found = operators
            .iter()
            .find(|operator| rest.starts_with(**operator));
        let length = match found {
            Some(operator) => operator.len(),
            None => match line.find(|c: char| u8::try_from(c).is_ok_and(is_delimiter)) {
                Some(0) => 1,
                Some(end) => end,
                None => line.len(),
            },
        };
        if length == 0 {
            let what = if rest.is_empty() { "text" } else { "line" };
            return error(self.before(), format!("the {what} ends too early"));
        }
        let span = Span::new(self.at, self.at + length);
        let word = span.slice(self.text);
        error(span, format!("`{word}` is not expected here"))
    }

    /// Something is missing here: the place to point at.
    fn before(&self) -> Span {
        let read = text_up_to(self.text, self.at);
        match read.trim_end().chars().next_back() {
            Some(last) => {
                let end = read.trim_end().len();
                Span::new(end - last.len_utf8(), end)
            }
            None => Span::at(0),
        }
    }

    /// What began at `start` is never closed.
    fn unclosed_error(&self, start: usize, message: &str) -> ParseStop {
        let rest = text_from(self.text, start);
        let line = first_line(rest).trim_end();
        error(Span::new(start, start + line.len()), message.to_owned())
    }
}

fn error(span: Span, message: String) -> ParseStop {
    ParseStop::Error(ShellError { span, message })
}

/// Whether a byte ends a word.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}
