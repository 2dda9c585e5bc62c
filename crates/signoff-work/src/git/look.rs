//! What is in a working tree, as a tree of git's.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::entries::GITLINK;
use super::index::listed;
use super::names::{Name, except, parts, path, texts, within};
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
    pub(super) unreadable: Unreadable,
}

/// What becomes of files and directories that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// They are left out, as git does: a person has them for other reasons.
    LeftOut,
    /// It is an error: nothing that an agent did may get lost.
    Error,
}

impl Own {
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
        let words = [
            "add",
            "--all",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ];
        let left_out = look.unreadable == Unreadable::LeftOut;
        let said = self
            .call_in(look.tree, look.index)
            .words(words)
            .words(left_out.then_some("--ignore-errors"))
            .stdin(look.specs(nested, &ignored))
            .run_to(if left_out { &[0, 1] } else { &[0] })?;
        let says = |words: &str| said.complaint.contains(words);
        let denied = says("Permission denied");
        let failed = match look.unreadable {
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

    /// What of that which is not looked at is ignored anyway: git will not have it left out.
    fn ignored_anyway(&self, look: &Look<'_>) -> Result<BTreeSet<Name>, GitError> {
        let names: Vec<&Name> = look.kept.iter().chain(look.excluded).collect();
        if names.is_empty() {
            return Ok(BTreeSet::new());
        }
        let said = self
            .call_in(look.tree, look.index)
            // A directory with tracked files in it too.
            .words(["check-ignore", "--no-index", "-z", "--stdin"])
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
            unreadable: look.unreadable,
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
