//! Waiting for descriptors until a moment.

use std::time::Instant;

use rustix::event::{PollFd, Timespec};
use rustix::io::Errno;

/// Waits until a descriptor is ready or the moment has come; a signal may end it early.
pub(crate) fn poll(fds: &mut [PollFd<'_>], until: Option<Instant>) -> Result<(), Errno> {
    let timeout = until.map(|until| {
        let left = until.saturating_duration_since(Instant::now());
        // Too far away to be expressed is as good as never.
        Timespec::try_from(left).unwrap_or(Timespec {
            tv_sec: i64::from(i32::MAX),
            tv_nsec: 0,
        })
    });
    match rustix::event::poll(fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error),
    }
}
