//! The numbers that a child gives its descriptors between fork and exec.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// The pipe that tells us why exec failed.
pub(crate) const STATUS: RawFd = 3;
/// The pipe that a child with a gate waits for.
pub(crate) const GATE: RawFd = 4;
/// The pipe that reads end of file when the host is gone, for an init process.
pub(crate) const HOST_PIPE: RawFd = 5;
/// The Landlock rules that the child applies to itself.
pub(crate) const RULES: RawFd = 6;
/// The system call filter that `bwrap` is to install.
pub(crate) const FILTER: RawFd = 7;
/// The file by which the child joins its control group.
pub(crate) const GROUP: RawFd = 8;
/// The first number above all of these.
pub(crate) const FIRST_FREE: RawFd = 9;

/// Moves a descriptor above the numbers that a child reserves, so that the child does not overwrite it.
pub(crate) fn raise_above_reserved(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= FIRST_FREE {
        return Ok(fd);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, FIRST_FREE)?)
}
