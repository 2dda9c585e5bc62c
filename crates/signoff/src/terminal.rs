//! Where text goes: the answer to stdout, the talk to stderr.

use std::io::{IsTerminal as _, Stderr, Stdout, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use signoff_work::secrets::Secrets;

use crate::args::Color;

/// Columns of what is read later, or by nobody.
const NO_TERMINAL: usize = 100;

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
    reader_gone: bool,
    secrets: Arc<Secrets>,
}

/// A stream that the talk goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// Locks the stream for one writer.
    pub(crate) fn lock(self) -> Box<dyn Write> {
        match self {
            Self::Stdout => Box::new(std::io::stdout().lock()),
            Self::Stderr => Box::new(std::io::stderr().lock()),
        }
    }

    /// Columns and rows of the terminal.
    pub(crate) fn size(self) -> (usize, usize) {
        let size = match self {
            Self::Stdout => terminal_size::terminal_size_of(std::io::stdout()),
            Self::Stderr => terminal_size::terminal_size_of(std::io::stderr()),
        };
        // One that does not know its size says 0.
        match size.map(|(width, height)| (usize::from(width.0), usize::from(height.0))) {
            Some((columns @ 1.., rows @ 1..)) => (columns, rows),
            Some(_) | None => (80, 24),
        }
    }
}

impl Terminal {
    /// Where the talk can be drawn over and over: a terminal that wants colours.
    pub(crate) fn live_stream(&self) -> Option<Stream> {
        let (stream, choice, terminal) = if self.merged {
            let is = std::io::stdout().is_terminal();
            (Stream::Stdout, self.stdout.current_choice(), is)
        } else {
            let is = std::io::stderr().is_terminal();
            (Stream::Stderr, self.stderr.current_choice(), is)
        };
        let drawn = terminal && !self.silent && choice != ColorChoice::Never;
        drawn.then_some(stream)
    }

    /// Columns there are for the answer.
    pub(crate) fn columns(&self) -> usize {
        if !self.silent && std::io::stdout().is_terminal() {
            Stream::Stdout.size().0
        } else {
            NO_TERMINAL
        }
    }

    pub(crate) fn new(color: Color, secrets: Secrets) -> Self {
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
            reader_gone: false,
            secrets: Arc::new(secrets),
        }
    }

    /// What is not shown; whoever writes past this terminal asks it.
    pub(crate) fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// The same streams once more, for somebody who talks while others do.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            stdout: AutoStream::new(std::io::stdout(), self.stdout.current_choice()),
            stderr: AutoStream::new(std::io::stderr(), self.stderr.current_choice()),
            merged: self.merged,
            silent: self.silent,
            failed: None,
            reader_gone: false,
            secrets: Arc::clone(&self.secrets),
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
        let line = format!("{text}\n");
        let result = self.stdout.write_all(self.secrets.hide(&line).as_bytes());
        self.note(result);
    }

    /// Writes many lines of the answer at once: one by one, each would be a call of the system.
    pub(crate) fn answer_lines(&mut self, lines: &str) {
        if self.silent {
            return;
        }
        let mut text = AutoStream::new(Vec::new(), self.stdout.current_choice());
        let result = text
            .write_all(self.secrets.hide(lines).as_bytes())
            .and_then(|()| std::io::stdout().lock().write_all(&text.into_inner()));
        self.note(result);
    }

    /// Writes a line of talk.
    pub(crate) fn say(&mut self, text: impl std::fmt::Display) {
        if self.merged || self.silent {
            self.answer(text);
        } else {
            // Formatted first: each piece would be a call of the system.
            let line = format!("{text}\n");
            drop(self.stderr.write_all(self.secrets.hide(&line).as_bytes()));
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
    pub(crate) fn is_closed(&self) -> bool {
        self.reader_gone || self.failed.is_some()
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
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => self.reader_gone = true,
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }
}
