//! Changes to the person's checkout: planned first, and refused where the person would lose something.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use rustix::fs::FileType;

use crate::git::entries::Difference;
use crate::git::files::file_writer::{FileState, FileWriter};
use crate::git::files::hold_reason::HoldReason;
use crate::git::files::working_tree::WorkingTree;
use crate::git::names::{
    Name, exactly, lies_within, nul_separated, nul_terminated, path, path_texts,
};
use crate::git::scratch::{Scratch, copy_index};
use crate::git::{GitError, HarnessGit, Id};
use crate::tree::FileStamp;

/// What has to be done to the files of the checkout.
#[derive(Debug)]
pub(crate) struct CheckoutUpdate {
    /// Paths at which the checkout is neither as before nor as after, or where something ignored is in the way.
    pub(crate) differ: BTreeSet<Name>,
    /// Paths in the way of new files that hold something git does not track.
    pub(crate) ignored: BTreeSet<Name>,
    /// What changes: from what it is to what it will be, and what it looked like when it was read.
    changes: Vec<(Difference, Option<FileStamp>)>,
    scratch: Scratch,
}

impl CheckoutUpdate {
    pub(crate) fn is_up_to_date(&self) -> bool {
        self.changes.is_empty()
    }

    /// What the checkout held, as an index.
    pub(crate) fn index(&self) -> PathBuf {
        self.scratch.path("index")
    }

    /// Paths that change.
    pub(crate) fn changed_names(&self) -> BTreeSet<Name> {
        let names = self.changes.iter().map(|(change, _)| change.name.clone());
        names.collect()
    }
}

impl HarnessGit {
    /// Plans how the checkout gets from `before` to `after`, at these paths or at all but the kept ones.
    pub(crate) fn plan_update(
        &self,
        before: &Id,
        after: &Id,
        touched: Option<&BTreeSet<Name>>,
    ) -> Result<CheckoutUpdate, GitError> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        self.record_checkout(&index)?;
        let concerned = |name: &Name| match touched {
            Some(touched) => touched.contains(name),
            None => !lies_within(name, &self.kept),
        };
        let away = |from: &Id| -> Result<Vec<Difference>, GitError> {
            let mut found = self.index_differences(&index, from)?;
            found.retain(|difference| concerned(&difference.name));
            Ok(found)
        };
        let working_tree = WorkingTree::open(self.repository.top())?;
        let mut left = away(after)?;
        let (mut differ, ignored) = self.add_ignored(&working_tree, &index, &left)?;
        if !ignored.is_empty() {
            left = away(after)?;
        }
        let strange: BTreeSet<Name> = away(before)?.into_iter().map(|found| found.name).collect();
        let both = left.iter().filter(|found| strange.contains(&found.name));
        differ.extend(both.map(|found| found.name.clone()));
        let changes = self.with_stamps(&working_tree, &index, left, &mut differ)?;
        Ok(CheckoutUpdate {
            differ,
            ignored,
            changes,
            scratch,
        })
    }

    /// Finds ignored paths in the way of new files. A file there is added to the index, to be compared like any other.
    /// Returns what certainly is in the way, and everything ignored, in the way or not.
    fn add_ignored(
        &self,
        working_tree: &WorkingTree,
        index: &Path,
        left: &[Difference],
    ) -> Result<(BTreeSet<Name>, BTreeSet<Name>), GitError> {
        // `before` is what the file will be, `after` what it is.
        let coming = left
            .iter()
            .filter(|found| found.before.is_some() && found.after.is_none());
        let going: BTreeSet<&Name> = left
            .iter()
            .filter(|found| found.before.is_none())
            .map(|found| &found.name)
            .collect();
        let (mut differ, mut files) = (BTreeSet::new(), BTreeSet::new());
        for Difference { name, .. } in coming {
            let stamp = |name: &[u8]| working_tree.stamp(name).map_err(GitError::file(path(name)));
            match stamp(name)?.map(|found| found.file_type()) {
                None => {}
                Some(FileType::RegularFile | FileType::Symlink) => drop(files.insert(name.clone())),
                Some(FileType::Directory) => {
                    let inside = self.everything_in(index, name)?;
                    differ.extend(inside.into_iter().filter(|inner| !going.contains(inner)));
                }
                Some(_) => {
                    differ.insert(name.clone());
                }
            }
            for above in ancestors(name) {
                let is_other =
                    stamp(above)?.is_some_and(|found| found.file_type() != FileType::Directory);
                if is_other && !going.contains(&above.to_vec()) {
                    differ.insert(above.to_vec());
                }
            }
        }
        let mut ignored: BTreeSet<Name> = files.union(&differ).cloned().collect();
        if ignored.is_empty() {
            return Ok((differ, ignored));
        }
        // Everything that is not ignored is in the index by now.
        let words = ["ls-files", "-z"];
        let call = || self.call_in(self.repository.top(), index);
        for known in nul_separated(&call().args(words).run()?) {
            ignored.remove(known);
        }
        call()
            .args(["update-index", "--add", "--replace", "-z", "--stdin"])
            .stdin(nul_terminated(&files))
            .run()?;
        Ok((differ, ignored))
    }

    /// Every file in a directory of the checkout, ignored or not.
    fn everything_in(&self, index: &Path, name: &Name) -> Result<Vec<Name>, GitError> {
        let out = self
            .call_in(self.repository.top(), index)
            .args(["ls-files", "--cached", "--others", "-z", "--"])
            .args([exactly(name)])
            .run()?;
        Ok(nul_separated(&out).map(<[u8]>::to_vec).collect())
    }

    /// Adds the stamp of each file that was read, so that a later change is noticed.
    fn with_stamps(
        &self,
        working_tree: &WorkingTree,
        index: &Path,
        left: Vec<Difference>,
        differ: &mut BTreeSet<Name>,
    ) -> Result<Vec<(Difference, Option<FileStamp>)>, GitError> {
        let mut stamps = BTreeMap::new();
        for found in &left {
            let stamp = working_tree
                .stamp(&found.name)
                .map_err(GitError::file(path(&found.name)))?;
            stamps.insert(found.name.clone(), stamp);
        }
        // After the stamps were taken: what was written before that, and not read, shows here.
        let words = ["diff-files", "--name-only", "-z"];
        let out = self
            .call_in(self.repository.top(), index)
            .args(words)
            .run()?;
        let unread = nul_separated(&out).filter(|name| stamps.contains_key(*name));
        differ.extend(unread.map(<[u8]>::to_vec));
        let stamped = left.into_iter().map(|found| {
            let stamp = stamps.remove(&found.name).flatten();
            (found, stamp)
        });
        Ok(stamped.collect())
    }

    /// Carries out the update. A file that changed since it was planned is left alone and is an error.
    pub(crate) fn carry_out(&self, plan: &CheckoutUpdate) -> Result<(), GitError> {
        let (index, folder) = (plan.scratch.path("next"), plan.scratch.folder("files")?);
        let present = plan.scratch.path("index");
        // An empty checkout has no index.
        if present.exists() {
            copy_index(&present, &index).map_err(GitError::file(&present))?;
        }
        // The index says which attributes hold when all is done.
        let all = plan.changes.iter();
        let entries: Vec<_> = all
            .map(|(change, _)| (change.name.clone(), change.before.clone()))
            .collect();
        self.set_entries(&index, &entries)?;
        let (come, gone): (Vec<_>, Vec<_>) = plan
            .changes
            .iter()
            .partition(|(change, _)| change.before.is_some());
        self.write_files(&index, &folder, come.iter().map(|(change, _)| &change.name))?;
        self.sync_files(&folder, come.iter().map(|(change, _)| &change.name))?;
        let top = self.repository.top();
        let working_tree = WorkingTree::open(top)?;
        working_tree.check_unchanged(&plan.changes)?;
        let failed = |name: &Name| GitError::file(&top.join(path(name)));
        let begun = SystemTime::now();
        let writer = FileWriter::open(top)?;
        for change in gone.into_iter().chain(come) {
            let (Difference { name, before, .. }, seen) = change;
            working_tree.check_unchanged([change])?;
            let seen = seen.filter(|stamp| stamp.file_type() != FileType::Directory);
            let seen = seen.map(FileState::of);
            let done = match before {
                Some(_) => writer.put(&folder, name, seen.as_ref(), &|_| {}),
                None => writer.remove(name, seen.as_ref(), &|_| {}),
            };
            match done {
                Err(HoldReason::Changing) => {
                    let paths = path_texts([name]);
                    return Err(GitError::ChangedMeanwhile { paths });
                }
                done => done.map_err(|why| failed(name)(io::Error::other(why.to_string())))?,
            }
        }
        fs::remove_dir_all(&folder).ok();
        self.sync_names(plan.changes.iter().map(|(change, _)| &change.name), begun)
    }
}

impl WorkingTree {
    /// Refuses if a file changed since it was read.
    fn check_unchanged<'c>(
        &self,
        changes: impl IntoIterator<Item = &'c (Difference, Option<FileStamp>)>,
    ) -> Result<(), GitError> {
        let is_folder = |stamp: &FileStamp| stamp.file_type() == FileType::Directory;
        let mut paths = Vec::new();
        for (change, seen) in changes {
            let name = &change.name;
            let now = self.stamp(name).map_err(GitError::file(path(name)))?;
            // A directory in the place of a file: what is in it is compared by itself.
            if now.filter(|stamp| !is_folder(stamp)) != seen.filter(|stamp| !is_folder(stamp)) {
                paths.push(name);
            }
        }
        if paths.is_empty() {
            return Ok(());
        }
        let paths = path_texts(paths);
        Err(GitError::ChangedMeanwhile { paths })
    }
}

/// The directories that a path lies in, the outermost first.
fn ancestors(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    ends.filter_map(|(at, _)| name.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_since_it_was_looked_at_is_left_alone() {
        let tree = tempfile::tempdir().unwrap();
        let file = tree.path().join("a");
        let working_tree = WorkingTree::open(tree.path()).unwrap();
        let change = |seen| {
            let difference = Difference {
                name: b"a".to_vec(),
                before: None,
                after: None,
            };
            [(difference, seen)]
        };
        let absent = change(None);
        assert!(working_tree.check_unchanged(&absent).is_ok());
        fs::write(&file, "1").unwrap();
        assert!(working_tree.check_unchanged(&absent).is_err());
        let seen = change(working_tree.stamp(b"a").unwrap());
        assert!(working_tree.check_unchanged(&seen).is_ok());
        fs::write(&file, "longer").unwrap();
        assert!(working_tree.check_unchanged(&seen).is_err());
        fs::remove_file(&file).unwrap();
        assert!(working_tree.check_unchanged(&seen).is_err());
        // What is in a directory is compared by itself.
        fs::create_dir(&file).unwrap();
        assert!(working_tree.check_unchanged(&absent).is_ok());
    }
}
