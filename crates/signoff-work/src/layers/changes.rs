//! What work changed.

use crate::git::{Difference, Id};

/// What work in a layer, or in a tree that was taken, changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerReport {
    /// What is versioned now: the base itself if nothing of it changed.
    pub tree: Id,
    /// The versioned paths that differ from the base, in order.
    pub changed: Vec<ChangedPath>,
    /// Ignored paths in which something changed, each the highest of its kind, in order. They are not recorded.
    pub ignored_roots: Vec<Vec<u8>>,
}

/// One versioned path that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// Where, relative to the tree's root.
    pub path: Vec<u8>,
    /// What became of it.
    pub kind: ChangeKind,
}

impl ChangedPath {
    /// The path as people read it and as the rest of the harness writes it.
    pub fn text(&self) -> String {
        crate::git::text(&self.path)
    }
}

impl From<Difference> for ChangedPath {
    fn from(difference: Difference) -> Self {
        let kind = match (&difference.before, &difference.after) {
            (None, _) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(_), Some(_)) => ChangeKind::Modified,
        };
        Self {
            path: difference.name,
            kind,
        }
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It is gone.
    Removed,
    /// Its content, its permissions or where it leads is another.
    Modified,
}

impl ChangeKind {
    /// `added`, `removed` or `modified`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
        }
    }
}
