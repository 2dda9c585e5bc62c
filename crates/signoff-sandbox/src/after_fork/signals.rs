//! Signal masks and actions, in this process and in a child.
#![expect(unsafe_code, reason = "signal masks and actions have no safe form")]

use std::ffi::c_int;
use std::ptr;

const LAST_SIGNAL: c_int = 64;

/// Blocks every signal in the calling thread.
///
/// A signal handler of the host must not run in a child: it would write to memory that both share.
pub(crate) fn block_all() {
    // SAFETY: the set is filled before it is used, and only this thread is concerned.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut());
    }
}

/// Whether `SIGCHLD` is ignored, so that the kernel reaps exited children before we can.
pub(crate) fn sigchld_is_ignored() -> bool {
    // SAFETY: with a null action the call only fills `current`.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, ptr::null(), &raw mut current);
        current.sa_sigaction == libc::SIG_IGN || current.sa_flags & libc::SA_NOCLDWAIT != 0
    }
}

/// Gives the command the signals that a new login has: none ignored, none blocked.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn restore_defaults() {
    // SAFETY: the set is emptied before it is used.
    unsafe {
        for signal in 1..=LAST_SIGNAL {
            restore_one(signal);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn restore_one(signal: c_int) {
    // Not through the C library: it reserves two signals, and would leave them ignored if we inherited them so.
    let default = [0_u64; 8];
    let set_size = size_of::<u64>();
    // SAFETY: all zero is the default action, whatever the order of the fields; the kernel reads less than this.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            ptr::null_mut::<u64>(),
            set_size,
        );
    }
}
