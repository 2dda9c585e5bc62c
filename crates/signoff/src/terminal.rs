//! Where text goes: the answer to stdout, the talk to stderr.

use std::io::{Stderr, Stdout, Write};

use anstream::{AutoStream, ColorChoice};

use crate::args::Color;

/// Both streams, with colours where they are wanted.
pub(crate) struct Terminal {
    stdout: AutoStream<Stdout>,
    stderr: AutoStream<Stderr>,
    /// The demo tells one story on one stream.
    pub(crate) merged: bool,
    /// The demo's preparations are no part of its story.
    pub(crate) silent: bool,
    /// Why the answer could not be written.
    failed: Option<std::io::Error>,
    /// Whoever read the answer went away.
    alone: bool,
}

impl Terminal {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            stdout: AutoStream::new(std::io::stdout(), choice),
            stderr: AutoStream::new(std::io::stderr(), choice),
            merged: false,
            silent: false,
            failed: None,
            alone: false,
        }
    }

    /// The same streams once more, for somebody who talks while others do.
    pub(crate) fn another(&self) -> Self {
        Self {
            stdout: AutoStream::new(std::io::stdout(), self.stdout.current_choice()),
            stderr: AutoStream::new(std::io::stderr(), self.stderr.current_choice()),
            merged: self.merged,
            silent: self.silent,
            failed: None,
            alone: false,
        }
    }

    /// Writes the beginning of a line that somebody else ends.
    pub(crate) fn prompt(&mut self, text: impl std::fmt::Display) {
        drop(write!(self.stderr, "{text}").and_then(|()| self.stderr.flush()));
    }

    /// Writes a line of the answer.
    pub(crate) fn answer(&mut self, text: impl std::fmt::Display) {
        if self.silent {
            return;
        }
        let result = writeln!(self.stdout, "{text}");
        self.note(result);
    }

    /// Writes many lines of the answer at once: one by one, each would be a call of the system.
    pub(crate) fn answer_lines(&mut self, lines: &str) {
        if self.silent {
            return;
        }
        let mut text = AutoStream::new(Vec::new(), self.stdout.current_choice());
        let result = text
            .write_all(lines.as_bytes())
            .and_then(|()| std::io::stdout().lock().write_all(&text.into_inner()));
        self.note(result);
    }

    /// Writes a line of talk.
    pub(crate) fn say(&mut self, text: impl std::fmt::Display) {
        if self.merged || self.silent {
            self.answer(text);
        } else {
            drop(writeln!(self.stderr, "{text}"));
        }
    }

    /// Writes bytes of the answer as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let result = self
            .stdout
            .write_all(bytes)
            .and_then(|()| self.stdout.flush());
        self.note(result);
    }

    /// Does nobody read the answer any more, or can it not be written?
    pub(crate) fn is_unheard(&self) -> bool {
        self.alone || self.failed.is_some()
    }

    /// The exit code, unless the answer could not be written.
    pub(crate) fn finish(&mut self, code: u8) -> u8 {
        match self.failed.take() {
            Some(error) if code == 0 => {
                self.say(format!("error: the answer could not be written: {error}"));
                6
            }
            Some(_) | None => code,
        }
    }

    fn note(&mut self, result: std::io::Result<()>) {
        // A reader that went away (`| head`) has what it wanted, and is no reason to stop a run.
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => self.alone = true,
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }
}
