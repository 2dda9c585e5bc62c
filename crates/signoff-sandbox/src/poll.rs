//! Waits for descriptors with a deadline.

use std::time::Instant;

use rustix::event::{PollFd, Timespec};
use rustix::io::Errno;

/// Waits until a descriptor is ready or the deadline has passed; a signal may end the wait early.
pub(crate) fn poll_until(fds: &mut [PollFd<'_>], deadline: Option<Instant>) -> Result<(), Errno> {
    let timeout = deadline.map(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        // A deadline too far away to be expressed is as good as none.
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
