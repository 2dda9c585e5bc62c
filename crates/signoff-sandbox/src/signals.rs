//! What happens to signals, in us and in a child.
#![expect(unsafe_code, reason = "signal masks and actions have no safe form")]

use std::ffi::c_int;
use std::ptr;

const LAST_SIGNAL: c_int = 64;

/// Blocks every signal in the calling thread.
///
/// A handler of the host must not run in a child: it would write into what both share.
pub(crate) fn block_all() {
    // SAFETY: the set is filled before it is used, and only this thread is concerned.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut());
    }
}

/// Says whether exited children vanish unseen because `SIGCHLD` is ignored.
pub(crate) fn children_vanish() -> bool {
    // SAFETY: with a null action the call only fills `current`.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, ptr::null(), &raw mut current);
        current.sa_sigaction == libc::SIG_IGN || current.sa_flags & libc::SA_NOCLDWAIT != 0
    }
}

/// Gives the command the signals a fresh login would: nothing ignored, nothing blocked.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn restore() {
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
    // Past the C library, which keeps two signals to itself and so leaves them ignored if we were started that way.
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
