//! Here-documents: their bodies begin after the line they are named in.

use std::borrow::Cow;

use super::word::WordBuilder;
use super::{ParseResult, ParseStop, Parser};
use crate::source::{Span, text_up_to};

/// A here-document that has been named.
pub(super) struct Heredoc<'a> {
    /// The line that ends it.
    end: Cow<'a, str>,
    /// `<<-`: tabs at the beginning of lines do not count.
    without_tabs: bool,
    /// Nothing in the body is expanded.
    raw: bool,
    /// `<<END`
    span: Span,
}

impl Parser<'_> {
    /// Notes a here-document whose operator, of this length, stands here.
    pub(super) fn heredoc(&mut self, length: usize) -> ParseResult<()> {
        let start = self.at;
        let without_tabs = length == 3;
        self.at += length;
        self.blanks();
        let Some(word) = self.word()? else {
            return Err(self.missing_target(Span::new(start, start + length), "a word"));
        };
        let end = word.value.ok_or(ParseStop::Declined)?;
        self.pending.push(Heredoc {
            end,
            without_tabs,
            raw: word.quoted,
            span: Span::new(start, self.at),
        });
        Ok(())
    }

    /// Steps over the bodies that begin here.
    pub(super) fn heredoc_bodies(&mut self) -> ParseResult<()> {
        for heredoc in std::mem::take(&mut self.pending) {
            let start = self.at;
            loop {
                if self.at >= self.end {
                    return Err(never_closed(&heredoc));
                }
                let rest = self.rest();
                let length = rest.find('\n').unwrap_or(rest.len());
                let line = text_up_to(rest, length);
                let last = if heredoc.without_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if last == heredoc.end {
                    break;
                }
                // The next line is part of this one, also if it looks like the end.
                if !heredoc.raw && line.ends_with('\\') {
                    return Err(ParseStop::Declined);
                }
                self.at += (length + 1).min(rest.len());
            }
            if !heredoc.raw {
                self.body(start)?;
            }
            let rest = self.rest();
            self.at += rest.find('\n').map_or(rest.len(), |length| length + 1);
        }
        Ok(())
    }

    /// Finds what is run to fill the body that ends here. Bash reads it only then, so that what is
    /// wrong inside is not an error here.
    fn body(&mut self, start: usize) -> ParseResult<()> {
        let mut inner = Self::new(self.text, start, self.at, self.depth);
        let mut word = WordBuilder::new(start);
        while let Some(byte) = inner.byte() {
            let read = match byte {
                b'$' => inner.dollar(&mut word, true),
                b'`' => inner.back_ticks(&mut word, false),
                b'\\' => {
                    inner.at += 2;
                    Ok(())
                }
                _ => {
                    inner.at += 1;
                    Ok(())
                }
            };
            match read {
                Ok(()) => {}
                Err(ParseStop::Declined) => return Err(ParseStop::Declined),
                Err(ParseStop::Error(_)) => {
                    self.note_hidden_effect(start, self.at);
                    break;
                }
            }
        }
        self.takes_over(inner, start);
        self.in_heredocs.append(&mut word.scripts);
        Ok(())
    }

    pub(super) fn all_heredocs_closed(&self) -> ParseResult<()> {
        match self.pending.first() {
            Some(heredoc) => Err(never_closed(heredoc)),
            None => Ok(()),
        }
    }
}

fn never_closed(heredoc: &Heredoc<'_>) -> ParseStop {
    let message = "this here-document is never closed".to_owned();
    super::error(heredoc.span, message)
}
