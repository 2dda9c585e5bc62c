//! A person gives a plan up, or has it tried again from scratch.

use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Act, Actor, Forbidden, PlanState, may_delete, possible};

use super::locked::LockedPlan;
use super::state::standing;
use super::{ActorContext, PlanReport};
use crate::error::Error;
use crate::runs::end_leftovers_of;
use crate::signing::signed::not_signed;

/// Cancels a plan. A run of it that has not ended is over; one that another process drives has to be
/// stopped first.
pub fn cancel(
    doing: ActorContext<'_>,
    path: &Path,
    name: &str,
    reason: Option<&str>,
) -> Result<PlanReport, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    held.allow(Act::Cancel)?;
    let digest = given_up(&held);
    let run = give_up(&held)?;
    let why = reason.map(str::trim).filter(|text| !text.is_empty());
    held.record(&[PlanEvent::PlanCancelled {
        digest,
        by: held.by(),
        actor: doing.actor.name().to_owned(),
        reason: why.unwrap_or("a person cancelled it").to_owned(),
        run,
    }])?;
    let state = standing(doing.project, &held.plan)?.state;
    let left = left_standing(&held);
    let mut done = held.conclude(state, Vec::new())?;
    done.notes.extend(left);
    Ok(done)
}

/// What a run that was given up leaves in worktrees: somebody may want some of it.
fn left_standing(held: &LockedPlan<'_>) -> Option<String> {
    let view = held.standing.view.as_ref()?;
    let branch = view.branch().filter(|_| view.run.outcome().is_none())?;
    let run = view.run.id();
    Some(format!(
        "the worktrees of run {run} and its branch `{branch}` stay until `signoff undo {run}` or `signoff prune`"
    ))
}

/// Cancels a plan because what it was made from is gone, whoever caused that. A plan whose run is
/// not over is a person's to cancel. `None`: nobody could start it any more anyway.
pub fn withdraw(
    doing: ActorContext<'_>,
    path: &Path,
    name: &str,
    reason: &str,
) -> Result<Option<PlanReport>, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    let state = held.standing.state;
    if !may_delete(state) {
        let act = Act::Cancel;
        let possible = possible(state, doing.actor);
        return Err(Forbidden::State {
            state,
            act,
            possible,
        }
        .into());
    }
    if matches!(state, PlanState::Completed | PlanState::Cancelled) {
        return Ok(None);
    }
    held.record(&[PlanEvent::PlanCancelled {
        digest: held.digest(),
        by: Actor::Harness.name().to_owned(),
        actor: Actor::Harness.name().to_owned(),
        reason: reason.to_owned(),
        run: None,
    }])?;
    held.conclude(PlanState::Cancelled, Vec::new()).map(Some)
}

/// Makes a failed or stalled plan approved again: the next run starts from scratch, under the
/// signature there is.
pub fn retry(doing: ActorContext<'_>, path: &Path, name: &str) -> Result<PlanReport, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    let state = held.allow(Act::Retry)?;
    if !held.standing.signed {
        return Err(not_signed(doing.project, &held.plan)?);
    }
    let unfinished = give_up(&held)?;
    let newest = held
        .standing
        .view
        .as_ref()
        .map(|view| view.run.id().to_owned());
    held.record(&[PlanEvent::PlanRetried {
        digest: held.digest(),
        by: held.by(),
        run: unfinished.or(newest).unwrap_or_default(),
    }])?;
    held.conclude(state, Vec::new())
}

/// What is given up: what an unfinished run carries out, if there is one. A text that was edited since
/// is not what ran; it can be signed and run.
fn given_up(held: &LockedPlan<'_>) -> String {
    let unfinished = held.standing.view.as_ref();
    let unfinished = unfinished.filter(|view| view.run.outcome().is_none());
    unfinished.map_or_else(
        || held.digest(),
        |view| view.run.signed().digest().to_string(),
    )
}

/// Ends what is left of the plan's unfinished run; returns its name.
fn give_up(held: &LockedPlan<'_>) -> Result<Option<String>, Error> {
    let Some(view) = &held.standing.view else {
        return Ok(None);
    };
    if view.run.outcome().is_some() {
        return Ok(None);
    }
    let id = view.run.id().to_owned();
    end_leftovers_of(held.doing.project, &id, held.doing.clock)?;
    Ok(Some(id))
}
