//! The children of this process that it started itself: which they are, and how they are reaped.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, WaitOptions, WaitStatus, pidfd_open, waitid, waitpid,
};

/// Held while children are listed or reaped: the kernel's list skips an entry if another one leaves meanwhile.
static REGISTERED: Mutex<RegisteredChildren> = Mutex::new(RegisteredChildren(BTreeSet::new()));

/// Leaders of commands that are not yet reaped: until then their numbers are theirs.
#[derive(Debug)]
pub(crate) struct RegisteredChildren(BTreeSet<u32>);

pub(crate) fn lock_children() -> MutexGuard<'static, RegisteredChildren> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RegisteredChildren {
    /// Remembers a leader as soon as it has a number. One that is seen before belongs to nobody else either; finding
    /// that out just takes longer.
    pub(crate) fn register(&mut self, leader: Pid) {
        self.0.insert(raw_pid(leader));
    }

    pub(crate) fn contains(&self, pid: u32) -> bool {
        self.0.contains(&pid)
    }

    /// To be called before the lock under which it was reaped is given back.
    pub(crate) fn unregister(&mut self, leader: Pid) {
        self.0.remove(&raw_pid(leader));
    }
}

/// Waits for the end of a child that is nobody else's.
pub(crate) fn reap_unregistered(child: i32) {
    let Some(pid) = Pid::from_raw(child) else {
        return;
    };
    // Looks first, because whoever lists children must not be kept waiting.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid), look).err() == Some(Errno::INTR) {}
    let _lock = lock_children();
    waitpid(Some(pid), WaitOptions::empty()).ok();
}

/// Reaps a leader that has exited or is about to.
pub(crate) fn reap_registered(leader: Pid) -> Option<WaitStatus> {
    let mut leaders = lock_children();
    let status = wait(leader);
    leaders.unregister(leader);
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

pub(crate) fn raw_pid(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}
