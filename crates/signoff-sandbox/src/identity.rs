//! Which process it is, beyond its number.

use std::io;

/// Names one process so that a later process with the same number is not mistaken for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Process number; also the number of its session and its process group.
    pub pid: u32,
    /// When it started, in clock ticks since boot (`/proc/<pid>/stat`, field 22).
    pub starttime: u64,
    /// Which boot that was (`/proc/sys/kernel/random/boot_id`).
    pub boot_id: String,
}

impl Identity {
    /// Identifies a process that is known to exist.
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let process = crate::proc::stat(pid).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self {
            pid,
            starttime: process.starttime,
            boot_id: crate::proc::boot_id().to_owned(),
        })
    }
}
