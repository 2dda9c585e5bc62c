//! One attempt: the contract before the work, the work, the contract after it.

use super::merge::carry;
use crate::event::{CallEnd, Changes, Event, Output, Recorded};
use crate::state::{Failure, Run, Stage, StepState, StepStatus};
use crate::verdict::{
    Observation, ProcessEnd, Verdict, is_repeated, pause_after_void, weaker_room,
};

pub(super) fn apply(run: &mut Run, at: usize, recorded: &Recorded) {
    let (read, tree) = (run.read.contains(&at), run.tree);
    let (in_worktrees, takes_queue) = (run.in_worktrees(), run.calls_in_tree(at));
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    match &recorded.event {
        Event::ConditionHeld { .. } => step.condition_held = true,
        Event::BaselineStarted { base, .. } => {
            step.stage = Stage::Baselining;
            // What others do meanwhile is not what it looks at.
            step.tree = tree;
            step.baseline_on.clone_from(base);
            if step.candidate.is_none() {
                step.base.clone_from(base);
            }
            step.placed = true;
        }
        Event::BaselineFinished {
            verdict, observed, ..
        } => {
            note_void(step, observed, recorded.at);
            if step.void > 0 && is_repeated(step.void) {
                step.stage = Stage::NeedsBaseline;
                return;
            }
            step.void = 0;
            step.not_before = 0;
            if read {
                step.values.stdout = whole(observed);
            }
            step.baseline = Some(*verdict);
            step.baseline_again = step.candidate.is_some();
            step.baseline_excuse = observed.excuse();
            step.tests_before.clone_from(&observed.tests);
            step.room.clone_from(&observed.room);
            step.ignored_work = observed.ignored_work;
            step.warm = observed.warm;
            note_writes(step, observed);
            step.stage = match step.candidate {
                Some(_) => Stage::NeedsEvaluation {
                    attempt: step.attempts,
                },
                None => Stage::NeedsWork,
            };
        }
        Event::AttemptStarted { attempt, base, .. } => {
            start_attempt(step, *attempt, recorded.at);
            step.base.clone_from(base);
            step.holds = takes_queue;
        }
        Event::WorkItem { .. } => step.agents += 1,
        Event::ProcessStarted { process, .. } => step.process = Some(process.clone()),
        Event::WorkFinished {
            attempt,
            ended,
            output: Output { text },
            changes,
            ..
        } => {
            step.process = None;
            step.said = Some(text.clone());
            step.work_ended = Some(ended.clone());
            step.changes.protected.clone_from(&changes.protected);
            if !matches!(ended, ProcessEnd::NotStarted(_)) {
                step.changes.files.clone_from(&changes.files);
                step.changes.details.clone_from(&changes.details);
                step.unseen_since = None;
            }
            step.status = StepStatus::Verifying;
            step.stage = Stage::NeedsEvaluation { attempt: *attempt };
            if read {
                step.values.output = Some(text.as_str().into());
            }
            run.tree += u64::from(!in_worktrees);
        }
        Event::CallStarted { call, .. } => {
            step.changed_tree = call.changes_tree;
            step.values.output = None;
            step.call = Some(call.clone());
        }
        Event::CallFinished { attempt, end, .. } => {
            let changed = step.call.take().is_some_and(|call| call.changes_tree);
            if let CallEnd::Done(value) = end {
                step.values.output = Some(value.clone());
            }
            step.status = StepStatus::Verifying;
            step.stage = Stage::NeedsEvaluation { attempt: *attempt };
            run.tree += u64::from(changed && !in_worktrees);
        }
        Event::AttemptInterrupted {
            attempt, stopped, ..
        } => {
            interrupt(step, *attempt, *stopped);
            if in_worktrees {
                // The candidate will tell.
                step.changes.files = None;
            }
            run.tree += u64::from(!in_worktrees);
        }
        Event::ContractStarted { attempt, again, .. } => {
            step.tree = tree;
            step.placed = true;
            // One that was cut off gave the queue up, and its candidate needs it again.
            step.holds |= step.candidate.is_some();
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
            step.failures += u32::from(*counted);
            step.not_before = *not_before;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
            carry(step);
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

fn contract_finished(run: &mut Run, at: usize, recorded: &Recorded) {
    let Event::ContractFinished {
        attempt,
        verdict,
        unmet,
        observed,
        ..
    } = &recorded.event
    else {
        return;
    };
    let read = run.read.contains(&at);
    if observed.tree.is_some() {
        run.seen_tree.clone_from(&observed.tree);
    }
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    note_void(step, observed, recorded.at);
    let has_no_answer = *verdict == Verdict::Inconclusive && observed.void.is_none();
    step.tests_after.clone_from(&observed.tests);
    step.room = weaker_room(step.room.as_deref(), observed.room.as_deref());
    step.warm = observed.warm;
    step.ignored_work |= observed.ignored_work;
    note_writes(step, observed);
    if let Some(changes) = &observed.changes {
        step.changes = Changes::clone(changes);
        step.unseen_since = None;
    }
    if step.stage == Stage::Rechecking {
        // It has ended already; only a verdict against it changes that, by an event of its own.
        step.stage = Stage::Ended;
        step.inconclusive += u32::from(has_no_answer);
        run.active.remove(&at);
        if *verdict == Verdict::Pass {
            let tree = step.tree;
            step.inconclusive = 0;
            run.verdicts.retain(|&(_, step)| step != at);
            run.verdicts.insert((tree, at));
        }
        return;
    }
    // The consequence is an event of its own. If it was lost with a crash, the contract is
    // evaluated once more, which costs time and is never wrong.
    let holds = *verdict == Verdict::Pass && step.ended_badly().is_none();
    step.stage = if holds && step.candidate.is_some() {
        Stage::NeedsMerge { attempt: *attempt }
    } else {
        Stage::NeedsEvaluation { attempt: *attempt }
    };
    step.judged_on = observed.tree.clone().or_else(|| step.judged_on.take());
    if read {
        step.values.stdout = whole(observed);
    }
    match verdict {
        Verdict::Pass => step.failure = None,
        Verdict::Fail => {
            step.failure = Some(Failure {
                unmet: unmet.clone(),
                ended: observed.ended.clone(),
                stdout: observed.stdout.clone(),
                stderr: observed.stderr.clone(),
                conflict: None,
            });
        }
        Verdict::Inconclusive => step.inconclusive += u32::from(has_no_answer),
    }
}

/// What a contract printed, if all of it is there.
fn whole(observed: &Observation) -> Option<String> {
    (!observed.cut).then(|| observed.stdout.clone())
}

/// Counts evaluations that say nothing because something changed meanwhile, and lets the next one wait.
fn note_void(step: &mut StepState, observed: &Observation, at: crate::Millis) {
    if observed.void.is_none() {
        step.void = 0;
        return;
    }
    step.void += 1;
    step.not_before = at + pause_after_void(step.void);
}

fn note_writes(step: &mut StepState, observed: &Observation) {
    for path in &observed.wrote {
        if !step.contract_writes.contains(path) {
            step.contract_writes.push(path.clone());
        }
    }
}

fn start_attempt(step: &mut StepState, attempt: u32, at: crate::Millis) {
    step.attempts = attempt;
    step.interrupted = false;
    step.taken_over = None;
    step.inconclusive = 0;
    step.void = 0;
    step.work_ended = None;
    step.process = None;
    step.call = None;
    // What a person accepted or repaired was the attempt before.
    step.accepted_by = None;
    step.repaired_by = None;
    step.conflicted = false;
    step.candidate = None;
    step.commit = None;
    step.changed_tree = false;
    step.started_at = at;
    step.placed = true;
    step.status = StepStatus::Running;
    step.stage = Stage::Working { attempt };
}

fn interrupt(step: &mut StepState, attempt: u32, stopped: bool) {
    step.interruptions += u32::from(!stopped);
    step.interrupted = true;
    step.unseen_since.get_or_insert(attempt);
    step.cut_off.insert(attempt);
    // The attempt began without those.
    step.changes.protected.clear();
    step.process = None;
    step.call = None;
    step.holds = false;
    // Seen red before: if the contract holds now, the work was done. Otherwise nothing can be said
    // about the attempt, and it is void.
    step.stage = if step.baseline == Some(Verdict::Fail) {
        Stage::NeedsEvaluation { attempt }
    } else {
        Stage::NeedsWork
    };
}
