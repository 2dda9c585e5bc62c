//! The init process of a PID namespace. When it dies, the kernel kills every process of the namespace.
#![expect(unsafe_code, reason = "clone has no safe form")]

use std::ffi::{c_int, c_long, c_void};
use std::os::fd::RawFd;
use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::SyscallError;
use crate::poll::poll_until;
use crate::process_tree::children::{exit_descriptor, raw_pid, reap_registered};
use crate::process_tree::{kill, living_descendants};

/// How long processes may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the descendants of an init process are killed one by one before the namespace is given up.
const ROUNDS: usize = 3;

/// An init process that is not reaped yet.
#[derive(Debug)]
pub(crate) struct InitProcess {
    pid: Pid,
    /// The stack that it runs on, if it shares our memory.
    stack: ChildStack,
}

/// What came of killing the descendants of an init process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cleared {
    pub(crate) killed: usize,
    pub(crate) is_empty: bool,
}

impl InitProcess {
    pub(crate) fn new(pid: i32, stack: ChildStack) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        Some(Self { pid, stack })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Has the kernel kill every process of the namespace, and returns how many there were.
    pub(crate) fn kill_namespace(&self) -> usize {
        let count = living_descendants(raw_pid(self.pid)).len();
        kill_process(self.pid, Signal::KILL).ok();
        count
    }

    /// Kills its descendants one by one. Some may be left: they can multiply faster.
    pub(crate) fn kill_descendants(&self) -> Cleared {
        let deadline = Instant::now() + PATIENCE;
        let mut killed = 0;
        for _ in 0..ROUNDS {
            let descendants = living_descendants(raw_pid(self.pid));
            if descendants.is_empty() {
                return Cleared {
                    killed,
                    is_empty: true,
                };
            }
            killed += kill::kill(&descendants, deadline).signalled.len();
        }
        Cleared {
            killed,
            is_empty: false,
        }
    }

    /// Waits until the namespace is empty, but not for ever; returns whether it is.
    pub(crate) fn reap(self) -> bool {
        let is_gone = self.wait_until_gone();
        if is_gone {
            reap_registered(self.pid);
        } else {
            // It still runs on this stack, for as long as a process of the namespace is stuck in the kernel.
            mem::forget(self.stack);
        }
        is_gone
    }

    /// Waits until it has exited, but not for ever; returns whether it has.
    pub(crate) fn wait_until_gone(&self) -> bool {
        self.wait_for_exit(Instant::now() + PATIENCE)
            .unwrap_or(false)
    }

    fn wait_for_exit(&self, deadline: Instant) -> io::Result<bool> {
        let exit = exit_descriptor(self.pid)?;
        let mut fds = [PollFd::new(&exit, PollFlags::IN)];
        while fds[0].revents().is_empty() && Instant::now() < deadline {
            poll_until(&mut fds, Some(deadline))?;
        }
        Ok(!fds[0].revents().is_empty())
    }
}

/// Starts the init process of a new namespace as a sibling, and returns its number. It keeps the pipe that reads end of
/// file when the host is gone.
///
/// # Safety
/// To be called in a forked child only, with a stack that the init process can have for as long as it lives.
pub(crate) unsafe fn start_init(
    stack: *mut c_void,
    host_pipe: RawFd,
) -> Result<c_int, SyscallError> {
    let flags = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD;
    let host_pipe = usize::try_from(host_pipe).map_err(|_| SyscallError)?;
    let argument = std::ptr::without_provenance_mut(host_pipe);
    // SAFETY: as this function; the argument is a number.
    match unsafe { libc::clone(run_init, stack, flags, argument) } {
        -1 => Err(SyscallError),
        init => Ok(init),
    }
}

/// Lives until the host is gone or kills it.
///
/// It may share its memory with the host, and so `errno` and everything else that the C library keeps for a thread: it
/// calls nothing that writes there. The command cannot read its memory, because it has fewer capabilities.
extern "C" fn run_init(host_pipe: *mut c_void) -> c_int {
    let Ok(host_pipe) = RawFd::try_from(host_pipe.addr()) else {
        return 127;
    };
    let ignore = [1_u64, 0, 0, 0, 0, 0, 0, 0];
    let mut byte = 0_u8;
    // SAFETY: plain system calls; the kernel reads less than `ignore` holds, whose first field is the action. All
    // signals are blocked, so that no handler of the host runs.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            libc::SIGCHLD,
            ignore.as_ptr(),
            std::ptr::null_mut::<u64>(),
            size_of::<u64>(),
        );
        close_all_but(host_pipe);
        while libc::syscall(libc::SYS_read, host_pipe, &raw mut byte, 1) > 0 {}
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
