//! A person rejects a plan and says why.

use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, PlanState, Transition, must_escalate, state_after};
use signoff_plan::edit::Edit;

use super::editing::EditOptions;
use super::locked::LockedPlan;
use super::status::plan_status;
use super::{ActorContext, PlanReport};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// Rejects a plan; the feedback is kept in the log and, where its dialect has a place, in its file.
/// One rejection too many asks a person to look at it. What they were shown is what they reject.
pub fn reject(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    feedback: Option<&str>,
    expected: &EditOptions,
) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    expected.require(&locked.plan)?;
    let mut state = locked.allow(Transition::Reject)?;
    let feedback = feedback.map(str::trim).filter(|text| !text.is_empty());
    let mut events = vec![PlanEvent::PlanRejected {
        path: locked.path(),
        digest: locked.digest(),
        version: locked.version(),
        by: locked.actor_name(),
        feedback: feedback.map(str::to_owned),
    }];
    let rejections = locked.rejections().len() as u64 + 1;
    if must_escalate(rejections, context.project.rules.max_rejections) {
        state = PlanState::NeedsReview;
        events.push(PlanEvent::PlanNeedsReview {
            digest: locked.digest(),
            rejections,
        });
    }
    locked.record_end(&events, &[locked.digest()])?;
    let edits = feedback.map(|feedback| Edit::Reject {
        version: locked.version().unwrap_or(rejections),
        feedback: feedback.to_owned(),
    });
    locked.conclude(state, edits.into_iter().collect())
}

/// Refuses what a person could not reject anyway, before they are asked.
pub fn require_rejectable(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    let status = plan_status(project, plan)?;
    let allowed = state_after(status.state, Transition::Reject, Actor::Person);
    let allowed = allowed.map_err(|forbidden| status.explain(plan, forbidden));
    allowed.map(|_| ())
}
