//! Ends processes for certain, and none but those meant.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::poll::poll_until;
use crate::process_tree::proc::{self, ProcessStat};

/// Descriptors held at once while waiting; a caller repeats anyway until nothing is left.
const WAITED_FOR: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct KillReport {
    pub(crate) signalled: Vec<ProcessStat>,
    /// Processes that we may not or cannot signal.
    pub(crate) refused: usize,
    /// Processes that were still there at the deadline.
    pub(crate) outlasted: usize,
}

/// Kills all of them and waits until they are gone, or until the deadline.
pub(crate) fn kill(processes: &[ProcessStat], deadline: Instant) -> KillReport {
    let mut killed = KillReport::default();
    let mut waited_for = Vec::new();
    for process in processes {
        match kill_one(process) {
            Ok(Some(fd)) => {
                killed.signalled.push(*process);
                if waited_for.len() < WAITED_FOR {
                    waited_for.push(fd);
                }
            }
            Ok(None) => {}
            Err(_) => killed.refused += 1,
        }
    }
    killed.outlasted = wait_until_gone(waited_for, deadline);
    killed
}

/// Kills one process; nothing is returned if it was gone already.
fn kill_one(process: &ProcessStat) -> Result<Option<OwnedFd>, Errno> {
    let Some(pid) = Pid::from_raw(process.pid.cast_signed()) else {
        return Ok(None);
    };
    // The descriptor names the process that has the number now. If that one started when ours did, it is ours.
    let sent = pidfd_open(pid, PidfdFlags::empty()).and_then(|fd| {
        match proc::stat(process.pid) {
            Some(now) if now.starttime == process.starttime => {}
            _ => return Ok(None),
        }
        pidfd_send_signal(&fd, Signal::KILL)?;
        Ok(Some(fd))
    });
    match sent {
        Err(Errno::SRCH) => Ok(None),
        other => other,
    }
}

/// Returns how many are still there at the deadline.
fn wait_until_gone(mut living: Vec<OwnedFd>, deadline: Instant) -> usize {
    while !living.is_empty() {
        let mut fds: Vec<PollFd<'_>> = living
            .iter()
            .map(|fd| PollFd::new(fd, PollFlags::IN))
            .collect();
        if poll_until(&mut fds, Some(deadline)).is_err() {
            break;
        }
        let gone: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut gone = gone.into_iter();
        living.retain(|_| !gone.next().unwrap_or(true));
        if Instant::now() >= deadline {
            break;
        }
    }
    living.len()
}
