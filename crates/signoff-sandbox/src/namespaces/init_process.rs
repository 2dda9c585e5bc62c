//! The first process of a process namespace.
#![expect(unsafe_code, reason = "clone has no safe form")]

use std::ffi::{c_int, c_long, c_void};
use std::os::fd::RawFd;
use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::SyscallError;
use crate::process_tree::children::{self, exit_descriptor};
use crate::process_tree::kill;
use crate::{poll, process_tree};

/// How long everybody may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often those who live below a guard are ended one by one, before all are ended with it.
const ROUNDS: usize = 3;

/// The first process of a namespace, not yet reaped. With it the kernel ends everybody in there.
#[derive(Debug)]
pub(crate) struct InitProcess {
    pid: Pid,
    /// What it lives on, if it shares our memory.
    stack: ChildStack,
}

impl InitProcess {
    pub(crate) fn new(pid: i32, stack: ChildStack) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        Some(Self { pid, stack })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Has the kernel end everybody in the namespace, and returns how many there were.
    pub(crate) fn end(&self) -> usize {
        let inside = process_tree::living_descendants(self.number()).len();
        kill_process(self.pid, Signal::KILL).ok();
        inside
    }

    /// Ends everybody below it. Returns how many there were, and whether nobody is left: some multiply faster.
    pub(crate) fn clear(&self) -> (usize, bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut ended = 0;
        for _ in 0..ROUNDS {
            let members = process_tree::living_descendants(self.number());
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
            children::reap_registered(self.pid);
        } else {
            // It will live on it for as long as somebody is stuck in the kernel.
            mem::forget(self.stack);
        }
        is_gone
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.exits_before(Instant::now() + PATIENCE)
            .unwrap_or(false)
    }

    fn exits_before(&self, deadline: Instant) -> io::Result<bool> {
        let exit = exit_descriptor(self.pid)?;
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

/// Starts the first process of a namespace as a sibling, and returns its number. It keeps the pipe that ends when the
/// host does.
///
/// # Safety
/// To be called in a forked child only, with a stack that the guard can have for as long as it lives.
pub(crate) unsafe fn start_init(stack: *mut c_void, life: RawFd) -> Result<c_int, SyscallError> {
    let flags = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD;
    let life = std::ptr::without_provenance_mut(usize::try_from(life).map_err(|_| SyscallError)?);
    // SAFETY: as this function; the argument is a number.
    match unsafe { libc::clone(guard, stack, flags, life) } {
        -1 => Err(SyscallError),
        guard => Ok(guard),
    }
}

/// Lives until the host is gone or ends it.
///
/// It may share its memory with the host, and so `errno` and whatever else the C library keeps for a thread: it
/// calls nothing that writes there. The command cannot look into it, for it has fewer capabilities.
extern "C" fn guard(life: *mut c_void) -> c_int {
    let Ok(life) = RawFd::try_from(life.addr()) else {
        return 127;
    };
    let ignore = [1_u64, 0, 0, 0, 0, 0, 0, 0];
    let mut byte = 0_u8;
    // SAFETY: plain system calls; the kernel reads less than `ignore` holds, whose first field is the action. All
    // signals are blocked, so that none has a handler of the host's run.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            libc::SIGCHLD,
            ignore.as_ptr(),
            std::ptr::null_mut::<u64>(),
            size_of::<u64>(),
        );
        close_all_but(life);
        while libc::syscall(libc::SYS_read, life, &raw mut byte, 1) > 0 {}
        libc::syscall(libc::SYS_exit_group, 0);
    }
    0
}

/// # Safety
/// To be called in a forked child only.
unsafe fn close_all_but(fd: RawFd) -> c_long {
    // SAFETY: plain numbers.
    unsafe {
        libc::syscall(libc::SYS_close_range, 0, fd - 1, 0);
        libc::syscall(libc::SYS_close_range, fd + 1, c_int::MAX, 0)
    }
}
