//! What is ignored during a run: decided by the run's first tree and the person's own excludes.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::{GitError, HarnessGit, Id, Name};
use crate::tree::{Patterns, split};

/// The ignore rules of one tree. They stay what they are, whatever becomes of `.gitignore` files.
#[derive(Debug)]
pub struct IgnoreRules {
    tree: Id,
    /// `core.excludesFile` and `info/exclude`.
    personal: Patterns,
    /// By the directory that the `.gitignore` file lies in; the root is empty.
    folders: BTreeMap<Name, Patterns>,
    /// Files of the tree that the rules would ignore. They are versioned all the same.
    tracked: BTreeSet<Name>,
    /// The directories that those files lie in.
    tracked_folders: BTreeSet<Name>,
}

/// What a path is to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathClass {
    /// A change of it is work.
    Versioned,
    /// Nothing at it or below it is recorded.
    Ignored,
    /// An ignored directory with versioned files in it.
    Mixed,
}

impl IgnoreRules {
    /// The rules of a tree or commit, as its own `.gitignore` files and the person's excludes have them now.
    pub fn of_tree(own: &HarnessGit, tree: &Id) -> Result<Self, GitError> {
        let files = own.files_of(tree)?;
        let is_rules = |name: &[u8]| split(name).1 == b".gitignore";
        let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
        // A link is not a rule file, as in git.
        let sources = files
            .iter()
            .filter(|entry| is_rules(&entry.name) && is_file(entry.mode));
        let (folders, ids): (Vec<Name>, Vec<Id>) = sources
            .map(|entry| (split(&entry.name).0.to_vec(), entry.id.clone()))
            .unzip();
        let texts = own.blobs(&ids)?;
        let patterns = texts.iter().map(|text| Patterns::read(text));
        let mut rules = Self {
            tree: tree.clone(),
            personal: Patterns::read(&own.excludes()?),
            folders: folders.into_iter().zip(patterns).collect(),
            tracked: BTreeSet::new(),
            tracked_folders: BTreeSet::new(),
        };
        rules.keep_tracked(files.into_iter().map(|entry| entry.name));
        Ok(rules)
    }

    fn keep_tracked(&mut self, names: impl Iterator<Item = Name>) {
        // Of each directory, whether a rule covers it or one above.
        let mut covered: BTreeMap<Name, bool> = BTreeMap::new();
        for name in names {
            let folder = split(&name).0;
            let above = self.is_folder_covered(folder, &mut covered);
            if self.covers(above, &name, false) {
                self.tracked_folders.extend(folders_above(&name));
                self.tracked.insert(name);
            }
        }
    }

    fn is_folder_covered(&self, folder: &[u8], known: &mut BTreeMap<Name, bool>) -> bool {
        if folder.is_empty() {
            return false;
        }
        if let Some(known) = known.get(folder) {
            return *known;
        }
        let above = self.is_folder_covered(split(folder).0, known);
        let covered = self.covers(above, folder, true);
        known.insert(folder.to_vec(), covered);
        covered
    }

    /// Whether a path is ignored: by a rule for it or for a directory above it. A file of the first tree never is, nor
    /// is a directory that holds one.
    pub fn is_ignored(&self, path: &[u8], is_folder: bool) -> bool {
        let above = folders_above(path).any(|folder| self.verdict(&folder, true));
        let covered = self.covers(above, path, is_folder);
        self.class(covered, path, is_folder) == PathClass::Ignored
    }

    /// Whether rules cover a path; `above`: they cover a directory above it.
    pub(super) fn covers(&self, above: bool, path: &[u8], is_folder: bool) -> bool {
        // Nothing can be taken out of an ignored directory again.
        above || self.verdict(path, is_folder)
    }

    /// Whether an ignore rule matches this directory or one above it, tracked or not; the root never matches.
    pub(super) fn is_covered(&self, folder: &[u8]) -> bool {
        let above = folders_above(folder).any(|above| self.verdict(&above, true));
        !folder.is_empty() && self.covers(above, folder, true)
    }

    /// Does the tree have a `.gitignore` in this directory?
    pub(super) fn has_ignore_file(&self, folder: &[u8]) -> bool {
        self.folders.contains_key(folder)
    }

    /// The tree that the rules are of.
    pub(super) fn tree(&self) -> &Id {
        &self.tree
    }

    /// What a path is that rules cover or do not.
    pub(super) fn class(&self, covered: bool, path: &[u8], is_folder: bool) -> PathClass {
        let tracked = if is_folder {
            &self.tracked_folders
        } else {
            &self.tracked
        };
        match (covered, tracked.contains(path)) {
            (false, _) => PathClass::Versioned,
            (true, false) => PathClass::Ignored,
            (true, true) if is_folder => PathClass::Mixed,
            (true, true) => PathClass::Versioned,
        }
    }

    /// What the rules say of the path itself. The file nearest to it that says anything decides.
    fn verdict(&self, path: &[u8], is_folder: bool) -> bool {
        let mut folder = split(path).0;
        loop {
            let start = if folder.is_empty() {
                0
            } else {
                folder.len() + 1
            };
            let relative = &path[start..];
            let patterns = self.folders.get(folder);
            if let Some(verdict) = patterns.and_then(|file| file.verdict(relative, is_folder)) {
                return verdict;
            }
            if folder.is_empty() {
                return self.personal.verdict(path, is_folder).unwrap_or(false);
            }
            folder = split(folder).0;
        }
    }
}

/// The directories above a path, the highest first.
pub(super) fn folders_above(path: &[u8]) -> impl Iterator<Item = Name> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.filter_map(|(at, _)| path.get(..at).map(<[u8]>::to_vec))
}
