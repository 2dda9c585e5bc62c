//! Locks: one run works in a checkout, one process drives a run.

use signoff_store::lock::{RunLock, StartLock, WorkspaceLock, holder};
use signoff_store::runs::RunDir;

use super::Project;
use crate::error::Error;

pub(crate) fn take_workspace(project: &Project) -> Result<WorkspaceLock, Error> {
    let path = project.store.workspace_lock();
    match WorkspaceLock::try_acquire(&path) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(Error::WorkspaceTaken {
            holder: holder(&path).ok().flatten(),
        }),
        Err(why) => Err(Error::Unreadable { path, why }),
    }
}

/// Waits until nobody else makes a run's directory or clears one away.
pub(crate) fn take_start(project: &Project) -> Result<StartLock, Error> {
    let path = project.store.start_lock();
    StartLock::acquire_waiting(&path).map_err(|why| Error::Unreadable { path, why })
}

pub(crate) fn take_run(dir: &RunDir, id: &str) -> Result<RunLock, Error> {
    let path = dir.lock();
    match RunLock::try_acquire(&path) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(Error::RunTaken {
            run: id.to_owned(),
            holder: holder(&path).ok().flatten(),
        }),
        Err(why) => Err(Error::Unreadable { path, why }),
    }
}
