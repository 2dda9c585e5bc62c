//! What a caller writes for a command while it runs.

use std::io;
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::poll::poll_until;

/// What the command reads. When it is dropped, the command reads end of file.
#[derive(Debug)]
pub struct StdinWriter {
    pipe: io::PipeWriter,
}

/// Why a message was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageError {
    /// The command closed its input, or is gone.
    Closed,
    /// The command did not read all of it before the deadline. It may have read a part.
    TooSlow,
}

impl StdinWriter {
    /// Takes over the write end of a pipe, which does not block.
    pub(crate) fn new(pipe: io::PipeWriter) -> Self {
        Self { pipe }
    }

    /// Writes the whole message, and waits for space in the pipe until `deadline`. The command may not have read it when this returns.
    pub fn write_message(&mut self, message: &[u8], deadline: Instant) -> Result<(), MessageError> {
        let mut rest = message;
        while !rest.is_empty() {
            match rustix::io::write(&self.pipe, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait_until_writable(deadline)?,
                Err(_) => return Err(MessageError::Closed),
            }
        }
        Ok(())
    }

    fn wait_until_writable(&self, deadline: Instant) -> Result<(), MessageError> {
        if Instant::now() >= deadline {
            return Err(MessageError::TooSlow);
        }
        let mut fds = [PollFd::from_borrowed_fd(self.pipe.as_fd(), PollFlags::OUT)];
        poll_until(&mut fds, Some(deadline)).map_err(|_| MessageError::Closed)
    }
}
