//! A command whose stdin and stdout the caller uses while it runs, such as a tool server.

use std::io::{self, PipeReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::command::captured::CapturedOutput;
use crate::command::stdin_writer::StdinWriter;
use crate::poll::poll_until;
use crate::spawn::leader::Leader;
use crate::watch::log::{Log, LogSource};

/// Time between `SIGTERM` and `SIGKILL`.
const GRACE: Duration = Duration::from_secs(2);
const BUFFER: usize = 8 * 1024;

/// A running command and its pipes.
#[derive(Debug)]
pub struct PipedCommand {
    /// What the command reads.
    pub stdin: StdinWriter,
    /// What the command writes to stdout.
    pub stdout: PipeReader,
    /// The command itself.
    pub process: PipedProcess,
}

/// The process of a [`PipedCommand`]. Dropping it kills its whole process tree.
#[derive(Debug)]
pub struct PipedProcess {
    leader: Leader,
    stderr: Arc<StderrCapture>,
}

/// What the command wrote to stderr.
#[derive(Debug)]
struct StderrCapture {
    captured: Mutex<CapturedOutput>,
    /// Whether it is complete.
    is_complete: Mutex<bool>,
    completed: Condvar,
}

impl PipedProcess {
    /// Starts a thread that copies the command's stderr to the log.
    pub(crate) fn start(
        leader: Leader,
        stderr: PipeReader,
        mut log: Log,
        kept: u64,
    ) -> io::Result<Self> {
        let stderr_capture = Arc::new(StderrCapture {
            captured: Mutex::new(CapturedOutput::new(kept)),
            is_complete: Mutex::new(false),
            completed: Condvar::new(),
        });
        let shared = Arc::clone(&stderr_capture);
        thread::Builder::new()
            .name("signoff-stderr".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || shared.drain(stderr, &mut log))?;
        Ok(Self {
            leader,
            stderr: stderr_capture,
        })
    }

    /// Returns at most the last `bytes` bytes that the command writes to stderr. Waits for the end of stderr, but not
    /// beyond the deadline.
    pub fn stderr_tail(&self, bytes: usize, deadline: Instant) -> String {
        let left = deadline.saturating_duration_since(Instant::now());
        let is_complete = self.stderr.is_complete.lock();
        let is_complete = is_complete.unwrap_or_else(PoisonError::into_inner);
        let completed = &self.stderr.completed;
        drop(completed.wait_timeout_while(is_complete, left, |is_complete| !*is_complete));
        let captured = self.stderr.captured.lock();
        captured.unwrap_or_else(PoisonError::into_inner).tail(bytes)
    }

    /// Waits until the command has exited by itself, but not beyond the deadline; returns whether it has.
    pub fn wait_for_exit(&self, deadline: Instant) -> bool {
        loop {
            let exit = self.leader.exit();
            let mut fds = [PollFd::from_borrowed_fd(exit, PollFlags::IN)];
            let waited = poll_until(&mut fds, Some(deadline));
            if fds.iter().any(|fd| !fd.revents().is_empty()) {
                return true;
            }
            if waited.is_err() || Instant::now() >= deadline {
                return false;
            }
        }
    }

    /// Ends the command with its whole process tree. First gives it time to exit by itself: a caller that dropped its
    /// stdin has asked it to.
    pub fn end(self) {
        if !self.wait_for_exit(Instant::now() + GRACE) {
            self.leader.terminate();
            self.wait_for_exit(Instant::now() + GRACE);
        }
        // Its last output is in the log when this returns.
        self.stderr_tail(0, Instant::now() + GRACE);
    }
}

impl StderrCapture {
    /// Reads until the pipe is closed.
    fn drain(&self, mut stderr: PipeReader, log: &mut Log) {
        let mut buffer = [0; BUFFER];
        loop {
            match stderr.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let bytes = &buffer[..count];
                    log.write(LogSource::Stderr, bytes);
                    let captured = self.captured.lock();
                    captured.unwrap_or_else(PoisonError::into_inner).push(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        log.finish();
        *self
            .is_complete
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.completed.notify_all();
    }
}
