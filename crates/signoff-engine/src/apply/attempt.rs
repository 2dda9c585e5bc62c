//! One attempt: an agent's work, or a tool's call.

use super::merge::carry_work_over;
use super::permission::withdraw_permissions;
use crate::Millis;
use crate::event::{AgentOutput, AgentReport, CallEnd, Event, ToolCall};
use crate::recovery::stage_after_interruption;
use crate::roles::DEFAULT_ROLE;
use crate::state::{
    Allocation, AttemptState, BudgetAmount, ChosenRole, MadeCall, Run, Stage, StepState,
    StepStatus, TokenUsage,
};
use crate::verdict::ProcessEnd;

pub(super) fn start_attempt(
    run: &mut Run,
    at: usize,
    now: Millis,
    attempt: u32,
    base: Option<&str>,
) {
    let takes_queue = run.calls_in_tree(at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.attempts = attempt;
    step.attempt = AttemptState::started(now).into();
    step.contract.red = None;
    step.activation.base = base.map(str::to_owned);
    step.allocation = if takes_queue {
        Allocation::MergeQueue
    } else {
        Allocation::Slot
    };
    step.status = StepStatus::Running;
    step.stage = Stage::Working { attempt };
}

pub(super) fn start_call(run: &mut Run, at: usize, call: &ToolCall) {
    if let Some(step) = run.steps.get_mut(at) {
        step.attempt.changed_tree = call.changes_tree;
        step.values.output = None;
        step.attempt.call = Some(Box::new(call.clone()));
        step.made_call = MadeCall::begin(call);
    }
}

pub(super) fn schedule_retry(run: &mut Run, at: usize, not_before: Millis, counted: bool) {
    if let Some(step) = run.steps.get_mut(at) {
        step.activation.failures += u32::from(counted);
        // Another role may do better.
        step.activation.role = step.activation.role.take().filter(|_| !counted);
        step.activation.not_before = not_before;
        step.status = StepStatus::Running;
        step.stage = Stage::NeedsWork;
        carry_work_over(step);
    }
}

pub(super) fn finish_work(run: &mut Run, at: usize, event: &Event) {
    let Event::WorkFinished {
        attempt,
        ended,
        output: AgentOutput { text },
        changes,
        report,
        ..
    } = event
    else {
        return;
    };
    withdraw_permissions(run, at);
    count_usage(run, at, report.as_deref());
    run.tree.version += u64::from(!run.in_worktrees());
    let is_read = run.is_read(at);
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
    if is_read {
        step.values.output = Some(text.as_str().into());
    }
}

pub(super) fn finish_call(run: &mut Run, at: usize, attempt: u32, end: &CallEnd) {
    let in_worktrees = run.in_worktrees();
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    let call = step.attempt.call.take();
    let changed = call.is_some_and(|call| call.changes_tree);
    step.made_call = step.made_call.after_end(end);
    if let CallEnd::Done(value) = end {
        step.values.output = Some(value.clone());
    }
    step.status = StepStatus::Verifying;
    step.stage = Stage::NeedsEvaluation { attempt };
    run.tree.version += u64::from(changed && !in_worktrees);
}

pub(super) fn start_agent_call(
    run: &mut Run,
    at: usize,
    attempt: u32,
    number: u32,
    call: &ToolCall,
) {
    if let Some(step) = run.steps.get_mut(at)
        && step.attempts == attempt
    {
        step.attempt.agent_calls.insert(number, call.clone());
    }
}

pub(super) fn finish_agent_call(run: &mut Run, at: usize, attempt: u32, number: u32) {
    if let Some(step) = run.steps.get_mut(at)
        && step.attempts == attempt
    {
        step.attempt.agent_calls.remove(&number);
    }
}

/// Records which agent works; it counts against the limit of agents.
pub(super) fn start_agent(step: &mut StepState, role: &str) {
    step.activation.agents += 1;
    step.usage.agent = Some(role.to_owned());
    // The rules may choose another role after the next failure; this attempt keeps its own.
    let chosen = || ChosenRole {
        role: (role != DEFAULT_ROLE).then(|| role.to_owned()),
    };
    step.activation.role.get_or_insert_with(chosen);
}

pub(super) fn reserve(step: &mut StepState, tokens: Option<u64>, usd_e6: Option<u64>) {
    step.attempt.reserved = BudgetAmount {
        tokens: tokens.unwrap_or(0),
        usd_e6: usd_e6.unwrap_or(0),
    };
}

/// Adds what an agent reported to the sums of its step and of the run.
fn count_usage(run: &mut Run, at: usize, report: Option<&AgentReport>) {
    let (Some(step), Some(report)) = (run.steps.get_mut(at), report) else {
        return;
    };
    let used = TokenUsage::of(report);
    step.activation.spent.add(used);
    step.usage.total.add(used);
    step.usage.open.add(used);
    let reported = || report.usage.first().and_then(|usage| usage.model.clone());
    step.usage.model = report.model.clone().or_else(reported);
    step.attempt.report = Some(Box::new(report.clone()));
    // There is none if the journal never started an agent of this step.
    let role = step.usage.agent.clone();
    run.usage.sums.count(role.as_deref(), report);
}

pub(super) fn interrupt(
    run: &mut Run,
    at: usize,
    attempt: u32,
    stopped: bool,
    report: Option<&AgentReport>,
) {
    withdraw_permissions(run, at);
    count_usage(run, at, report);
    let in_worktrees = run.in_worktrees();
    run.tree.version += u64::from(!in_worktrees);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.activation.interruptions += u32::from(!stopped);
    step.attempt.interrupted = true;
    step.attempt.process = None;
    step.attempt.call = None;
    step.attempt.agent_calls.clear();
    // A call is only interrupted if it was not made, or may be made twice.
    step.made_call.clear();
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
