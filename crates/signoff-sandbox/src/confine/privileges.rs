//! Drops the privileges of a process beyond those of its user, in a forked child.
#![expect(unsafe_code, reason = "capabilities have no safe form")]

use std::ffi::{c_int, c_ulong};

use crate::after_fork::syscall::{SyscallError, check};

const LAST_CAPABILITY: c_ulong = 63;
const VERSION_3: u32 = 0x2008_0522;
const JOIN_SESSION_KEYRING: c_int = 1;

#[repr(C)]
struct Header {
    version: u32,
    pid: c_int,
}

/// Drops every capability for ever, also those that root would get back by executing a file.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn drop_capabilities() -> Result<(), SyscallError> {
    // SAFETY: plain system calls; the structures live through them.
    unsafe {
        // Only root gets capabilities by executing a file, up to this bound, so other users need not lower it.
        if libc::geteuid() == 0 {
            for capability in 0..=LAST_CAPABILITY {
                // The first capability that the kernel does not know ends the list.
                if libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) == -1 {
                    break;
                }
            }
        }
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        );
        let header = Header {
            version: VERSION_3,
            pid: 0,
        };
        let none = [0_u32; 6];
        check(libc::syscall(
            libc::SYS_capset,
            &raw const header,
            none.as_ptr(),
        ))?;
        set_no_new_privileges()
    }
}

/// Makes sure that no program gives privileges back.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn set_no_new_privileges() -> Result<(), SyscallError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())
}

/// Replaces the user's session keyring by a new one.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn leave_session_keyring() {
    // SAFETY: a null name asks for a new keyring. A kernel without keyrings has none to replace.
    unsafe {
        libc::syscall(
            libc::SYS_keyctl,
            JOIN_SESSION_KEYRING,
            std::ptr::null::<u8>(),
        );
    }
}
