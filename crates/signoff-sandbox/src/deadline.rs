//! The end of this process at a deadline, whatever it is doing then.
#![expect(unsafe_code, reason = "timers and signal handlers have no safe form")]

use std::ffi::c_int;
use std::sync::OnceLock;
use std::time::Duration;
use std::{io, ptr};

/// What is said on stderr at the deadline, and the exit code.
static LAST_WORDS: OnceLock<(String, u8)> = OnceLock::new();

/// Has this process end after `limit`, with these last words on stderr and this exit code. It takes no thread: starting one
/// is what a short process would wait for longest. Only the first call of a process counts.
pub fn end_process_after(limit: Duration, last_words: String, exit: u8) -> io::Result<()> {
    if LAST_WORDS.set((last_words, exit)).is_err() {
        return Ok(());
    }
    let timer = libc::itimerval {
        it_interval: libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        },
        it_value: libc::timeval {
            tv_sec: libc::time_t::try_from(limit.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_usec: libc::suseconds_t::from(limit.subsec_micros()),
        },
    };
    // SAFETY: the sets and the action are filled before they are used, and the handler calls only what a handler may call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = end as *const () as usize;
        libc::sigemptyset(&raw mut action.sa_mask);
        check_return(libc::sigaction(
            libc::SIGALRM,
            &raw const action,
            ptr::null_mut(),
        ))?;
        // Whoever started us may have blocked it.
        let mut alarm: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut alarm);
        libc::sigaddset(&raw mut alarm, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const alarm, ptr::null_mut());
        check_return(libc::setitimer(
            libc::ITIMER_REAL,
            &raw const timer,
            ptr::null_mut(),
        ))
    }
}

fn check_return(returned: c_int) -> io::Result<()> {
    match returned {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn end(_signal: c_int) {
    // They were set before there was a timer.
    if let Some((words, exit)) = LAST_WORDS.get() {
        // SAFETY: both may be called in a handler, and the text lives as long as the process.
        unsafe {
            libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
            libc::_exit(c_int::from(*exit));
        }
    }
}
