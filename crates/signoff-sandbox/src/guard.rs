//! The first process of a command's namespace, as seen from outside (see `enclosure`).

use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process};

use crate::fork::Stack;
use crate::place::Place;
use crate::{clock, exit, leader, spawner, tree};

/// How long everybody may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// A guard as it was started.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) pid: i32,
    /// What it lives on, if it shares our memory.
    pub(crate) stack: Stack,
    /// Where it lives.
    pub(crate) place: Place,
}

/// A guard that is not yet reaped. To be reaped after the command, which its end waits for.
#[derive(Debug)]
pub(crate) struct Guard {
    pid: Pid,
    /// What it lives on, if it shares our memory.
    stack: Stack,
    place: Place,
}

impl Guard {
    pub(crate) fn new(guarded: Guarded) -> io::Result<Self> {
        Ok(Self {
            pid: Pid::from_raw(guarded.pid).ok_or_else(spawner::gone)?,
            stack: guarded.stack,
            place: guarded.place,
        })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Has the kernel end everybody in the namespace, and returns how many there were. The command has exited, so all
    /// that it left are the guard's.
    pub(crate) fn end(&self) -> usize {
        let own = self.pid.as_raw_nonzero().get().cast_unsigned();
        let inside = tree::members(own);
        kill_process(self.pid, Signal::KILL).ok();
        inside
    }

    /// Waits until nobody is left in the namespace, for a while; says whether somebody is.
    pub(crate) fn reap(self) -> bool {
        let gone = self.is_gone(Instant::now() + PATIENCE);
        if gone {
            leader::take_leave(self.pid);
            self.place.give_back();
        } else {
            // It will live on it for as long as somebody is stuck in the kernel.
            mem::forget(self.stack);
        }
        !gone
    }

    fn is_gone(&self, deadline: Instant) -> bool {
        let Ok(exit) = exit::descriptor(self.pid) else {
            return false;
        };
        let mut fds = [PollFd::new(&exit, PollFlags::IN)];
        while fds[0].revents().is_empty() {
            if clock::poll(&mut fds, Some(deadline)).is_err() || Instant::now() >= deadline {
                break;
            }
        }
        !fds[0].revents().is_empty()
    }
}
