//! Continuing a run after a crash, a pause or a failure.

use signoff_plan::sparse::Sparse;

use super::readiness::{mark_ready_if_unblocked, update_done_count};
use super::step::withdraw_items;
use crate::recovery::{CutOff, cut_off};
use crate::state::{ReplanStage, Run, SharedLimits, Stage, StepOutcome, StepState, StepStatus};

/// Puts steps that a crash or a pause cut off back to where they are requested again.
pub(super) fn resume(
    run: &mut Run,
    reopened: bool,
    elsewhere: &[String],
    clock_was_set_back: bool,
) {
    run.pause = None;
    run.trouble = None;
    run.pausing = None;
    // Who goes on looks again.
    run.outside = SharedLimits::default();
    if let Some(replan) = &mut run.replan
        && replan.stage == ReplanStage::Asked
    {
        replan.stage = ReplanStage::Requested;
    }
    run.reviews.ask_again();
    for at in run.schedule.active.clone() {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if elsewhere.contains(&definition.id) {
            continue;
        }
        match cut_off(definition, state) {
            CutOff::Harness(stage) => ask_again(run, at, stage),
            CutOff::Recheck => {
                ask_again(run, at, Stage::Ended);
                run.schedule.active.remove(&at);
            }
            // Events from `decide` settle these.
            CutOff::Agent { .. }
            | CutOff::Call { .. }
            | CutOff::Answer(_)
            | CutOff::AfterAgent
            | CutOff::AfterCall
            | CutOff::AfterMerge
            | CutOff::Nothing => {}
        }
    }
    if reopened {
        reopen(run);
    }
    if clock_was_set_back {
        end_pauses(run);
    }
}

/// Ends all pauses before retries. The clock was set back while the run stood still, so they would last
/// too long.
fn end_pauses(run: &mut Run) {
    for at in 0..run.steps.len() {
        let pauses = |step: &StepState| step.activation.not_before > 0;
        if run.steps.get(at).is_some_and(pauses)
            && let Some(step) = run.steps.get_mut(at)
        {
            step.activation.not_before = 0;
        }
    }
}

fn ask_again(run: &mut Run, at: usize, stage: Stage) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    // A baseline on the base commit needs no queue.
    if stage == Stage::NeedsBaseline && step.attempt.candidate.is_none() {
        step.allocation.leave_queue();
    }
    step.stage = stage;
}

/// Lets failed and blocked steps run again, and skipped steps that block them. Completed steps stay
/// completed.
fn reopen(run: &mut Run) {
    run.was_reopened |= run.outcome.take().is_some();
    run.aborting = false;
    // Questions about several steps are asked again at the new end.
    run.inbox.items.retain(|_, item| item.steps.is_empty());
    for at in 0..run.steps.len() {
        // A skipped step that blocks others has to run before them.
        let lost = run.steps.get(at).is_some_and(|step| {
            let blocks = step.status == StepStatus::Skipped && !step.satisfies;
            blocks || matches!(step.status, StepStatus::Failed | StepStatus::Blocked)
        });
        if lost {
            reopen_step(run, at);
        }
    }
}

/// Retries one step, and the steps that it blocked.
pub(super) fn retry_step(run: &mut Run, at: usize, hint: Option<&str>) {
    withdraw_items(run, at);
    reopen_step(run, at);
    if let Some(step) = run.steps.get_mut(at) {
        step.advice.hint = hint.map(str::to_owned);
        step.made_call.clear();
    }
    free_blocked(run, at);
}

/// Lets the run go on that this step's failure had stopped, and frees the steps that it blocked.
pub(super) fn free_blocked(run: &mut Run, at: usize) {
    run.was_reopened |= run.outcome.take().is_some();
    run.aborting = false;
    let parent = run.steps.get(at).and_then(StepState::parent);
    let mut freed = vec![at];
    freed.extend(parent);
    // Blocked steps name their cause. In plan order, a cause is freed before what it blocks.
    for later in run.order().collect::<Vec<_>>() {
        let by = run
            .steps
            .get(later)
            .filter(|step| step.status == StepStatus::Blocked);
        let by = by.and_then(|step| step.outcome.reason.clone());
        let cause = by.and_then(|id| run.position(&id));
        if cause.is_some_and(|cause| freed.contains(&cause)) {
            freed.push(later);
            reopen_step(run, later);
        }
    }
}

/// Lets an ended step start again; a loop keeps its items.
fn reopen_step(run: &mut Run, at: usize) {
    let items = run.children.get(&at).cloned();
    let open = items.as_ref().map(|items| {
        let open = items.iter().filter_map(|&item| run.steps.get(item));
        open.filter(|step| !step.satisfies).count()
    });
    run.schedule.active.remove(&at);
    run.schedule.provisional.remove(&at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.activation = Sparse::default();
    step.attempt = Sparse::default();
    step.outcome = StepOutcome::default();
    step.history.ended_before = true;
    match open {
        Some(open) => {
            step.status = StepStatus::Running;
            step.stage = Stage::Expanded;
            step.waits_for = open;
            if open == 0 {
                run.schedule.gather.insert(at);
            }
        }
        None => {
            step.status = StepStatus::Pending;
            step.stage = Stage::Idle;
            mark_ready_if_unblocked(run, at);
        }
    }
    update_done_count(run, at);
}
