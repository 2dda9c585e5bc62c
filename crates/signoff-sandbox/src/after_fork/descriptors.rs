//! The numbers of a child's descriptors, from the fork until the exec.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Where the child keeps the pipe that tells us why exec failed, and the gate.
pub(crate) const STATUS: RawFd = 3;
pub(crate) const GATE: RawFd = 4;
/// Where a founder keeps the pipe that ends when the host does.
pub(crate) const HOST_PIPE: RawFd = 5;
/// Where it keeps the rules that it will submit to.
pub(crate) const RULES: RawFd = 6;
/// Where a wrapper finds the filter that it is to install.
pub(crate) const FILTER: RawFd = 7;
/// Where it keeps what it joins a group by.
pub(crate) const GROUP: RawFd = 8;
/// Above all of these.
pub(crate) const FREE: RawFd = 9;

/// Moves a descriptor out of the way of those the child fills.
pub(crate) fn raise_above_reserved(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= FREE {
        return Ok(fd);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, FREE)?)
}
