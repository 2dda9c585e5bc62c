//! User and network namespaces, made once and used by one command after the other.
//!
//! Making a network namespace takes longer than starting a command. Nothing of a command stays in either namespace: it
//! has no capabilities in them, so it cannot change them, and its sockets are gone when all its processes are. What can
//! outlive processes (mounts, shared memory, the process table) is made for each command.
#![expect(unsafe_code, reason = "namespaces have no safe form here")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::{self, SyscallResult};
use crate::namespaces::make::make_namespaces;
use crate::policy::{Nesting, Network, Policy};

/// How many unused ones are kept.
const MAX_UNUSED: usize = 64;

static UNUSED: Mutex<Vec<PooledNamespaces>> = Mutex::new(Vec::new());

/// A user namespace, and a network namespace where the network is off. One command at a time lives in them.
#[derive(Debug)]
pub(crate) struct PooledNamespaces {
    pub(crate) kind: NamespaceKind,
    pub(crate) user: OwnedFd,
    pub(crate) network: Option<OwnedFd>,
}

/// What a command may do in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamespaceKind {
    pub(crate) network: Network,
    pub(crate) nesting: Nesting,
}

impl NamespaceKind {
    pub(crate) fn of(policy: &Policy) -> Self {
        Self {
            network: policy.network,
            nesting: policy.nesting,
        }
    }
}

impl PooledNamespaces {
    /// Takes unused ones out of the pool, or makes new ones.
    pub(crate) fn take(kind: NamespaceKind, stack: &mut ChildStack) -> io::Result<Self> {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = unused.iter().position(|one| one.kind == kind) {
            return Ok(unused.swap_remove(index));
        }
        drop(unused);
        make_namespaces(kind, stack)
    }

    /// Puts them back into the pool. No process is left in them.
    pub(crate) fn give_back(self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < MAX_UNUSED {
            unused.push(self);
        }
    }

    /// Moves the calling process there, which gets all capabilities in them.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> SyscallResult {
        // SAFETY: plain system calls.
        unsafe {
            syscall::check(libc::setns(self.user.as_raw_fd(), libc::CLONE_NEWUSER).into())?;
            match &self.network {
                Some(network) => {
                    syscall::check(libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET).into())
                }
                None => Ok(()),
            }
        }
    }
}
