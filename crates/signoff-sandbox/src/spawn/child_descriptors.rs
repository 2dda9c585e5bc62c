//! Arranges the descriptors of a child between fork and exec.
#![expect(unsafe_code, reason = "a child makes its system calls itself")]

use std::ffi::c_int;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use crate::after_fork::descriptors::{FILTER, FIRST_FREE, GATE, GROUP, HOST_PIPE, RULES, STATUS};
use crate::after_fork::syscall::{self, SyscallResult};
use crate::spawn::image::{ExecPointers, ProcessImage};

/// Gives each descriptor its number and closes every other, also those that the host did not mark close-on-exec.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn arrange_descriptors(
    image: &ProcessImage,
    pointers: &ExecPointers,
    host_pipe: Option<BorrowedFd<'_>>,
) -> SyscallResult {
    // SAFETY: as this function; all sources lie above the reserved numbers, so none is overwritten before its turn.
    unsafe {
        let gate = image.gate.as_ref();
        // First, so that later failures can be reported. If it fails itself, nothing may be written: the number may
        // still mean a file of the host.
        if set_until_exec(gate.map(|gate| gate.status.as_fd()), STATUS).is_err() {
            libc::_exit(127);
        }
        set_until_exec(gate.map(|gate| gate.release.as_fd()), GATE)?;
        set_until_exec(host_pipe, HOST_PIPE)?;
        set_until_exec(image.rules.as_ref().map(|rules| rules.as_fd()), RULES)?;
        set_until_exec(image.group_entry.as_ref().map(|entry| entry.as_fd()), GROUP)?;
        match &image.filter_file {
            Some(file) => duplicate(file.as_fd(), FILTER)?,
            None => {
                libc::close(FILTER);
            }
        }
        for (fd, number) in image.stdio.iter().zip(0..) {
            duplicate(fd.as_fd(), number)?;
        }
        close_from(FIRST_FREE, pointers.open_max);
        Ok(())
    }
}

/// Gives a descriptor a number until exec, or makes sure that the number is unused.
///
/// # Safety
/// As `arrange_descriptors`.
unsafe fn set_until_exec(fd: Option<BorrowedFd<'_>>, number: RawFd) -> SyscallResult {
    // SAFETY: plain numbers.
    unsafe {
        match fd {
            Some(fd) => {
                duplicate(fd, number)?;
                libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
            }
            None => {
                libc::close(number);
            }
        }
        Ok(())
    }
}

/// # Safety
/// As `arrange_descriptors`.
unsafe fn duplicate(fd: BorrowedFd<'_>, number: RawFd) -> SyscallResult {
    // SAFETY: both are plain numbers to the system.
    syscall::check(unsafe { libc::dup2(fd.as_raw_fd(), number) }.into())
}

/// # Safety
/// As `arrange_descriptors`.
unsafe fn close_from(first: RawFd, open_max: c_int) {
    // SAFETY: nothing above `first` is used by the child any more.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, c_int::MAX, 0) == 0 {
            return;
        }
        for fd in first..open_max {
            libc::close(fd);
        }
    }
}
