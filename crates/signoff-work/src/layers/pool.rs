//! Directories that show recorded trees, kept between runs.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::exclusive::ExclusiveTree;
use super::slot::{LockAttempt, PoolSlot, SlotContent, SlotLock};
use crate::git::{CheckoutTimes, GitError, HarnessGit, Id};

/// Spare directories that are kept: as many as a run of one agent uses.
const SPARE: usize = 3;

/// Directories that show recorded trees, without any `.git`, kept between runs and changed by difference.
///
/// Several threads and several processes may use one: a lock of the system is held on each directory while it is lent.
#[derive(Debug)]
pub struct TreePool {
    own: HarnessGit,
    root: PathBuf,
    times: Mutex<Option<Arc<CheckoutTimes>>>,
    /// What was lent last, still locked: contracts of one state ask for it again and again.
    last: Mutex<Option<SharedTree>>,
}

/// A directory that shows a tree and does not change. Others may have it too.
#[derive(Debug, Clone)]
pub struct SharedTree {
    path: PathBuf,
    tree: Id,
    _lock: Arc<SlotLock>,
}

impl SharedTree {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tree that it shows.
    pub fn tree(&self) -> &Id {
        &self.tree
    }
}

impl TreePool {
    /// The pool of a project, in this directory of its own.
    pub fn open(own: HarnessGit, root: &Path) -> Result<Self, GitError> {
        fs::create_dir_all(root).map_err(GitError::file(root))?;
        Ok(Self {
            own,
            root: root.canonicalize().map_err(GitError::file(root))?,
            times: Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// From now on files have these times where they have the checkout's content, and later ones where not.
    pub fn set_times(&self, times: CheckoutTimes) {
        *lock_mutex(&self.last) = None;
        *lock_mutex(&self.times) = Some(Arc::new(times));
    }

    /// A directory that shows this commit or tree.
    pub fn share(&self, shown: &Id) -> Result<SharedTree, GitError> {
        let tree = self.own.tree_of(shown)?;
        let mut last = lock_mutex(&self.last);
        if let Some(lent) = last.as_ref().filter(|lent| lent.tree == tree) {
            return Ok(lent.clone());
        }
        // If no process needs it any more, it can be updated to the wanted tree.
        *last = None;
        drop(last);
        let lent = self.find_or_make(&tree)?;
        *lock_mutex(&self.last) = Some(lent.clone());
        Ok(lent)
    }

    fn find_or_make(&self, tree: &Id) -> Result<SharedTree, GitError> {
        let times = self.checkout_times();
        let wanted = SlotContent::new(&self.own, tree, times.as_deref())?;
        if let Some(lent) = self.find_lent(&wanted)? {
            return Ok(lent);
        }
        let _making = self.lock()?;
        loop {
            // Another thread may have made it meanwhile.
            if let Some(lent) = self.find_lent(&wanted)? {
                return Ok(lent);
            }
            let (slot, lock) = self.free_slot(&wanted.tree)?;
            slot.show(&self.own, &wanted, times.as_deref())?;
            // Released and locked again as shared: an exclusive lock is taken only under the pool's lock.
            drop(lock);
        }
    }

    /// A directory that shows this commit or tree, for the caller alone, who may write to it.
    pub fn take(&self, shown: &Id) -> Result<ExclusiveTree, GitError> {
        let times = self.checkout_times();
        let wanted = SlotContent::new(&self.own, &self.own.tree_of(shown)?, times.as_deref())?;
        let _making = self.lock()?;
        let (slot, lock) = self.free_slot(&wanted.tree)?;
        slot.show(&self.own, &wanted, times.as_deref())?;
        ExclusiveTree::new(self.own.clone(), slot, lock, wanted)
    }

    /// Removes what is not lent, but for a few, the newest.
    pub fn remove_unused(&self) -> Result<(), GitError> {
        *lock_mutex(&self.last) = None;
        let _making = self.lock()?;
        let mut free = Vec::new();
        for slot in self.slots()? {
            if let LockAttempt::Got(lock) = slot.lock_alone().map_err(GitError::file(&self.root))? {
                free.push((slot.age(), slot, lock));
            }
        }
        free.sort_by_key(|(age, ..)| Reverse(*age));
        for (_, slot, _lock) in free.into_iter().skip(SPARE) {
            slot.remove()?;
        }
        Ok(())
    }

    fn checkout_times(&self) -> Option<Arc<CheckoutTimes>> {
        lock_mutex(&self.times).clone()
    }

    /// A directory that holds this tree and that no process has exclusively.
    fn find_lent(&self, wanted: &SlotContent) -> Result<Option<SharedTree>, GitError> {
        let is_it = |slot: &PoolSlot| slot.content().is_some_and(|shown| shown == *wanted);
        // Looked at twice: before it is locked, it may change.
        for slot in self.slots()?.into_iter().filter(is_it) {
            let lock = slot.lock_shared().map_err(GitError::file(&self.root))?;
            if let LockAttempt::Got(lock) = lock
                && is_it(&slot)
            {
                return Ok(Some(SharedTree {
                    path: slot.tree(),
                    tree: wanted.tree.clone(),
                    _lock: Arc::new(lock),
                }));
            }
        }
        Ok(None)
    }

    /// A directory that no process has, preferably one that holds this tree already, or a new one. The pool's lock is held.
    fn free_slot(&self, tree: &Id) -> Result<(PoolSlot, SlotLock), GitError> {
        let mut slots = self.slots()?;
        // What shows another tree is changed in less time than what shows none.
        slots.sort_by_key(|slot| match slot.content() {
            Some(shown) if shown.tree == *tree => 0,
            Some(_) => 1,
            None => 2,
        });
        for slot in slots {
            if let LockAttempt::Got(lock) = slot.lock_alone().map_err(GitError::file(&self.root))? {
                return Ok((slot, lock));
            }
        }
        self.new_slot()
    }

    fn new_slot(&self) -> Result<(PoolSlot, SlotLock), GitError> {
        let mut number = 1;
        loop {
            let folder = self.root.join(number.to_string());
            match fs::create_dir(&folder) {
                Ok(()) => {
                    let slot = PoolSlot::new(folder);
                    let lock = slot.lock_alone().map_err(GitError::file(&self.root))?;
                    if let LockAttempt::Got(lock) = lock {
                        return Ok((slot, lock));
                    }
                }
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(GitError::File {
                        path: folder,
                        error,
                    });
                }
                Err(_) => {}
            }
            number += 1;
        }
    }

    /// All directories, in the order in which they were made.
    fn slots(&self) -> Result<Vec<PoolSlot>, GitError> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.root).map_err(GitError::file(&self.root))? {
            let entry = entry.map_err(GitError::file(&self.root))?;
            let name = entry.file_name();
            numbers.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        let folder = |number: u32| self.root.join(number.to_string());
        Ok(numbers.into_iter().map(folder).map(PoolSlot::new).collect())
    }

    /// Held while a directory of the pool is changed.
    fn lock(&self) -> Result<SlotLock, GitError> {
        let path = self.root.join("lock");
        SlotLock::wait(&path).map_err(GitError::file(&path))
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
