//! What stands between `[[` and `]]`.

use super::word::WordBuilder;
use super::{ParseResult, ParseStop, Parser, error};
use crate::shell::syntax::Word;
use crate::source::Span;

const UNCLOSED: &str = "`[[` is never closed with `]]`";

/// Operators between two operands of `[[`.
const BINARY_OPERATORS: [&str; 15] = [
    "==", "=", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

impl<'a> Parser<'a> {
    /// `a && b || c`
    pub(super) fn alternatives(
        &mut self,
        start: usize,
        words: &mut Vec<Word<'a>>,
    ) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > super::DEPTH {
            return Err(ParseStop::Declined);
        }
        loop {
            self.term(start, words)?;
            self.newlines()?;
            if !self.is_at("&&") && !self.is_at("||") {
                break;
            }
            let joint = Span::new(self.at, self.at + 2);
            words.push(self.operator_word(joint));
            self.at += 2;
        }
        self.depth -= 1;
        Ok(())
    }

    fn operator_word(&self, span: Span) -> Word<'a> {
        Word {
            value: Some(span.slice(self.text).into()),
            span,
            ..Word::default()
        }
    }

    fn term(&mut self, start: usize, words: &mut Vec<Word<'a>>) -> ParseResult<()> {
        self.newlines()?;
        while self.reserved_word() == Some("!") {
            words.push(self.operator_word(Span::new(self.at, self.at + 1)));
            self.at += 1;
            self.newlines()?;
        }
        if self.byte() == Some(b'(') {
            self.at += 1;
            self.alternatives(start, words)?;
            if self.at >= self.end {
                return Err(self.unclosed_error(start, UNCLOSED));
            }
            if self.byte() != Some(b')') {
                return Err(self.unexpected_here());
            }
            self.at += 1;
            return Ok(());
        }
        let first = self.operand(start)?;
        let unary = first.text().is_some_and(is_unary) && !first.quoted;
        words.push(first);
        self.blanks();
        if unary {
            let operand = self.operand(start)?;
            words.push(operand);
            return Ok(());
        }
        if self.sees_end() {
            return Ok(());
        }
        self.binary(start, words)
    }

    fn binary(&mut self, start: usize, words: &mut Vec<Word<'a>>) -> ParseResult<()> {
        if self.at >= self.end {
            return Err(self.unclosed_error(start, UNCLOSED));
        }
        let operator = match self.byte() {
            Some(b'<' | b'>') => {
                self.at += 1;
                self.operator_word(Span::new(self.at - 1, self.at))
            }
            _ => self.operand(start)?,
        };
        if !operator
            .text()
            .is_some_and(|name| BINARY_OPERATORS.contains(&name))
        {
            let name = operator.span.slice(self.text);
            return Err(error(
                operator.span,
                format!("`{name}` is not an operator of `[[`"),
            ));
        }
        let matches = operator.text() == Some("=~");
        words.push(operator);
        self.blanks();
        let operand = if matches {
            self.pattern(start)?
        } else {
            let before = self.extended_globs;
            self.extended_globs = true;
            let operand = self.operand(start);
            self.extended_globs = before;
            operand?
        };
        words.push(operand);
        Ok(())
    }

    fn operand(&mut self, start: usize) -> ParseResult<Word<'a>> {
        self.blanks();
        if self.sees_end() && self.at < self.end {
            return Err(self.unexpected_here());
        }
        match self.word()? {
            Some(word) => Ok(word),
            None if self.at >= self.end => Err(self.unclosed_error(start, UNCLOSED)),
            None => Err(self.unexpected_here()),
        }
    }

    /// A regular expression: parentheses and bars are part of it.
    fn pattern(&mut self, start: usize) -> ParseResult<Word<'a>> {
        let begin = self.at;
        let mut word = WordBuilder::new(begin);
        let mut open = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'(' => open += 1,
                b')' if open == 0 => break,
                b')' => open -= 1,
                b' ' | b'\t' if open > 0 => {}
                b' ' | b'\t' | b'\n' | b'&' => break,
                b'|' => {}
                _ => {
                    self.word_parts(&mut word, |byte| {
                        super::is_delimiter(byte) && !matches!(byte, b'<' | b'>' | b';')
                    })?;
                    continue;
                }
            }
            self.at += 1;
        }
        if self.at == begin {
            return Err(if self.at >= self.end {
                self.unclosed_error(start, UNCLOSED)
            } else {
                self.unexpected_here()
            });
        }
        word.mark_dynamic();
        Ok(self.finish_word(word))
    }

    /// Whether an expression ends here.
    fn sees_end(&self) -> bool {
        self.at >= self.end
            || self.is_at("&&")
            || self.is_at("||")
            || self.byte() == Some(b')')
            || self.byte() == Some(b'\n')
            || self.reserved_word() == Some("]]")
    }
}

fn is_unary(word: &str) -> bool {
    let letter = word.strip_prefix('-').unwrap_or_default();
    letter.len() == 1 && "abcdefghknoprstuvwxzGLNORS".contains(letter)
}
