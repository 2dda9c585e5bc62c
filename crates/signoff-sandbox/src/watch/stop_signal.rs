//! A request to stop a command, as a descriptor that can be polled.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Readable from the first `send` on. Sending it late or again does no harm.
#[derive(Debug)]
pub(crate) struct StopSignal {
    event: OwnedFd,
}

impl StopSignal {
    pub(crate) fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event })
    }

    pub(crate) fn send(&self) {
        rustix::io::write(&self.event, &1_u64.to_ne_bytes()).ok();
    }
}

impl AsFd for StopSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
