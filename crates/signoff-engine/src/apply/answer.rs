//! Questions to a person, and their answers.

use serde_json::Value;
use signoff_plan::model::Work;

use super::merge::carry_work_over;
use super::permission::{begin_waiting, end_waiting};
use super::step::first_stage;
use crate::event::{BudgetLimit, Changes, Choice, Event, InboxKind, RecordedEvent};
use crate::state::{
    Allocation, Answered, InboxItem, ReplanStage, Run, Stage, StepState, StepStatus, TokenUsage,
    Usage,
};

pub(super) fn open_item(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let Event::InboxOpened {
        item,
        kind,
        steps,
        question,
        choices,
        options,
        ..
    } = &recorded.event
    else {
        return;
    };
    if *kind == InboxKind::Permission {
        begin_waiting(run, at, recorded.at);
    } else if steps.is_empty()
        && let Some(step) = run.steps.get_mut(at)
    {
        step.status = StepStatus::Waiting;
        step.stage = Stage::Waiting { item: item.clone() };
        step.activation.answered = None;
        step.allocation = Allocation::Nothing;
        run.schedule.active.remove(&at);
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
    run.inbox.items.insert(item.clone(), opened);
    run.inbox.opened += 1;
}

pub(super) fn answer_item(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let Event::InboxAnswered {
        item,
        steps,
        choice,
        note,
        by,
        ..
    } = &recorded.event
    else {
        return;
    };
    let open = run.inbox.items.remove(item);
    if open.as_ref().is_some_and(InboxItem::is_about_draft) {
        if *choice == Choice::Allow {
            run.usage.grants += 1;
            if let Some(replan) = &mut run.replan {
                replan.may_exceed_budget = true;
            }
            return;
        }
        return lose_draft(run, note.as_deref(), by);
    }
    let kind = open.map(|open| open.kind);
    if kind == Some(InboxKind::Permission) {
        return end_waiting(run, at, recorded.at);
    }
    if kind == Some(InboxKind::NewVersion) {
        return lose_draft(run, note.as_deref(), by);
    }
    let about = if steps.is_empty() {
        vec![at]
    } else {
        positions(run, steps)
    };
    run.tree.version += u64::from(*choice == Choice::Fixed && !run.in_worktrees());
    for at in about {
        run.schedule.active.insert(at);
        answer(run, at, *choice, note.as_deref(), by);
    }
}

/// A person refused the new version of the plan.
fn lose_draft(run: &mut Run, note: Option<&str>, by: &str) {
    if let Some(replan) = &mut run.replan {
        replan.stage = ReplanStage::Lost(refusal_text(note, by));
    }
}

/// Why there is no new version, if a person refused it.
pub(crate) fn refusal_text(note: Option<&str>, by: &str) -> String {
    let note = note.map(|note| format!(": {note}")).unwrap_or_default();
    format!("refused by {by}{note}")
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
    let first_stage = first_stage(run, at);
    let is_unmerged = run.is_unmerged(at);
    let is_judged = definition.contract.is_some() || is_unmerged;
    let is_call = matches!(definition.work, Work::Tool { .. });
    let could_not_judge = run.missing_before_work(at).is_some();
    let starts_over = definition.work == Work::Check && !run.in_worktrees();
    let (Some(step), usage) = (run.steps.get_mut(at), &mut run.usage) else {
        return;
    };
    step.attempt.inconclusive = 0;
    step.activation.interruptions = 0;
    match choice {
        Choice::Retry if could_not_judge => go_on(step, Stage::NeedsBaseline),
        Choice::Retry => {
            step.made_call.clear();
            let is_changed = is_call && change_arguments(step, note, by);
            let hint = note.filter(|_| !is_changed);
            retry(step, retries, hint);
        }
        Choice::Fixed => {
            accept_repair(step, retries, by);
            if starts_over {
                step.stage = Stage::NeedsWork;
            }
        }
        Choice::Allow => {
            extend_budget(step, usage);
            go_on(step, Stage::NeedsWork);
        }
        Choice::Approve => {
            step.made_call.clear();
            change_arguments(step, note, by);
            approve(step, first_stage);
        }
        Choice::Happened => {
            step.values.output = Some(reply_value(note));
            accept_reply(step, choice, by, is_judged);
        }
        Choice::Reply => {
            step.values.output = Some(note.into());
            accept_reply(step, choice, by, is_judged);
        }
        Choice::Accept if is_unmerged => {
            step.attempt.accepted_by = Some(by.to_owned());
            evaluate(step);
        }
        Choice::Refuse | Choice::Revise | Choice::Replan | Choice::Deny => {
            step.advice.hint = note.map(str::to_owned);
            step.activation.answered = Some(Answered::new(choice, by));
        }
        Choice::Accept | Choice::Skip | Choice::Abort => {
            step.activation.answered = Some(Answered::new(choice, by));
        }
    }
}

/// Grants once more the limit that was asked about.
fn extend_budget(step: &mut StepState, usage: &mut Usage) {
    let asked = step.activation.asked.take();
    if matches!(asked, Some(BudgetLimit::Step) | None) {
        step.activation.agents = 0;
        step.activation.spent = TokenUsage::default();
    }
    if matches!(asked, Some(BudgetLimit::Plan) | None) {
        usage.grants += 1;
    }
    usage.unknown_cost_allowed |= asked == Some(BudgetLimit::UnknownCost);
}

/// Allows one more attempt, not a new set of retries.
fn retry(step: &mut StepState, retries: u32, hint: Option<&str>) {
    step.activation.failures = retries;
    step.advice.hint = hint.map(str::to_owned);
    step.activation.not_before = 0;
    go_on(step, Stage::NeedsWork);
    carry_work_over(step);
}

/// Judges what a person repaired. If that fails, one more attempt is allowed.
fn accept_repair(step: &mut StepState, retries: u32, by: &str) {
    step.activation.failures = retries;
    step.attempt.repaired_by = Some(by.to_owned());
    if step.attempt.taken_over.is_none() {
        // The changes of an interrupted attempt are unknown.
        let is_known = step.cut_off.unseen_since.is_none();
        let changes = is_known.then(|| Changes::clone(&step.changes));
        step.attempt.taken_over = Some(Box::new(changes.unwrap_or_default()));
    }
    step.attempt.interrupted = false;
    step.cut_off.numbers.remove(&step.attempts);
    step.attempt.work_ended = None;
    // The repair gets a new candidate on the present head.
    step.attempt.candidate = None;
    evaluate(step);
}

/// Uses a note that is a JSON object as the arguments of the step's call.
fn change_arguments(step: &mut StepState, note: Option<&str>, by: &str) -> bool {
    let args: Option<Value> = note.and_then(|note| serde_json::from_str(note).ok());
    let args = args.filter(Value::is_object);
    let is_changed = args.is_some();
    if is_changed {
        step.activation.args = args;
        step.activation.args_by = Some(by.to_owned());
    }
    is_changed
}

fn approve(step: &mut StepState, first_stage: Stage) {
    step.activation.approved = true;
    // The question may have been asked after the baseline.
    let stage = match step.baseline.verdict {
        Some(_) => {
            step.activation.unjudged_allowed = true;
            Stage::NeedsWork
        }
        None => first_stage,
    };
    go_on(step, stage);
}

fn accept_reply(step: &mut StepState, choice: Choice, by: &str, is_judged: bool) {
    step.attempt.accepted_by = Some(by.to_owned());
    if is_judged {
        evaluate(step);
    } else {
        step.activation.answered = Some(Answered::new(choice, by));
    }
}

fn go_on(step: &mut StepState, stage: Stage) {
    step.status = StepStatus::Running;
    step.stage = stage;
}

fn evaluate(step: &mut StepState) {
    step.status = StepStatus::Verifying;
    step.stage = Stage::NeedsEvaluation {
        attempt: step.attempts,
    };
}
