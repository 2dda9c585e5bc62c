//! Turns what happened into events, following the plan's policy and nothing else: the harness never
//! improvises.

use signoff_plan::model::{FailAction, Step, Work};

use crate::Millis;
use crate::backoff::pause;
use crate::budget::exceeded;
use crate::event::{Event, ItemKind, Outcome, PauseReason, WorkItem};
use crate::evidence::{Facts, Grade};
use crate::input::{Choice, Input};
use crate::state::{Run, Stage, StepState, StepStatus};
use crate::verdict::{Observation, ProcessEnd, Verdict, baseline_verdict, judge, tail};

/// Times an attempt may be cut off before a person is asked.
const MAX_INTERRUPTIONS: u32 = 3;

/// An input that does not fit the state. Nothing is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The run is not in a state where this can happen.
    OutOfPlace { what: &'static str },
    UnknownItem { item: String },
    UnknownChoice { item: String, choices: Vec<Choice> },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfPlace { what } => write!(f, "{what} does not fit the state of the run"),
            Self::UnknownItem { item } => write!(f, "nothing waits under `{item}`"),
            Self::UnknownChoice { item, choices } => {
                let names: Vec<&str> = choices.iter().map(|choice| choice.name()).collect();
                write!(f, "`{item}` can be answered with {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The events that follow from an input.
pub fn decide(run: &Run, now: Millis, input: Input) -> Result<Vec<Event>, Refusal> {
    let out_of_place = |what| Err(Refusal::OutOfPlace { what });
    match input {
        Input::Start { run: id, plan, path, digest, terms, settings } if !run.started => {
            Ok(vec![Event::RunStarted { run: id, plan, path, digest, terms, settings }])
        }
        Input::Start { .. } => out_of_place("a second start"),
        Input::Resume { by } if run.started && run.outcome.is_none() => Ok(resume(run, now, by)),
        Input::Reopen { by } if run.outcome == Some(Outcome::Failed) => {
            Ok(vec![Event::RunResumed { reopened: true, by }])
        }
        Input::Resume { .. } | Input::Reopen { .. } => out_of_place("going on"),
        Input::BaselineBegins { step } => begin(run, step, |id| vec![Event::BaselineStarted { step: id }]),
        Input::BaselineEnded { step, observed } => baseline_ended(run, step, observed),
        Input::WorkBegins { step, attempt, item } => {
            begin(run, step, |id| work_begins(id, attempt, item))
        }
        Input::ProcessHeld { step, attempt, process } => with_step(run, step, |definition, _| {
            vec![Event::ProcessStarted { step: definition.id.clone(), attempt, process }]
        }),
        Input::WorkEnded { step, attempt, ended, text } => work_ended(run, now, step, attempt, ended, text),
        Input::EvaluationBegins { step, attempt } => evaluation_begins(run, step, attempt),
        Input::EvaluationEnded { step, attempt, observed } => {
            evaluation_ended(run, now, step, attempt, observed)
        }
        Input::Answer { item, choice, note, by } => answer(run, &item, choice, note, by),
        Input::OverBudget { step } => over_budget(run, now, step),
        Input::Park => Ok(vec![Event::RunPaused { reason: PauseReason::Waiting }]),
        Input::Stop => Ok(stop(run)),
        Input::Changed => Ok(vec![Event::RunPaused { reason: PauseReason::Changed }]),
        Input::Finish => Ok(vec![Event::RunFinished { outcome: outcome(run) }]),
    }
}

fn with_step(
    run: &Run,
    at: usize,
    events: impl FnOnce(&Step, &StepState) -> Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    match run.step(at) {
        Some((definition, state)) => Ok(events(definition, state)),
        None => Err(Refusal::OutOfPlace { what: "an unknown step" }),
    }
}

/// `step_started` before the first thing that happens in a step.
fn begin(
    run: &Run,
    at: usize,
    events: impl FnOnce(String) -> Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut all = Vec::new();
        if state.stage == Stage::Idle {
            all.push(Event::StepStarted { step: definition.id.clone() });
        }
        all.extend(events(definition.id.clone()));
        all
    })
}

fn work_begins(step: String, attempt: u32, item: WorkItem) -> Vec<Event> {
    vec![
        Event::AttemptStarted { step: step.clone(), attempt },
        Event::WorkItem { step, attempt, item },
    ]
}

fn baseline_ended(run: &Run, at: usize, observed: Observation) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let expect = definition.contract.as_ref().map_or(&[][..], |contract| &contract.expect);
        let verdict = baseline_verdict(expect, &observed);
        let mut events = vec![Event::BaselineFinished {
            step: definition.id.clone(),
            verdict,
            observed: observed.shortened(),
        }];
        if definition.claimed && verdict == Verdict::Pass {
            events.push(Event::StepCompleted {
                step: definition.id.clone(),
                attempts: state.attempts,
                evidence: Grade::Held,
                facts: facts(run, definition, state),
            });
        }
        events
    })
}

fn work_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    ended: ProcessEnd,
    text: String,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut events = vec![Event::WorkFinished {
            step: definition.id.clone(),
            attempt,
            ended: ended.clone(),
            text: tail(text),
        }];
        if definition.contract.is_none() {
            events.extend(unverified(run, now, definition, state, &ended));
        }
        events
    })
}

/// An agent step without a contract is not done, whatever its agent says: a person decides.
fn unverified(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    ended: &ProcessEnd,
) -> Vec<Event> {
    if !ended.succeeded() {
        return attempt_failed(run, now, definition, state, &format!("the agent ended: {ended}"));
    }
    let question = format!(
        "step `{}` has no contract: is it done?",
        definition.id
    );
    ask(run, definition, ItemKind::Acceptance, question)
}

fn evaluation_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let is_check = run.step(at).is_some_and(|(definition, state)| {
            definition.work == Work::Check && state.attempts < attempt
        });
        let mut events = Vec::new();
        if is_check {
            events.push(Event::AttemptStarted { step: step.clone(), attempt });
        }
        events.push(Event::ContractStarted { step, attempt });
        events
    })
}

fn evaluation_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    observed: Observation,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let expect = definition.contract.as_ref().map_or(&[][..], |contract| &contract.expect);
        let (verdict, unmet) = judge(expect, &observed);
        let reason = unmet.join("; ");
        let mut events = vec![Event::ContractFinished {
            step: definition.id.clone(),
            attempt,
            verdict,
            unmet,
            observed: observed.shortened(),
        }];
        events.extend(match verdict {
            Verdict::Pass => passed(run, now, definition, state),
            Verdict::Fail if state.interrupted => vec![start_over(definition, "the attempt was cut off")],
            Verdict::Fail => attempt_failed(run, now, definition, state, &reason),
            // Once more with twice the time before a person is asked; no attempt is used up.
            Verdict::Inconclusive if state.inconclusive == 0 => Vec::new(),
            Verdict::Inconclusive => escalate(run, definition, state, &format!("its contract gave no answer: {reason}")),
        });
        events
    })
}

fn passed(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    let proved = state.baseline == Some(Verdict::Fail);
    if let Some(ended) = state.work_ended.as_ref().filter(|ended| !ended.succeeded() && !proved) {
        let reason = format!("the agent ended: {ended}, and its contract was not seen to fail before");
        return attempt_failed(run, now, definition, state, &reason);
    }
    vec![Event::StepCompleted {
        step: definition.id.clone(),
        attempts: state.attempts,
        evidence: if proved { Grade::Proved } else { Grade::Held },
        facts: facts(run, definition, state),
    }]
}

fn facts(run: &Run, definition: &Step, state: &StepState) -> Facts {
    Facts {
        sandbox: run.settings.sandbox.clone(),
        claimed: definition.claimed,
        interrupted: state.interrupted,
        agent_failed: state.work_ended.as_ref().is_some_and(|ended| !ended.succeeded()),
        repaired_by: state.repaired_by.clone(),
        accepted_by: None,
    }
}

fn start_over(definition: &Step, reason: &str) -> Event {
    Event::RetryScheduled {
        step: definition.id.clone(),
        not_before: 0,
        counted: false,
        reason: reason.to_owned(),
    }
}

fn attempt_failed(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    let failures = state.failures + 1;
    if failures <= definition.on_fail.retries {
        return vec![Event::RetryScheduled {
            step: definition.id.clone(),
            not_before: now + pause(run.settings.backoff, failures, &run.id, &definition.id),
            counted: true,
            reason: reason.to_owned(),
        }];
    }
    if !definition.critical {
        return failed(run, definition, state, reason);
    }
    match definition.on_fail.then {
        FailAction::Abort => failed(run, definition, state, reason),
        FailAction::Skip => skipped(run, definition, reason),
        // This build has no planner: both mean "ask a person" (3.1).
        FailAction::Escalate | FailAction::Replan | FailAction::Recover => {
            escalate(run, definition, state, reason)
        }
    }
}

fn failed(run: &Run, definition: &Step, state: &StepState, reason: &str) -> Vec<Event> {
    let mut events = vec![Event::StepFailed {
        step: definition.id.clone(),
        attempts: state.attempts,
        reason: reason.to_owned(),
    }];
    events.extend(block_dependents(run, definition));
    events
}

fn skipped(run: &Run, definition: &Step, reason: &str) -> Vec<Event> {
    let mut events = vec![Event::StepSkipped {
        step: definition.id.clone(),
        reason: reason.to_owned(),
        satisfies: false,
    }];
    events.extend(block_dependents(run, definition));
    events
}

/// Everything that can no longer run because of this step, in plan order.
fn block_dependents(run: &Run, cause: &Step) -> Vec<Event> {
    let mut reached = std::collections::BTreeSet::new();
    let mut open: Vec<usize> = run.index.get(&cause.id).copied().into_iter().collect();
    while let Some(at) = open.pop() {
        for &dependent in run.dependents.get(at).into_iter().flatten() {
            let pending = run
                .steps
                .get(dependent)
                .is_some_and(|step| step.status == StepStatus::Pending);
            if pending && reached.insert(dependent) {
                open.push(dependent);
            }
        }
    }
    reached
        .into_iter()
        .filter_map(|at| run.plan().steps.get(at))
        .map(|step| Event::StepBlocked {
            step: step.id.clone(),
            by: cause.id.clone(),
        })
        .collect()
}

fn escalate(run: &Run, definition: &Step, state: &StepState, reason: &str) -> Vec<Event> {
    let attempts = state.attempts;
    let plural = if attempts == 1 { "" } else { "s" };
    let question = format!(
        "step `{}` is not done after {attempts} attempt{plural}: {reason}",
        definition.id
    );
    ask(run, definition, ItemKind::Escalation, question)
}

fn over_budget(run: &Run, now: Millis, at: usize) -> Result<Vec<Event>, Refusal> {
    let question = exceeded(run, now).ok_or(Refusal::OutOfPlace { what: "an exceeded budget" })?;
    let mut events = begin(run, at, |_| Vec::new())?;
    events.extend(with_step(run, at, |definition, _| {
        ask(run, definition, ItemKind::Budget, question)
    })?);
    Ok(events)
}

fn ask(run: &Run, definition: &Step, kind: ItemKind, question: String) -> Vec<Event> {
    let item = format!("{}-{}", definition.id, run.items_opened + 1);
    let choices = match (&definition.contract, &definition.work) {
        _ if kind == ItemKind::Budget => vec![Choice::Allow, Choice::Skip, Choice::Abort],
        (None, _) => vec![Choice::Accept, Choice::Retry, Choice::Skip, Choice::Abort],
        // Evaluating again is all that a retry of a check could mean.
        (Some(_), Work::Check) => vec![Choice::Fixed, Choice::Skip, Choice::Abort],
        (Some(_), _) => vec![Choice::Retry, Choice::Fixed, Choice::Skip, Choice::Abort],
    };
    vec![
        Event::InboxOpened {
            item: item.clone(),
            kind,
            step: definition.id.clone(),
            question,
            choices,
        },
        Event::StepWaiting { step: definition.id.clone(), item },
    ]
}

fn answer(
    run: &Run,
    item: &str,
    choice: Choice,
    note: Option<String>,
    by: String,
) -> Result<Vec<Event>, Refusal> {
    let open = run.items.get(item).ok_or_else(|| Refusal::UnknownItem { item: item.to_owned() })?;
    if !open.choices.contains(&choice) {
        return Err(Refusal::UnknownChoice {
            item: item.to_owned(),
            choices: open.choices.clone(),
        });
    }
    with_step(run, open.step, |definition, state| {
        let mut events = vec![Event::InboxAnswered {
            item: item.to_owned(),
            step: definition.id.clone(),
            choice,
            note,
            by: by.clone(),
        }];
        events.extend(consequence(run, definition, state, choice, &by));
        events
    })
}

/// What an answer leads to beyond its own event.
fn consequence(
    run: &Run,
    definition: &Step,
    state: &StepState,
    choice: Choice,
    by: &str,
) -> Vec<Event> {
    match choice {
        Choice::Retry | Choice::Fixed | Choice::Allow => Vec::new(),
        Choice::Accept => vec![Event::StepCompleted {
            step: definition.id.clone(),
            attempts: state.attempts,
            evidence: Grade::Accepted,
            facts: Facts {
                accepted_by: Some(by.to_owned()),
                ..facts(run, definition, state)
            },
        }],
        Choice::Skip => vec![Event::StepSkipped {
            step: definition.id.clone(),
            reason: format!("skipped by {by}"),
            satisfies: true,
        }],
        Choice::Abort => failed(run, definition, state, &format!("aborted by {by}")),
    }
}

/// Going on after a crash: attempts that were cut off are named, and consequences that were lost
/// with the end of the journal are recorded now.
fn resume(run: &Run, now: Millis, by: String) -> Vec<Event> {
    let mut events = vec![Event::RunResumed { reopened: false, by }];
    for &at in &run.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if let Some((choice, by)) = &state.answered {
            events.extend(consequence(run, definition, state, *choice, by));
            continue;
        }
        match &state.stage {
            // A check has no work that could have been cut off: `apply` asks for its evaluation again.
            Stage::Working { .. } if definition.work == Work::Check => {}
            Stage::Working { attempt } => events.extend(interrupted(run, definition, state, *attempt)),
            Stage::NeedsEvaluation { .. } if definition.contract.is_none() => {
                let ended = state.work_ended.clone().unwrap_or(ProcessEnd::Exited(0));
                events.extend(unverified(run, now, definition, state, &ended));
            }
            Stage::Idle
            | Stage::NeedsBaseline
            | Stage::Baselining
            | Stage::NeedsWork
            | Stage::NeedsEvaluation { .. }
            | Stage::Evaluating { .. }
            | Stage::Waiting { .. }
            | Stage::Ended => {}
        }
    }
    events.extend(lost_blocks(run));
    events
}

fn interrupted(run: &Run, definition: &Step, state: &StepState, attempt: u32) -> Vec<Event> {
    let mut events = vec![Event::AttemptInterrupted { step: definition.id.clone(), attempt, stopped: false }];
    if state.interruptions >= MAX_INTERRUPTIONS {
        events.extend(escalate(run, definition, state, "it was cut off again and again"));
    }
    events
}

/// Blocks that were lost with the end of the journal.
fn lost_blocks(run: &Run) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (definition, state) in run.steps() {
        let lost = matches!(state.status, StepStatus::Failed | StepStatus::Skipped);
        if lost && !state.satisfies {
            for event in block_dependents(run, definition) {
                if !events.iter().any(|known| known.step() == event.step()) {
                    events.push(event);
                }
            }
        }
    }
    events
}

fn stop(run: &Run) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for &at in &run.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if let Stage::Working { attempt } = state.stage
            && definition.work != Work::Check
        {
            events.push(Event::AttemptInterrupted { step: definition.id.clone(), attempt, stopped: true });
        }
    }
    events.push(Event::RunPaused { reason: PauseReason::Interrupted });
    events
}

fn outcome(run: &Run) -> Outcome {
    let mut outcome = Outcome::Completed;
    for (definition, state) in run.steps() {
        let lost = matches!(state.status, StepStatus::Failed | StepStatus::Blocked);
        let unfinished = !matches!(
            state.status,
            StepStatus::Completed | StepStatus::Skipped | StepStatus::Failed | StepStatus::Blocked
        );
        if unfinished || (lost && definition.critical && !blocked_by_uncritical(run, state)) {
            return Outcome::Failed;
        }
        if lost {
            outcome = Outcome::Partial;
        }
    }
    outcome
}

/// A blocked step does not fail the run if what blocks it was not critical.
fn blocked_by_uncritical(run: &Run, state: &StepState) -> bool {
    state.status == StepStatus::Blocked
        && state
            .reason
            .as_ref()
            .and_then(|by| run.index.get(by))
            .and_then(|&at| run.step(at))
            .is_some_and(|(cause, _)| !cause.critical)
}
