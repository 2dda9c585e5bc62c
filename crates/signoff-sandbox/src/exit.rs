//! A descriptor that becomes readable when a child exits.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

pub(crate) fn descriptor(child: Pid) -> io::Result<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    Ok(pidfd_open(child, PidfdFlags::empty())?)
}
