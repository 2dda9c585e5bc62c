//! The children that this process started itself: which they are, and how they are reaped.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, WaitOptions, WaitStatus, pidfd_open, waitid, waitpid,
};

/// Locked while children are listed or reaped: the kernel's list skips an entry if another one is removed meanwhile.
static REGISTERED: Mutex<RegisteredChildren> = Mutex::new(RegisteredChildren(BTreeSet::new()));

/// Leaders and init processes that are not reaped yet: until then their numbers are their own.
#[derive(Debug)]
pub(crate) struct RegisteredChildren(BTreeSet<u32>);

pub(crate) fn lock_children() -> MutexGuard<'static, RegisteredChildren> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RegisteredChildren {
    /// Registers a child as soon as it has a number. A child that is listed before that belongs to no other command
    /// either; finding that out only takes longer.
    pub(crate) fn register(&mut self, child: Pid) {
        self.0.insert(raw_pid(child));
    }

    pub(crate) fn contains(&self, pid: u32) -> bool {
        self.0.contains(&pid)
    }

    /// To be called under the lock under which the child was reaped.
    fn unregister(&mut self, child: Pid) {
        self.0.remove(&raw_pid(child));
    }
}

/// Waits for the end of a child that is not registered, and reaps it.
pub(crate) fn reap_unregistered(child: i32) {
    let Some(pid) = Pid::from_raw(child) else {
        return;
    };
    // Without the lock, because threads that list children must not wait for it.
    let without_reaping = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid), without_reaping).err() == Some(Errno::INTR) {}
    let _lock = lock_children();
    waitpid(Some(pid), WaitOptions::empty()).ok();
}

/// Reaps a registered child that has exited or is about to.
pub(crate) fn reap_registered(child: Pid) -> Option<WaitStatus> {
    let mut registered = lock_children();
    let status = wait(child);
    registered.unregister(child);
    status
}

fn wait(pid: Pid) -> Option<WaitStatus> {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Err(Errno::INTR) => {}
            other => return other.ok().flatten().map(|(_, status)| status),
        }
    }
}

/// Returns a descriptor that becomes readable when a child exits.
pub(crate) fn exit_descriptor(child: Pid) -> io::Result<OwnedFd> {
    Ok(pidfd_open(child, PidfdFlags::empty())?)
}

/// Returns the number of a process.
pub(crate) fn raw_pid(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}
