//! The first process of a command's namespace, as seen from outside (see `enclosure`).

use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process};

use crate::after_fork::stack::Stack;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::Ground;
use crate::process_tree::{Tree, exit, kill};
use crate::spawn::leader;
use crate::{poll, process_tree};

/// How long everybody may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often those who live below a guard are ended one by one, before all are ended with it.
const ROUNDS: usize = 3;

/// The first process of a namespace, not yet reaped. With it the kernel ends everybody in there.
#[derive(Debug)]
pub(crate) struct First {
    pid: Pid,
    /// What it lives on, if it shares our memory.
    stack: Stack,
}

/// Whoever sees to it that nobody is left of a command.
#[derive(Debug)]
pub(crate) enum Guard {
    /// The command's own, which ends with it and leaves this ground to the next one.
    Own(First, Ground),
    /// That of mounts which the next command may find again.
    Kept(KeptMounts),
}

impl Guard {
    /// The process that was started with the command.
    pub(crate) fn first(&self) -> Option<Pid> {
        match self {
            Self::Own(first, _) => Some(first.pid),
            Self::Kept(_) => None,
        }
    }

    /// Ends everybody whom the command, which has exited, left in a namespace of its own, and returns how many there
    /// were.
    pub(crate) fn end(&self) -> usize {
        match self {
            Self::Own(first, _) => first.end(),
            Self::Kept(_) => 0,
        }
    }

    /// The same for a namespace that is kept, after the siblings of the leader were ended. One that somebody may have
    /// stayed in is given up: it is no place for another command.
    pub(crate) fn clear(&self, tree: &Tree) -> usize {
        let Self::Kept(mounts) = self else {
            return 0;
        };
        // In this order: whoever loses a sibling of the leader as its parent is below the guard from then on.
        let has_siblings = tree.has_siblings_in(mounts.process_namespace());
        let (ended, is_clear) = mounts.first().map_or((0, false), First::clear);
        if has_siblings || !is_clear {
            mounts.spoil();
        }
        ended
    }

    /// Waits until nobody is left in the namespace, for a while; says whether somebody is. To be called when the
    /// command was reaped, which the end of its namespace waits for.
    pub(crate) fn reap(self) -> bool {
        match self {
            Self::Own(first, ground) => {
                let is_gone = first.reap();
                if is_gone {
                    ground.give_back();
                }
                !is_gone
            }
            Self::Kept(mounts) => {
                mounts.is_spoiled() && !mounts.first().is_some_and(First::is_gone)
            }
        }
    }
}

impl First {
    pub(crate) fn new(pid: i32, stack: Stack) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        Some(Self { pid, stack })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Has the kernel end everybody in the namespace, and returns how many there were.
    pub(crate) fn end(&self) -> usize {
        let inside = process_tree::members(self.number()).len();
        kill_process(self.pid, Signal::KILL).ok();
        inside
    }

    /// Ends everybody below it. Returns how many there were, and whether nobody is left: some multiply faster.
    fn clear(&self) -> (usize, bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut ended = 0;
        for _ in 0..ROUNDS {
            let members = process_tree::members(self.number());
            if members.is_empty() {
                return (ended, true);
            }
            ended += kill::kill(&members, deadline).signalled.len();
        }
        (ended, false)
    }

    /// Waits until nobody is left in the namespace, for a while; says whether nobody is.
    pub(crate) fn reap(self) -> bool {
        let is_gone = self.is_gone();
        if is_gone {
            leader::take_leave(self.pid);
        } else {
            // It will live on it for as long as somebody is stuck in the kernel.
            mem::forget(self.stack);
        }
        is_gone
    }

    fn is_gone(&self) -> bool {
        self.exits_before(Instant::now() + PATIENCE)
            .unwrap_or(false)
    }

    fn exits_before(&self, deadline: Instant) -> io::Result<bool> {
        let exit = exit::descriptor(self.pid)?;
        let mut fds = [PollFd::new(&exit, PollFlags::IN)];
        while fds[0].revents().is_empty() && Instant::now() < deadline {
            poll::poll(&mut fds, Some(deadline))?;
        }
        Ok(!fds[0].revents().is_empty())
    }

    fn number(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }
}
