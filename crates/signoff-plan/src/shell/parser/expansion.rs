//! `$…`, back-ticks and process substitution.

use super::word::WordBuilder;
use super::{ParseResult, ParseStop, Parser};
use crate::shell::syntax::{CommandList, NestedText, between_back_ticks};
use crate::source::{Span, text_from};

impl<'a> Parser<'a> {
    /// What a dollar begins. Expansions stand in each other, so this counts to the depth as commands do.
    pub(super) fn dollar(
        &mut self,
        word: &mut WordBuilder<'a>,
        in_quotes: bool,
    ) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > super::DEPTH {
            return Err(ParseStop::Declined);
        }
        self.expansion(word, in_quotes)?;
        self.depth -= 1;
        Ok(())
    }

    fn expansion(&mut self, word: &mut WordBuilder<'a>, in_quotes: bool) -> ParseResult<()> {
        let start = self.at;
        match self.byte_at(1) {
            Some(b'(') if self.byte_at(2) == Some(b'(') => {
                word.is_filled_in();
                self.at += 1;
                self.arithmetic(word, start, "`$((` is never closed with `))`")
            }
            Some(b'(') => {
                word.is_filled_in();
                self.at += 2;
                let script = self.substitution_script(start, "`$(` is never closed with `)`")?;
                word.scripts.push(script);
                Ok(())
            }
            Some(b'{') => {
                word.is_filled_in();
                self.at += 2;
                self.braces(word, start, in_quotes)?;
                self.note_effect_of_braces(start);
                Ok(())
            }
            Some(b'\'') if !in_quotes => {
                word.mark_dynamic();
                self.at += 2;
                self.ansi_quotes(start)
            }
            // The old spelling of `$((…))`.
            Some(b'[') => Err(ParseStop::Declined),
            // A translated text; only its quotes matter here.
            Some(b'"') if !in_quotes => {
                word.mark_dynamic();
                self.at += 1;
                self.double_quotes(word)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                word.is_filled_in();
                let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let rest = self.rest().bytes().skip(1);
                self.at += 1 + rest.take_while(name).count();
                if self.byte() == Some(b'[') {
                    // A subscript to zsh, which evaluates it.
                    self.note_hidden_effect(start, self.at + 1);
                }
                Ok(())
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                word.is_filled_in();
                self.at += 2;
                Ok(())
            }
            _ => {
                self.literal(word);
                Ok(())
            }
        }
    }

    /// The commands up to the closing parenthesis.
    fn substitution_script(
        &mut self,
        start: usize,
        unclosed: &str,
    ) -> ParseResult<CommandList<'a>> {
        let before = self.at;
        let pending = std::mem::take(&mut self.pending);
        let script = self.script()?;
        match self.byte() {
            Some(b')') => {
                // Which here-document has its body where is more than most readers could say.
                let lines = Span::new(before, self.at).slice(self.text).contains('\n');
                if !self.pending.is_empty() || (lines && !pending.is_empty()) {
                    return Err(ParseStop::Declined);
                }
                self.pending = pending;
                self.at += 1;
                Ok(script)
            }
            None => Err(self.unclosed_error(start, unclosed)),
            Some(_) => Err(self.unexpected_here()),
        }
    }

    pub(super) fn process_substitution(&mut self, word: &mut WordBuilder<'a>) -> ParseResult<()> {
        let start = self.at;
        word.mark_dynamic();
        self.at += 2;
        let script = self.substitution_script(start, "this is never closed with `)`")?;
        word.scripts.push(script);
        Ok(())
    }

    /// `((…))` from its first parenthesis on.
    pub(super) fn arithmetic(
        &mut self,
        word: &mut WordBuilder<'a>,
        start: usize,
        unclosed: &str,
    ) -> ParseResult<()> {
        self.at += 2;
        let begin = self.at;
        let inside = self.read_balanced(word, b')', start, unclosed);
        match self.byte() {
            Some(b')') if inside.is_ok() => {
                self.note_effect_of_arithmetic(begin);
                self.at += 1;
                Ok(())
            }
            None if inside.is_ok() => inside.and(Err(self.unclosed_error(start, unclosed))),
            None if matches!(inside, Err(ParseStop::Error(_))) => inside,
            // A subshell in a subshell, maybe.
            _ => Err(ParseStop::Declined),
        }
    }

    /// `${…}` behind its opening brace. Bash looks at what is inside only when it is run.
    fn braces(
        &mut self,
        word: &mut WordBuilder<'a>,
        start: usize,
        in_quotes: bool,
    ) -> ParseResult<()> {
        let begins = |b: u8| b.is_ascii_alphanumeric() || b"_#!@*?$-".contains(&b);
        if self.byte().is_some_and(|byte| !begins(byte)) {
            return Err(ParseStop::Declined);
        }
        loop {
            match self.byte() {
                None => return Err(self.unclosed_error(start, "`${` is never closed with `}`")),
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'<' | b'>') if self.byte_at(1) == Some(b'(') => {
                    return Err(ParseStop::Declined);
                }
                // Whether it quotes depends on the operator.
                Some(b'\'') if in_quotes => return Err(ParseStop::Declined),
                Some(byte) => self.quoted_or_not(byte, word, in_quotes)?,
            }
        }
    }

    /// Up to the closing byte, which is stepped over; parentheses inside are paired.
    pub(super) fn read_balanced(
        &mut self,
        word: &mut WordBuilder<'a>,
        close: u8,
        start: usize,
        unclosed: &str,
    ) -> ParseResult<()> {
        let mut open = 0_usize;
        loop {
            match self.byte() {
                None => return Err(self.unclosed_error(start, unclosed)),
                Some(byte) if byte == close && open == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'(') => {
                    open += 1;
                    self.at += 1;
                }
                Some(b')') => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                }
                Some(byte) => self.quoted_or_not(byte, word, false)?,
            }
        }
    }

    /// One character, or everything in a pair of quotes.
    fn quoted_or_not(
        &mut self,
        byte: u8,
        word: &mut WordBuilder<'a>,
        in_quotes: bool,
    ) -> ParseResult<()> {
        match byte {
            b'\\' => {
                self.at += 1;
                if self.byte().is_some() {
                    self.literal(word);
                }
                Ok(())
            }
            b'\'' => {
                let start = self.at;
                let inside = text_from(self.rest(), 1);
                let Some(length) = inside.find('\'') else {
                    return Err(self.unclosed_error(start, "this quote is never closed"));
                };
                self.at += length + 2;
                Ok(())
            }
            b'"' => self.double_quotes(word),
            b'$' => self.dollar(word, in_quotes),
            b'`' => self.back_ticks(word, in_quotes),
            _ => {
                self.literal(word);
                Ok(())
            }
        }
    }

    fn ansi_quotes(&mut self, start: usize) -> ParseResult<()> {
        loop {
            match self.byte() {
                None => return Err(self.unclosed_error(start, "this quote is never closed")),
                Some(b'\\') => {
                    if self.byte_at(1) == Some(b'\'') {
                        // For `sh` the quotes end here.
                        self.note_hidden_effect(start, self.at + 2);
                    }
                    self.at += 2;
                }
                Some(b'\'') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// The commands between back-ticks. Bash reads them only when it runs them, so that what is
    /// wrong inside is not an error here.
    pub(super) fn back_ticks(
        &mut self,
        word: &mut WordBuilder<'a>,
        in_quotes: bool,
    ) -> ParseResult<()> {
        let start = self.at;
        word.is_filled_in();
        self.at += 1;
        let inside = self.at;
        let mut escaped = false;
        loop {
            match self.byte() {
                None => return Err(self.unclosed_error(start, "this back-tick is never closed")),
                Some(b'`') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        let mut is_read = false;
        if !escaped {
            let mut inner = Self::new(self.text, inside, self.at, self.depth);
            match inner.script() {
                Ok(script) if inner.at == inner.end => {
                    word.scripts.push(script);
                    is_read = true;
                }
                Err(ParseStop::Declined) => return Err(ParseStop::Declined),
                Ok(_) | Err(ParseStop::Error(_)) => {}
            }
            self.takes_over(inner, start);
        }
        if !is_read {
            self.note_hidden_effect(start, self.at);
            let inside = Span::new(inside, self.at).slice(self.text);
            self.nested.push(NestedText {
                text: between_back_ticks(inside, in_quotes),
                span: Span::new(start, self.at + 1),
            });
        }
        self.at += 1;
        Ok(())
    }
}
