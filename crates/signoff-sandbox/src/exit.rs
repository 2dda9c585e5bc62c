//! A descriptor that becomes readable when a child exits.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

#[cfg(target_os = "linux")]
pub(crate) fn descriptor(child: Pid) -> io::Result<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    Ok(pidfd_open(child, PidfdFlags::empty())?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn descriptor(child: Pid) -> io::Result<OwnedFd> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};

    let (ours, theirs) = io::pipe()?;
    std::thread::Builder::new()
        .name("signoff-exit".to_owned())
        .spawn(move || {
            // Looks without reaping: the number stays the child's until its tree is gone. The pipe then closes.
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while waitid(WaitId::Pid(child), look).err() == Some(rustix::io::Errno::INTR) {}
            drop(theirs);
        })?;
    Ok(ours.into())
}
