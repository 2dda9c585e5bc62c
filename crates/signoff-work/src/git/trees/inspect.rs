//! What a change is beyond the names of its files.

use std::collections::BTreeSet;

use crate::git::entries::{GITLINK, LINK};
use crate::git::names::{name, text};
use crate::git::{GitError, HarnessGit, Id, TreeDepth};

/// What differs between two commits or trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InspectReport {
    /// Paths. A moved file is two of them.
    pub files: Vec<String>,
    /// The removed ones among them.
    pub removed: BTreeSet<String>,
    /// The symbolic links among them, each with its target.
    pub links: Vec<(String, String)>,
    /// The added ones among them.
    pub added: BTreeSet<String>,
    /// Manifests of cargo among them, with what they said before and say now.
    pub manifests: Vec<Manifest>,
}

/// A manifest that differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Settings of runners are not larger than this. An agent may write one of any size.
const LARGEST_TEXT: u64 = 4 << 20;

/// To ask for more paths takes longer than to look at all.
const MANY_PATHS: usize = 1_000;

/// In place of a text that is larger.
const TOO_LARGE: &str = "\u{0}";

impl HarnessGit {
    /// Says what differs between two commits or trees.
    pub fn inspect(&self, from: &Id, to: &Id) -> Result<InspectReport, GitError> {
        let mut report = InspectReport::default();
        let (mut links, mut targets) = (Vec::new(), Vec::new());
        for difference in self.differences(from, to)? {
            let path = text(&difference.name);
            if difference.before.is_none() {
                report.added.insert(path.clone());
            }
            if difference.name.split(|byte| *byte == b'/').next_back() == Some(b"Cargo.toml") {
                let [before, after] =
                    self.texts_of([difference.before.as_ref(), difference.after.as_ref()])?;
                report.manifests.push(Manifest {
                    path: path.clone(),
                    before,
                    after,
                });
            }
            match difference.after {
                None => {
                    report.removed.insert(path.clone());
                }
                Some((LINK, id)) => {
                    links.push(path.clone());
                    targets.push(id);
                }
                Some(_) => {}
            }
            report.files.push(path);
        }
        let targets = self.blobs(&targets)?;
        let targets = targets
            .iter()
            .map(|target| String::from_utf8_lossy(target).into_owned());
        report.links = links.into_iter().zip(targets).collect();
        Ok(report)
    }

    /// What files say, where they are files. Of one that is too large to be read nothing is known, and no reader takes that for
    /// a text of its kind.
    fn texts_of<const N: usize>(
        &self,
        entries: [Option<&(u32, Id)>; N],
    ) -> Result<[Option<String>; N], GitError> {
        let files = entries.map(|entry| entry.filter(|(mode, _)| ![LINK, GITLINK].contains(mode)));
        let ids: Vec<Id> = files.iter().flatten().map(|(_, id)| id.clone()).collect();
        let mut read = self.small_texts(&ids)?.into_iter();
        Ok(files.map(|file| file.and_then(|_| read.next())))
    }

    /// The texts of these objects, a line that says nothing in place of each that is too large.
    fn small_texts(&self, ids: &[Id]) -> Result<Vec<String>, GitError> {
        let sizes = self.sizes(ids)?;
        let is_small = |size: &u64| *size <= LARGEST_TEXT;
        let pairs = ids.iter().zip(&sizes);
        let small: Vec<Id> = (pairs.filter(|(_, size)| is_small(size)))
            .map(|(id, _)| id.clone())
            .collect();
        let mut read = self.blobs(&small)?.into_iter();
        let text = |size: &u64| {
            let content = is_small(size).then(|| read.next()).flatten();
            content.map_or_else(
                || TOO_LARGE.to_owned(),
                |content| String::from_utf8_lossy(&content).into_owned(),
            )
        };
        Ok(sizes.iter().map(text).collect())
    }

    /// What the files at these paths of a commit or tree say. Those that are not there are left out.
    pub fn texts_at(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<Vec<(String, String)>, GitError> {
        self.texts(tree, paths, TreeDepth::Entries)
    }

    /// The same, also of the files in those of these paths that are directories.
    pub fn texts_below(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<Vec<(String, String)>, GitError> {
        self.texts(tree, paths, TreeDepth::Files)
    }

    fn texts(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
        depth: TreeDepth,
    ) -> Result<Vec<(String, String)>, GitError> {
        let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
        let mut found = self.entries_at(tree, &names, depth)?;
        found.retain(|entry| matches!(entry.mode, 0o100_644 | 0o100_755));
        let ids: Vec<Id> = found.iter().map(|entry| entry.id.clone()).collect();
        let texts = self.small_texts(&ids)?;
        let paths = found.iter().map(|entry| text(&entry.name));
        Ok(paths.zip(texts).collect())
    }

    /// The paths among these that a commit or tree has, as files or as directories.
    pub fn paths_in(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, GitError> {
        if paths.len() > MANY_PATHS {
            return self.paths_among_all(tree, paths);
        }
        let names: Vec<_> = paths.iter().map(|path| name(path)).collect();
        let found = self.entries_at(tree, &names, TreeDepth::Entries)?;
        Ok(found.iter().map(|entry| text(&entry.name)).collect())
    }

    /// The same by one look at the whole tree.
    fn paths_among_all(
        &self,
        tree: &Id,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, GitError> {
        let mut found = BTreeSet::new();
        for entry in self.files_of(tree)? {
            let path = text(&entry.name);
            let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
            let named = folders
                .chain([path.as_str()])
                .filter(|one| paths.contains(*one));
            found.extend(named.map(str::to_owned));
        }
        Ok(found)
    }

    /// The files of a commit or tree whose paths end in one of these, by whole names.
    pub fn paths_ending(
        &self,
        tree: &Id,
        endings: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, GitError> {
        if endings.is_empty() {
            return Ok(BTreeSet::new());
        }
        let ends = |path: &String| {
            let parts = path
                .match_indices('/')
                .filter_map(|(at, _)| path.get(at + 1..));
            std::iter::once(path.as_str())
                .chain(parts)
                .any(|part| endings.contains(part))
        };
        let files = self.files_of(tree)?.into_iter();
        Ok(files.map(|entry| text(&entry.name)).filter(ends).collect())
    }
}
