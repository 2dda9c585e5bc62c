//! The locks that steps name. A lock is held while its step is under way, and no other step of any run has it
//! meanwhile. It ends with this process, or with the run if several machines share it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{Action, Input, Millis, Run};
use signoff_store::key;
use signoff_store::lock::{StepLock, StepLockTaken};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::own_state;

/// Where locks are kept.
enum LockStorage {
    /// Files of this person, for each project.
    Files(PathBuf),
    Cluster(Arc<dyn Cluster>),
    /// This process only works for the run; the one that drives it has them.
    Nobody,
}

/// Locks of steps.
pub(super) struct StepLocks {
    keeper: LockStorage,
    run: String,
    /// Those that this process has. The system or the database holds them.
    held: BTreeMap<String, Option<StepLock>>,
    /// When it was last asked whether a lock of another run is free.
    asked: Millis,
}

/// How often that is asked, whatever else happens meanwhile.
const LOCK_INTERVAL: Millis = 200;

impl StepLocks {
    pub(super) fn for_run(project: &Project, run: &str) -> Result<Self, Error> {
        let keeper = match &project.cluster {
            Some(cluster) if cluster.is_driving() => LockStorage::Cluster(Arc::clone(cluster)),
            Some(_) => LockStorage::Nobody,
            None => {
                // All checkouts of a project on this machine mean the same.
                let project_id = project.store.project_id()?;
                let directory = match project_id {
                    Some(id) => own_state(project).join("step-locks").join(key::encode(&id)),
                    None => project.store.locks_dir().join("steps"),
                };
                LockStorage::Files(directory)
            }
        };
        Ok(Self {
            keeper,
            run: run.to_owned(),
            held: BTreeMap::new(),
            asked: 0,
        })
    }

    /// Takes what the action needs. Returns what is to be journaled instead of it, if another run has one of them.
    pub(super) fn take_for(&mut self, run: &Run, action: &Action) -> Result<Option<Input>, Error> {
        let Some(step) = action.needs_locks() else {
            return Ok(None);
        };
        let locks = run.definition(step).map_or(&[][..], |step| &step.locks);
        for lock in locks {
            if let Some(by) = self.take_lock(lock)? {
                let lock = lock.clone();
                return Ok(Some(Input::LockTaken { step, lock, by }));
            }
        }
        Ok(None)
    }

    /// Takes a lock, unless another run has it: then who that is.
    fn take_lock(&mut self, lock: &str) -> Result<Option<String>, Error> {
        if self.held.contains_key(lock) {
            return Ok(None);
        }
        let held = match &self.keeper {
            LockStorage::Nobody => return Ok(None),
            LockStorage::Files(directory) => {
                let path = directory.join(key::encode(lock));
                match StepLock::take_for(&path, &self.run) {
                    Ok(StepLockTaken::Now(held)) => Some(held),
                    Ok(StepLockTaken::By(run)) => {
                        let by = run
                            .map_or_else(|| "another run".to_owned(), |run| format!("run {run}"));
                        return Ok(Some(by));
                    }
                    Err(why) => return Err(Error::Unreadable { path, why }),
                }
            }
            LockStorage::Cluster(cluster) => {
                let taken = cluster.take_lock(lock);
                match taken.map_err(|why| Error::Unshared { why })? {
                    None => None,
                    Some(run) => return Ok(Some(format!("run {run}"))),
                }
            }
        };
        self.held.insert(lock.to_owned(), held);
        Ok(None)
    }

    /// Takes those of steps that are under way on other machines: the process that drove the run before has ended.
    pub(super) fn take_over(&mut self, run: &Run) -> Result<(), Error> {
        for lock in run.locks_in_use() {
            self.take_lock(lock)?;
        }
        Ok(())
    }

    /// Gives back what no step needs any more.
    pub(super) fn keep_only(&mut self, needed: &BTreeSet<&str>) {
        let unneeded = |lock: &&String| !needed.contains(lock.as_str());
        let unneeded: Vec<String> = self.held.keys().filter(unneeded).cloned().collect();
        for lock in unneeded {
            if let LockStorage::Cluster(cluster) = &self.keeper
                && cluster.release_lock(&lock).is_err()
            {
                // The database is away: next time, or with the run.
                continue;
            }
            self.held.remove(&lock);
        }
    }

    /// The input for locks that the run waits for and that changed since the last look, if it is time to look.
    pub(super) fn next_lock_change(
        &mut self,
        run: &Run,
        now: Millis,
    ) -> Result<Option<Input>, Error> {
        let is_early = now.abs_diff(self.asked) < LOCK_INTERVAL;
        if is_early || matches!(self.keeper, LockStorage::Nobody) {
            return Ok(None);
        }
        self.asked = now;
        for (lock, _) in run.awaited_locks() {
            // It is held until an action begins with it, or none did.
            if self.take_lock(lock)?.is_none() {
                let lock = lock.to_owned();
                return Ok(Some(Input::LockFree { lock }));
            }
        }
        Ok(None)
    }
}
