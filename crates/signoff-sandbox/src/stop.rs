//! The wish that a command stop, as a descriptor that can be waited for.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Readable once it was given. It stays so, and giving it late or again harms nobody.
#[derive(Debug)]
pub(crate) struct Signal {
    read: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    write: OwnedFd,
}

#[cfg(target_os = "linux")]
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

#[cfg(not(target_os = "linux"))]
impl Signal {
    pub(crate) fn new() -> io::Result<Self> {
        let (read, write) = io::pipe()?;
        rustix::io::ioctl_fionbio(&write, true)?;
        Ok(Self {
            read: read.into(),
            write: write.into(),
        })
    }

    pub(crate) fn give(&self) {
        // A full pipe has been asked before.
        rustix::io::write(&self.write, &[0]).ok();
    }
}

impl AsFd for Signal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}
