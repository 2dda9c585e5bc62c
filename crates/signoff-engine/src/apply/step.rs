//! The beginning and the ends of a step.

use std::sync::Arc;

use signoff_plan::model::{Step, Work};

use super::loops;
use super::readiness::{end_step, end_unsatisfied, satisfy_dependents};
use super::resume::free_blocked;
use crate::event::{Event, RecordedEvent};
use crate::evidence::{Evidence, EvidenceFacts, Grade};
use crate::state::{Run, Stage, StepStatus};

pub(super) fn start_step(run: &mut Run, at: usize) {
    let stage = first_stage(run, at);
    run.schedule.ready.remove(&at);
    run.schedule.active.insert(at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Running;
        step.stage = stage;
        step.allocation.take_slot();
    }
}

/// What a step needs first once its gate is open.
pub(super) fn first_stage(run: &Run, at: usize) -> Stage {
    if run.wants_baseline(at) {
        Stage::NeedsBaseline
    } else {
        Stage::NeedsWork
    }
}

pub(super) fn complete_step(run: &mut Run, at: usize, grade: Grade, facts: &EvidenceFacts) {
    give_evidence(run, at, grade, facts);
    loops::collect_values(run, at);
    end_step(run, at, StepStatus::Completed, None);
    satisfy_dependents(run, at);
    loops::schedule_end_of_accepted(run, at);
    if let Some(step) = run.steps.get_mut(at) {
        step.outcome.unconfirmed = step.contract.warm;
    }
    register_recheck(run, at);
    note_work(run, at);
    if let Some(step) = run.steps.get_mut(at) {
        step.condense();
    }
    // The earlier run has reviewed this work already.
    if facts.kept_from.is_none() && has_reviewer(run, at) {
        run.reviews.add(at);
    }
}

/// Steps with the same evidence share it with the one before.
fn give_evidence(run: &mut Run, at: usize, grade: Grade, facts: &EvidenceFacts) {
    let last = run.last_evidence.take();
    let is_same = |last: &Arc<Evidence>| last.grade == grade && last.facts == *facts;
    let evidence = last.filter(is_same).unwrap_or_else(|| {
        let facts = facts.clone();
        Arc::new(Evidence { grade, facts })
    });
    run.last_evidence = Some(Arc::clone(&evidence));
    if let Some(step) = run.steps.get_mut(at) {
        step.outcome.evidence = Some(evidence);
    }
}

/// Is a model to read what the step's agent did?
fn has_reviewer(run: &Run, at: usize) -> bool {
    let reviewed = |step: &Step| step.reviewer.is_some() && matches!(step.work, Work::Agent { .. });
    run.definition(at).is_some_and(reviewed) && !run.children.contains_key(&at)
}

/// Counts how long the agents of a step that is done worked on it.
fn note_work(run: &mut Run, at: usize) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    let worked = std::mem::take(&mut step.history.worked);
    run.usage.done_work += worked;
    run.usage.done_steps += u64::from(worked > 0);
    let used = std::mem::take(&mut step.usage.open);
    if used.tokens() > 0 {
        run.usage.done_tokens.add(used.tokens());
    }
    if used.has_known_cost {
        run.usage.done_usd_e6.add(used.usd_e6);
    }
}

/// Remembers the tree of a verdict: the contract must also hold at the end of the run.
pub(crate) fn register_recheck(run: &mut Run, at: usize) {
    let Some((definition, state)) = run.step(at) else {
        return;
    };
    let judged = definition
        .contract
        .as_ref()
        .is_some_and(|contract| !contract.holds_once && !run.children.contains_key(&at));
    if judged {
        let (version, is_confirmed) = (state.contract.tree_version, !state.outcome.unconfirmed);
        run.rechecks.add(at, version, is_confirmed);
    }
}

pub(super) fn confirm_step(run: &mut Run, at: usize, grade: Grade, facts: &EvidenceFacts) {
    run.rechecks.confirm(at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.outcome.unconfirmed = false;
    let reviewed = step.outcome.facts().and_then(|facts| facts.advice.clone());
    let facts = EvidenceFacts {
        advice: reviewed,
        ..facts.clone()
    };
    give_evidence(run, at, grade, &facts);
}

pub(super) fn make_provisional(run: &mut Run, at: usize) {
    let is_loop = run.children.contains_key(&at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Waiting;
        step.stage = Stage::Provisional;
        step.allocation.leave_queue();
    }
    run.schedule.active.remove(&at);
    run.schedule.gather.remove(&at);
    // A person is asked about the items of a loop, not about the loop.
    if !is_loop {
        run.schedule.provisional.insert(at);
    }
    satisfy_dependents(run, at);
    note_work(run, at);
}

pub(super) fn fail_step(run: &mut Run, at: usize, reason: &str) {
    end_unsatisfied(run, at, StepStatus::Failed, reason);
    run.aborting |= run.definition(at).is_some_and(|step| step.critical);
}

pub(super) fn skip_step(run: &mut Run, at: usize, reason: &str, satisfies: bool) {
    withdraw_items(run, at);
    let had_failed = (run.steps.get(at)).is_some_and(|step| step.status == StepStatus::Failed);
    end_step(run, at, StepStatus::Skipped, Some(reason));
    if satisfies {
        satisfy_dependents(run, at);
    }
    if had_failed {
        free_blocked(run, at);
    }
}

/// Closes the questions that are only about this step.
pub(super) fn withdraw_items(run: &mut Run, at: usize) {
    run.inbox
        .items
        .retain(|_, item| !(item.steps.is_empty() && item.step == at));
}

/// Remembers when the step began and when it last ended.
pub(super) fn note_time(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    if let Event::StepStarted { .. } | Event::Expanded { .. } = recorded.event
        && step.history.began_at == 0
    {
        step.history.began_at = recorded.at;
    }
    if let Event::StepCompleted { .. } | Event::StepFailed { .. } | Event::StepSkipped { .. } =
        recorded.event
    {
        step.history.ended_at = recorded.at;
    }
}
