//! Takes a plan out of the store.

use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{PlanState, may_delete};
use signoff_store::atomic;

use super::ActorContext;
use super::locked::LockedPlan;
use crate::error::Error;
use crate::project::current_task;

/// What became of a deleted plan's file.
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
pub fn delete(doing: ActorContext<'_>, path: &Path, name: &str) -> Result<DeleteReport, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    if held.history().is_deleted() {
        return Err(Error::NoSuchPlan {
            plan: name.to_owned(),
            known: Vec::new(),
            deleted: true,
        });
    }
    if !may_delete(held.standing.state) {
        return Err(Error::NotDeletable {
            plan: name.to_owned(),
            state: held.standing.state,
        });
    }
    held.record(&[PlanEvent::PlanDeleted { by: held.by() }])?;
    let store = &doing.project.store;
    let kept = [store.plans_dir(), store.archive_dir()];
    let ours = held.plan.path.parent().is_some_and(|parent| {
        let real = |path: &Path| path.canonicalize().ok();
        kept.iter()
            .any(|kept| real(kept).is_some() && real(kept) == real(parent))
    });
    match (ours, held.plan.path.is_dir()) {
        (true, true) => atomic::remove_directory(&held.plan.path)?,
        (true, false) => atomic::remove(&held.plan.path)?,
        (false, _) => {}
    }
    // It may still be named as the current one; it is nobody's task any more.
    current_task::keep_true(doing.project, &held.key, PlanState::Cancelled)?;
    Ok(DeleteReport {
        key: held.key,
        path: held.plan.path,
        removed: ours,
    })
}
