//! Takes a plan out of the store.

use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{PlanState, may_delete};
use signoff_store::atomic;

use super::ActorContext;
use super::locked::LockedPlan;
use crate::error::Error;
use crate::project::current_task;

/// The result of deleting a plan.
#[derive(Debug)]
pub struct DeleteReport {
    /// Name in the store.
    pub key: String,
    /// Its file.
    pub path: PathBuf,
    /// It is gone. A file that somebody keeps elsewhere in the project stays where it is.
    pub removed: bool,
}

/// Deletes a plan whose run, if any, is over. What happened to it stays in its log.
pub fn delete(context: ActorContext<'_>, path: &Path, name: &str) -> Result<DeleteReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    if locked.history().is_deleted() {
        return Err(Error::NoSuchPlan {
            plan: name.to_owned(),
            known: Vec::new(),
            deleted: true,
        });
    }
    if !may_delete(locked.status.state) {
        return Err(Error::NotDeletable {
            plan: name.to_owned(),
            state: locked.status.state,
        });
    }
    locked.record(&[PlanEvent::PlanDeleted {
        by: locked.actor_name(),
    }])?;
    let store = &context.project.store;
    let kept = [store.plans_dir(), store.archive_dir()];
    let ours = locked.plan.path.parent().is_some_and(|parent| {
        let real = |path: &Path| path.canonicalize().ok();
        kept.iter()
            .any(|kept| real(kept).is_some() && real(kept) == real(parent))
    });
    match (ours, locked.plan.path.is_dir()) {
        (true, true) => atomic::remove_directory(&locked.plan.path)?,
        (true, false) => atomic::remove(&locked.plan.path)?,
        (false, _) => {}
    }
    // It may still be named as the current task, which it no longer is.
    current_task::update_status(context.project, &locked.key, PlanState::Cancelled)?;
    Ok(DeleteReport {
        key: locked.key,
        path: locked.plan.path,
        removed: ours,
    })
}
