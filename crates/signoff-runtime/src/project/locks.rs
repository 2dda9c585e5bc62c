//! Locks: one run that judges works in a checkout, one process drives a run.

use std::path::{Path, PathBuf};

use signoff_plan::model::{Plan, Step};
use signoff_store::lock::{RunLock, StartLock, WorkspaceLock, holder, is_held, is_in_use};
use signoff_store::runs::RunDir;

use super::Project;
use crate::error::Error;

/// Locks the checkout for this process.
pub(crate) fn take_workspace(project: &Project) -> Result<WorkspaceLock, Error> {
    let path = project.store.workspace_lock();
    let taken = WorkspaceLock::try_acquire(&path);
    or_taken(path, taken)
}

/// Takes the checkout for a run of this plan that works in it.
pub(crate) fn take_workspace_for(project: &Project, plan: &Plan) -> Result<WorkspaceLock, Error> {
    if needs_checkout_alone(plan) {
        return take_workspace(project);
    }
    let path = project.store.workspace_lock();
    let taken = WorkspaceLock::try_share(&path);
    or_taken(path, taken)
}

fn or_taken(
    path: PathBuf,
    taken: std::io::Result<Option<WorkspaceLock>>,
) -> Result<WorkspaceLock, Error> {
    match taken {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(Error::WorkspaceTaken {
            holder: holder(&path).ok().flatten(),
        }),
        Err(why) => Err(Error::Unreadable { path, why }),
    }
}

/// Could another run not take the checkout that a run of this plan would work in?
pub(crate) fn is_workspace_taken(project: &Project, plan: &Plan) -> Result<bool, Error> {
    let path = project.store.workspace_lock();
    let taken = if needs_checkout_alone(plan) {
        is_in_use(&path)
    } else {
        is_held(&path)
    };
    taken.map_err(|why| Error::Unreadable { path, why })
}

/// Does a process drive the run that has this lock? A lock that cannot be looked at is not taken for a free one.
pub(crate) fn is_driven(lock: &Path) -> Result<bool, Error> {
    is_held(lock).map_err(|why| Error::Unreadable {
        path: lock.to_owned(),
        why,
    })
}

/// Does a contract judge the checkout's content? Then no other run may change it meanwhile. Runs in which only people
/// accept the work can share it.
fn needs_checkout_alone(plan: &Plan) -> bool {
    let judges = |step: &Step| step.contract.is_some() || !step.protects.is_empty();
    plan.steps.iter().any(judges)
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
