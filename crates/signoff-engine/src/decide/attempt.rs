//! The contract before the work, and the work itself.

use signoff_plan::model::{Step, Work};

use super::evidence::{facts, kept_completion};
use super::person::{Question, ask, escalate, open_item};
use super::policy::attempt_failed;
use super::verdict::{changed_protected_files, forbidden_change};
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::budget::{reservation, wall_left};
use crate::event::{
    AcceptAt, AgentOutput, Choice, Event, InboxKind, OnGreenBaseline, ProcessIdentity, WorkItem,
};
use crate::evidence::Grade;
use crate::input::FinishedWork;
use crate::state::{KeptResult, Run, StepState, TokenUsage};
use crate::verdict::{
    Observation, ProcessEnd, Verdict, baseline_verdict, count_before, readable, tail,
};

/// The baseline runs on the base of the step's work, or on the head that its candidate is built on.
pub(super) fn baseline_begins(run: &Run, at: usize) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let state = run.steps.get(at);
        let candidate = state.and_then(|state| state.attempt.candidate.as_ref());
        let onto = candidate.map(|candidate| candidate.onto.clone());
        let base = onto.or_else(|| base(run, at));
        vec![Event::BaselineStarted { step, base }]
    })
}

/// The commit that the step's own worktree starts from: that of the earlier attempts, otherwise the head.
/// A baseline alone does not tie the step to an older head.
fn base(run: &Run, at: usize) -> Option<String> {
    let state = run.steps.get(at).filter(|_| run.has_own_tree(at))?;
    let base = state.activation.base.clone().filter(|_| state.attempts > 0);
    base.or_else(|| run.tree.head.clone())
}

pub(super) fn process_held(
    run: &Run,
    at: usize,
    attempt: u32,
    process: ProcessIdentity,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, _| {
        vec![Event::ProcessStarted {
            step: definition.id.clone(),
            attempt,
            process,
        }]
    })
}

pub(super) fn work_begins(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    item: WorkItem,
    newer: Option<String>,
) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let mut events = vec![Event::AttemptStarted {
            step: step.clone(),
            attempt,
            base: newer.or_else(|| base(run, at)),
        }];
        if is_limited(run, at) {
            let reserved = reservation(run, at);
            events.push(Event::BudgetReserved {
                step: step.clone(),
                attempt,
                agents: 1,
                wall_ms: wall_left(run, at, now),
                tokens: reserved.tokens,
                usd_e6: reserved.usd_e6,
            });
        }
        events.push(Event::WorkItem {
            step,
            attempt,
            item,
        });
        events
    })
}

/// Does the plan or the step limit what the agent may use?
fn is_limited(run: &Run, at: usize) -> bool {
    let of_step = |step: &Step| !step.budget.is_empty();
    !run.plan().budget.is_empty() || run.definition(at).is_some_and(of_step)
}

pub(super) fn baseline_ended(
    run: &Run,
    at: usize,
    observed: Observation,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let expect = definition
            .contract
            .as_ref()
            .map_or(&[][..], |contract| &contract.expect);
        let observed = count_before(definition.contract.as_ref(), observed);
        let verdict = baseline_verdict(expect, &observed);
        let tree = observed.tree.clone();
        let mut events = vec![Event::BaselineFinished {
            step: definition.id.clone(),
            verdict,
            observed: journaled_observation(run, at, observed),
        }];
        // A baseline after the work only decides how much the work proves.
        if state.attempt.candidate.is_some() {
            return events;
        }
        if verdict == Verdict::Pass {
            events.extend(match run.kept_step_result(at) {
                KeptResult::IfContractHolds(kept) => vec![kept_completion(definition, kept, tree)],
                KeptResult::Done(_) | KeptResult::Nothing if run.is_claimed(at) => {
                    vec![Event::StepCompleted {
                        step: definition.id.clone(),
                        attempts: state.attempts,
                        evidence: Grade::Held,
                        facts: facts(run, definition, state),
                    }]
                }
                KeptResult::Done(_) | KeptResult::Nothing => after_green_baseline(run, definition),
            });
        }
        events
    })
}

/// The events after a baseline that passed, for an agent step.
fn after_green_baseline(run: &Run, definition: &Step) -> Vec<Event> {
    if !matches!(definition.work, Work::Agent { .. }) {
        return Vec::new();
    }
    match run.settings.green {
        OnGreenBaseline::Run => Vec::new(),
        OnGreenBaseline::Skip => vec![Event::StepSkipped {
            step: definition.id.clone(),
            reason: "its contract holds already".to_owned(),
            satisfies: true,
        }],
        OnGreenBaseline::Ask => {
            let question = format!(
                "the contract of step `{}` holds already, so it cannot prove the work: shall its agent work all the same?",
                definition.id
            );
            let choices = vec![Choice::Approve, Choice::Skip, Choice::Abort];
            let question = Question::new(InboxKind::Approval, question, choices);
            open_item(run, definition, question)
        }
    }
}

pub(super) fn work_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    work: FinishedWork,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut events = vec![Event::WorkFinished {
            step: definition.id.clone(),
            attempt,
            ended: work.ended.clone(),
            output: AgentOutput {
                text: if run.is_read(at) {
                    readable(work.text)
                } else {
                    tail(work.text)
                },
            },
            changes: work.changes.clone(),
            report: work.report.clone(),
        }];
        if is_limited(run, at) {
            let used = work.report.as_deref().map(TokenUsage::of);
            let used = used.filter(TokenUsage::is_counted);
            let priced = used.filter(|used| used.has_known_cost);
            events.push(Event::BudgetSpent {
                step: definition.id.clone(),
                attempt,
                wall_ms: state.attempt.worked_until(now),
                tokens: used.map(|used| used.tokens()),
                usd_e6: priced.map(|used| used.usd_e6),
            });
        }
        if let ProcessEnd::NotStarted(why) = &work.ended {
            // The agent did nothing wrong, and a retry would fail in the same way.
            let reason = format!("its agent cannot be started: {why}");
            events.extend(escalate(run, definition, state, &reason));
        } else if definition.contract.is_none() {
            let mut state = state.clone();
            state.changes = work.changes.into();
            state.attempt.work_ended = Some(work.ended);
            state.attempt.report = work.report;
            events.extend(end_without_contract(run, now, definition, &state));
        }
        events
    })
}

/// Ends the work of an agent step without a contract: only a person can say that it is done.
pub(super) fn end_without_contract(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
) -> Vec<Event> {
    // Merged work was judged before the merge.
    let forbidden_change =
        || forbidden_change(run, definition, state).filter(|_| state.attempt.commit.is_none());
    if let Some(reason) = changed_protected_files(definition, state).or_else(forbidden_change) {
        return attempt_failed(run, now, definition, state, &reason);
    }
    if let Some(failure) = state.attempt.work_failure() {
        return attempt_failed(run, now, definition, state, &failure);
    }
    // Dependents need its work in their tree, so it is merged first.
    let unmerged = state.attempt.commit.is_none() && run.in_worktrees();
    match run.settings.accept {
        _ if unmerged && state.attempt.accepted_by.is_some() => Vec::new(),
        AcceptAt::End if unmerged => Vec::new(),
        AcceptAt::End => vec![Event::StepProvisional {
            step: definition.id.clone(),
            attempts: state.attempts,
        }],
        AcceptAt::Step => {
            let question = format!("step `{}` has no contract: is it done?", definition.id);
            ask(run, definition, InboxKind::Acceptance, question)
        }
    }
}

/// What the journal keeps of an observation.
pub(super) fn journaled_observation(run: &Run, at: usize, observed: Observation) -> Observation {
    if run.is_read(at) {
        observed.readable()
    } else {
        observed.shorten()
    }
}
