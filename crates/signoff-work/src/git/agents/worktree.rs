//! A tree for an agent to work in, with a repository of its own that the harness never reads.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::repository;
use crate::beneath::{add_owner_permissions, remove_tree};
use crate::git::agents::spread::{make_apart, spread_directories};
use crate::git::checkout::scan::{Scan, Unreadable};
use crate::git::command::GitCall;
use crate::git::entries::tree_entries;
use crate::git::files::working_tree::{TreeOwner, WorkingTree};
use crate::git::names::{Name, except, lies_within, name, nul_separated, nul_terminated, path};
use crate::git::scratch::{copy_index, sibling_path, write};
use crate::git::{GitError, HarnessGit, Id};

/// A tree for an agent to work in. What the harness knows of it is in an index outside.
#[derive(Debug, Clone)]
pub struct Worktree {
    own: HarnessGit,
    path: PathBuf,
    index: PathBuf,
}

impl HarnessGit {
    /// A worktree at this path, with this index. Touches nothing.
    pub fn worktree(&self, path: PathBuf, index: PathBuf) -> Worktree {
        Worktree {
            own: self.clone(),
            path,
            index,
        }
    }
}

impl Worktree {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was made, to the end.
    pub fn exists(&self) -> bool {
        self.path.is_dir() && self.base_file().exists()
    }

    /// Makes a fresh checkout of the commit. What is there, such as one half made before a crash, is replaced.
    pub fn make(&self, commit: &Id) -> Result<(), GitError> {
        self.put_aside().map_err(GitError::file(&self.path))?;
        self.make_folders()?;
        self.reset(commit)?;
        self.take_next_index(commit)?;
        remove_tree(&self.aside_path()).map_err(GitError::file(&self.aside_path()))
    }

    /// Moves that worktree here if there is none yet.
    pub fn move_to(&self, other: &Self) -> Result<(), GitError> {
        other.make_folders()?;
        fs::rename(&self.path, &other.path).map_err(GitError::file(&self.path))?;
        fs::rename(&self.index, &other.index).map_err(GitError::file(&self.index))?;
        // The mark that it exists comes last, as when it is made.
        let (from, to) = (self.base_file(), other.base_file());
        fs::rename(&from, &to).map_err(GitError::file(&from))?;
        self.forget().map_err(GitError::file(&self.index))
    }

    /// Makes it as good as a fresh one: what is ignored goes too. File systems are slow to make many files, and slower just
    /// after many were removed, so this is quicker than [`Worktree::make`].
    pub fn renew(&self, commit: &Id) -> Result<(), GitError> {
        let base = self.base_file();
        fs::remove_file(&base).map_err(GitError::file(&base))?;
        self.retry_with_permissions(|worktree| worktree.begin_anew(commit))
    }

    fn begin_anew(&self, commit: &Id) -> Result<(), GitError> {
        self.copy_index()?;
        self.reset(commit)?;
        let words = ["clean", "-ffdxq", "--", ":(top)"];
        self.call().args(words).run()?;
        self.take_next_index(commit)
    }

    /// What is in it now and not ignored, with kept paths as in the commit that it was last made from or set to.
    pub fn tree(&self) -> Result<Id, GitError> {
        self.retry_with_permissions(Self::scan)
    }

    fn scan(&self) -> Result<Id, GitError> {
        let (base, excluded) = (self.base()?, self.excluded_names()?);
        self.copy_index()?;
        self.own.scan(&Scan {
            tree: &self.path,
            index: &self.next_index(),
            base: &base,
            kept: &self.own.kept,
            excluded: &excluded,
            unreadable: Unreadable::Error,
        })?;
        let tree = self.own.write_tree_in(&self.path, &self.next_index())?;
        self.take_index()?;
        Ok(tree)
    }

    /// Makes everything that is not ignored as in the commit, kept paths too, and its repository as new.
    pub fn set(&self, commit: &Id) -> Result<(), GitError> {
        self.retry_with_permissions(|worktree| worktree.go_to(commit))
    }

    /// Tries again after restoring permissions: an agent may have removed its own, and so ours.
    fn retry_with_permissions<T>(
        &self,
        action: impl Fn(&Self) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        action(self).or_else(|error| match add_owner_permissions(&self.path) {
            Ok(true) => action(self),
            Ok(false) | Err(_) => Err(error),
        })
    }

    fn go_to(&self, commit: &Id) -> Result<(), GitError> {
        self.copy_index()?;
        self.reset(commit)?;
        let excluded = self.excluded_names()?;
        self.call()
            .args(["clean", "-ffdq", "--", ":(top)"])
            .args(excluded.iter().map(|name| except(name)))
            .run()?;
        self.take_next_index(commit)
    }

    /// Makes these paths, files or directories, as in the commit; what is not in it is removed.
    pub fn put_back(&self, from: &Id, paths: &[String]) -> Result<(), GitError> {
        let paths: Vec<Name> = paths.iter().map(|path| name(path)).collect();
        let scratch = self.own.scratch()?;
        let (folder, index) = (scratch.folder("files")?, scratch.path("index"));
        self.own
            .call_in(&folder, &index)
            .args(["read-tree", from.as_str()])
            .run()?;
        let words = ["ls-tree", "-r", "-z", "--full-tree", from.as_str()];
        let mut wanted = tree_entries(&self.own.call().args(words).run()?)?;
        wanted.retain(|entry| lies_within(&entry.name, &paths));
        self.own
            .write_files(&index, &folder, wanted.iter().map(|entry| &entry.name))?;
        self.copy_index()?;
        let known = self.call().args(["ls-files", "-z"]).run()?;
        let gone = nul_separated(&known).filter(|name| lies_within(name, &paths));
        let mut entries: Vec<_> = gone.map(|name| (name.to_vec(), None)).collect();
        let working_tree = WorkingTree::open(&self.path)?;
        let failed = |name: &Name| GitError::file(&self.path.join(path(name)));
        for path in &paths {
            working_tree
                .take_away(path, TreeOwner::Harness)
                .map_err(failed(path))?;
        }
        for entry in wanted {
            working_tree
                .put(&folder, &entry.name)
                .map_err(failed(&entry.name))?;
            entries.push((entry.name, Some((entry.mode, entry.id))));
        }
        self.own
            .set_entries_in(&self.path, &self.next_index(), &entries)?;
        self.take_index()
    }

    /// Files that are untracked now, ignored or not, stay and do not count as work, whatever changes in `.gitignore`:
    /// they were copied, or made by commands that prepare the tree. Changes of tracked files are undone.
    pub fn adopt_untracked_and_reset(&self) -> Result<(), GitError> {
        let base = self.base()?;
        self.copy_index()?;
        // First the index alone, so that nothing is removed for having been seen before.
        let words = ["read-tree", "--reset", base.as_str()];
        self.call().args(words).run()?;
        self.reset(&base)?;
        let mut excluded = self.excluded_names()?;
        let words = ["ls-files", "--others", "--directory", "-z"];
        let out = self.call().args(words).run()?;
        let new = nul_separated(&out).map(|name| name.strip_suffix(b"/").unwrap_or(name).to_vec());
        excluded.extend(new.filter(|name| !name.is_empty()));
        excluded.sort();
        excluded.dedup();
        write(&self.excluded_file(), &nul_terminated(&excluded))?;
        self.take_next_index(&base)
    }

    /// Removes it, also where permissions of directories were removed; it need not exist.
    pub fn remove(&self) -> io::Result<()> {
        self.forget()?;
        remove_tree(&self.aside_path())?;
        remove_tree(&self.path)
    }

    /// Makes room. Some file systems are slow to make files just after many were removed, so that comes later.
    fn put_aside(&self) -> io::Result<()> {
        self.forget()?;
        remove_tree(&self.aside_path())?;
        match fs::rename(&self.path, self.aside_path()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn make_folders(&self) -> Result<(), GitError> {
        let make = |folder: &Path| fs::create_dir_all(folder).map_err(GitError::file(folder));
        if let Some(above) = self.path.parent() {
            make(above)?;
            spread_directories(above);
        }
        make(self.index.parent().unwrap_or(&self.index))?;
        make_apart(&self.path).map_err(GitError::file(&self.path))
    }

    /// From here on it does not exist, whatever is left of it.
    fn forget(&self) -> io::Result<()> {
        for file in [
            self.base_file(),
            self.index.clone(),
            self.next_index(),
            sibling_path(&self.next_index(), ".lock"),
            self.excluded_file(),
        ] {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Makes tracked files as in the commit, by the next index.
    fn reset(&self, commit: &Id) -> Result<(), GitError> {
        self.call()
            .args(["read-tree", "--reset", "-u", commit.as_str()])
            .run()?;
        Ok(())
    }

    /// Takes the next index for what is there now, and gives agents a repository that says the same.
    fn take_next_index(&self, commit: &Id) -> Result<(), GitError> {
        repository::make(
            &self.own,
            &self.path,
            &self.next_index(),
            commit,
            &self.excluded_names()?,
        )?;
        self.take_index()?;
        write(&self.base_file(), commit.as_str().as_bytes())
    }

    fn call(&self) -> GitCall<'_> {
        self.own.call_in(&self.path, &self.next_index())
    }

    fn copy_index(&self) -> Result<(), GitError> {
        // What a git that was killed left.
        fs::remove_file(sibling_path(&self.next_index(), ".lock")).ok();
        copy_index(&self.index, &self.next_index()).map_err(GitError::file(&self.index))
    }

    fn take_index(&self) -> Result<(), GitError> {
        fs::rename(self.next_index(), &self.index).map_err(GitError::file(&self.index))
    }

    /// The commit it was last made from or set to.
    pub fn base(&self) -> Result<Id, GitError> {
        let file = self.base_file();
        Id::read(&fs::read(&file).map_err(GitError::file(&file))?)
    }

    fn excluded_names(&self) -> Result<Vec<Name>, GitError> {
        let file = self.excluded_file();
        match fs::read(&file) {
            Ok(listing) => Ok(nul_separated(&listing).map(<[u8]>::to_vec).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(GitError::File { path: file, error }),
        }
    }

    fn aside_path(&self) -> PathBuf {
        sibling_path(&self.path, ".old")
    }

    fn next_index(&self) -> PathBuf {
        sibling_path(&self.index, ".next")
    }

    fn base_file(&self) -> PathBuf {
        sibling_path(&self.index, ".base")
    }

    fn excluded_file(&self) -> PathBuf {
        sibling_path(&self.index, ".excluded")
    }
}
