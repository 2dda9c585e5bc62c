//! System calls of a forked child, and how it tells that one failed. Nothing here allocates.
#![expect(unsafe_code, reason = "a child makes its system calls itself")]

use std::ffi::{CStr, c_long};
use std::os::fd::RawFd;

/// Something failed; `errno` says why.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Done = Result<(), Failed>;

/// Returns the descriptor that a system call answered with.
pub(crate) fn descriptor(result: c_long) -> Result<RawFd, Failed> {
    match RawFd::try_from(result) {
        Ok(fd) if fd >= 0 => Ok(fd),
        _ => Err(Failed),
    }
}

pub(crate) fn done(result: c_long) -> Done {
    if result == -1 { Err(Failed) } else { Ok(()) }
}

/// Opens what is at a path, and not what a link on the way leads to: a command before may have made one.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn open_exactly(path: &CStr) -> Result<RawFd, Failed> {
    // SAFETY: a structure of numbers, which lives through the call.
    unsafe {
        let mut how: libc::open_how = std::mem::zeroed();
        how.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
        how.resolve = libc::RESOLVE_NO_SYMLINKS;
        descriptor(libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        ))
    }
}

/// Writes a file of the kernel's in one go.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn write(path: &CStr, text: &[u8]) -> Done {
    // SAFETY: the text lives through the call.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd == -1 {
            return Err(Failed);
        }
        let written = libc::write(fd, text.as_ptr().cast(), text.len());
        // Closing does not fail, and so does not hide why writing did.
        libc::close(fd);
        if written == -1 { Err(Failed) } else { Ok(()) }
    }
}
