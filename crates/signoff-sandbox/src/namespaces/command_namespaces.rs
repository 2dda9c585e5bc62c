//! The namespaces that one command at a time lives in.
#![expect(unsafe_code, reason = "namespaces have no safe form here")]

use std::ffi::c_int;
use std::io;

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::SyscallError;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::PooledNamespaces;
use crate::namespaces::spec::NamespaceSpec;

#[derive(Debug)]
pub(crate) enum CommandNamespaces {
    /// Its mounts are still to be made, and nobody is there.
    New(PooledNamespaces),
    /// With mounts that the next command may find again, and a guard.
    Kept(KeptMounts),
}

impl CommandNamespaces {
    pub(crate) fn for_command(
        namespaces: &NamespaceSpec,
        stack: &mut ChildStack,
    ) -> io::Result<Self> {
        match &namespaces.kept {
            Some(kept) => Ok(Self::Kept(kept.clone())),
            None => PooledNamespaces::take(namespaces.kind, stack).map(Self::New),
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
                Self::New(ground) => ground.enter(),
                Self::Kept(mounts) => mounts.enter(),
            }
        }
    }

    /// The namespaces that a command gets for itself alone. What it leaves in shared memory of System V, and in queues,
    /// is out of anybody's sight, so that it never finds any.
    pub(crate) fn still_to_make(&self) -> c_int {
        match self {
            Self::New(_) => libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC,
            Self::Kept(_) => libc::CLONE_NEWIPC,
        }
    }
}
