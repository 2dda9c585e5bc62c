//! The few steps between fork and exec.
//!
//! After the fork the child is a copy of one thread of a process with many, or it runs in that process's own memory:
//! any lock may be held for ever. So it makes system calls only, on memory that was prepared before, and writes to
//! its stack only. A level of confinement adds its steps here.
#![expect(unsafe_code, reason = "exec and the calls before it have no safe form")]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::failure::{Failure, Stage};
use crate::image::{Image, Pointers, SHELL};
use crate::signals;

/// Where the child keeps the pipe that tells us why exec failed, and the gate.
const STATUS: RawFd = 3;
const GATE: RawFd = 4;

/// Turns the calling process into the command, or returns why that failed.
///
/// # Safety
/// To be called in a forked child only, with pointers into `image`.
pub(crate) unsafe fn become_command(image: &Image, pointers: &Pointers, parent: c_int) -> Failure {
    // SAFETY: system calls only, on descriptors and memory that `image` and `pointers` keep.
    unsafe {
        match prepare(image, pointers, parent) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        }
    }
}

/// Ends a child that waited, which has nothing but its pipe to say why.
///
/// # Safety
/// To be called in a forked child only, after `become_command`.
pub(crate) unsafe fn tell(failure: Failure) -> ! {
    let message = failure.to_bytes();
    // SAFETY: the message lives through the call; whoever waits was given this descriptor.
    unsafe {
        libc::write(STATUS, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// As `become_command`.
unsafe fn prepare(image: &Image, pointers: &Pointers, parent: c_int) -> Result<(), Failure> {
    // SAFETY: as `become_command`.
    unsafe {
        arrange_descriptors(image, pointers).map_err(|()| failed(Stage::Prepare))?;
        if libc::setsid() == -1 {
            return Err(failed(Stage::Prepare));
        }
        die_with_parent(parent);
        limit(image);
        if libc::chdir(image.cwd.as_ptr()) == -1 {
            return Err(failed(Stage::EnterDirectory));
        }
        signals::restore();
        if image.hold.is_some() {
            wait_at_gate();
        }
        Ok(())
    }
}

/// Puts each descriptor at its place and closes every other, also those that the host forgot to mark.
///
/// # Safety
/// As `become_command`.
unsafe fn arrange_descriptors(image: &Image, pointers: &Pointers) -> Result<(), ()> {
    // SAFETY: as `become_command`; all sources lie above all places, so none is overwritten before its turn.
    unsafe {
        let mut first_closed = STATUS;
        if let Some(hold) = &image.hold {
            // First, so that a failure of the others can be told; without it, silence: 3 may be a file of the host.
            if place(&hold.status, STATUS).is_err() {
                libc::_exit(127);
            }
            libc::fcntl(STATUS, libc::F_SETFD, libc::FD_CLOEXEC);
            place(&hold.gate, GATE)?;
            libc::fcntl(GATE, libc::F_SETFD, libc::FD_CLOEXEC);
            first_closed = GATE + 1;
        }
        for (fd, place_at) in image.stdio.iter().zip(0..) {
            place(fd, place_at)?;
        }
        close_from(first_closed, pointers.open_max);
        Ok(())
    }
}

/// # Safety
/// As `become_command`.
unsafe fn place(fd: &OwnedFd, at: RawFd) -> Result<(), ()> {
    // SAFETY: both are plain numbers to the system.
    match unsafe { libc::dup2(fd.as_raw_fd(), at) } {
        -1 => Err(()),
        _ => Ok(()),
    }
}

/// # Safety
/// As `become_command`.
unsafe fn close_from(first: RawFd, open_max: c_int) {
    // SAFETY: nothing above `first` is used by the child any more.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, first, c_int::MAX, 0) == 0 {
            return;
        }
        for fd in first..open_max {
            libc::close(fd);
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn die_with_parent(parent: c_int) {
    // SAFETY: plain system calls.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the signal was asked for.
        if libc::getppid() != parent {
            libc::_exit(127);
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn limit(image: &Image) {
    // SAFETY: plain system calls.
    unsafe {
        set_limit(libc::RLIMIT_CORE, 0);
        #[cfg(target_os = "linux")]
        if let Some(brand) = image.brand {
            set_limit(libc::RLIMIT_LOCKS, brand.limit());
        }
        #[cfg(not(target_os = "linux"))]
        let _ = image.brand;
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = c_int;

/// # Safety
/// As `become_command`.
unsafe fn set_limit(resource: Resource, value: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the structure lives through the call. A refusal leaves the limit as it is.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// # Safety
/// As `become_command`.
unsafe fn wait_at_gate() {
    let mut byte = 0_u8;
    // SAFETY: one byte is read into one byte.
    unsafe {
        loop {
            match libc::read(GATE, (&raw mut byte).cast(), 1) {
                1 => return,
                -1 if errno() == libc::EINTR => {}
                _ => libc::_exit(127),
            }
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn exec(image: &Image, pointers: &Pointers) -> Failure {
    // SAFETY: the tables end with null and point to strings that end with zero.
    unsafe {
        libc::execve(
            image.program.as_ptr(),
            pointers.argv.as_ptr(),
            pointers.env.as_ptr(),
        );
        if errno() == libc::ENOEXEC {
            libc::execve(
                SHELL.as_ptr(),
                pointers.shell_argv.as_ptr(),
                pointers.env.as_ptr(),
            );
        }
    }
    failed(Stage::Execute)
}

fn failed(stage: Stage) -> Failure {
    Failure {
        stage,
        errno: errno(),
    }
}

// Reads a thread-local number; it allocates nothing.
fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
