//! One attempt: the contract before the work, the work, the contract after it.

use signoff_plan::model::{self, Step};

use super::confirmation::confirmation;
use super::person::{ask, escalate, open_item};
use super::policy::{attempt_failed, start_over};
use super::proof::reasons_against;
use super::verdict::{AttemptVerdict, changed_protected_files, forbidden_change, verdict};
use super::{Refusal, base, begin, with_step};
use crate::Millis;
use crate::budget::wall_left;
use crate::event::{
    AcceptAt, AgentOutput, Changes, Choice, Event, InboxKind, OnGreenBaseline, WorkItem,
};
use crate::evidence::{EvidenceFacts, Grade, TestTotals};
use crate::judge::judge_changed;
use crate::state::{Run, Stage, StepState};
use crate::verdict::{
    Observation, ProcessEnd, Verdict, baseline_verdict, count_after, count_before, is_repeated,
    readable, reported_tests, tail,
};

/// How an agent's work ended.
pub(super) struct Work {
    pub(super) ended: ProcessEnd,
    pub(super) text: String,
    pub(super) changes: Changes,
}

pub(super) fn work_begins(
    run: &Run,
    now: Millis,
    (at, attempt): (usize, u32),
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
            events.push(Event::BudgetReserved {
                step: step.clone(),
                attempt,
                agents: 1,
                wall_ms: wall_left(run, at, now),
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

/// Is there a budget that the step's agent uses up?
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
        let mut events = vec![Event::BaselineFinished {
            step: definition.id.clone(),
            verdict,
            observed: journaled_observation(run, at, observed),
        }];
        // After the work, the baseline only shows what the work is worth.
        if state.attempt.candidate.is_some() {
            return events;
        }
        if verdict == Verdict::Pass && !definition.claimed {
            events.extend(after_green_baseline(run, definition));
        }
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

/// What follows if the contract of an agent step holds before the work.
fn after_green_baseline(run: &Run, definition: &Step) -> Vec<Event> {
    if !matches!(definition.work, model::Work::Agent { .. }) {
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
            let offered = (choices, Vec::new());
            open_item(run, definition, InboxKind::Approval, question, offered)
        }
    }
}

pub(super) fn work_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    Work {
        ended,
        text,
        changes,
    }: Work,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut events = vec![Event::WorkFinished {
            step: definition.id.clone(),
            attempt,
            ended: ended.clone(),
            output: AgentOutput {
                text: if run.read.contains(&at) {
                    readable(text)
                } else {
                    tail(text)
                },
            },
            changes: changes.clone(),
        }];
        if is_limited(run, at) {
            events.push(Event::BudgetSpent {
                step: definition.id.clone(),
                attempt,
                wall_ms: now.saturating_sub(state.attempt.started_at),
            });
        }
        if let ProcessEnd::NotStarted(why) = &ended {
            // This is not the agent's fault, and a retry would end the same way.
            let reason = format!("its agent cannot be started: {why}");
            events.extend(escalate(run, definition, state, &reason));
        } else if definition.contract.is_none() {
            let state = &StepState {
                changes,
                ..state.clone()
            };
            events.extend(end_without_contract(run, now, definition, state, &ended));
        }
        events
    })
}

/// Only a person can say that an agent step without a contract is done.
pub(super) fn end_without_contract(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    ended: &ProcessEnd,
) -> Vec<Event> {
    // Merged work was judged before the merge.
    let forbidden_change =
        || forbidden_change(run, definition, state).filter(|_| state.attempt.commit.is_none());
    if let Some(reason) = changed_protected_files(definition, state).or_else(forbidden_change) {
        return attempt_failed(run, now, definition, state, &reason);
    }
    if !ended.succeeded() {
        return attempt_failed(
            run,
            now,
            definition,
            state,
            &format!("the agent ended: {ended}"),
        );
    }
    // Its dependents can only start once its work is in their tree.
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

pub(super) fn evaluation_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let is_check = run.step(at).is_some_and(|(definition, state)| {
            definition.work == model::Work::Check && state.attempts < attempt
        });
        let again = run
            .steps
            .get(at)
            .is_some_and(|step| step.stage == Stage::Ended);
        let mut events = Vec::new();
        if is_check && !again {
            events.push(Event::AttemptStarted {
                step: step.clone(),
                attempt,
                base: None,
            });
        }
        events.push(Event::ContractStarted {
            step,
            attempt,
            again,
        });
        events
    })
}

pub(super) fn evaluation_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    observed: Observation,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let observed = count_after(definition.contract.as_ref(), observed);
        let state = &with_observation(state, &observed);
        // In the checkout, `changes` is from earlier attempts unless this evaluation looked again.
        let fresh = observed.changes.is_some() || state.attempt.candidate.is_some();
        let seen = fresh && state.changes.files.is_some();
        let AttemptVerdict {
            verdict,
            unmet,
            despite_contract,
        } = verdict(run, definition, state, &observed);
        let reason = unmet.join("; ");
        let is_void = observed.void.is_some();
        // Running it again would end the same way.
        let is_final = is_void || !observed.left_out.is_empty();
        let mut events = vec![Event::ContractFinished {
            step: definition.id.clone(),
            attempt,
            verdict,
            unmet,
            observed: journaled_observation(run, at, observed),
        }];
        let is_repeated = is_void && is_repeated(state.attempt.void + 1);
        if is_repeated {
            // Nothing was learned, and no attempt is used up.
            return events;
        }
        if state.stage == Stage::Rechecking {
            let reason = match joined_since(run, at) {
                Some(joined) => format!("{reason}; {joined}"),
                None => reason,
            };
            let was_warm = run.unconfirmed.contains(&at);
            if was_warm && verdict == Verdict::Pass {
                events.extend(confirmation(run, at, definition, state));
            }
            let how = (verdict, is_final, was_warm);
            events.extend(recheck_failure(definition, state, how, &reason));
            return events;
        }
        events.extend(match verdict {
            Verdict::Pass if state.attempt.interrupted && !seen => {
                vec![start_over(definition, UNSEEN)]
            }
            Verdict::Pass => attempt_passed(run, now, definition, state),
            Verdict::Fail if state.attempt.interrupted && !despite_contract => {
                vec![start_over(definition, "the attempt was cut off")]
            }
            Verdict::Fail => attempt_failed(run, now, definition, state, &reason),
            // Once more with twice the time before a person is asked; no attempt is used up.
            Verdict::Inconclusive if state.attempt.inconclusive == 0 && !is_final => Vec::new(),
            Verdict::Inconclusive => escalate(
                run,
                definition,
                state,
                &format!("its contract gave no answer: {reason}"),
            ),
        });
        events
    })
}

/// The step with what its contract run showed.
fn with_observation(state: &StepState, observed: &Observation) -> StepState {
    let changes = observed.changes.as_deref().unwrap_or(&state.changes);
    StepState {
        changes: changes.clone(),
        contract: state.contract.after_evaluation(observed),
        ..state.clone()
    }
}

/// Why a cut off attempt whose contract holds does not count.
const UNSEEN: &str = "the attempt was cut off, and what it changed is not known";

/// Why a step fails whose contract needs what earlier ones built.
const WARM_ONLY: &str = "green warm, red cold: its contract held with what earlier contracts had built, and fails at the end without it";

/// A contract that was run once more on the last tree.
fn recheck_failure(
    definition: &Step,
    state: &StepState,
    (verdict, is_final, was_warm): (Verdict, bool, bool),
    reason: &str,
) -> Vec<Event> {
    match verdict {
        Verdict::Pass => Vec::new(),
        Verdict::Inconclusive if state.attempt.inconclusive == 0 && !is_final => Vec::new(),
        Verdict::Fail | Verdict::Inconclusive => {
            let reason = match verdict {
                Verdict::Inconclusive => {
                    format!("its contract gave no answer at the end ({reason})")
                }
                Verdict::Pass | Verdict::Fail if was_warm => {
                    format!("{WARM_ONLY} ({reason})")
                }
                Verdict::Pass | Verdict::Fail => {
                    format!("regressed: its contract no longer holds at the end ({reason})")
                }
            };
            vec![Event::StepFailed {
                step: definition.id.clone(),
                attempts: state.attempts,
                reason,
            }]
        }
    }
}

/// What a person changed in the checkout since the step's contract last held: a likely cause.
fn joined_since(run: &Run, at: usize) -> Option<String> {
    const SHOWN: usize = 5;
    let held = run.verdicts.iter().find(|(_, step)| *step == at);
    let held = held.map_or(0, |(tree, _)| *tree);
    let since = run.joined.iter().filter(|(_, (tree, _))| *tree > held);
    let mut names: Vec<String> = since
        .map(|(file, (_, deleted))| match deleted {
            true => format!("deleted `{file}`"),
            false => format!("`{file}`"),
        })
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| format!("your changes joined since it held: {}", names.join(", ")))
}

/// What the journal keeps of an observation.
fn journaled_observation(run: &Run, at: usize, observed: Observation) -> Observation {
    if run.read.contains(&at) {
        observed.readable()
    } else {
        observed.shortened()
    }
}

fn attempt_passed(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    if let Some(ended) = state.ended_badly() {
        let reason =
            format!("the agent ended: {ended}, and its contract was not seen to fail before");
        return attempt_failed(run, now, definition, state, &reason);
    }
    // What holds on the candidate counts once it is merged.
    if state.attempt.candidate.is_some() {
        return Vec::new();
    }
    vec![completion(run, definition, state)]
}

/// The step's contract holds.
pub(super) fn completion(run: &Run, definition: &Step, state: &StepState) -> Event {
    let is_red = state.baseline.verdict == Some(Verdict::Fail);
    let proved = is_red && reasons_against(definition, state).is_empty();
    Event::StepCompleted {
        step: definition.id.clone(),
        attempts: state.attempts,
        evidence: if proved { Grade::Proved } else { Grade::Held },
        facts: facts(run, definition, state),
    }
}

pub(super) fn facts(run: &Run, definition: &Step, state: &StepState) -> EvidenceFacts {
    let judge = judge_changed(&run.plan().steps, definition, &state.changes);
    let is_agent = matches!(definition.work, model::Work::Agent { .. });
    let changed = state.changes.files.as_deref().filter(|_| is_agent);
    let tests = TestTotals {
        before: reported_tests(state.baseline.tests.as_ref()),
        after: reported_tests(state.contract.tests.as_ref()),
    };
    EvidenceFacts {
        sandbox: run.settings.sandbox.clone(),
        claimed: definition.claimed,
        interrupted: state.attempt.interrupted,
        agent_failed: state
            .attempt
            .work_ended
            .as_ref()
            .is_some_and(|ended| !ended.succeeded()),
        repaired_by: state.attempt.repaired_by.clone(),
        accepted_by: state.attempt.accepted_by.clone(),
        judge_changed: judge.reads,
        no_change: changed.is_some_and(<[String]>::is_empty),
        tests: (tests != TestTotals::default()).then_some(tests),
        contract_writes: state.contract.writes.clone(),
        tree: state
            .contract
            .judged_on
            .clone()
            .or_else(|| run.latest_tree.clone()),
        commit: state.attempt.commit.clone(),
        not_proved: match definition.work {
            // A check does no work.
            model::Work::Check => Vec::new(),
            model::Work::Agent { .. } | model::Work::Tool { .. } | model::Work::Ask { .. } => {
                reasons_against(definition, state)
            }
        },
        room: state.contract.room.clone(),
    }
}
