//! Questions to a person, and their answers.

use serde_json::Value;
use signoff_plan::model::Work;

use super::first_stage;
use super::merge::carry_work_over;
use crate::event::{Changes, Choice, Event};
use crate::state::{Allocation, InboxItem, Run, Stage, StepStatus};

pub(super) fn open_item(run: &mut Run, at: usize, event: &Event) {
    let Event::InboxOpened {
        item,
        kind,
        steps,
        question,
        choices,
        options,
        ..
    } = event
    else {
        return;
    };
    if steps.is_empty()
        && let Some(step) = run.steps.get_mut(at)
    {
        step.status = StepStatus::Waiting;
        step.stage = Stage::Waiting { item: item.clone() };
        step.activation.answered = None;
        step.allocation = Allocation::Nothing;
        run.active.remove(&at);
    }
    let opened = InboxItem {
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

pub(super) fn answer_item(run: &mut Run, at: usize, event: &Event) {
    let Event::InboxAnswered {
        item,
        steps,
        choice,
        note,
        by,
        ..
    } = event
    else {
        return;
    };
    run.items.remove(item);
    let about = if steps.is_empty() {
        vec![at]
    } else {
        positions(run, steps)
    };
    run.tree_version += u64::from(*choice == Choice::Fixed && !run.in_worktrees());
    for at in about {
        run.active.insert(at);
        answer(run, at, *choice, note.as_deref(), by);
    }
}

fn positions(run: &Run, ids: &[String]) -> Vec<usize> {
    let known = ids.iter().filter_map(|id| run.index.get(id));
    known.copied().collect()
}

/// A reply as JSON if it is JSON, otherwise as text.
pub(crate) fn reply_value(note: Option<&str>) -> Value {
    let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| text.into());
    note.map_or(Value::Null, read)
}

fn answer(run: &mut Run, at: usize, choice: Choice, note: Option<&str>, by: &str) {
    let Some(definition) = run.definition(at) else {
        return;
    };
    let retries = definition.on_fail.retries;
    let is_check = definition.work == Work::Check;
    let judged = definition.contract.is_some() || run.is_unmerged(at);
    let unmerged = run.is_unmerged(at);
    let in_worktrees = run.in_worktrees();
    let stage = first_stage(definition, &run.settings);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.attempt.inconclusive = 0;
    step.activation.interruptions = 0;
    match choice {
        Choice::Retry => {
            // One more attempt, not a new set of retries.
            step.activation.failures = retries;
            step.advice.hint = note.map(str::to_owned);
            step.activation.not_before = 0;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
            carry_work_over(step);
        }
        Choice::Fixed => {
            step.activation.failures = retries;
            step.attempt.repaired_by = Some(by.to_owned());
            if step.attempt.taken_over.is_none() {
                // The changes of an interrupted attempt are unknown.
                let known = step.changes.clone();
                step.attempt.taken_over = Some(if step.cut_off.unseen_since.is_some() {
                    Changes::default()
                } else {
                    known
                });
            }
            step.attempt.interrupted = false;
            step.cut_off.numbers.remove(&step.attempts);
            step.attempt.work_ended = None;
            step.status = StepStatus::Verifying;
            // The repair gets a new candidate on the present head.
            step.attempt.candidate = None;
            step.stage = if is_check && !in_worktrees {
                Stage::NeedsWork
            } else {
                Stage::NeedsEvaluation {
                    attempt: step.attempts,
                }
            };
        }
        Choice::Allow => {
            step.activation.agents = 0;
            step.status = StepStatus::Running;
            step.stage = Stage::NeedsWork;
        }
        Choice::Approve => {
            step.activation.approved = true;
            step.activation.args = note
                .and_then(|note| serde_json::from_str(note).ok())
                .filter(Value::is_object)
                .or(step.activation.args.take());
            step.status = StepStatus::Running;
            // The question may have been asked after the baseline.
            step.stage = match step.baseline.verdict {
                Some(_) => Stage::NeedsWork,
                None => stage,
            };
        }
        Choice::Reply | Choice::Happened => {
            step.values.output = Some(if choice == Choice::Happened {
                reply_value(note)
            } else {
                note.into()
            });
            step.attempt.accepted_by = Some(by.to_owned());
            if judged {
                step.status = StepStatus::Verifying;
                step.stage = Stage::NeedsEvaluation {
                    attempt: step.attempts,
                };
            } else {
                step.activation.answered = Some((choice, by.to_owned()));
            }
        }
        Choice::Accept if unmerged => {
            step.attempt.accepted_by = Some(by.to_owned());
            step.status = StepStatus::Verifying;
            step.stage = Stage::NeedsEvaluation {
                attempt: step.attempts,
            };
        }
        Choice::Accept
        | Choice::Refuse
        | Choice::Revise
        | Choice::Deny
        | Choice::Skip
        | Choice::Abort => {
            if matches!(choice, Choice::Refuse | Choice::Revise | Choice::Deny) {
                step.advice.hint = note.map(str::to_owned);
            }
            step.activation.answered = Some((choice, by.to_owned()));
        }
    }
}
