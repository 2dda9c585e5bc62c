//! A person cancels a plan, or has it run again from the start.

use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_api::request::RequestKind;
use signoff_engine::{
    Actor, ForbiddenTransition, PlanState, Transition, may_delete, possible_transitions,
};
use signoff_plan::edit::Edit;

use super::locked::LockedPlan;
use super::{ActorContext, PlanReport};
use crate::clock::timestamp;
use crate::error::Error;
use crate::runs::control::ask;
use crate::runs::{OpenedRun, end_leftovers_of};
use crate::signing::current_signature::not_signed_error;

/// Cancels a plan. A run of it that has not ended is over; one that another process drives has to be
/// stopped first.
pub fn cancel(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    reason: Option<&str>,
) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    locked.allow(Transition::Cancel)?;
    let run = end_unfinished_run(&locked)?;
    let why = reason.map(str::trim).filter(|text| !text.is_empty());
    let cancelled = |digest: String, run: Option<String>| PlanEvent::PlanCancelled {
        digest,
        by: locked.actor_name(),
        actor: context.actor.name().to_owned(),
        reason: why.unwrap_or("a person cancelled it").to_owned(),
        run,
    };
    let (present, ran) = (locked.digest(), abandoned_digest(&locked));
    let mut events = vec![cancelled(ran.clone(), run.clone())];
    // A text that was edited since is not what ran, and it is the one that was named.
    if present != ran {
        events.push(cancelled(present.clone(), None));
    }
    locked.record_end(&events, &[ran, present])?;
    let left = worktrees_note(&locked);
    let ended = run.as_ref().map(|_| Edit::SetPlan {
        field: "execution_ended_at".to_owned(),
        value: timestamp(context.clock.now()).into(),
    });
    let mut done = locked.conclude(PlanState::Cancelled, ended.into_iter().collect())?;
    done.notes.extend(left);
    done.notes
        .extend(run.and_then(|run| mark_given_up(context, &run)));
    Ok(done)
}

/// Marks the steps of a run that was given up: none of them is under way any more. Says why it could not.
fn mark_given_up(context: ActorContext<'_>, run: &str) -> Option<String> {
    // Nothing is known of the steps of a run whose directory is gone.
    let opened = OpenedRun::open(context.project, run, context.clock).ok()?;
    let mut state = opened.state().clone();
    state.give_up();
    let mut marks = opened.mark_projection();
    marks.write(&state, context.clock.now());
    marks.trouble
}

/// A note about the worktrees of an abandoned run: a person may want some of that work.
fn worktrees_note(locked: &LockedPlan<'_>) -> Option<String> {
    let view = locked.status.view.as_ref()?;
    let branch = view.branch().filter(|_| view.run.outcome().is_none())?;
    let run = view.run.id();
    Some(format!(
        "the worktrees of run {run} and its branch `{branch}` stay until `signoff undo {run}` or `signoff prune`"
    ))
}

/// Cancels a plan because what it was made from is gone, whoever caused that. A plan whose run is
/// not over is a person's to cancel. `None` if it could not be started any more anyway.
pub fn withdraw(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    reason: &str,
) -> Result<Option<PlanReport>, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    let state = locked.status.state;
    if !may_delete(state) {
        let act = Transition::Cancel;
        let possible = possible_transitions(state, context.actor);
        return Err(ForbiddenTransition::State {
            state,
            act,
            possible,
        }
        .into());
    }
    if matches!(state, PlanState::Completed | PlanState::Cancelled) {
        return Ok(None);
    }
    let cancelled = PlanEvent::PlanCancelled {
        digest: locked.digest(),
        by: Actor::Harness.name().to_owned(),
        actor: Actor::Harness.name().to_owned(),
        reason: reason.to_owned(),
        run: None,
    };
    locked.record_end(&[cancelled], &[locked.digest()])?;
    locked.conclude(PlanState::Cancelled, Vec::new()).map(Some)
}

/// Makes a failed or stalled plan approved again: the next run starts from scratch, under the
/// signature there is.
pub fn retry(context: ActorContext<'_>, path: &Path, name: &str) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    let state = locked.allow(Transition::Retry)?;
    if !locked.status.signed {
        return Err(not_signed_error(context.project, &locked.plan)?);
    }
    let unfinished = end_unfinished_run(&locked)?;
    let lost = locked.status.lost_run.as_ref();
    let newest = (locked.status.view.as_ref())
        .map(|view| view.run.id().to_owned())
        .or_else(|| lost.map(|lost| lost.id.clone()));
    locked.record(&[PlanEvent::PlanRetried {
        digest: locked.digest(),
        by: locked.actor_name(),
        run: unfinished
            .or(newest)
            .expect("a plan that failed or stalled has a run"),
    }])?;
    locked.conclude(state, Vec::new())
}

/// The digest of the unfinished run, if there is one.
fn abandoned_digest(locked: &LockedPlan<'_>) -> String {
    let unfinished = locked.status.view.as_ref();
    let unfinished = unfinished.filter(|view| view.run.outcome().is_none());
    unfinished.map_or_else(
        || locked.digest(),
        |view| view.run.signed_plan().digest().to_string(),
    )
}

/// Ends what is left of the plan's unfinished run; returns its name.
fn end_unfinished_run(locked: &LockedPlan<'_>) -> Result<Option<String>, Error> {
    let Some(view) = &locked.status.view else {
        let lost = locked.status.lost_run.as_ref();
        let unfinished = lost.filter(|lost| lost.outcome.is_none());
        return Ok(unfinished.map(|lost| lost.id.clone()));
    };
    if view.run.outcome().is_some() {
        return Ok(None);
    }
    let id = view.run.id().to_owned();
    if locked.context.project.store.run_dir(&id).is_shared() {
        // It must not go on where others drive it.
        let (project, clock) = (locked.context.project, locked.context.clock);
        ask(project, &id, RequestKind::Abort, clock)?;
        return Ok(Some(id));
    }
    end_leftovers_of(locked.context.project, &id, locked.context.clock)?;
    Ok(Some(id))
}
