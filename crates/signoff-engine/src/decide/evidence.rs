//! The evidence of a completed step.

use signoff_plan::model::{Step, Work};

use super::proof::{is_claimed, reasons_against};
use crate::contract_inputs::changed_inputs;
use crate::event::Event;
use crate::evidence::{EvidenceFacts, Grade, TestTotals};
use crate::state::{EarlierResult, Run, StepState};
use crate::verdict::reported_tests;

/// The event that completes a step whose contract holds.
pub(super) fn completion(run: &Run, definition: &Step, state: &StepState) -> Event {
    let proved =
        definition.contract.is_some() && reasons_against(run, definition, state).is_empty();
    Event::StepCompleted {
        step: definition.id.clone(),
        attempts: state.attempts,
        evidence: if proved { Grade::Proved } else { Grade::Held },
        facts: facts(run, definition, state),
    }
}

pub(super) fn facts(run: &Run, definition: &Step, state: &StepState) -> EvidenceFacts {
    let changed_inputs = changed_inputs(&run.plan().steps, definition, &state.changes);
    let is_agent = matches!(definition.work, Work::Agent { .. });
    let changed = state.changes.files.as_deref().filter(|_| is_agent);
    let tests = TestTotals {
        before: reported_tests(state.baseline.tests.as_ref()),
        after: reported_tests(state.contract.tests.as_ref()),
    };
    EvidenceFacts {
        sandbox: run.settings.sandbox.clone(),
        claimed: is_claimed(run, definition),
        interrupted: state.attempt.interrupted,
        agent_failed: state.attempt.work_failure().is_some(),
        repaired_by: state.attempt.repaired_by.clone(),
        accepted_by: state.attempt.accepted_by.clone(),
        args_by: state.activation.args_by.clone(),
        changed_inputs: changed_inputs.reads,
        no_change: changed.is_some_and(<[String]>::is_empty),
        tests: (tests != TestTotals::default()).then_some(tests),
        contract_writes: state.contract.writes.clone(),
        tree: state
            .contract
            .judged_on
            .clone()
            .or_else(|| run.tree.latest.clone()),
        commit: state.attempt.commit.clone(),
        not_proved: match definition.work {
            // A check does no work.
            Work::Check => Vec::new(),
            Work::Agent { .. } | Work::Tool { .. } | Work::Ask { .. } => {
                reasons_against(run, definition, state)
            }
        },
        kept_from: None,
        overlay_mode: state.contract.overlay_mode.clone(),
        judged_on: state.contract.machine.clone(),
        own_sandbox: state
            .attempt
            .report
            .as_ref()
            .is_some_and(|report| report.own_sandbox),
        spent: state.usage.total.spending(),
        advice: None,
    }
}

/// The event that completes a step with what an earlier run of the plan did: its evidence, and from where it was kept.
/// `tree`: what its contract was just run on.
pub(super) fn kept_completion(
    definition: &Step,
    kept: EarlierResult<'_>,
    tree: Option<String>,
) -> Event {
    Event::StepCompleted {
        step: definition.id.clone(),
        attempts: 0,
        evidence: kept.evidence,
        facts: EvidenceFacts {
            kept_from: Some(kept.run.to_owned()),
            tree: tree.or_else(|| kept.facts.tree.clone()),
            ..kept.facts.clone()
        },
    }
}
