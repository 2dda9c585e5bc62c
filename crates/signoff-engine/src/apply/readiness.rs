//! Which steps may start: changed when a step ends, and when what it let start is taken back.

use crate::state::{Run, Stage, StepStatus};

pub(super) fn end(run: &mut Run, at: usize, status: StepStatus, reason: Option<&String>) {
    run.ready.remove(&at);
    run.active.remove(&at);
    run.provisional.remove(&at);
    if let Some(step) = run.steps.get_mut(at) {
        run.ended += usize::from(step.stage != Stage::Ended);
        step.status = status;
        step.stage = Stage::Ended;
        step.answered = None;
        step.reason = reason.cloned();
    }
}

/// Ends a step as failed or blocked. It may have satisfied its dependents before: a person refused
/// it, or what it was built on.
pub(super) fn lose(run: &mut Run, at: usize, status: StepStatus, reason: &String) {
    end(run, at, status, Some(reason));
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.evidence = None;
    if !std::mem::take(&mut step.satisfies) {
        return;
    }
    for dependent in run.dependents.get(at).cloned().unwrap_or_default() {
        if let Some(step) = run.steps.get_mut(dependent) {
            step.waits_for += 1;
        }
    }
    run.frontier = run.frontier.min(at);
    let ready = std::mem::take(&mut run.ready);
    run.ready = ready.into_iter().filter(|&at| run.is_free(at)).collect();
}

/// Lets dependents count the step as done, once: one that is accepted at the end was so before.
pub(super) fn satisfy_dependents(run: &mut Run, at: usize) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    if std::mem::replace(&mut step.satisfies, true) {
        return;
    }
    let dependents = run.dependents.get(at).cloned().unwrap_or_default();
    for dependent in dependents {
        if let Some(step) = run.steps.get_mut(dependent) {
            step.waits_for = step.waits_for.saturating_sub(1);
        }
        make_ready(run, dependent);
    }
    while run
        .steps
        .get(run.frontier)
        .is_some_and(|step| step.satisfies)
    {
        run.frontier += 1;
    }
    make_ready(run, run.frontier);
}

pub(super) fn make_ready(run: &mut Run, at: usize) {
    let pending = (run.steps.get(at)).is_some_and(|step| step.status == StepStatus::Pending);
    if pending && run.is_free(at) {
        run.ready.insert(at);
    }
}
