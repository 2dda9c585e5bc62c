//! What is in a working tree, as a tree of git's.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::entries::{Difference, Entry, GITLINK, differences, index_lines};
use super::names::{Name, except, parts, path, texts, within};
use super::scratch::{copy_index, write};
use super::{GitError, Id, Own};

/// Repositories within repositories: nobody has that many in good faith.
const DEEPEST: usize = 16;

/// A working tree to look at.
#[derive(Debug)]
pub(super) struct Look<'l> {
    pub(super) tree: &'l Path,
    /// Changed to what is there. Somewhere temporary: it must never be seen half done.
    pub(super) index: &'l Path,
    /// What `kept` paths are taken from: a commit or a tree.
    pub(super) base: &'l Id,
    /// Neither looked at nor changed.
    pub(super) kept: &'l [Name],
    /// Not looked at.
    pub(super) excluded: &'l [Name],
}

impl Own {
    /// The checkout as it is: with uncommitted and untracked files, without ignored ones, and with kept paths as in
    /// HEAD. The person's index and branch are untouched.
    pub fn snapshot(&self) -> Result<Id, GitError> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        self.present(&index)?;
        self.write_tree(&index)
    }

    /// Makes this index hold what the checkout holds.
    pub(super) fn present(&self, index: &Path) -> Result<(), GitError> {
        self.seed(index)?;
        let base = match self.repository.head()?.commit {
            Some(commit) => commit,
            None => self.empty_tree()?,
        };
        self.look(&Look {
            tree: self.repository.top(),
            index,
            base: &base,
            kept: &self.kept,
            excluded: &[],
        })
    }

    /// Copies the person's index, so that files it knows are not read again.
    fn seed(&self, index: &Path) -> Result<(), GitError> {
        let tree = self.repository.top();
        if !self.copy_persons_index(index)? {
            // Where there is no file either, git would write none, and others want to copy it.
            self.call_in(tree, index)
                .words(["read-tree", "--empty"])
                .run()?;
            return Ok(());
        }
        let words = ["ls-files", "--stage", "-v", "-z"];
        let entries = Entry::read_index(&self.call_in(tree, index).words(words).run()?)?;
        let named = |pick: fn(&Entry) -> bool| -> Vec<&Name> {
            let picked = entries.iter().filter(|entry| pick(entry));
            picked.map(|entry| &entry.name).collect()
        };
        let submodules = named(|entry| entry.mode == GITLINK);
        if !submodules.is_empty() {
            // Git would look into them, by their own configuration.
            let paths = texts(submodules);
            return Err(GitError::Submodules { paths });
        }
        // What the person told git not to look at is to be seen all the same.
        let assumed = named(|entry| entry.is_assumed);
        for (flag, names) in [
            ("--no-assume-unchanged", assumed),
            ("--no-skip-worktree", named(|entry| entry.is_skipped)),
        ] {
            if !names.is_empty() {
                self.call_in(tree, index)
                    .words(["update-index", flag, "-z", "--stdin"])
                    .stdin(listed(names))
                    .run()?;
            }
        }
        Ok(())
    }

    /// Copies the person's index with all it refers to; `false` if there is none.
    pub(super) fn copy_persons_index(&self, to: &Path) -> Result<bool, GitError> {
        let directory = &self.repository.found.directory;
        let from = directory.join("index");
        match copy_index(&from, to) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            copied => copied.map_err(GitError::file(&from))?,
        }
        let entries = fs::read_dir(directory).map_err(GitError::file(directory))?;
        for entry in entries.flatten() {
            let shared = entry.file_name();
            let copy = self.place().join(&shared);
            // Its name says what is in it.
            if shared.as_bytes().starts_with(b"sharedindex.") && !copy.exists() {
                let path = entry.path();
                write(&copy, &fs::read(&path).map_err(GitError::file(&path))?)?;
            }
        }
        Ok(true)
    }

    /// Makes the index hold what the working tree holds.
    pub(super) fn look(&self, look: &Look<'_>) -> Result<(), GitError> {
        self.look_into(look, 0)
    }

    fn look_into(&self, look: &Look<'_>, depth: usize) -> Result<(), GitError> {
        let mut nested = BTreeSet::new();
        if let Err(error) = self.add(look, &nested) {
            // One without a commit cannot even be mistaken for a submodule.
            nested = self.nested(look)?;
            if nested.is_empty() {
                return Err(error);
            }
            self.add(look, &nested)?;
        }
        let mut corrected = Vec::new();
        for difference in self.staged(look.index, look.base)? {
            if within(&difference.name, look.kept) {
                corrected.push((difference.name, difference.before));
            } else if difference.after.is_some_and(|(mode, _)| mode == GITLINK) {
                corrected.push((difference.name.clone(), None));
                nested.insert(difference.name);
            }
        }
        self.correct(look.index, &corrected)?;
        for name in &nested {
            self.graft(look, name, depth)?;
        }
        Ok(())
    }

    fn add(&self, look: &Look<'_>, nested: &BTreeSet<Name>) -> Result<(), GitError> {
        let ignored = self.ignored_anyway(look)?;
        self.call_in(look.tree, look.index)
            .words([
                "add",
                "--all",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ])
            .stdin(look.specs(nested, &ignored))
            .run()?;
        Ok(())
    }

    /// What of that which is not looked at is ignored anyway: git will not have it left out.
    fn ignored_anyway(&self, look: &Look<'_>) -> Result<BTreeSet<Name>, GitError> {
        let names: Vec<&Name> = look.kept.iter().chain(look.excluded).collect();
        if names.is_empty() {
            return Ok(BTreeSet::new());
        }
        let said = self
            .call_in(look.tree, look.index)
            .words(["check-ignore", "-z", "--stdin"])
            .stdin(listed(names))
            .run_to(&[0, 1])?;
        Ok(parts(&said.out).map(<[u8]>::to_vec).collect())
    }

    /// Repositories in the working tree that are not known yet.
    fn nested(&self, look: &Look<'_>) -> Result<BTreeSet<Name>, GitError> {
        let out = self
            .call_in(look.tree, look.index)
            .words(["ls-files", "--others", "--exclude-standard", "-z"])
            .run()?;
        let excluded = |name: &Name| within(name, look.kept) || within(name, look.excluded);
        let folders = parts(&out).filter_map(|name| Some(name.strip_suffix(b"/")?.to_vec()));
        Ok(folders.filter(|name| !excluded(name)).collect())
    }

    /// Takes the files of a repository in the tree as what they are, files.
    fn graft(&self, look: &Look<'_>, name: &Name, depth: usize) -> Result<(), GitError> {
        if depth == DEEPEST {
            let paths = texts([name]);
            return Err(GitError::Submodules { paths });
        }
        let scratch = self.scratch()?;
        let (index, base) = (scratch.path("index"), self.empty_tree()?);
        let inner = Look {
            tree: &look.tree.join(path(name)),
            index: &index,
            base: &base,
            kept: &[],
            excluded: &[],
        };
        self.look_into(&inner, depth + 1)?;
        let tree = self.write_tree(&index)?;
        if tree != base {
            let mut prefix = b"--prefix=".to_vec();
            prefix.extend_from_slice(name);
            prefix.push(b'/');
            self.call_in(look.tree, look.index)
                .words(["read-tree"])
                .words([OsStr::from_bytes(&prefix), OsStr::new(tree.as_str())])
                .run()?;
        }
        Ok(())
    }

    /// What differs between a commit or tree and an index.
    pub(super) fn staged(&self, index: &Path, base: &Id) -> Result<Vec<Difference>, GitError> {
        let words = [
            "diff-index",
            "--cached",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "-z",
        ];
        let tree = self.place().join("empty");
        let out = self
            .call_in(&tree, index)
            .words(words)
            .words([base.as_str()])
            .run()?;
        differences(&out)
    }

    /// Makes the index hold these; `None` takes the path out.
    pub(super) fn correct(
        &self,
        index: &Path,
        entries: &[(Name, Option<(u32, Id)>)],
    ) -> Result<(), GitError> {
        if entries.is_empty() {
            return Ok(());
        }
        let none = self.empty_tree()?.none_like();
        // What goes makes room for what comes: a file may become a directory.
        let (gone, come): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, entry)| entry.is_none());
        let ordered = gone
            .into_iter()
            .chain(come)
            .map(|(name, entry)| (name, entry));
        let tree = self.place().join("empty");
        self.call_in(&tree, index)
            .words(["update-index", "-z", "--index-info"])
            .stdin(index_lines(ordered, &none))
            .run()?;
        Ok(())
    }

    pub(super) fn write_tree(&self, index: &Path) -> Result<Id, GitError> {
        let tree = self.place().join("empty");
        Id::read(&self.call_in(&tree, index).words(["write-tree"]).run()?)
    }
}

impl Look<'_> {
    fn specs(&self, nested: &BTreeSet<Name>, ignored: &BTreeSet<Name>) -> Vec<u8> {
        let mut specs = b":(top)\0".to_vec();
        let left_out = self.kept.iter().chain(self.excluded).chain(nested);
        for name in left_out.filter(|name| !ignored.contains(*name)) {
            specs.extend_from_slice(except(name).as_bytes());
            specs.push(0);
        }
        specs
    }
}

/// Names for an input in which each ends in NUL.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n Name>) -> Vec<u8> {
    let parts = names.into_iter().flat_map(|name| [&name[..], b"\0"]);
    parts.collect::<Vec<_>>().concat()
}

/// A path beside another one.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
