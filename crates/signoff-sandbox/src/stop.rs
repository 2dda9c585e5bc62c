//! The wish that a command stop, as a descriptor that can be waited for.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Readable once it was given. It stays so, and giving it late or again harms nobody.
#[derive(Debug)]
pub(crate) struct Signal {
    read: OwnedFd,
}

impl Signal {
    pub(crate) fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let read = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { read })
    }

    pub(crate) fn give(&self) {
        rustix::io::write(&self.read, &1_u64.to_ne_bytes()).ok();
    }
}

impl AsFd for Signal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}
