//! The namespaces that one command at a time lives in, as a setup process enters them.
#![expect(unsafe_code, reason = "namespaces have no safe form here")]

use std::ffi::c_int;
use std::io;

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::SyscallResult;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::PooledNamespaces;
use crate::namespaces::spec::NamespaceSpec;

#[derive(Debug)]
pub(crate) enum CommandNamespaces {
    /// Mounts and PID namespace are made for this command.
    New(PooledNamespaces),
    /// Mounts and PID namespace exist, with an init process; the next command may use them too.
    Kept(KeptMounts),
}

impl CommandNamespaces {
    pub(crate) fn for_command(spec: &NamespaceSpec, stack: &mut ChildStack) -> io::Result<Self> {
        match &spec.kept {
            Some(kept) => Ok(Self::Kept(kept.clone())),
            None => PooledNamespaces::take(spec.kind, stack).map(Self::New),
        }
    }

    /// Moves the calling process there, which gets all capabilities in it.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> SyscallResult {
        // SAFETY: as this function.
        unsafe {
            match self {
                Self::New(namespaces) => namespaces.enter(),
                Self::Kept(mounts) => mounts.enter(),
            }
        }
    }

    /// Returns the flags of the namespaces that each command gets for itself. IPC is always one of them: what a
    /// command leaves in System V shared memory and in queues could not be checked for.
    pub(crate) fn still_to_make(&self) -> c_int {
        match self {
            Self::New(_) => libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC,
            Self::Kept(_) => libc::CLONE_NEWIPC,
        }
    }
}
