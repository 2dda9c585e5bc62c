//! The output streams: results go to stdout, messages to stderr.

use std::io::{IsTerminal as _, Stderr, Stdout, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use signoff_work::secrets::Secrets;

use crate::args::Color;

/// Columns of output that does not go to a terminal.
const NO_TERMINAL: usize = 100;

/// Both streams, with colours if wanted.
pub(crate) struct Terminal {
    stdout: AutoStream<Stdout>,
    stderr: AutoStream<Stderr>,
    /// Messages go to stdout too: the demo uses one stream.
    pub(crate) merged: bool,
    /// Print nothing: the demo hides its preparations.
    pub(crate) silent: bool,
    /// Why the result could not be written.
    failed: Option<std::io::Error>,
    /// The reader of stdout is gone.
    reader_gone: bool,
    secrets: Arc<Secrets>,
}

/// An output stream.
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
        // A terminal that does not know its size reports 0.
        match size.map(|(width, height)| (usize::from(width.0), usize::from(height.0))) {
            Some((columns @ 1.., rows @ 1..)) => (columns, rows),
            Some(_) | None => (80, 24),
        }
    }
}

impl Terminal {
    /// The stream for live lines: a terminal with colours.
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

    /// The width of stdout.
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

    /// The secrets to hide, for code that writes without this terminal.
    pub(crate) fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// Another handle to the same streams.
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

    /// Writes a prompt without a line end.
    pub(crate) fn prompt(&mut self, text: impl std::fmt::Display) {
        drop(write!(self.stderr, "{text}").and_then(|()| self.stderr.flush()));
    }

    /// Writes a line of the result.
    pub(crate) fn answer(&mut self, text: impl std::fmt::Display) {
        if self.silent {
            return;
        }
        let line = format!("{text}\n");
        let result = self.stdout.write_all(self.secrets.hide(&line).as_bytes());
        self.note_failure(result);
    }

    /// Writes many lines of the result with one system call.
    pub(crate) fn answer_lines(&mut self, lines: &str) {
        if self.silent {
            return;
        }
        let mut text = AutoStream::new(Vec::new(), self.stdout.current_choice());
        let result = text
            .write_all(self.secrets.hide(lines).as_bytes())
            .and_then(|()| std::io::stdout().lock().write_all(&text.into_inner()));
        self.note_failure(result);
    }

    /// Writes a message line.
    pub(crate) fn say(&mut self, text: impl std::fmt::Display) {
        if self.merged || self.silent {
            self.answer(text);
        } else {
            // Formatted first, to write with one system call.
            let line = format!("{text}\n");
            drop(self.stderr.write_all(self.secrets.hide(&line).as_bytes()));
        }
    }

    /// Writes bytes to stdout exactly as they are: secrets are not redacted, and `silent` does not apply. Only for files that the user asked for.
    pub(crate) fn write_unredacted(&mut self, bytes: &[u8]) {
        let result = self
            .stdout
            .write_all(bytes)
            .and_then(|()| self.stdout.flush());
        self.note_failure(result);
    }

    /// Is the reader of stdout gone, or did writing fail?
    pub(crate) fn is_closed(&self) -> bool {
        self.reader_gone || self.failed.is_some()
    }

    /// The exit code; 6 instead of 0 if the result could not be written.
    pub(crate) fn finish(&mut self, code: u8) -> u8 {
        match self.failed.take() {
            Some(error) if code == 0 => {
                self.say(format!("error: cannot write the output: {error}"));
                6
            }
            Some(_) | None => code,
        }
    }

    fn note_failure(&mut self, result: std::io::Result<()>) {
        // A reader that closed the pipe (`| head`) has what it wants; the run need not stop.
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => self.reader_gone = true,
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }
}
