//! The `/proc` of a PID namespace, mounted by a forked child.
#![expect(unsafe_code, reason = "mounts have no safe form here")]

use std::ffi::CString;
use std::io;
use std::sync::OnceLock;

use crate::after_fork::syscall::{self, SyscallError};
use crate::mounts::apply;
use crate::policy::{Nesting, Policy};

/// How many of the first process numbers the kernel does not use again.
const RESERVED_NUMBERS: u32 = 301;

/// What a command may do with its `/proc`.
#[derive(Debug)]
pub(crate) struct ProcessTable {
    nesting: Nesting,
    /// The highest process number, which limits how many processes there are. For root, which has no limit per user.
    last_process: Option<CString>,
    as_root: bool,
}

impl ProcessTable {
    pub(crate) fn of(policy: &Policy) -> io::Result<Self> {
        let as_root = rustix::process::geteuid().is_root();
        let last = |count: u32| CString::new(count.saturating_add(RESERVED_NUMBERS).to_string());
        let processes = policy
            .processes
            .filter(|_| as_root && numbers_are_per_namespace());
        Ok(Self {
            nesting: policy.nesting,
            last_process: processes.map(last).transpose()?,
            as_root,
        })
    }
}

/// What root may change for the whole machine by its user id alone, even without capabilities.
pub(crate) const MACHINE_WIDE: [&std::ffi::CStr; 12] = [
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

/// Mounts `/proc` over the host's.
///
/// # Safety
/// To be called in a forked child only, in the PID namespace that it shows.
pub(crate) unsafe fn mount(table: &ProcessTable) -> Result<(), SyscallError> {
    // SAFETY: system calls on strings that end with zero.
    unsafe {
        let Some(last) = &table.last_process else {
            let denied = table.nesting == Nesting::Denied;
            let flags = if denied { libc::MS_RDONLY } else { 0 };
            apply::mount(c"proc", c"/proc", libc::MS_NOEXEC | flags, c"")?;
            return protect(table);
        };
        apply::mount(c"proc", c"/proc", libc::MS_NOEXEC, c"")?;
        syscall::write_file(c"/proc/sys/kernel/pid_max", last.as_bytes())?;
        match table.nesting {
            Nesting::Denied => apply::make_read_only(c"/proc"),
            Nesting::Allowed => protect(table),
        }
    }
}

/// Protects the machine where the whole `/proc` cannot be read-only: a nested sandbox writes its id maps there.
///
/// # Safety
/// As `mount`.
unsafe fn protect(table: &ProcessTable) -> Result<(), SyscallError> {
    if !table.as_root || table.nesting == Nesting::Denied {
        return Ok(());
    }
    for path in MACHINE_WIDE {
        // SAFETY: as `mount`.
        unsafe {
            if libc::access(path.as_ptr(), libc::F_OK) == 0 {
                apply::remount_read_only_copy(path)?;
            }
        }
    }
    Ok(())
}

/// Whether a PID namespace has a highest process number of its own. Before Linux 6.14 there is one for the whole
/// machine, and root can change it from any namespace.
fn numbers_are_per_namespace() -> bool {
    static ARE: OnceLock<bool> = OnceLock::new();
    *ARE.get_or_init(|| {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut numbers = release
            .split(['.', '-'])
            .map_while(|part| part.parse().ok());
        let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        version >= (6, 14)
    })
}
