//! System calls of a forked child, and their results. Nothing here allocates.
#![expect(unsafe_code, reason = "a child makes its system calls itself")]

use std::ffi::{CStr, c_long};
use std::os::fd::RawFd;

/// A system call failed; `errno` says why.
#[derive(Debug)]
pub(crate) struct SyscallError;

pub(crate) type SyscallResult = Result<(), SyscallError>;

/// Returns the descriptor that a system call returned.
pub(crate) fn check_descriptor(result: c_long) -> Result<RawFd, SyscallError> {
    match RawFd::try_from(result) {
        Ok(fd) if fd >= 0 => Ok(fd),
        _ => Err(SyscallError),
    }
}

pub(crate) fn check(result: c_long) -> SyscallResult {
    if result == -1 {
        Err(SyscallError)
    } else {
        Ok(())
    }
}

/// Opens what is at a path, and fails if a symbolic link is on the way: an earlier command may have made one.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn open_no_symlinks(path: &CStr) -> Result<RawFd, SyscallError> {
    // SAFETY: a structure of numbers, which lives through the call.
    unsafe {
        let mut options: libc::open_how = std::mem::zeroed();
        options.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
        options.resolve = libc::RESOLVE_NO_SYMLINKS;
        check_descriptor(libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const options,
            size_of::<libc::open_how>(),
        ))
    }
}

/// Writes a file of the kernel in one call.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn write_file(path: &CStr, text: &[u8]) -> SyscallResult {
    // SAFETY: the text lives through the call.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd == -1 {
            return Err(SyscallError);
        }
        let written = libc::write(fd, text.as_ptr().cast(), text.len());
        // Closing does not fail, so `errno` still says why writing did.
        libc::close(fd);
        if written == -1 {
            Err(SyscallError)
        } else {
            Ok(())
        }
    }
}
