//! The only place where a run's state changes.

mod answer;
mod attempt;
mod contract;
mod earlier;
mod loops;
mod merge;
mod model;
mod permission;
mod readiness;
mod replan;
mod resume;
mod run;
mod step;

pub(crate) use self::answer::refusal_text;
use self::answer::{answer_item, open_item};
use self::attempt::{
    finish_agent_call, finish_call, finish_work, interrupt, reserve, schedule_retry, start_agent,
    start_agent_call, start_attempt, start_call,
};
use self::contract::{finish_baseline, finish_contract, start_baseline, start_contract};
pub(crate) use self::earlier::note_earlier;
pub(crate) use self::loops::expand;
pub(crate) use self::merge::conflict_reason;
use self::merge::{
    finish_candidate, finish_merge, join_checkout, note_conflict, start_candidate, start_merge,
};
use self::model::{
    ask_model, count_planning, request_recovery, request_replan, take_answer, take_handed_in,
};
use self::readiness::end_unsatisfied;
pub(crate) use self::readiness::{satisfy_dependents, update_done_count};
pub(crate) use self::replan::replan_run;
use self::resume::{resume, retry_step};
use self::run::{land_files, prepare_tree, start_run, switch_plan};
pub(crate) use self::step::register_recheck;
use self::step::{
    complete_step, confirm_step, fail_step, make_provisional, note_time, skip_step, start_step,
};
use crate::event::{Event, RecordedEvent};
use crate::state::{DayLimit, Landing, Run, StepState, StepStatus, is_waiting_or_stopped};

/// Applies one recorded event. It cannot fail: an event about an unknown step changes nothing, and the
/// reader of the journal refuses what does not parse.
pub fn apply(run: &mut Run, recorded: &RecordedEvent) {
    let clock_was_set_back = recorded.at < run.usage.latest();
    let stood_still = is_waiting_or_stopped(run);
    run.usage.count_event(recorded, stood_still);
    // Also about the items of loops that are not expanded yet.
    if let Event::EarlierStep { step, earlier } = &recorded.event {
        return note_earlier(run, step, earlier);
    }
    let Some(id) = recorded.event.step() else {
        return apply_to_run(run, &recorded.event, clock_was_set_back);
    };
    if matches!(
        recorded.event,
        Event::WorkItem { .. } | Event::ModelAsked { .. }
    ) {
        // It is another day.
        run.outside.day = None;
    }
    if let Some(at) = run.position(id) {
        apply_to_step(run, at, recorded);
        note_time(run, at, recorded);
        update_done_count(run, at);
    }
}

fn apply_to_run(run: &mut Run, event: &Event, clock_was_set_back: bool) {
    match event {
        Event::RunStarted {
            run: id, settings, ..
        } => start_run(run, id, settings),
        Event::RunResumed {
            reopened,
            elsewhere,
            ..
        } => resume(run, *reopened, elsewhere, clock_was_set_back),
        Event::PlanReplanned {
            digest, settings, ..
        } => switch_plan(run, digest, settings),
        Event::PlanningSpent { planning } => count_planning(run, planning),
        Event::TreePrepared { tree } => prepare_tree(run, tree),
        Event::CheckoutJoined {
            commit,
            tree,
            files,
            deleted,
            ..
        } => join_checkout(run, commit, tree, files, deleted),
        Event::FilesLanded { commit, held, .. } => land_files(run, commit, held),
        Event::LandingStarted { commit, .. } => {
            run.landing.commits = Some(Landing::Started(commit.clone()));
        }
        Event::RunLanded { commit, .. } => {
            run.landing.commits = Some(Landing::Done(commit.clone()));
        }
        Event::RunUndone { .. } => run.landing.undone = true,
        Event::LockFreed { lock } => {
            run.outside.locks.remove(lock);
        }
        Event::DayLimitReached {
            spent_usd_e6,
            limit_usd_e6,
            until_ms,
        } => {
            run.outside.day = Some(DayLimit {
                spent: *spent_usd_e6,
                limit: *limit_usd_e6,
                until: *until_ms,
            });
        }
        Event::PauseRequested { reason, .. } => run.pausing = Some(*reason),
        Event::RunPaused { reason, trouble } => {
            run.pausing = None;
            run.pause = Some(*reason);
            run.trouble.clone_from(trouble);
        }
        Event::RunFinished { outcome } => {
            run.pausing = None;
            run.outcome = Some(*outcome);
        }
        // These are about a step.
        Event::LockAwaited { .. }
        | Event::VersionHandedIn { .. }
        | Event::StepStarted { .. }
        | Event::ConditionHeld { .. }
        | Event::Expanded { .. }
        | Event::BaselineStarted { .. }
        | Event::BaselineFinished { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::WorkFinished { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. }
        | Event::AgentCallStarted { .. }
        | Event::AgentCallFinished { .. }
        | Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::AttemptInterrupted { .. }
        | Event::ContractStarted { .. }
        | Event::ContractFinished { .. }
        | Event::CandidateStarted { .. }
        | Event::CandidateBuilt { .. }
        | Event::MergeConflicted { .. }
        | Event::MergeStarted { .. }
        | Event::Merged { .. }
        | Event::RetryScheduled { .. }
        | Event::StepCompleted { .. }
        | Event::StepConfirmed { .. }
        | Event::StepProvisional { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepBlocked { .. }
        | Event::StepWaiting { .. }
        | Event::StepRetried { .. }
        | Event::ReplanRequested { .. }
        | Event::ReplanDropped { .. }
        | Event::RecoveryRequested { .. }
        | Event::ModelAsked { .. }
        | Event::ModelAnswered { .. }
        | Event::EarlierStep { .. }
        | Event::InboxOpened { .. }
        | Event::InboxAnswered { .. } => {}
    }
}

fn apply_to_step(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let event = &recorded.event;
    match event {
        Event::StepStarted { .. } => start_step(run, at),
        Event::ConditionHeld { .. } => {
            update(run, at, |step| step.activation.condition_held = true);
        }
        Event::Expanded { items, .. } => expand(run, at, items),
        Event::BaselineStarted { base, .. } => start_baseline(run, at, base.as_deref()),
        Event::BaselineFinished {
            verdict, observed, ..
        } => finish_baseline(run, at, recorded.at, *verdict, observed),
        Event::AttemptStarted { attempt, base, .. } => {
            start_attempt(run, at, recorded.at, *attempt, base.as_deref());
        }
        Event::WorkItem { item, .. } => {
            update(run, at, |step| start_agent(step, &item.agent_id));
        }
        Event::ProcessStarted { process, .. } => {
            update(run, at, |step| {
                step.attempt.process = Some(Box::new(process.clone()));
            });
        }
        Event::WorkFinished { .. } => finish_work(run, at, event),
        Event::CallStarted { call, .. } => start_call(run, at, call),
        Event::CallFinished { attempt, end, .. } => finish_call(run, at, *attempt, end),
        Event::AgentCallStarted {
            attempt,
            number,
            call,
            ..
        } => start_agent_call(run, at, *attempt, *number, call),
        Event::AgentCallFinished {
            attempt, number, ..
        } => finish_agent_call(run, at, *attempt, *number),
        Event::AttemptInterrupted {
            attempt,
            stopped,
            report,
            ..
        } => interrupt(run, at, *attempt, *stopped, report.as_deref()),
        Event::ContractStarted { attempt, again, .. } => start_contract(run, at, *attempt, *again),
        Event::ContractFinished { .. } => finish_contract(run, at, recorded),
        Event::CandidateStarted { attempt, .. } => start_candidate(run, at, *attempt),
        Event::CandidateBuilt {
            attempt, candidate, ..
        } => finish_candidate(run, at, *attempt, candidate),
        Event::MergeConflicted {
            attempt,
            files,
            text,
            ..
        } => note_conflict(run, at, *attempt, files, text),
        Event::MergeStarted { attempt, .. } => start_merge(run, at, *attempt),
        Event::Merged { commit, tree, .. } => finish_merge(run, at, commit, tree),
        Event::RetryScheduled {
            not_before,
            counted,
            ..
        } => schedule_retry(run, at, *not_before, *counted),
        Event::StepCompleted {
            evidence, facts, ..
        } => complete_step(run, at, *evidence, facts),
        Event::StepConfirmed {
            evidence, facts, ..
        } => confirm_step(run, at, *evidence, facts),
        Event::StepProvisional { .. } => make_provisional(run, at),
        Event::StepFailed { reason, .. } => fail_step(run, at, reason),
        Event::StepSkipped {
            reason, satisfies, ..
        } => skip_step(run, at, reason, *satisfies),
        Event::StepBlocked { by, .. } => end_unsatisfied(run, at, StepStatus::Blocked, by),
        Event::StepRetried { hint, .. } => retry_step(run, at, hint.as_deref()),
        Event::ReplanRequested { .. } => request_replan(run, at, event),
        Event::VersionHandedIn { .. } => take_handed_in(run, at, event),
        Event::ReplanDropped { .. } => run.replan = None,
        Event::RecoveryRequested { because, .. } => {
            update(run, at, |step| request_recovery(step, because));
        }
        Event::ModelAsked { task, .. } => ask_model(run, at, *task),
        Event::ModelAnswered { .. } => take_answer(run, at, event),
        Event::InboxOpened { .. } => open_item(run, at, recorded),
        Event::InboxAnswered { .. } => answer_item(run, at, recorded),
        Event::BudgetSpent { wall_ms, .. } => {
            update(run, at, |step| step.history.worked += *wall_ms);
        }
        Event::LockAwaited { lock, held_by, .. } => {
            run.outside.locks.insert(lock.clone(), held_by.clone());
        }
        Event::BudgetReserved { tokens, usd_e6, .. } => {
            update(run, at, |step| reserve(step, *tokens, *usd_e6));
        }
        Event::BudgetExceeded { limit, .. } => {
            update(run, at, |step| step.activation.asked = *limit);
        }
        // `InboxOpened` makes the step wait.
        Event::EarlierStep { .. } | Event::StepWaiting { .. } => {}
        // These are about the run.
        Event::LockFreed { .. }
        | Event::DayLimitReached { .. }
        | Event::RunStarted { .. }
        | Event::RunResumed { .. }
        | Event::PlanReplanned { .. }
        | Event::PlanningSpent { .. }
        | Event::TreePrepared { .. }
        | Event::CheckoutJoined { .. }
        | Event::FilesLanded { .. }
        | Event::LandingStarted { .. }
        | Event::RunLanded { .. }
        | Event::RunUndone { .. }
        | Event::PauseRequested { .. }
        | Event::RunPaused { .. }
        | Event::RunFinished { .. } => {}
    }
}

fn update(run: &mut Run, at: usize, change: impl FnOnce(&mut StepState)) {
    if let Some(step) = run.steps.get_mut(at) {
        change(step);
    }
}
