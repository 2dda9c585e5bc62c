//! Reports of landing files in the checkout and of taking them back.

use std::collections::BTreeMap;

use crate::git::names::{Name, text};
use crate::git::{HoldReason, Id};

/// A file that was left as it is in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: HoldReason,
}

/// The result of landing files in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandReport {
    /// The tree that the checkout and the run agree on now, for the next join or landing.
    pub base: Id,
    /// What an undo takes back.
    pub landed: LandedFiles,
    /// Paths that were written or removed, merged ones too.
    pub written: Vec<String>,
    /// Paths that have lines of the person and of the run now.
    pub merged: Vec<String>,
    /// Paths that were left alone.
    pub held: Vec<HeldFile>,
}

/// What a landing changed in the checkout: the difference between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedFiles {
    /// Before.
    pub from: Id,
    /// Afterwards, without what a person changed in the same files.
    pub to: Id,
}

/// The result of taking landings back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnlandReport {
    /// Paths that are as they were before the run.
    pub restored: Vec<String>,
    /// Paths that the run had made, and that are gone.
    pub deleted: Vec<String>,
    /// Paths that were changed after the landing, and have that change without those of the run.
    pub merged: Vec<String>,
    /// Paths that were left as they are.
    pub held: Vec<HeldFile>,
    /// What is left of the landings: those paths. Taking these back tries them again, and touches nothing else.
    pub left: Vec<LandedFiles>,
}

pub(crate) fn held_files(held: BTreeMap<Name, HoldReason>) -> Vec<HeldFile> {
    let files = held.into_iter().map(|(name, reason)| HeldFile {
        path: text(&name),
        reason,
    });
    files.collect()
}
