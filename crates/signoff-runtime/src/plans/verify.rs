//! The harness marks a draft whose checks find no error as verified.

use signoff_engine::PlanState;
use signoff_plan::dialect::Dialect;

use super::locked::write_back::{FileUpdate, VersionBump, write_back};
use super::status::plan_status;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// Writes `verified` into a draft of this project that has no errors; every other byte stays. Says why it could not.
///
/// Only `workunit` files have a word for each of the two: for the other dialects a plan is verified when it is handed in.
pub fn mark_verified(project: &Project, plan: &PlanFile) -> Result<Option<String>, Error> {
    let is_draft = plan.checked.plan.status.as_deref() == Some(PlanState::Draft.in_workunit());
    let is_inside = || {
        let real = plan.path.canonicalize();
        real.is_ok_and(|real| real.is_file() && real.starts_with(project.store.workspace()))
    };
    if plan.checked.dialect != Dialect::Workunit || !is_draft || !is_inside() {
        return Ok(None);
    }
    if plan_status(project, plan)?.state != PlanState::Verified {
        return Ok(None);
    }
    let update = FileUpdate {
        state: PlanState::Verified,
        edits: Vec::new(),
        now: String::new(),
        bump: VersionBump::Never,
    };
    write_back(plan, &update)
}
