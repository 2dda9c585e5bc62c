//! The namespaces that one command at a time lives in.
#![expect(unsafe_code, reason = "namespaces have no safe form here")]

use std::ffi::c_int;
use std::io;

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::SyscallError;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::Ground;
use crate::namespaces::spec::Enclosure;

#[derive(Debug)]
pub(crate) enum Place {
    /// Its mounts are still to be made, and nobody is there.
    Bare(Ground),
    /// With mounts that the next command may find again, and a guard.
    Furnished(KeptMounts),
}

impl Place {
    pub(crate) fn for_command(enclosure: &Enclosure, stack: &mut ChildStack) -> io::Result<Self> {
        match &enclosure.kept {
            Some(kept) => Ok(Self::Furnished(kept.clone())),
            None => Ground::take(enclosure.kind, stack).map(Self::Bare),
        }
    }

    /// Moves the calling process there, which gets all rights in it.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> Result<(), SyscallError> {
        // SAFETY: as this function.
        unsafe {
            match self {
                Self::Bare(ground) => ground.enter(),
                Self::Furnished(mounts) => mounts.enter(),
            }
        }
    }

    /// The namespaces that a command gets for itself alone. What it leaves in shared memory of System V, and in queues,
    /// is out of anybody's sight, so that it never finds any.
    pub(crate) fn still_to_make(&self) -> c_int {
        match self {
            Self::Bare(_) => libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC,
            Self::Furnished(_) => libc::CLONE_NEWIPC,
        }
    }
}
