//! Words: bare text, quotes, and what they are put together from.

use std::borrow::Cow;

use super::{ParseResult, ParseStop, Parser, is_delimiter};
use crate::shell::bash_only::BashOnly;
use crate::shell::syntax::{CommandList, Word};
use crate::source::{Span, text_from, text_up_to};

/// A word under construction.
///
/// Nothing is copied while the value is just what is written.
pub(super) struct WordBuilder<'a> {
    start: usize,
    copied: Option<String>,
    known: bool,
    quoted: bool,
    in_double_quotes: bool,
    splits: bool,
    has_pattern: bool,
    pub(super) scripts: Vec<CommandList<'a>>,
}

impl WordBuilder<'_> {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            copied: None,
            known: true,
            quoted: false,
            in_double_quotes: false,
            splits: false,
            has_pattern: false,
            scripts: Vec::new(),
        }
    }

    /// The value is no longer what is written from the start up to here.
    fn differs(&mut self, text: &str, here: usize) {
        if self.copied.is_none() {
            let written = Span::new(self.start, here).slice(text);
            self.copied = Some(written.to_owned());
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(value) = &mut self.copied {
            value.push_str(text);
        }
    }

    /// The value depends on something that is not in the text.
    pub(super) fn mark_dynamic(&mut self) {
        self.known = false;
    }

    /// The value is filled in here, and may fall apart into words where it is not in quotes.
    pub(super) fn is_filled_in(&mut self) {
        self.known = false;
        self.splits |= !self.in_double_quotes;
    }
}

impl<'a> Parser<'a> {
    /// A word; `None` where none begins here.
    pub(super) fn word(&mut self) -> ParseResult<Option<Word<'a>>> {
        let start = self.at;
        let mut word = WordBuilder::new(start);
        self.word_parts(&mut word, is_delimiter)?;
        Ok((self.at > start).then(|| self.finish_word(word)))
    }

    /// Goes on with a word up to a byte that ends it.
    pub(super) fn word_parts(
        &mut self,
        word: &mut WordBuilder<'a>,
        ends: impl Fn(u8) -> bool,
    ) -> ParseResult<()> {
        while let Some(byte) = self.byte() {
            match byte {
                b'<' | b'>' if self.byte_at(1) == Some(b'(') => {
                    self.beyond_sh(self.at, 2, BashOnly::ProcessSubstitution);
                    self.process_substitution(word)?;
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if self.extended_globs && self.byte_at(1) == Some(b'(') =>
                {
                    let start = self.at;
                    self.at += 2;
                    word.mark_dynamic();
                    word.has_pattern = true;
                    self.read_balanced(word, b')', start, "this pattern is never closed with `)`")?;
                }
                _ if ends(byte) => return Ok(()),
                b'\'' => self.single_quotes(word)?,
                b'"' => self.double_quotes(word)?,
                b'\\' => self.escape(word),
                b'$' => self.dollar(word, false)?,
                b'`' => self.back_ticks(word, false)?,
                _ => {
                    word.has_pattern |= b"*?[{^".contains(&byte);
                    self.literal(word);
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish_word(&self, word: WordBuilder<'a>) -> Word<'a> {
        let span = Span::new(word.start, self.at);
        let value = match word.copied {
            Some(value) => Cow::Owned(value),
            None => Cow::Borrowed(span.slice(self.text)),
        };
        Word {
            value: word.known.then_some(value),
            quoted: word.quoted,
            splits: word.splits,
            has_pattern: word.has_pattern,
            span,
            scripts: word.scripts,
        }
    }

    /// One character that means itself.
    pub(super) fn literal(&mut self, word: &mut WordBuilder<'a>) {
        let length = self.rest().chars().next().map_or(1, char::len_utf8);
        let here = Span::new(self.at, self.at + length);
        word.push(here.slice(self.text));
        self.at += length;
    }

    fn escape(&mut self, word: &mut WordBuilder<'a>) {
        word.differs(self.text, self.at);
        self.at += 1;
        if self.byte() == Some(b'\n') {
            self.at += 1;
        } else if self.byte().is_some() {
            word.quoted = true;
            self.literal(word);
        }
    }

    fn single_quotes(&mut self, word: &mut WordBuilder<'a>) -> ParseResult<()> {
        let start = self.at;
        word.quoted = true;
        word.differs(self.text, start);
        let inside = text_from(self.rest(), 1);
        let Some(length) = inside.find('\'') else {
            return Err(self.unclosed_error(start, "this quote is never closed"));
        };
        let inside = text_up_to(inside, length);
        self.no_line_end_before_heredoc(inside)?;
        word.push(inside);
        self.at += length + 2;
        Ok(())
    }

    pub(super) fn double_quotes(&mut self, word: &mut WordBuilder<'a>) -> ParseResult<()> {
        let start = self.at;
        word.quoted = true;
        word.differs(self.text, start);
        let outside = !std::mem::replace(&mut word.in_double_quotes, true);
        self.at += 1;
        loop {
            match self.byte() {
                None => return Err(self.unclosed_error(start, "this quote is never closed")),
                Some(b'"') => break,
                Some(b'\\') => match self.byte_at(1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.at += 1;
                        self.literal(word);
                    }
                    _ => self.literal(word),
                },
                Some(b'$') => self.dollar(word, true)?,
                Some(b'`') => self.back_ticks(word, true)?,
                Some(_) => self.literal(word),
            }
        }
        self.at += 1;
        word.in_double_quotes = !outside;
        let inside = Span::new(start, self.at).slice(self.text);
        self.no_line_end_before_heredoc(inside)
    }

    /// Where the body of a here-document begins then, is more than most readers could say.
    fn no_line_end_before_heredoc(&self, quoted: &str) -> ParseResult<()> {
        if !self.pending.is_empty() && quoted.contains('\n') {
            return Err(ParseStop::Declined);
        }
        Ok(())
    }
}
