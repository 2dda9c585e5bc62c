//! An agent waits, with its process, for a person's answer.

use crate::Millis;
use crate::event::InboxKind;
use crate::state::{Run, StepStatus};

/// The agent of a step asked something. It keeps its slot: its process is there.
pub(super) fn begin_waiting(run: &mut Run, at: usize, now: Millis) {
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Waiting;
        step.attempt.asked_at.get_or_insert(now);
    }
}

/// One question of it was answered. It may have asked more than one.
pub(super) fn end_waiting(run: &mut Run, at: usize, now: Millis) {
    if run.asks_permission(at) {
        return;
    }
    if let Some(step) = run.steps.get_mut(at) {
        let asked_at = step.attempt.asked_at.take();
        step.attempt.waited += asked_at.map_or(0, |since| now.saturating_sub(since));
        step.status = StepStatus::Running;
    }
}

/// The agent is gone, and with it what it asked.
pub(super) fn withdraw_permissions(run: &mut Run, at: usize) {
    let is_its = |kind, step| kind == InboxKind::Permission && step == at;
    (run.inbox.items).retain(|_, item| !is_its(item.kind, item.step));
    if let Some(step) = run.steps.get_mut(at)
        && step.attempt.asked_at.take().is_some()
    {
        step.status = StepStatus::Running;
    }
}
