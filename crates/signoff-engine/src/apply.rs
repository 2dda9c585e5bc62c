//! The only place where a run's state changes.

mod answer;
mod attempt;
mod contract;
mod loops;
mod merge;
mod readiness;
mod replan;
mod resume;

use signoff_plan::model::Step;

use self::answer::{answer_item, open_item};
pub(crate) use self::loops::{expand, reads_item};
pub(crate) use self::merge::conflict_reason;
use self::readiness::{end_step, end_unsatisfied};
pub(crate) use self::readiness::{recount, satisfy_dependents};
pub(crate) use self::replan::replan_run;
use self::resume::{resume, retry_step};
use crate::event::{Event, RecordedEvent, Settings};
use crate::state::{Run, Stage, StepStatus, wants_baseline};

/// Applies one recorded event. It cannot fail: an event about an unknown step changes nothing, and the
/// reader of the journal refuses what does not parse.
pub fn apply(run: &mut Run, recorded: &RecordedEvent) {
    let set_back = recorded.at < run.usage.latest();
    run.usage.note(recorded);
    match &recorded.event {
        Event::RunStarted {
            run: id, settings, ..
        } => {
            run.id.clone_from(id);
            run.settings = settings.clone();
            run.started = true;
        }
        Event::RunResumed { reopened, .. } => {
            resume(run, *reopened);
            if set_back {
                end_pauses(run);
            }
        }
        Event::PlanReplanned {
            digest, settings, ..
        } => switch_plan(run, digest, settings),
        Event::TreePrepared { tree } => {
            run.head = Some(tree.start.clone());
            run.landed_head = Some(tree.start.clone());
            run.tree = Some(tree.clone());
        }
        Event::CheckoutJoined {
            commit,
            tree,
            files,
            deleted,
            ..
        } => {
            merge::join_checkout(run, commit, tree);
            merge::note_joined(run, files, deleted);
        }
        Event::FilesLanded { commit, held, .. } => {
            run.landed_head = Some(commit.clone());
            run.held.clone_from(held);
        }
        Event::LandingStarted { commit, .. } => run.landing = Some((commit.clone(), false)),
        Event::RunLanded { commit, .. } => run.landing = Some((commit.clone(), true)),
        Event::RunUndone { .. } => run.undone = true,
        Event::PauseRequested { reason, .. } => run.pausing = Some(*reason),
        Event::RunPaused { reason } => {
            run.pausing = None;
            run.pause = Some(*reason);
        }
        Event::RunFinished { outcome } => {
            run.pausing = None;
            run.outcome = Some(*outcome);
        }
        Event::StepStarted { .. }
        | Event::ConditionHeld { .. }
        | Event::Expanded { .. }
        | Event::BaselineStarted { .. }
        | Event::CandidateStarted { .. }
        | Event::CandidateBuilt { .. }
        | Event::MergeConflicted { .. }
        | Event::MergeStarted { .. }
        | Event::Merged { .. }
        | Event::BaselineFinished { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::WorkFinished { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. }
        | Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::AttemptInterrupted { .. }
        | Event::ContractStarted { .. }
        | Event::ContractFinished { .. }
        | Event::RetryScheduled { .. }
        | Event::StepCompleted { .. }
        | Event::StepConfirmed { .. }
        | Event::StepProvisional { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepBlocked { .. }
        | Event::StepWaiting { .. }
        | Event::StepRetried { .. }
        | Event::InboxOpened { .. }
        | Event::InboxAnswered { .. } => {
            let event = &recorded.event;
            let at = event.step().and_then(|id| run.index.get(id).copied());
            if let Some(at) = at {
                apply_to_step(run, at, recorded);
                note_time(run, at, recorded);
                recount(run, at);
            }
        }
    }
}

/// Ends all pauses before retries. The clock was set back while the run stood still, so they would last
/// too long.
fn end_pauses(run: &mut Run) {
    for step in &mut run.steps {
        step.activation.not_before = 0;
    }
}

/// Continues under the plan that was [offered](Run::offer_plan) before this event; without one, nothing changes.
fn switch_plan(run: &mut Run, digest: &str, settings: &Settings) {
    let next = run.next.take();
    if let Some(next) = next.filter(|next| next.digest().to_string() == *digest) {
        *run = replan_run(run, next, settings).run;
    }
}

fn apply_to_step(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    match &recorded.event {
        Event::StepStarted { .. } => begin_step(run, at),
        Event::Expanded { items, .. } => loops::expand(run, at, items),
        Event::StepCompleted {
            evidence, facts, ..
        } => {
            if let Some(step) = run.steps.get_mut(at) {
                step.outcome.evidence = Some((*evidence, facts.clone()));
            }
            loops::collect(run, at);
            end_step(run, at, StepStatus::Completed, None);
            satisfy_dependents(run, at);
            loops::after_acceptance(run, at);
            if let Some(step) = run.steps.get_mut(at) {
                step.outcome.unconfirmed = step.contract.warm;
            }
            note_verdict(run, at);
        }
        Event::StepConfirmed {
            evidence, facts, ..
        } => {
            run.unconfirmed.remove(&at);
            if let Some(step) = run.steps.get_mut(at) {
                step.outcome.unconfirmed = false;
                step.outcome.evidence = Some((*evidence, facts.clone()));
            }
        }
        Event::StepProvisional { .. } => make_provisional(run, at),
        Event::StepFailed { reason, .. } => {
            end_unsatisfied(run, at, StepStatus::Failed, reason);
            run.aborting |= run.definition(at).is_some_and(|step| step.critical);
        }
        Event::StepSkipped {
            reason, satisfies, ..
        } => {
            withdraw_items(run, at);
            end_step(run, at, StepStatus::Skipped, Some(reason));
            if *satisfies {
                satisfy_dependents(run, at);
            }
        }
        Event::StepBlocked { by, .. } => end_unsatisfied(run, at, StepStatus::Blocked, by),
        Event::StepRetried { hint, .. } => {
            withdraw_items(run, at);
            retry_step(run, at, hint.as_deref());
        }
        Event::InboxOpened { .. } => open_item(run, at, &recorded.event),
        Event::InboxAnswered { .. } => answer_item(run, at, &recorded.event),
        Event::CandidateStarted { attempt, .. } => merge::start_candidate(run, at, *attempt),
        Event::CandidateBuilt {
            attempt, candidate, ..
        } => merge::set_candidate(run, at, *attempt, candidate),
        Event::MergeConflicted {
            attempt,
            files,
            text,
            ..
        } => merge::note_conflict(run, at, *attempt, (files, text)),
        Event::MergeStarted { attempt, .. } => merge::start_merge(run, at, *attempt),
        Event::Merged { commit, tree, .. } => merge::finish_merge(run, at, commit, tree),
        Event::ConditionHeld { .. }
        | Event::BaselineStarted { .. }
        | Event::BaselineFinished { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::WorkFinished { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. }
        | Event::AttemptInterrupted { .. }
        | Event::ContractStarted { .. }
        | Event::ContractFinished { .. }
        | Event::RetryScheduled { .. } => attempt::apply(run, at, recorded),
        // `Usage` counts the budget; the others are not about a step or change nothing.
        Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::StepWaiting { .. }
        | Event::RunStarted { .. }
        | Event::TreePrepared { .. }
        | Event::CheckoutJoined { .. }
        | Event::FilesLanded { .. }
        | Event::LandingStarted { .. }
        | Event::RunLanded { .. }
        | Event::RunUndone { .. }
        | Event::RunResumed { .. }
        | Event::PlanReplanned { .. }
        | Event::PauseRequested { .. }
        | Event::RunPaused { .. }
        | Event::RunFinished { .. } => {}
    }
}

fn note_time(run: &mut Run, at: usize, recorded: &RecordedEvent) {
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

fn begin_step(run: &mut Run, at: usize) {
    let Some(definition) = run.definition(at) else {
        return;
    };
    let stage = first_stage(definition, &run.settings);
    run.ready.remove(&at);
    run.active.insert(at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Running;
        step.stage = stage;
        step.allocation.take_slot();
    }
}

/// What a step needs first once its gate is open.
fn first_stage(definition: &Step, settings: &Settings) -> Stage {
    if wants_baseline(definition, settings) {
        Stage::NeedsBaseline
    } else {
        Stage::NeedsWork
    }
}

fn make_provisional(run: &mut Run, at: usize) {
    let is_loop = run.children.contains_key(&at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Waiting;
        step.stage = Stage::Provisional;
        step.allocation.leave_queue();
    }
    run.active.remove(&at);
    run.gather.remove(&at);
    // A person is asked about the items of a loop, not about the loop.
    if !is_loop {
        run.provisional.insert(at);
    }
    satisfy_dependents(run, at);
}

/// Remembers the tree of a verdict: the contract must also hold at the end of the run.
pub(crate) fn note_verdict(run: &mut Run, at: usize) {
    let Some((definition, state)) = run.step(at) else {
        return;
    };
    let judged = definition
        .contract
        .as_ref()
        .is_some_and(|contract| !contract.holds_once && !run.children.contains_key(&at));
    if judged {
        let (tree, unconfirmed) = (state.contract.tree_version, state.outcome.unconfirmed);
        run.verdicts.insert((tree, at));
        if unconfirmed {
            run.unconfirmed.insert(at);
        }
    }
}

/// Closes the questions that are only about this step.
fn withdraw_items(run: &mut Run, at: usize) {
    run.items
        .retain(|_, item| !(item.steps.is_empty() && item.step == at));
}
