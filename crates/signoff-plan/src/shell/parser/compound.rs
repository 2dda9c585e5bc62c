//! Commands made of commands.

use std::borrow::Cow;

use super::word::WordBuilder;
use super::{ParseResult, ParseStop, Parser};
use crate::shell::bash_only::BashOnly;
use crate::shell::syntax::{CommandKind, CommandList, Word};

impl<'a> Parser<'a> {
    /// The compound command that begins here; `None` where a simple one does.
    pub(super) fn compound(&mut self) -> ParseResult<Option<CommandKind<'a>>> {
        let start = self.at;
        let kind = match self.byte() {
            Some(b'(') if self.is_at("((") => self.arithmetic_command()?,
            Some(b'(') => self.subshell()?,
            _ => {
                let Some(word) = self.reserved_word() else {
                    return Ok(None);
                };
                match word {
                    "{" | "if" | "while" | "until" | "for" | "select" | "case" | "function"
                    | "[[" => self.at += word.len(),
                    "coproc" => return Err(ParseStop::Declined),
                    // Only a whole pipeline can be turned around.
                    "!" => return Err(self.unexpected_here()),
                    word if super::CLOSERS.contains(&word) => return Err(self.unexpected_here()),
                    _ => return Ok(None),
                }
                match word {
                    "{" => self.group(start)?,
                    "if" => self.conditional(start)?,
                    "while" | "until" => self.while_loop(start, word)?,
                    "for" | "select" => self.over_words(start, word)?,
                    "case" => self.cases(start)?,
                    "[[" => {
                        self.beyond_sh(start, 2, BashOnly::Test);
                        return self.condition(start).map(Some);
                    }
                    _ => {
                        self.beyond_sh(start, word.len(), BashOnly::Function);
                        return self.named_function(start).map(Some);
                    }
                }
            }
        };
        Ok(Some(kind))
    }

    fn subshell(&mut self) -> ParseResult<CommandKind<'a>> {
        let start = self.at;
        self.at += 1;
        let script = self.filled_script()?;
        if self.at >= self.end {
            return Err(self.unclosed_error(start, "`(` is never closed with `)`"));
        }
        if self.byte() != Some(b')') {
            return Err(self.unexpected_here());
        }
        self.at += 1;
        Ok(CommandKind::Group(script))
    }

    fn arithmetic_command(&mut self) -> ParseResult<CommandKind<'a>> {
        let start = self.at;
        let mut word = WordBuilder::new(start);
        match self.arithmetic(&mut word, start, "`((` is never closed with `))`") {
            // What does not end with `))` is a subshell that begins with another.
            Err(ParseStop::Declined) => {
                self.at = start;
                self.subshell().map_err(|_| ParseStop::Declined)
            }
            Err(error) => Err(error),
            Ok(()) => {
                self.beyond_sh(start, 2, BashOnly::Arithmetic);
                Ok(CommandKind::Arithmetic(word.scripts))
            }
        }
    }

    fn group(&mut self, start: usize) -> ParseResult<CommandKind<'a>> {
        let script = self.filled_script()?;
        self.keyword("}", start, "`{` is never closed with `}`")?;
        Ok(CommandKind::Group(script))
    }

    fn conditional(&mut self, start: usize) -> ParseResult<CommandKind<'a>> {
        const UNCLOSED: &str = "`if` is never closed with `fi`";
        let mut parts = vec![self.deciding_script()?];
        self.keyword("then", start, UNCLOSED)?;
        parts.push(self.filled_script()?);
        loop {
            match self.reserved_word() {
                Some("elif") => {
                    self.at += 4;
                    parts.push(self.deciding_script()?);
                    self.keyword("then", start, UNCLOSED)?;
                    parts.push(self.filled_script()?);
                }
                Some("else") => {
                    self.at += 4;
                    parts.push(self.filled_script()?);
                    break;
                }
                _ => break,
            }
        }
        self.keyword("fi", start, UNCLOSED)?;
        Ok(CommandKind::Branch(parts, Vec::new()))
    }

    fn while_loop(&mut self, start: usize, word: &str) -> ParseResult<CommandKind<'a>> {
        let condition = self.deciding_script()?;
        // A loop that waits for something has a time limit; its body does not decide.
        let body = CommandList {
            decides: true,
            ..self.loop_body(start, word)?
        };
        Ok(CommandKind::Loop(vec![condition, body], Vec::new(), None))
    }

    /// `do … done`
    fn loop_body(&mut self, start: usize, word: &str) -> ParseResult<CommandList<'a>> {
        let unclosed = format!("`{word}` is never closed with `done`");
        self.keyword("do", start, &unclosed)?;
        let body = self.filled_script()?;
        self.keyword("done", start, &unclosed)?;
        Ok(body)
    }

    fn over_words(&mut self, start: usize, word: &str) -> ParseResult<CommandKind<'a>> {
        self.blanks();
        let mut words = Vec::new();
        let mut parts = Vec::new();
        let mut variable = None;
        if word == "select" {
            self.beyond_sh(start, word.len(), BashOnly::Select);
        }
        if word == "for" && self.is_at("((") {
            self.beyond_sh(self.at, 2, BashOnly::CountingLoop);
            let mut counter = WordBuilder::new(self.at);
            self.arithmetic(&mut counter, start, "`((` is never closed with `))`")?;
            parts.append(&mut counter.scripts);
            self.separator()?;
        } else {
            variable = Some(self.name_after(start, word)?);
            self.newlines()?;
            if self.reserved_word() == Some("in") {
                self.at += 2;
                words = self.words()?;
                if !matches!(self.byte(), Some(b';' | b'\n') | None) {
                    return Err(self.unexpected_here());
                }
            }
            self.separator()?;
        }
        if self.reserved_word() == Some("{") {
            return Err(ParseStop::Declined);
        }
        parts.push(self.loop_body(start, word)?);
        Ok(CommandKind::Loop(parts, words, variable))
    }

    fn name_after(&mut self, start: usize, keyword: &str) -> ParseResult<Word<'a>> {
        self.blanks();
        match self.word()? {
            Some(word) => Ok(word),
            None if matches!(self.byte(), None | Some(b'\n')) => {
                let span = crate::source::Span::new(start, start + keyword.len());
                Err(self.missing_target(span, "a name"))
            }
            None => Err(self.unexpected_here()),
        }
    }

    fn words(&mut self) -> ParseResult<Vec<Word<'a>>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word()? {
                Some(word) => words.push(word),
                None => return Ok(words),
            }
        }
    }

    /// One `;` or line ends.
    fn separator(&mut self) -> ParseResult<()> {
        self.blanks();
        if self.byte() == Some(b';') && !self.is_at(";;") {
            self.at += 1;
        }
        self.newlines()
    }

    fn cases(&mut self, start: usize) -> ParseResult<CommandKind<'a>> {
        const UNCLOSED: &str = "`case` is never closed with `esac`";
        let mut words = vec![self.name_after(start, "case")?];
        self.newlines()?;
        self.keyword("in", start, UNCLOSED)?;
        let mut parts = Vec::new();
        loop {
            self.newlines()?;
            if self.at >= self.end || self.reserved_word() == Some("esac") {
                break;
            }
            words.append(&mut self.patterns(start)?);
            parts.push(self.script()?);
            let ends = [";;&", ";;", ";&"];
            match ends.iter().find(|end| self.is_at(end)) {
                Some(end) => self.at += end.len(),
                None => break,
            }
        }
        self.keyword("esac", start, UNCLOSED)?;
        Ok(CommandKind::Branch(parts, words))
    }

    /// `(a|b)`, of which the first parenthesis may be left out.
    fn patterns(&mut self, start: usize) -> ParseResult<Vec<Word<'a>>> {
        if self.byte() == Some(b'(') {
            self.at += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            match self.word()? {
                Some(word) => patterns.push(word),
                None if self.at >= self.end => {
                    return Err(self.unclosed_error(start, "`case` is never closed with `esac`"));
                }
                None => return Err(self.unexpected_here()),
            }
            self.blanks();
            match self.byte() {
                Some(b'|') if !self.is_at("||") => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(patterns);
                }
                None => {
                    return Err(self.unclosed_error(start, "`case` is never closed with `esac`"));
                }
                Some(_) => return Err(self.unexpected_here()),
            }
        }
    }

    /// `function NAME`, with or without parentheses.
    fn named_function(&mut self, start: usize) -> ParseResult<CommandKind<'a>> {
        let word = self.name_after(start, "function")?;
        let name = word.value.unwrap_or(Cow::Borrowed(""));
        self.blanks();
        if self.byte() == Some(b'(') {
            let open = self.at;
            self.at += 1;
            self.blanks();
            if self.byte() == Some(b')') {
                self.at += 1;
            } else {
                // Then the body is a subshell.
                self.at = open;
            }
        }
        Ok(self.function(name)?.kind)
    }

    /// Steps over a word that must stand here.
    fn keyword(&mut self, word: &str, start: usize, unclosed: &str) -> ParseResult<()> {
        if self.at >= self.end {
            return Err(self.unclosed_error(start, unclosed));
        }
        if self.reserved_word() != Some(word) {
            return Err(self.unexpected_here());
        }
        self.at += word.len();
        Ok(())
    }

    /// `[[ … ]]` from its words on.
    fn condition(&mut self, start: usize) -> ParseResult<CommandKind<'a>> {
        let mut words = Vec::new();
        self.alternatives(start, &mut words)?;
        self.newlines()?;
        if self.at >= self.end {
            return Err(self.unclosed_error(start, "`[[` is never closed with `]]`"));
        }
        if self.reserved_word() != Some("]]") {
            return Err(self.unexpected_here());
        }
        self.at += 2;
        Ok(CommandKind::Test(words))
    }
}
