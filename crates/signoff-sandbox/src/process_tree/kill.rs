//! Kills processes, and never another one that has got the same number.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::poll::poll_until;
use crate::process_tree::proc::{self, ProcessStat};

/// How many processes are waited for at once. The caller repeats until none is left.
const WAITED_FOR: usize = 64;

/// What came of killing processes.
#[derive(Debug, Default)]
pub(crate) struct KillReport {
    pub(crate) signalled: Vec<ProcessStat>,
    /// Processes that we may not or cannot signal.
    pub(crate) refused: usize,
    /// Processes that still lived at the deadline.
    pub(crate) outlasted: usize,
}

/// Kills all of them and waits until they are gone, or until the deadline.
pub(crate) fn kill(processes: &[ProcessStat], deadline: Instant) -> KillReport {
    let mut report = KillReport::default();
    let mut waited_for = Vec::new();
    for process in processes {
        match kill_one(process) {
            Ok(Some(fd)) => {
                report.signalled.push(*process);
                if waited_for.len() < WAITED_FOR {
                    waited_for.push(fd);
                }
            }
            Ok(None) => {}
            Err(_) => report.refused += 1,
        }
    }
    report.outlasted = wait_until_gone(waited_for, deadline);
    report
}

/// Kills one process. Returns `None` if it was gone already.
fn kill_one(process: &ProcessStat) -> Result<Option<OwnedFd>, Errno> {
    let Some(pid) = Pid::from_raw(process.pid.cast_signed()) else {
        return Ok(None);
    };
    // The descriptor means the process that has the number now. If its start time is the same, it is the same process.
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

/// Returns how many still live at the deadline.
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
