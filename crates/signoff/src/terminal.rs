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
        }
    }

    /// Writes a line of the answer.
    pub(crate) fn answer(&mut self, text: impl std::fmt::Display) {
        if self.silent {
            return;
        }
        // A reader that went away (`| head`) is no reason to stop a run.
        drop(writeln!(self.stdout, "{text}"));
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
        drop(self.stdout.write_all(bytes));
        drop(self.stdout.flush());
    }
}
