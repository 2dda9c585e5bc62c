//! Records what is in a working tree as a tree of git.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::git::entries::GITLINK;
use crate::git::names::{
    Name, except, lies_within, nul_separated, nul_terminated, path, path_texts,
};
use crate::git::{GitError, HarnessGit, Id};
pub(crate) use crate::tree::check::Unreadable;
use crate::tree::check::{TreeError, TreeLimits, TreeOptions, check_tree};

/// An untracked file that is larger is left out: agents cannot leave such files either.
pub const LARGEST_OF_PERSON: u64 = 2 << 30;

/// How often `git add` is tried when a file vanishes while it runs.
const TRIES: usize = 5;

/// Repositories within repositories: deeper nesting is an attack.
const DEEPEST: usize = 16;

/// A working tree to record.
#[derive(Debug)]
pub(crate) struct Scan<'l> {
    pub(crate) tree: &'l Path,
    /// Changed to what is there. Somewhere temporary: it must never be seen half done.
    pub(crate) index: &'l Path,
    /// What `kept` paths are taken from: a commit or a tree.
    pub(crate) base: &'l Id,
    /// Neither read nor changed.
    pub(crate) kept: &'l [Name],
    /// Not read.
    pub(crate) excluded: &'l [Name],
    pub(crate) unreadable: Unreadable,
}

impl HarnessGit {
    /// Makes the index hold what the working tree holds.
    pub(crate) fn scan(&self, scan: &Scan<'_>) -> Result<(), GitError> {
        let left_out = self.check(scan)?;
        if left_out.is_empty() {
            return self.scan_tree(scan, 0);
        }
        let excluded = [scan.excluded, &left_out].concat();
        let excluded = excluded.as_slice();
        self.scan_tree(&Scan { excluded, ..*scan }, 0)
    }

    /// Fails if git would block, run for hours, or overlook something. Returns the paths that are left out of a
    /// person's checkout.
    fn check(&self, scan: &Scan<'_>) -> Result<Vec<Name>, GitError> {
        let limits = TreeLimits::default();
        let entries = match scan.unreadable {
            Unreadable::Error => limits.entries,
            // The person's own files are not limited.
            Unreadable::LeftOut => u64::MAX,
        };
        let options = TreeOptions {
            // Only sizes of files that are not ignored count; `check_sizes` asks for them where it matters.
            limits: TreeLimits {
                entries,
                bytes: u64::MAX,
                largest: u64::MAX,
                ..limits
            },
            unreadable: scan.unreadable,
            is_left_out: &|path, _| {
                lies_within(path, scan.kept) || lies_within(path, scan.excluded)
            },
            stop: self.repository.git.stop_flag(),
        };
        let report = check_tree(scan.tree, &options).map_err(|error| scan.error(error))?;
        let is_large = report.bytes > limits.bytes || report.largest > limits.largest;
        match scan.unreadable {
            Unreadable::Error if is_large => self.check_sizes(scan, limits)?,
            Unreadable::Error => {}
            Unreadable::LeftOut => {
                // Git fails where a pipe is in the place of a file that it knows.
                let special = report.special.iter();
                let mut names: Vec<Name> = special
                    .map(|path| path.as_os_str().as_bytes().to_vec())
                    .collect();
                if report.largest > LARGEST_OF_PERSON {
                    names.extend(self.large_untracked(scan)?);
                }
                return Ok(names);
            }
        }
        Ok(Vec::new())
    }

    /// Untracked files that git would read for minutes.
    fn large_untracked(&self, scan: &Scan<'_>) -> Result<Vec<Name>, GitError> {
        let words = ["ls-files", "--others", "--exclude-standard", "-z"];
        let out = self.call_in(scan.tree, scan.index).args(words).run()?;
        let is_large = |name: &&[u8]| {
            let found = scan.tree.join(path(name)).symlink_metadata();
            found.is_ok_and(|found| found.is_file() && found.len() > LARGEST_OF_PERSON)
        };
        let large = nul_separated(&out).filter(is_large);
        Ok(large.map(<[u8]>::to_vec).collect())
    }

    /// The files that git would read must not be larger than the limits.
    fn check_sizes(&self, scan: &Scan<'_>, limits: TreeLimits) -> Result<(), GitError> {
        let words = [
            "ls-files",
            "--others",
            "--modified",
            "--exclude-standard",
            "-z",
        ];
        let out = self.call_in(scan.tree, scan.index).args(words).run()?;
        let mut bytes: u64 = 0;
        for name in nul_separated(&out) {
            if lies_within(name, scan.kept) || lies_within(name, scan.excluded) {
                continue;
            }
            let name = path(name);
            let found = scan.tree.join(name).symlink_metadata();
            let size = found.map_or(0, |found| found.len());
            if size > limits.largest {
                let (path, limit) = (name.into(), limits.largest);
                return Err(scan.error(TreeError::TooLarge { path, size, limit }));
            }
            bytes = bytes.saturating_add(size);
        }
        if bytes > limits.bytes {
            let limit = limits.bytes;
            return Err(scan.error(TreeError::TooMuch { limit }));
        }
        Ok(())
    }

    fn scan_tree(&self, scan: &Scan<'_>, depth: usize) -> Result<(), GitError> {
        let mut nested = BTreeSet::new();
        if let Err(error) = self.git_add(scan, &nested) {
            // One without a commit cannot even be mistaken for a submodule.
            nested = self.nested_repositories(scan)?;
            if nested.is_empty() {
                return Err(error);
            }
            self.git_add(scan, &nested)?;
        }
        let mut corrected = Vec::new();
        for difference in self.index_differences(scan.index, scan.base)? {
            if lies_within(&difference.name, scan.kept) {
                corrected.push((difference.name, difference.before));
            } else if difference.after.is_some_and(|(mode, _)| mode == GITLINK) {
                corrected.push((difference.name.clone(), None));
                nested.insert(difference.name);
            }
        }
        self.set_entries_in(scan.tree, scan.index, &corrected)?;
        for name in &nested {
            self.graft(scan, name, depth)?;
        }
        Ok(())
    }

    fn git_add(&self, scan: &Scan<'_>, nested: &BTreeSet<Name>) -> Result<(), GitError> {
        let ignored = self.ignored_kept_paths(scan)?;
        let words = [
            "add",
            "--all",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ];
        let left_out = scan.unreadable == Unreadable::LeftOut;
        let try_once = || {
            self.call_in(scan.tree, scan.index)
                .args(words)
                .args(left_out.then_some("--ignore-errors"))
                .stdin(scan.pathspecs(nested, &ignored))
                .run_to(if left_out { &[0, 1] } else { &[0] })
        };
        let mut said = try_once();
        // Editors have files for a moment.
        for _ in 1..TRIES {
            match &said {
                Err(GitError::Failed { said, .. }) if left_out && is_vanished(said) => {}
                _ => break,
            }
            said = try_once();
        }
        let said = said?;
        let says = |words: &str| said.complaint.contains(words);
        let denied = says("Permission denied");
        let failed = match scan.unreadable {
            Unreadable::Error => denied,
            // The other thing that git finds wrong is a repository in the tree, which is dealt with.
            Unreadable::LeftOut => said.code != 0 && (!denied || says("does not have a commit")),
        };
        if failed {
            return Err(GitError::Failed {
                tried: "git add".to_owned(),
                said: said.complaint.trim().to_owned(),
            });
        }
        Ok(())
    }

    /// The kept and excluded paths that are ignored: git refuses a pathspec that excludes an ignored path.
    fn ignored_kept_paths(&self, scan: &Scan<'_>) -> Result<BTreeSet<Name>, GitError> {
        let names: Vec<&Name> = scan.kept.iter().chain(scan.excluded).collect();
        if names.is_empty() {
            return Ok(BTreeSet::new());
        }
        let said = self
            .call_in(scan.tree, scan.index)
            // A directory with tracked files in it too.
            .args(["check-ignore", "--no-index", "-z", "--stdin"])
            .stdin(nul_terminated(names))
            .run_to(&[0, 1])?;
        Ok(nul_separated(&said.out).map(<[u8]>::to_vec).collect())
    }

    /// Repositories in the working tree that are not known yet.
    fn nested_repositories(&self, scan: &Scan<'_>) -> Result<BTreeSet<Name>, GitError> {
        let out = self
            .call_in(scan.tree, scan.index)
            .args(["ls-files", "--others", "--exclude-standard", "-z"])
            .run()?;
        let excluded =
            |name: &Name| lies_within(name, scan.kept) || lies_within(name, scan.excluded);
        let folders =
            nul_separated(&out).filter_map(|name| Some(name.strip_suffix(b"/")?.to_vec()));
        Ok(folders.filter(|name| !excluded(name)).collect())
    }

    /// Records the files of a nested repository as ordinary files.
    fn graft(&self, scan: &Scan<'_>, name: &Name, depth: usize) -> Result<(), GitError> {
        if depth == DEEPEST {
            let paths = path_texts([name]);
            return Err(GitError::Submodules { paths });
        }
        let scratch = self.scratch()?;
        let (index, base) = (scratch.path("index"), self.empty_tree()?);
        let inner = Scan {
            tree: &scan.tree.join(path(name)),
            index: &index,
            base: &base,
            kept: &[],
            excluded: &[],
            unreadable: scan.unreadable,
        };
        self.scan_tree(&inner, depth + 1)?;
        let tree = self.write_tree(&index)?;
        if tree != base {
            let mut prefix = b"--prefix=".to_vec();
            prefix.extend_from_slice(name);
            prefix.push(b'/');
            self.call_in(scan.tree, scan.index)
                .args(["read-tree"])
                .args([OsStr::from_bytes(&prefix), OsStr::new(tree.as_str())])
                .run()?;
        }
        Ok(())
    }
}

/// Whether git failed because a file vanished while it ran.
fn is_vanished(said: &str) -> bool {
    said.contains("unable to stat") || said.contains("No such file or directory")
}

impl Scan<'_> {
    fn error(&self, error: TreeError) -> GitError {
        GitError::Tree {
            root: self.tree.to_owned(),
            error,
        }
    }

    fn pathspecs(&self, nested: &BTreeSet<Name>, ignored: &BTreeSet<Name>) -> Vec<u8> {
        let mut specs = b":(top)\0".to_vec();
        let left_out = self.kept.iter().chain(self.excluded).chain(nested);
        for name in left_out.filter(|name| !ignored.contains(*name)) {
            specs.extend_from_slice(except(name).as_bytes());
            specs.push(0);
        }
        specs
    }
}
