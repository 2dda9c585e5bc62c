//! What comes of bringing files into the checkout, and of taking them back.

use std::collections::BTreeMap;
use std::fmt;

use super::Id;
use super::names::{Name, text};

/// A file that was left as it is in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: HoldReason,
}

/// Why a file was left as it is in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldReason {
    /// A person changed it too, and the two changes do not go together.
    Conflict,
    /// A file that git ignores is in its place.
    Ignored,
    /// A directory, a link or a special file is in its place, or in the place of a directory that it lies in.
    InTheWay,
    /// It has to pass this filter of the person's configuration, a program that the harness does not run.
    Filter(String),
    /// It was written again and again meanwhile.
    Changing,
    /// The file system refuses.
    Refused(String),
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("it was changed here too, and the changes conflict"),
            Self::Ignored => f.write_str("a file that git ignores is in its place"),
            Self::InTheWay => f.write_str("a directory, a link or a special file is in its place"),
            Self::Filter(filter) => write!(
                f,
                "it has to pass the filter `{filter}`, a program that is not run here"
            ),
            Self::Changing => f.write_str("it changes just now"),
            Self::Refused(said) => f.write_str(said),
        }
    }
}

/// What came of bringing files into the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandReport {
    /// The tree that the checkout and the run agree on now, for the next join or landing.
    pub base: Id,
    /// What to take back one day.
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

/// What came of taking landings back.
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

pub(super) fn held_files(held: BTreeMap<Name, HoldReason>) -> Vec<HeldFile> {
    let files = held.into_iter().map(|(name, reason)| HeldFile {
        path: text(&name),
        reason,
    });
    files.collect()
}
