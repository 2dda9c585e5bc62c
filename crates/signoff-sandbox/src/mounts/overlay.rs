//! Makes an overlay that is not mounted anywhere yet, in a forked child.
//!
//! The kernel gets its layers as descriptors (`/proc/self/fd/7`): a path may be longer than the 255 bytes that the
//! kernel takes, and its colons and commas would have to be escaped. This also keeps the paths out of the list of
//! mounts.
#![expect(unsafe_code, reason = "mounts have no safe form here")]

use std::ffi::{CStr, CString, c_char, c_uint};
use std::fmt::Write;
use std::os::fd::RawFd;
use std::ptr;

use crate::after_fork::stack_text::StackText;
use crate::after_fork::syscall::{
    SyscallError, SyscallResult, check, check_descriptor, open_no_symlinks,
};
use crate::mounts::steps::MAX_LOWER_LAYERS;

// From `linux/mount.h`.
const FSOPEN_CLOEXEC: c_uint = 1;
const FSMOUNT_CLOEXEC: c_uint = 1;
const SET_FLAG: c_uint = 0;
const SET_STRING: c_uint = 1;
const CREATE: c_uint = 6;
const NO_SET_USER: c_uint = 0x2;
const NO_DEVICES: c_uint = 0x4;

/// Makes an overlay of these directories and returns it as a descriptor that can be attached.
///
/// # Safety
/// To be called in a forked child only, which has mounts of its own.
pub(crate) unsafe fn make_overlay(
    lower: &[CString],
    upper: &CStr,
    work: &CStr,
) -> Result<RawFd, SyscallError> {
    // SAFETY: system calls on strings that end with zero.
    unsafe {
        let kind = c"overlay".as_ptr();
        let context = check_descriptor(libc::syscall(libc::SYS_fsopen, kind, FSOPEN_CLOEXEC))?;
        let lower = Directories::open(lower.iter().map(CString::as_c_str))?;
        let upper = Directories::open([upper])?;
        let work = Directories::open([work])?;
        configure(context, SET_STRING, c"lowerdir".as_ptr(), lower.as_ptr())?;
        configure(context, SET_STRING, c"upperdir".as_ptr(), upper.as_ptr())?;
        configure(context, SET_STRING, c"workdir".as_ptr(), work.as_ptr())?;
        // Only root may set the attributes that an overlay uses otherwise.
        configure(context, SET_FLAG, c"userxattr".as_ptr(), ptr::null())?;
        // Nothing has to survive a crash of the machine, so unmounting need not wait for the disk.
        configure(context, SET_FLAG, c"volatile".as_ptr(), ptr::null())?;
        configure(context, CREATE, ptr::null(), ptr::null())?;
        let flags = NO_SET_USER | NO_DEVICES;
        let mount = libc::syscall(libc::SYS_fsmount, context, FSMOUNT_CLOEXEC, flags);
        let mount = check_descriptor(mount)?;
        for directories in [&lower, &upper, &work] {
            directories.close();
        }
        libc::close(context);
        Ok(mount)
    }
}

/// # Safety
/// As `make_overlay`, with strings that end with zero, or null.
unsafe fn configure(
    context: RawFd,
    kind: c_uint,
    key: *const c_char,
    value: *const c_char,
) -> SyscallResult {
    // SAFETY: as this function.
    check(unsafe { libc::syscall(libc::SYS_fsconfig, context, kind, key, value, 0) })
}

/// Directories as the kernel takes them: names of descriptors, separated by colons.
struct Directories {
    names: StackText<256>,
    descriptors: [RawFd; MAX_LOWER_LAYERS],
}

impl Directories {
    /// # Safety
    /// As `make_overlay`.
    unsafe fn open<'a>(paths: impl IntoIterator<Item = &'a CStr>) -> Result<Self, SyscallError> {
        let mut found = Self {
            names: StackText::new(),
            descriptors: [-1; MAX_LOWER_LAYERS],
        };
        let mut slots = found.descriptors.iter_mut();
        let mut separator = "";
        for path in paths {
            // SAFETY: as `make_overlay`.
            let fd = unsafe { open_no_symlinks(path)? };
            *slots.next().ok_or(SyscallError)? = fd;
            write!(found.names, "{separator}/proc/self/fd/{fd}").map_err(|_| SyscallError)?;
            separator = ":";
        }
        Ok(found)
    }

    fn as_ptr(&self) -> *const c_char {
        self.names.as_c_str().as_ptr()
    }

    /// # Safety
    /// As `make_overlay`: these descriptors are the child's own.
    unsafe fn close(&self) {
        for fd in self.descriptors.iter().filter(|fd| **fd != -1) {
            // SAFETY: as this function.
            unsafe { libc::close(*fd) };
        }
    }
}
