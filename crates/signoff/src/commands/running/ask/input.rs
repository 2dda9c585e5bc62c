//! A line from the terminal, unless something else happens first.

use std::io::{BufRead, stdin};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

/// How long to wait for input before checking for events again.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// What happened first.
pub(super) enum TerminalInput {
    /// A line, without blanks around it.
    Typed(String),
    /// Ctrl-D, or the terminal is gone.
    End,
    /// An event of the run.
    Interrupted,
}

/// Discards what was typed before the question.
pub(super) fn discard_typed() {
    // If this fails, earlier input counts as the answer, as in other programs.
    let _kept = tcflush(stdin(), QueueSelector::IFlush);
}

/// Waits for a line.
pub(super) fn read_line(has_news: &mut dyn FnMut() -> bool) -> TerminalInput {
    // A blocking read would not return for Ctrl-C, nor for an answer from elsewhere.
    while !has_news() {
        let terminal = stdin();
        let mut ready = [PollFd::new(&terminal, PollFlags::IN)];
        match poll(&mut ready, Some(&TICK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return read(),
            Err(_) => return TerminalInput::End,
        }
    }
    TerminalInput::Interrupted
}

/// A terminal hands over whole lines.
fn read() -> TerminalInput {
    let mut text = String::new();
    match stdin().lock().read_line(&mut text) {
        Ok(1..) => TerminalInput::Typed(text.trim().to_owned()),
        Ok(0) | Err(_) => TerminalInput::End,
    }
}
