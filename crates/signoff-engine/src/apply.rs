//! The only place where a run's state changes.

mod going_on;
mod readiness;

use signoff_plan::model::{Step, Work};

use self::going_on::resume;
use self::readiness::{end, lose, satisfy_dependents};
use crate::event::{Event, Recorded, Settings};
use crate::input::Choice;
use crate::state::{Failure, Item, Run, Stage, StepState, StepStatus, wants_baseline};
use crate::verdict::{Observation, Verdict};

/// Applies one recorded event. Never fails: an event about an unknown step changes nothing, and the
/// journal's reader has already refused what does not parse.
pub fn apply(run: &mut Run, recorded: &Recorded) {
    run.spent.note(recorded);
    match &recorded.event {
        Event::RunStarted {
            run: id, settings, ..
        } => {
            run.id.clone_from(id);
            run.settings = settings.clone();
            run.started = true;
        }
        Event::RunResumed { reopened, .. } => resume(run, *reopened),
        Event::RunPaused { reason } => run.pause = Some(reason.clone()),
        Event::RunFinished { outcome } => run.outcome = Some(*outcome),
        Event::StepStarted { .. }
        | Event::ConditionHeld { .. }
        | Event::BaselineStarted { .. }
        | Event::BaselineFinished { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::WorkFinished { .. }
        | Event::AttemptInterrupted { .. }
        | Event::ContractStarted { .. }
        | Event::ContractFinished { .. }
        | Event::RetryScheduled { .. }
        | Event::StepCompleted { .. }
        | Event::StepProvisional { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepBlocked { .. }
        | Event::StepWaiting { .. }
        | Event::InboxOpened { .. }
        | Event::InboxAnswered { .. } => {
            let event = &recorded.event;
            let at = event.step().and_then(|id| run.index.get(id).copied());
            if let Some(at) = at {
                apply_to_step(run, at, event);
            }
        }
    }
}

fn apply_to_step(run: &mut Run, at: usize, event: &Event) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    match event {
        Event::StepStarted { .. } => begin(run, at),
        Event::ConditionHeld { .. } => step.condition_held = true,
        Event::BaselineStarted { .. } => step.stage = Stage::Baselining,
        Event::BaselineFinished {
            verdict, observed, ..
        } => {
            if run.read.contains(&at) {
                step.values.stdout = whole(observed);
            }
            step.baseline = Some(*verdict);
            step.stage = Stage::NeedsWork;
        }
        Event::AttemptStarted { attempt, .. } => start_attempt(step, *attempt),
        Event::WorkItem { .. } => {}
        Event::ProcessStarted { process, .. } => step.process = Some(process.clone()),
        Event::WorkFinished {
            attempt,
            ended,
            text,
            ..
        } => {
            step.process = None;
            step.said = Some(text.clone());
            step.work_ended = Some(ended.clone());
            step.status = StepStatus::Verifying;
            step.stage = Stage::NeedsEvaluation { attempt: *attempt };
        }
        Event::AttemptInterrupted {
            attempt, stopped, ..
        } => interrupt(step, *attempt, *stopped),
        Event::ContractStarted { attempt, .. } => {
            step.status = StepStatus::Verifying;
            step.stage = Stage::Evaluating { attempt: *attempt };
        }
        Event::ContractFinished {
            attempt,
            verdict,
            unmet,
            observed,
            ..
        } => {
            // The consequence is an event of its own. If it was lost with a crash, the contract is
            // evaluated once more, which costs time and is never wrong.
            step.stage = Stage::NeedsEvaluation { attempt: *attempt };
            if run.read.contains(&at) {
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
                    });
                }
                Verdict::Inconclusive => step.inconclusive += 1,
            }
        }
        Event::RetryScheduled {
            not_before,
            counted,
            ..
        } => {
            step.failures += u32::from(*counted);
            step.not_before = *not_before;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
        }
        Event::StepCompleted {
            evidence, facts, ..
        } => {
            step.evidence = Some((*evidence, facts.clone()));
            end(run, at, StepStatus::Completed, None);
            satisfy_dependents(run, at);
        }
        Event::StepProvisional { .. } => {
            step.status = StepStatus::Waiting;
            step.stage = Stage::Provisional;
            run.active.remove(&at);
            run.provisional.insert(at);
            satisfy_dependents(run, at);
        }
        Event::StepFailed { reason, .. } => {
            lose(run, at, StepStatus::Failed, reason);
            run.aborting |= run.plan().steps.get(at).is_some_and(|step| step.critical);
        }
        Event::StepSkipped {
            reason, satisfies, ..
        } => {
            end(run, at, StepStatus::Skipped, Some(reason));
            if *satisfies {
                satisfy_dependents(run, at);
            }
        }
        Event::StepBlocked { by, .. } => lose(run, at, StepStatus::Blocked, by),
        Event::StepWaiting { .. } => {}
        Event::InboxOpened {
            item,
            kind,
            steps,
            question,
            choices,
            options,
            ..
        } => {
            if steps.is_empty() {
                step.status = StepStatus::Waiting;
                step.stage = Stage::Waiting { item: item.clone() };
                run.active.remove(&at);
            }
            let opened = Item {
                id: item.clone(),
                kind: *kind,
                step: at,
                steps: positions(run, steps),
                question: question.clone(),
                choices: choices.clone(),
                options: options.clone(),
            };
            run.items.insert(item.clone(), opened);
            run.items_opened += 1;
        }
        Event::InboxAnswered {
            item,
            steps,
            choice,
            note,
            by,
            ..
        } => {
            run.items.remove(item);
            let about = if steps.is_empty() {
                vec![at]
            } else {
                positions(run, steps)
            };
            for at in about {
                run.active.insert(at);
                answer(run, at, *choice, note.as_deref(), by);
            }
        }
        Event::RunStarted { .. }
        | Event::RunResumed { .. }
        | Event::RunPaused { .. }
        | Event::RunFinished { .. } => {}
    }
}

/// What a contract printed, if all of it is there.
fn whole(observed: &Observation) -> Option<String> {
    (!observed.cut).then(|| observed.stdout.clone())
}

fn positions(run: &Run, ids: &[String]) -> Vec<usize> {
    let known = ids.iter().filter_map(|id| run.index.get(id));
    known.copied().collect()
}

fn begin(run: &mut Run, at: usize) {
    let Some(definition) = run.signed.plan().steps.get(at) else {
        return;
    };
    let stage = first_stage(definition, &run.settings);
    run.ready.remove(&at);
    run.active.insert(at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Running;
        step.stage = stage;
    }
}

/// What a step needs first once nothing stands before it.
fn first_stage(definition: &Step, settings: &Settings) -> Stage {
    if wants_baseline(definition, settings) {
        Stage::NeedsBaseline
    } else {
        Stage::NeedsWork
    }
}

fn start_attempt(step: &mut StepState, attempt: u32) {
    step.attempts = attempt;
    step.interrupted = false;
    step.inconclusive = 0;
    step.work_ended = None;
    step.process = None;
    step.status = StepStatus::Running;
    step.stage = Stage::Working { attempt };
}

fn interrupt(step: &mut StepState, attempt: u32, stopped: bool) {
    step.interruptions += u32::from(!stopped);
    step.interrupted = true;
    step.process = None;
    // Seen red before: if the contract holds now, the work was done. Otherwise nothing can be said
    // about the attempt, and it is void.
    step.stage = if step.baseline == Some(Verdict::Fail) {
        Stage::NeedsEvaluation { attempt }
    } else {
        Stage::NeedsWork
    };
}

fn answer(run: &mut Run, at: usize, choice: Choice, note: Option<&str>, by: &str) {
    let Some(definition) = run.signed.plan().steps.get(at) else {
        return;
    };
    let retries = definition.on_fail.retries;
    let is_check = definition.work == Work::Check;
    let stage = first_stage(definition, &run.settings);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.inconclusive = 0;
    step.interruptions = 0;
    match choice {
        Choice::Retry => {
            // One more attempt, not a fresh set of retries: the policy was used up.
            step.failures = retries;
            step.hint = note.map(str::to_owned);
            step.not_before = 0;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
        }
        Choice::Fixed => {
            step.failures = retries;
            step.repaired_by = Some(by.to_owned());
            step.interrupted = false;
            step.work_ended = None;
            step.status = StepStatus::Verifying;
            step.stage = if is_check {
                Stage::NeedsWork
            } else {
                Stage::NeedsEvaluation {
                    attempt: step.attempts,
                }
            };
        }
        Choice::Allow => {
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
        }
        Choice::Approve => {
            step.approved = true;
            step.status = StepStatus::Running;
            step.stage = stage;
        }
        Choice::Accept
        | Choice::Refuse
        | Choice::Deny
        | Choice::Reply
        | Choice::Skip
        | Choice::Abort => {
            if choice == Choice::Refuse {
                step.hint = note.map(str::to_owned);
            }
            if choice == Choice::Reply {
                step.values.output = note.map(Into::into);
            }
            step.answered = Some((choice, by.to_owned()));
        }
    }
}
