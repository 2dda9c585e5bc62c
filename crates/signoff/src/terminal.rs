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
        }
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
        if let Err(error) = result
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.failed.get_or_insert(error);
        }
    }
}
