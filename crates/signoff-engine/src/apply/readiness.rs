//! Which steps may start. This changes when a step ends, and when an ended step is revoked.

use crate::state::{Allocation, Run, Stage, StepStatus};

pub(super) fn end_step(run: &mut Run, at: usize, status: StepStatus, reason: Option<&str>) {
    run.schedule.ready.remove(&at);
    run.schedule.active.remove(&at);
    run.schedule.gather.remove(&at);
    run.schedule.provisional.remove(&at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = status;
        step.stage = Stage::Ended;
        step.allocation = Allocation::Nothing;
        step.attempt.candidate = None;
        step.activation.answered = None;
        step.attempt.inconclusive = 0;
        step.outcome.reason = reason.map(str::to_owned);
    }
}

/// Ends a step as failed or blocked. If it had satisfied its dependents, it no longer does: a person refused
/// it or a step that it was built on, or its contract fails now.
pub(super) fn end_unsatisfied(run: &mut Run, at: usize, status: StepStatus, reason: &str) {
    end_step(run, at, status, Some(reason));
    run.rechecks.remove(at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    let was_done = step.outcome.evidence.take().is_some();
    step.outcome.unconfirmed = false;
    step.outcome.regressed = was_done && status == StepStatus::Failed;
    step.history.ended_before |= was_done;
    if !std::mem::take(&mut step.satisfies) {
        return;
    }
    for dependent in dependents_of(run, at) {
        if let Some(step) = run.steps.get_mut(dependent) {
            step.waits_for += 1;
        }
    }
    run.schedule.frontier = run.schedule.frontier.min(at);
    let ready = std::mem::take(&mut run.schedule.ready);
    run.schedule.ready = ready
        .into_iter()
        .filter(|&at| run.has_met_dependencies(at))
        .collect();
}

/// The steps that name a step of the run among their dependencies.
fn dependents_of(run: &Run, at: usize) -> Vec<usize> {
    let dependents = run.dependents.get(at);
    dependents.expect("every step has its list").clone()
}

/// Lets dependents count the step as done. A second call changes nothing: a provisional step is accepted later.
pub(crate) fn satisfy_dependents(run: &mut Run, at: usize) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    if std::mem::replace(&mut step.satisfies, true) {
        return;
    }
    if run.is_redone(at) {
        run.schedule.redone.insert(at);
    }
    for dependent in dependents_of(run, at) {
        if let Some(step) = run.steps.get_mut(dependent) {
            step.waits_for = step.waits_for.saturating_sub(1);
            if step.stage == Stage::Expanded && step.waits_for == 0 {
                run.schedule.gather.insert(dependent);
            }
        }
        mark_ready_if_unblocked(run, dependent);
    }
    let of_plan = run.plan().steps.len();
    while run.schedule.frontier < of_plan
        && (run.steps.get(run.schedule.frontier)).is_some_and(|step| step.satisfies)
    {
        run.schedule.frontier += 1;
    }
    // Items of loops come after the plan's own steps and do not wait for earlier ones.
    if run.schedule.frontier < of_plan {
        mark_ready_if_unblocked(run, run.schedule.frontier);
    }
}

pub(super) fn mark_ready_if_unblocked(run: &mut Run, at: usize) {
    let pending = (run.steps.get(at)).is_some_and(|step| step.status == StepStatus::Pending);
    if pending && run.has_met_dependencies(at) {
        run.schedule.ready.insert(at);
    }
}

/// Counts the step as finished if it is done or skipped, and stops counting it otherwise.
pub(crate) fn update_done_count(run: &mut Run, at: usize) {
    if at >= run.plan().steps.len() {
        return;
    }
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    let is_done = step.satisfies || step.status == StepStatus::Skipped;
    match (std::mem::replace(&mut step.counted, is_done), is_done) {
        (false, true) => run.schedule.done += 1,
        (true, false) => run.schedule.done = run.schedule.done.saturating_sub(1),
        (true, true) | (false, false) => {}
    }
}
