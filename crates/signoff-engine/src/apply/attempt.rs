//! One attempt, from the contract before the work to the contract after it.

use super::contract::{baseline_finished, contract_finished};
use super::merge::carry_work_over;
use crate::event::{AgentOutput, CallEnd, Event, RecordedEvent};
use crate::recovery::stage_after_interruption;
use crate::state::{Allocation, AttemptState, Run, Stage, StepStatus};
use crate::verdict::ProcessEnd;

pub(super) fn apply(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let (tree, takes_queue) = (run.tree_version, run.calls_in_tree(at));
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    match &recorded.event {
        Event::ConditionHeld { .. } => step.activation.condition_held = true,
        Event::BaselineStarted { base, .. } => {
            step.stage = Stage::Baselining;
            // What other steps change from now on is not part of the baseline.
            step.contract.tree_version = tree;
            step.baseline.commit.clone_from(base);
            if step.attempt.candidate.is_none() {
                step.activation.base.clone_from(base);
            }
            step.allocation.take_slot();
        }
        Event::BaselineFinished { .. } => baseline_finished(run, at, recorded),
        Event::AttemptStarted { attempt, base, .. } => {
            step.attempts = *attempt;
            step.attempt = AttemptState::started(recorded.at);
            step.activation.base.clone_from(base);
            step.allocation = if takes_queue {
                Allocation::MergeQueue
            } else {
                Allocation::Slot
            };
            step.status = StepStatus::Running;
            step.stage = Stage::Working { attempt: *attempt };
        }
        Event::WorkItem { .. } => step.activation.agents += 1,
        Event::ProcessStarted { process, .. } => step.attempt.process = Some(process.clone()),
        Event::WorkFinished { .. } => work_finished(run, at, &recorded.event),
        Event::CallStarted { call, .. } => {
            step.attempt.changed_tree = call.changes_tree;
            step.values.output = None;
            step.attempt.call = Some(call.clone());
        }
        Event::CallFinished { attempt, end, .. } => call_finished(run, at, *attempt, end),
        Event::AttemptInterrupted {
            attempt, stopped, ..
        } => interrupt(run, at, *attempt, *stopped),
        Event::ContractStarted { attempt, again, .. } => {
            step.contract.tree_version = tree;
            step.allocation.take_slot();
            // An interrupted step left the queue; its candidate needs the queue again.
            if step.attempt.candidate.is_some() {
                step.allocation = Allocation::MergeQueue;
            }
            if *again {
                step.stage = Stage::Rechecking;
                run.active.insert(at);
            } else {
                step.status = StepStatus::Verifying;
                step.stage = Stage::Evaluating { attempt: *attempt };
            }
        }
        Event::ContractFinished { .. } => contract_finished(run, at, recorded),
        Event::RetryScheduled {
            not_before,
            counted,
            ..
        } => {
            step.activation.failures += u32::from(*counted);
            step.activation.not_before = *not_before;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
            carry_work_over(step);
        }
        Event::RunStarted { .. }
        | Event::RunResumed { .. }
        | Event::PlanReplanned { .. }
        | Event::TreePrepared { .. }
        | Event::CheckoutJoined { .. }
        | Event::FilesLanded { .. }
        | Event::LandingStarted { .. }
        | Event::RunLanded { .. }
        | Event::RunUndone { .. }
        | Event::CandidateStarted { .. }
        | Event::CandidateBuilt { .. }
        | Event::MergeConflicted { .. }
        | Event::MergeStarted { .. }
        | Event::Merged { .. }
        | Event::PauseRequested { .. }
        | Event::RunPaused { .. }
        | Event::RunFinished { .. }
        | Event::StepStarted { .. }
        | Event::Expanded { .. }
        | Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::StepCompleted { .. }
        | Event::StepConfirmed { .. }
        | Event::StepProvisional { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepBlocked { .. }
        | Event::StepWaiting { .. }
        | Event::StepRetried { .. }
        | Event::InboxOpened { .. }
        | Event::InboxAnswered { .. } => {}
    }
}

fn work_finished(run: &mut Run, at: usize, event: &Event) {
    let Event::WorkFinished {
        attempt,
        ended,
        output: AgentOutput { text },
        changes,
        ..
    } = event
    else {
        return;
    };
    run.tree_version += u64::from(!run.in_worktrees());
    let read = run.read.contains(&at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.attempt.process = None;
    step.attempt.work_ended = Some(ended.clone());
    step.history.said = Some(text.clone());
    step.changes.protected.clone_from(&changes.protected);
    if !matches!(ended, ProcessEnd::NotStarted(_)) {
        step.changes.files.clone_from(&changes.files);
        step.changes.details.clone_from(&changes.details);
        step.cut_off.unseen_since = None;
    }
    step.status = StepStatus::Verifying;
    step.stage = Stage::NeedsEvaluation { attempt: *attempt };
    if read {
        step.values.output = Some(text.as_str().into());
    }
}

fn call_finished(run: &mut Run, at: usize, attempt: u32, end: &CallEnd) {
    let in_worktrees = run.in_worktrees();
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    let call = step.attempt.call.take();
    let changed = call.is_some_and(|call| call.changes_tree);
    if let CallEnd::Done(value) = end {
        step.values.output = Some(value.clone());
    }
    step.status = StepStatus::Verifying;
    step.stage = Stage::NeedsEvaluation { attempt };
    run.tree_version += u64::from(changed && !in_worktrees);
}

fn interrupt(run: &mut Run, at: usize, attempt: u32, stopped: bool) {
    let in_worktrees = run.in_worktrees();
    run.tree_version += u64::from(!in_worktrees);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.activation.interruptions += u32::from(!stopped);
    step.attempt.interrupted = true;
    step.attempt.process = None;
    step.attempt.call = None;
    step.cut_off.unseen_since.get_or_insert(attempt);
    step.cut_off.numbers.insert(attempt);
    // These are from an earlier attempt; this one started without them.
    step.changes.protected.clear();
    if in_worktrees {
        // The candidate will show what it changed.
        step.changes.files = None;
    }
    step.allocation.leave_queue();
    step.stage = stage_after_interruption(step, attempt);
}
