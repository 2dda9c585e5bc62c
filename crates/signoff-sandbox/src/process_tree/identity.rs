//! Identifies a process beyond its number.

use std::io;

/// Identifies one process, so that a later process with the same number is not mistaken for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its number, which is also the number of its session and its process group.
    pub pid: u32,
    /// When it started, in clock ticks since boot (`/proc/<pid>/stat`, field 22).
    pub starttime: u64,
    /// The boot that it started after (`/proc/sys/kernel/random/boot_id`).
    pub boot_id: String,
}

impl ProcessIdentity {
    /// Identifies a process that is known to exist.
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let process = crate::process_tree::proc::stat(pid).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self {
            pid,
            starttime: process.starttime,
            boot_id: crate::process_tree::proc::boot_id().to_owned(),
        })
    }
}
