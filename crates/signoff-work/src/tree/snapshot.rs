//! What a workspace looked like, and how two looks differ.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{Entry, Stamp, TreePath, shown};
use super::rules::Rules;

/// What was seen, ordered by path.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) entries: Vec<Entry>,
    /// Directories with their permissions.
    pub(super) folders: BTreeMap<TreePath, u32>,
    pub(super) rules: Rules,
    pub(super) warnings: Vec<String>,
}

impl Tree {
    pub(super) fn find(&self, path: &[u8]) -> Option<&Entry> {
        let at = self
            .entries
            .binary_search_by(|entry| (*entry.path).cmp(path))
            .ok()?;
        self.entries.get(at)
    }
}

/// What a workspace looked like at one moment. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Snapshot(Arc<Tree>);

impl Snapshot {
    pub(super) fn new(tree: Arc<Tree>) -> Self {
        Self(tree)
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.0
    }

    /// How many files, links and other things there are.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// The paths, in order. Names that are not UTF-8 are shown as well as they can be.
    pub fn paths(&self) -> impl Iterator<Item = String> + '_ {
        self.0.entries.iter().map(|entry| shown(&entry.path))
    }

    /// What is not watched or could not be undone, for people. Empty is as it should be.
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
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

/// One file that differs between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where, with `/`. A name that is not UTF-8 is shown as well as it can be.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Git ignores it now and did not before: a new `node_modules`, or something to hide.
    pub ignored_now: bool,
    pub(super) exact: TreePath,
    /// How it looked after the change.
    pub(super) after: Option<Stamp>,
}

pub(super) fn changes(before: &Tree, after: &Tree) -> Vec<Change> {
    let mut found = Vec::new();
    let (mut old, mut new) = (
        before.entries.iter().peekable(),
        after.entries.iter().peekable(),
    );
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(two)) => one.path.cmp(&two.path),
        };
        let was = (order != Ordering::Greater).then(|| old.next()).flatten();
        let is = (order != Ordering::Less).then(|| new.next()).flatten();
        found.extend(change(was, is));
    }
}

fn change(was: Option<&Entry>, is: Option<&Entry>) -> Option<Change> {
    let kind = match (was, is) {
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Removed,
        (Some(was), Some(is)) if !was.is_same(is) => ChangeKind::Modified,
        _ => return None,
    };
    let path = &is.or(was)?.path;
    Some(Change {
        path: shown(path),
        kind,
        ignored_now: is.is_some_and(|is| is.ignored_now),
        exact: path.clone(),
        after: is.map(|is| is.stamp),
    })
}
