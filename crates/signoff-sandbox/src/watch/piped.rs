//! A command that is spoken to for as long as it runs, such as a server of tools.

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::command::captured::CapturedOutput;
use crate::poll;
use crate::spawn::leader::Leader;
use crate::watch::log::{Log, Source};

/// Between asking a command to end and ending it.
const GRACE: Duration = Duration::from_secs(2);
const BUFFER: usize = 8 * 1024;

/// A running command with both of its pipes in our hands. Dropping it ends it with its whole tree.
#[derive(Debug)]
pub struct PipedProcess {
    leader: Leader,
    stderr: Arc<Complaints>,
}

/// What the command wrote to stderr.
#[derive(Debug)]
struct Complaints {
    captured: Mutex<CapturedOutput>,
    /// Whether nobody can add to it any more, and who waits for that.
    over: Mutex<bool>,
    ended: Condvar,
}

/// What the command reads; dropped, it reads the end of file.
#[derive(Debug)]
pub struct StdinWriter {
    pipe: io::PipeWriter,
}

/// What becomes of a message that is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageError {
    /// The command closed its input, or is gone.
    Closed,
    /// The command did not read on until the deadline. A part of the message may have been read.
    TooSlow,
}

impl PipedProcess {
    /// Reads what the command writes to stderr into the log, in a thread of its own.
    pub(crate) fn begin(
        leader: Leader,
        stderr: PipeReader,
        mut log: Log,
        kept: u64,
    ) -> io::Result<Self> {
        let complaints = Arc::new(Complaints {
            captured: Mutex::new(CapturedOutput::new(kept)),
            over: Mutex::new(false),
            ended: Condvar::new(),
        });
        let shared = Arc::clone(&complaints);
        thread::Builder::new()
            .name("signoff-stderr".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || shared.drain(stderr, &mut log))?;
        Ok(Self {
            leader,
            stderr: complaints,
        })
    }

    /// Returns at most the last `bytes` bytes that the command writes to stderr, having waited for the last of them
    /// until this moment.
    pub fn stderr_tail(&self, bytes: usize, until: Instant) -> String {
        let left = until.saturating_duration_since(Instant::now());
        let over = self.stderr.over.lock();
        let over = over.unwrap_or_else(PoisonError::into_inner);
        drop(
            self.stderr
                .ended
                .wait_timeout_while(over, left, |over| !*over),
        );
        let captured = self.stderr.captured.lock();
        captured.unwrap_or_else(PoisonError::into_inner).tail(bytes)
    }

    /// Waits until the command has exited by itself, but not beyond the moment; says whether it has.
    pub fn wait_for_exit(&self, until: Instant) -> bool {
        loop {
            let exit = self.leader.exit();
            let mut fds = [PollFd::from_borrowed_fd(exit, PollFlags::IN)];
            let waited = poll::poll(&mut fds, Some(until));
            if fds.iter().any(|fd| !fd.revents().is_empty()) {
                return true;
            }
            if waited.is_err() || Instant::now() >= until {
                return false;
            }
        }
    }

    /// Ends the command with its whole tree. Whoever closed its input before gave it a reason to go by
    /// itself, and it is given a moment for that.
    pub fn end(self) {
        if !self.wait_for_exit(Instant::now() + GRACE) {
            self.leader.terminate();
            self.wait_for_exit(Instant::now() + GRACE);
        }
        // What it said last is in the log when this returns.
        self.stderr_tail(0, Instant::now() + GRACE);
    }
}

impl StdinWriter {
    /// Takes over the end of a pipe that does not block.
    pub(crate) fn new(pipe: io::PipeWriter) -> Self {
        Self { pipe }
    }

    /// Writes all of it, waiting for the command to read.
    pub fn write_message(&mut self, message: &[u8], until: Instant) -> Result<(), MessageError> {
        let mut rest = message;
        while !rest.is_empty() {
            match rustix::io::write(&self.pipe, rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait(until)?,
                Err(_) => return Err(MessageError::Closed),
            }
        }
        Ok(())
    }

    fn wait(&self, until: Instant) -> Result<(), MessageError> {
        if Instant::now() >= until {
            return Err(MessageError::TooSlow);
        }
        let mut fds = [PollFd::from_borrowed_fd(self.pipe.as_fd(), PollFlags::OUT)];
        poll::poll(&mut fds, Some(until)).map_err(|_| MessageError::Closed)
    }
}

impl Complaints {
    /// Reads until nobody can write any more.
    fn drain(&self, mut stderr: PipeReader, log: &mut Log) {
        let mut buffer = [0; BUFFER];
        loop {
            match stderr.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let bytes = &buffer[..count];
                    log.write(Source::Stderr, bytes);
                    let captured = self.captured.lock();
                    captured.unwrap_or_else(PoisonError::into_inner).push(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        log.finish();
        *self.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.notify_all();
    }
}
