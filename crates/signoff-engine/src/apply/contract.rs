//! The runs of a contract: before the work (baseline), after it, and once more at the end.

use crate::Millis;
use crate::event::{Changes, Event, RecordedEvent};
use crate::state::{Allocation, Baseline, Failure, Run, Stage, StepState, StepStatus};
use crate::verdict::{Observation, Verdict, pause_after_void};

pub(super) fn start_baseline(run: &mut Run, at: usize, base: Option<&str>) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.stage = Stage::Baselining;
    // What other steps change from now on is not part of the baseline.
    step.contract.tree_version = run.tree.version;
    step.baseline.commit = base.map(str::to_owned);
    if step.attempt.candidate.is_none() {
        step.activation.base = base.map(str::to_owned);
    }
    step.allocation.take_slot();
}

pub(super) fn finish_baseline(
    run: &mut Run,
    at: usize,
    now: Millis,
    verdict: Verdict,
    observed: &Observation,
) {
    let is_read = run.is_read(at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    note_void(step, observed, now);
    if step.is_run_again() {
        step.stage = Stage::NeedsBaseline;
        return;
    }
    step.attempt.void = 0;
    step.activation.not_before = 0;
    if is_read {
        step.values.stdout = complete_stdout(observed);
    }
    step.baseline = Baseline {
        verdict: Some(verdict),
        commit: step.baseline.commit.take(),
        after_work: step.attempt.candidate.is_some(),
        inconclusive_reason: observed.inconclusive_reason(),
        tests: observed.tests.clone(),
        missing: observed
            .missing_program_or_module()
            .filter(|_| verdict != Verdict::Pass),
    }
    .into();
    step.contract = step.contract.after_baseline(observed).into();
    step.stage = match step.attempt.candidate {
        Some(_) => Stage::NeedsEvaluation {
            attempt: step.attempts,
        },
        None => Stage::NeedsWork,
    };
}

pub(super) fn start_contract(run: &mut Run, at: usize, attempt: u32, again: bool) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.contract.tree_version = run.tree.version;
    step.allocation.take_slot();
    // An interrupted step left the queue; its candidate needs the queue again.
    if step.attempt.candidate.is_some() {
        step.allocation = Allocation::MergeQueue;
    }
    if again {
        step.stage = Stage::Rechecking;
        run.schedule.active.insert(at);
    } else {
        step.status = StepStatus::Verifying;
        step.stage = Stage::Evaluating { attempt };
    }
}

pub(super) fn finish_contract(run: &mut Run, at: usize, recorded: &RecordedEvent) {
    let Event::ContractFinished {
        attempt,
        verdict,
        unmet,
        observed,
        ..
    } = &recorded.event
    else {
        return;
    };
    let is_read = run.is_read(at);
    if observed.tree.is_some() {
        run.tree.latest.clone_from(&observed.tree);
    }
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    note_observation(step, *verdict, observed, recorded.at);
    let red = (*verdict != Verdict::Pass).then(|| failure(unmet, observed));
    step.contract.red = red.clone().map(Box::new);
    if step.stage == Stage::Rechecking {
        return finish_recheck(run, at, *verdict);
    }
    // The consequence is a separate event. If a crash loses it, the contract is evaluated again, which
    // costs time but is never wrong.
    let holds = *verdict == Verdict::Pass && step.ended_badly().is_none();
    step.stage = if holds && step.attempt.candidate.is_some() {
        Stage::NeedsMerge { attempt: *attempt }
    } else {
        Stage::NeedsEvaluation { attempt: *attempt }
    };
    if is_read {
        step.values.stdout = complete_stdout(observed);
    }
    match verdict {
        Verdict::Pass => step.advice.failure = None,
        Verdict::Fail => step.advice.failure = red,
        Verdict::Inconclusive => {}
    }
}

/// Remembers what one evaluation showed, whether it judged an attempt or ran once more at the end.
fn note_observation(step: &mut StepState, verdict: Verdict, observed: &Observation, at: Millis) {
    note_void(step, observed, at);
    step.contract = step.contract.after_evaluation(observed).into();
    if let Some(changes) = &observed.changes {
        step.changes = Changes::clone(changes).into();
        step.cut_off.unseen_since = None;
    }
    let has_no_answer = verdict == Verdict::Inconclusive && observed.void.is_none();
    step.attempt.inconclusive += u32::from(has_no_answer);
}

/// A failed evaluation, as the next prompt describes it.
fn failure(unmet: &[String], observed: &Observation) -> Failure {
    Failure {
        unmet: unmet.to_vec(),
        ended: observed.ended.clone(),
        stdout: observed.stdout.clone(),
        stderr: observed.stderr.clone(),
        conflict: None,
    }
}

/// The step has ended already. Only a failure changes that, by a separate event.
fn finish_recheck(run: &mut Run, at: usize, verdict: Verdict) {
    run.schedule.active.remove(&at);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.stage = Stage::Ended;
    if verdict == Verdict::Pass {
        let tree = step.contract.tree_version;
        step.attempt.inconclusive = 0;
        run.rechecks.renew(at, tree);
    }
}

/// What a contract printed to stdout, if it was recorded completely.
fn complete_stdout(observed: &Observation) -> Option<String> {
    (!observed.cut).then(|| observed.stdout.clone())
}

/// Counts void evaluations (something changed while they ran) and delays the next one.
fn note_void(step: &mut StepState, observed: &Observation, at: Millis) {
    if observed.void.is_none() {
        step.attempt.void = 0;
        return;
    }
    step.attempt.void += 1;
    step.activation.not_before = at + pause_after_void(step.attempt.void);
}
