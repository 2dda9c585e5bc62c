//! The `/proc` of a process namespace. For a forked child (see `child`).
#![expect(unsafe_code, reason = "mounts have no safe form here")]

use crate::confine::{self, Failed};
use crate::enclosure::Enclosure;
use crate::policy::Nesting;

/// What root may change by its number alone, whatever its capabilities are; and for the whole machine.
pub(crate) const OF_THE_MACHINE: [&std::ffi::CStr; 12] = [
    c"/proc/sys",
    c"/proc/sysrq-trigger",
    c"/proc/irq",
    c"/proc/bus",
    c"/proc/acpi",
    c"/proc/driver",
    c"/proc/dynamic_debug",
    c"/proc/fs",
    c"/proc/mtrr",
    c"/proc/pressure",
    c"/proc/scsi",
    c"/proc/tty",
];

/// Mounts it over the host's.
///
/// # Safety
/// To be called in a forked child only, in the process namespace it shows.
pub(crate) unsafe fn mount(enclosure: &Enclosure) -> Result<(), Failed> {
    // SAFETY: system calls on strings that end with zero.
    unsafe {
        let Some(last) = &enclosure.last_process else {
            let denied = enclosure.kind.nesting == Nesting::Denied;
            let flags = if denied { libc::MS_RDONLY } else { 0 };
            confine::mount(c"proc", c"/proc", libc::MS_NOEXEC | flags, c"")?;
            return protect(enclosure);
        };
        confine::mount(c"proc", c"/proc", libc::MS_NOEXEC, c"")?;
        confine::write(c"/proc/sys/kernel/pid_max", last.as_bytes())?;
        match enclosure.kind.nesting {
            Nesting::Denied => confine::freeze(c"/proc"),
            Nesting::Allowed => protect(enclosure),
        }
    }
}

/// A sandbox inside writes there who its user is, so it cannot be read-only as a whole.
///
/// # Safety
/// As `mount`.
unsafe fn protect(enclosure: &Enclosure) -> Result<(), Failed> {
    if !enclosure.as_root || enclosure.kind.nesting == Nesting::Denied {
        return Ok(());
    }
    for path in OF_THE_MACHINE {
        // SAFETY: as `mount`.
        unsafe {
            if libc::access(path.as_ptr(), libc::F_OK) == 0 {
                confine::protect(path)?;
            }
        }
    }
    Ok(())
}
