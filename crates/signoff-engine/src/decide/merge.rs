//! The merge queue: a step's work is rebased onto what was merged before, judged there, and only then
//! becomes part of the run's tree.

use signoff_plan::model::{Step, Work};

use super::attempt::end_without_contract;
use super::evidence::{completion, facts};
use super::policy::{attempt_failed, retries_exhausted};
use super::verdict::{changed_protected_files, forbidden_change};
use super::{Refusal, with_step};
use crate::Millis;
use crate::apply::conflict_reason;
use crate::event::{Candidate, Changes, Choice, Event};
use crate::evidence::Grade;
use crate::input::MergeConflict;
use crate::state::{AttemptState, ContractRuns, Run, StepState};

pub(super) fn candidate_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, _| {
        vec![Event::CandidateStarted {
            step: definition.id.clone(),
            attempt,
        }]
    })
}

/// A candidate without a contract is judged by what it changes; others when their contract has run.
pub(super) fn candidate_built(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    candidate: Candidate,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let state = &StepState {
            changes: Changes {
                files: Some(candidate.files.clone()),
                details: candidate.details.clone(),
                protected: state.changes.protected.clone(),
            }
            .into(),
            ..state.clone()
        };
        let mut events = vec![Event::CandidateBuilt {
            step: definition.id.clone(),
            attempt,
            candidate,
        }];
        let by_a_person = state.attempt.accepted_by.is_some() || state.attempt.taken_over.is_some();
        let is_judged = definition.contract.is_some() || by_a_person;
        let reason = changed_protected_files(definition, state)
            .or_else(|| forbidden_change(run, definition, state));
        if let Some(reason) = reason.filter(|_| !is_judged) {
            events.extend(attempt_failed(run, now, definition, state, &reason));
        }
        events
    })
}

/// A conflict is a failed attempt; the head does not move.
pub(super) fn fail_on_conflict(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    conflict: MergeConflict,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let reason = conflict_reason(&conflict.files, &conflict.text);
        // A person cannot repair the conflict in the step's worktree, which lacks the other side of it. The next
        // attempt has both; after a repair, the conflict can be settled in the checkout.
        let may_fix = conflict.files.is_empty() || state.attempt.repaired_by.is_some();
        let mut events = vec![Event::MergeConflicted {
            step: definition.id.clone(),
            attempt,
            onto: conflict.onto,
            files: conflict.files,
            text: conflict.text,
        }];
        let mut then = attempt_failed(run, now, definition, state, &reason);
        for event in &mut then {
            if let Event::InboxOpened { choices, .. } = event {
                choices.retain(|choice| may_fix || *choice != Choice::Fixed);
            }
        }
        events.extend(then);
        events
    })
}

/// The harness cannot merge work of this kind, so a retry would not help.
pub(super) fn merge_refused(
    run: &Run,
    at: usize,
    attempt: u32,
    onto: String,
    why: String,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut then = retries_exhausted(run, definition, state, &why);
        for event in &mut then {
            if let Event::InboxOpened { choices, .. } = event {
                // Accepted work would have to be merged, which leads back here.
                choices.retain(|choice| *choice != Choice::Accept);
            }
        }
        let refused = Event::MergeConflicted {
            step: definition.id.clone(),
            attempt,
            onto,
            files: Vec::new(),
            text: why,
        };
        std::iter::once(refused).chain(then).collect()
    })
}

pub(super) fn merge_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let candidate = state.attempt.candidate.as_ref();
        let started = candidate.map(|candidate| Event::MergeStarted {
            step: definition.id.clone(),
            attempt,
            commit: candidate.commit.clone(),
        });
        started.into_iter().collect()
    })
}

pub(super) fn complete_merge(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    commit: String,
    tree: String,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let state = &StepState {
            attempt: AttemptState {
                commit: Some(commit.clone()),
                ..AttemptState::clone(&state.attempt)
            }
            .into(),
            contract: ContractRuns {
                judged_on: Some(tree.clone()),
                ..ContractRuns::clone(&state.contract)
            }
            .into(),
            ..state.clone()
        };
        let mut events = vec![Event::Merged {
            step: definition.id.clone(),
            attempt,
            commit,
            tree,
        }];
        events.extend(after_merge(run, now, definition, state));
        events
    })
}

/// The events after the step's work was merged.
pub(super) fn after_merge(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
) -> Vec<Event> {
    if definition.contract.is_some() {
        return vec![completion(run, definition, state)];
    }
    let grade = match &definition.work {
        _ if state.attempt.accepted_by.is_some() => Grade::Accepted,
        Work::Tool { .. } => Grade::Observed,
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => {
            return end_without_contract(run, now, definition, state);
        }
    };
    vec![Event::StepCompleted {
        step: definition.id.clone(),
        attempts: state.attempts,
        evidence: grade,
        facts: facts(run, definition, state),
    }]
}
