//! The person's index: how it follows a landing, without trampling a git that is running.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::git::entries::IndexEntry;
use crate::git::landing::commits::is_there;
use crate::git::landing::refusals::names;
use crate::git::names::{Name, nul_separated, nul_terminated};
use crate::git::scratch::{Scratch, copy_index, read_if_there};
use crate::git::{GitError, HarnessGit, Id};

/// The person's index, copied and compared.
#[derive(Debug)]
pub(crate) struct PersonsIndex<'o> {
    own: &'o HarnessGit,
    scratch: Scratch,
    /// What will be in it at paths where it is otherwise now.
    left: Vec<(Name, Option<(u32, Id)>)>,
    /// Paths with something in it that is neither committed nor landed.
    staged: BTreeSet<Name>,
    unmerged: BTreeSet<Name>,
}

impl<'o> PersonsIndex<'o> {
    /// Compares the index at these paths with the commit or tree `base` that HEAD stands at, and with `to`.
    pub(crate) fn read(
        own: &'o HarnessGit,
        base: &Id,
        to: &Id,
        touched: &BTreeSet<Name>,
    ) -> Result<Self, GitError> {
        let scratch = own.scratch()?;
        let index = scratch.path("index");
        own.copy_persons_index(&index)?;
        let differences = |from| -> Result<_, GitError> {
            let mut found = own.index_differences(&index, from)?;
            found.retain(|difference| touched.contains(&difference.name));
            Ok(found)
        };
        let left: BTreeMap<Name, _> = differences(to)?
            .into_iter()
            .map(|difference| (difference.name, difference.before))
            .collect();
        let others = differences(base)?
            .into_iter()
            .map(|difference| difference.name);
        let staged = others.filter(|name| left.contains_key(name)).collect();
        let words = ["ls-files", "--unmerged", "-z"];
        let out = own
            .call_in(own.repository.top(), &index)
            .args(words)
            .run()?;
        let unmerged = nul_separated(&out).filter_map(|entry| {
            let name = entry.splitn(2, |byte| *byte == b'\t').nth(1)?;
            Some(name.to_vec())
        });
        Ok(Self {
            own,
            staged,
            unmerged: unmerged.collect(),
            left: left.into_iter().collect(),
            scratch,
        })
    }

    pub(crate) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Why it cannot follow, each a sentence.
    pub(crate) fn refusals(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.unmerged.is_empty() {
            reasons.push(format!(
                "{} in conflict: finish the merge, then land again",
                match self.unmerged.len() {
                    1 => format!("{} is", names(&self.unmerged)),
                    _ => format!("{} are", names(&self.unmerged)),
                }
            ));
        }
        if !self.staged.is_empty() {
            reasons.push(format!(
                "you have staged changes of {}: commit them or `git restore --staged` them, then land again",
                names(&self.staged)
            ));
        }
        let lock = self.lock();
        if is_there(&lock) && !same_file(&lock, &self.own_lock()) {
            reasons.push(locked_message(&lock));
        }
        reasons
    }

    /// Changes it, if it is still the one that was copied.
    pub(crate) fn replace(self) -> Result<(), GitError> {
        if let Some(said) = self.refusals().into_iter().next() {
            return Err(land_error(said));
        }
        self.release_own_lock()?;
        if self.is_done() {
            return Ok(());
        }
        let copied = self.scratch.path("index");
        let before = read_if_there(&copied)?;
        let flagged = self.flagged_entries(&copied)?;
        self.own
            .set_entries_in(self.own.repository.top(), &copied, &self.left)?;
        // So that the next `git status` need not read every file that was written.
        self.own
            .call_in(self.own.repository.top(), &copied)
            .args(["update-index", "-q", "--refresh"])
            .run_to(&[0, 1])?;
        for (option, names) in flagged {
            if !names.is_empty() {
                self.own
                    .call_in(self.own.repository.top(), &copied)
                    .args(["update-index", option, "-z", "--stdin"])
                    .stdin(nul_terminated(&names))
                    .run()?;
            }
        }
        self.swap(&before, &copied)
    }

    /// What the person told git to take for unchanged, among that which changes and stays: they meant the path.
    fn flagged_entries(&self, index: &Path) -> Result<[(&'static str, Vec<Name>); 2], GitError> {
        let call = self.own.call_in(self.own.repository.top(), index);
        let words = ["ls-files", "--stage", "-v", "-z"];
        let entries = IndexEntry::read_index(&call.args(words).run()?)?;
        let stays = |name: &Name| {
            let mut left = self.left.iter();
            left.any(|(known, entry)| known == name && entry.is_some())
        };
        let named = |pick: fn(&IndexEntry) -> bool| -> Vec<Name> {
            let picked = entries.iter().filter(|entry| pick(entry));
            let names = picked.map(|entry| entry.name.clone());
            names.filter(stays).collect()
        };
        Ok([
            ("--assume-unchanged", named(|entry| entry.is_assumed)),
            ("--skip-worktree", named(|entry| entry.is_skipped)),
        ])
    }

    /// The lock appears with its content: whoever is killed holding it leaves one that is known as ours.
    fn swap(&self, before: &[u8], after: &Path) -> Result<(), GitError> {
        let (index, lock, ours) = (self.index(), self.lock(), self.own_lock());
        fs::remove_file(&ours).ok();
        copy_index(after, &ours)
            .and_then(|()| {
                if let Ok(found) = fs::metadata(&index) {
                    fs::set_permissions(&ours, found.permissions())?;
                }
                File::open(&ours)?.sync_all()
            })
            .map_err(GitError::file(&ours))?;
        match fs::hard_link(&ours, &lock) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                fs::remove_file(&ours).ok();
                return Err(land_error(locked_message(&lock)));
            }
            linked => linked.map_err(GitError::file(&lock))?,
        }
        let result = match read_if_there(&index) {
            Ok(now) if now == before => fs::rename(&lock, &index).map_err(GitError::file(&index)),
            read => {
                let changed = "the index changed at the same moment: land again".to_owned();
                fs::remove_file(&lock)
                    .map_err(GitError::file(&lock))
                    .and(Err(read.err().unwrap_or_else(|| land_error(changed))))
            }
        };
        fs::remove_file(&ours).ok();
        result
    }

    /// Removes what an earlier landing left that was killed.
    fn release_own_lock(&self) -> Result<(), GitError> {
        let (lock, ours) = (self.lock(), self.own_lock());
        if same_file(&lock, &ours) {
            fs::remove_file(&lock).map_err(GitError::file(&lock))?;
        }
        match fs::remove_file(&ours) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(GitError::File { path: ours, error })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn index(&self) -> PathBuf {
        self.own.repository.info.directory.join("index")
    }

    fn lock(&self) -> PathBuf {
        self.own.repository.info.directory.join("index.lock")
    }

    fn own_lock(&self) -> PathBuf {
        self.own.repository.info.directory.join("index.signoff")
    }
}

fn locked_message(lock: &Path) -> String {
    format!(
        "`{}` is there: another git is at work; wait for it, or remove the file if none is, then land again",
        lock.display()
    )
}

fn land_error(said: String) -> GitError {
    GitError::Failed {
        tried: "signoff land".to_owned(),
        said,
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| -> io::Result<_> {
        let found = fs::symlink_metadata(path)?;
        Ok((found.dev(), found.ino()))
    };
    matches!((number(one), number(other)), (Ok(one), Ok(other)) if one == other)
}
