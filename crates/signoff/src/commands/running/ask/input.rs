//! A line from the terminal, unless something else happens first.

use std::io::{BufRead, stdin};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

/// How long the keyboard is listened to before the news are looked at again.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// What came first.
pub(super) enum TerminalInput {
    /// A line, without blanks around it.
    Typed(String),
    /// Ctrl-D, or the terminal is gone.
    End,
    /// Something else.
    Interrupted,
}

/// Forgets what was typed before a question: it is not an answer to it.
pub(super) fn discard_typed() {
    // What cannot be forgotten is taken for an answer, as everywhere.
    let _kept = tcflush(stdin(), QueueSelector::IFlush);
}

/// Waits for a line.
pub(super) fn read_line(has_news: &mut dyn FnMut() -> bool) -> TerminalInput {
    // A read would not come back for Ctrl-C, nor for an answer from elsewhere.
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
