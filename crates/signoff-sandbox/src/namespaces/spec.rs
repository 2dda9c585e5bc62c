//! Namespaces for one command, laid out so that a child need not allocate.
//!
//! Three processes share the work. A *founder* makes the namespaces and mounts, starts the other two beside itself,
//! and is gone. The *guard* is the first process of the new process namespace: it does nothing but live, so the kernel
//! gives it orphans, which it need not reap, and when it dies the kernel ends everybody in there. The third becomes
//! the command. It is a child of ours like any other, so how it ended is exactly what it would be outside; were it
//! the first process itself, it could not be signalled, and what it leaves running would die before its output is read.

use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;

use crate::mounts::steps::{self, MountStep};
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::NamespaceKind;
use crate::namespaces::process_table::ProcessTable;
use crate::policy::Policy;

#[derive(Debug)]
pub(crate) struct NamespaceSpec {
    /// Where it is built.
    pub(crate) kind: NamespaceKind,
    /// What is mounted there already.
    pub(crate) kept: Option<KeptMounts>,
    pub(crate) steps: Vec<MountStep>,
    /// Trees that were taken, for the child to note.
    pub(crate) detached: Vec<Cell<RawFd>>,
    pub(crate) table: ProcessTable,
}

impl NamespaceSpec {
    pub(crate) fn new(policy: &Policy, kept: Option<&KeptMounts>) -> io::Result<Self> {
        let steps = match kept {
            Some(kept) if kept.is_unusable() => {
                return Err(io::Error::other(
                    "cannot confine the process: what an earlier command started could not be ended",
                ));
            }
            Some(_) => Vec::new(),
            None => steps::mount_steps(policy, rustix::process::geteuid().is_root())?,
        };
        Ok(Self {
            kind: NamespaceKind::of(policy),
            kept: kept.cloned(),
            detached: empty_slots(&steps),
            steps,
            table: ProcessTable::of(policy)?,
        })
    }

    /// Says what a child was doing that stopped after this many parts.
    pub(crate) fn part(&self, number: usize) -> String {
        part_name(&self.steps, number, "start the command")
    }
}

/// Says what a child was doing, of these steps, that stopped after this many parts.
pub(crate) fn part_name(steps: &[MountStep], number: usize, last: &str) -> String {
    const FIRST: [&str; 2] = ["enter namespaces", "make namespaces"];
    if let Some(part) = FIRST.get(number) {
        return (*part).to_owned();
    }
    let step = steps.get(number - FIRST.len());
    step.map_or_else(|| last.to_owned(), ToString::to_string)
}

/// Where a child notes the trees that these steps take.
pub(crate) fn empty_slots(steps: &[MountStep]) -> Vec<Cell<RawFd>> {
    let numbered = steps.iter().filter(|step| step.opens_mount());
    numbered.map(|_| Cell::new(-1)).collect()
}
