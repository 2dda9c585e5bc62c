//! The namespaces of one command, described so that a child need not allocate.

use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;

use crate::mounts::step::MountStep;
use crate::mounts::steps::mount_steps;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::NamespaceKind;
use crate::namespaces::process_table::ProcessTable;
use crate::policy::Policy;

#[derive(Debug)]
pub(crate) struct NamespaceSpec {
    /// The user and network namespaces.
    pub(crate) kind: NamespaceKind,
    /// Mounts that exist already; then there are no steps.
    pub(crate) kept: Option<KeptMounts>,
    pub(crate) steps: Vec<MountStep>,
    /// Mounts that steps open, for later steps to attach.
    pub(crate) detached: Vec<Cell<RawFd>>,
    pub(crate) table: ProcessTable,
}

impl NamespaceSpec {
    pub(crate) fn new(policy: &Policy, kept: Option<&KeptMounts>) -> io::Result<Self> {
        let steps = match kept {
            Some(kept) if kept.is_unusable() => {
                return Err(io::Error::other(
                    "cannot confine the process: processes of an earlier command could not be ended",
                ));
            }
            Some(_) => Vec::new(),
            None => mount_steps(policy, rustix::process::geteuid().is_root())?,
        };
        Ok(Self {
            kind: NamespaceKind::of(policy),
            kept: kept.cloned(),
            detached: detached_slots(&steps),
            steps,
            table: ProcessTable::of(policy)?,
        })
    }

    /// Names the step that a setup process was at after this many steps.
    pub(crate) fn step_name(&self, steps_done: usize) -> String {
        step_name(&self.steps, steps_done, "start the command")
    }
}

/// Names the step that a child was at after this many steps, of which these are the mounts and `last` comes after.
pub(crate) fn step_name(steps: &[MountStep], steps_done: usize, last: &str) -> String {
    const FIRST: [&str; 2] = ["enter namespaces", "make namespaces"];
    if let Some(name) = FIRST.get(steps_done) {
        return (*name).to_owned();
    }
    let step = steps.get(steps_done - FIRST.len());
    step.map_or_else(|| last.to_owned(), ToString::to_string)
}

/// Returns a slot for each mount that these steps open.
pub(crate) fn detached_slots(steps: &[MountStep]) -> Vec<Cell<RawFd>> {
    let opening = steps.iter().filter(|step| step.opens_mount());
    opening.map(|_| Cell::new(-1)).collect()
}
