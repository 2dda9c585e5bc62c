//! Which commits a step works on and is judged on.

use signoff_engine::{Run, Stage};
use signoff_plan::model::Work;
use signoff_work::git::Id;

use super::commands::{broken_run, require_step};
use crate::error::Error;
use crate::trees::{Attempt, Trees, WorkContext, WorkSource, head_commit, parse_id};

/// The commit that a step's work is compared with.
fn base(run: &Run, at: usize) -> Result<Id, Error> {
    match &require_step(run, at)?.1.activation.base {
        Some(base) => parse_id(run, base),
        None => head_commit(run),
    }
}

/// The commit that the step's contract is to see.
pub(super) fn judged_commit(run: &Run, at: usize, baseline: bool) -> Result<Id, Error> {
    let (_, state) = require_step(run, at)?;
    match &state.attempt.candidate {
        // Without the work: on the commit that it is merged onto.
        Some(candidate) if baseline => parse_id(run, &candidate.onto),
        Some(candidate) if state.stage != Stage::Rechecking => parse_id(run, &candidate.commit),
        _ if baseline && run.has_own_tree(at) => base(run, at),
        _ => head_commit(run),
    }
}

/// The context for recording the work of an attempt.
pub(super) fn work_context(
    trees: &Trees,
    run: &Run,
    at: usize,
    attempt: u32,
) -> Result<WorkContext, Error> {
    work_context_from(trees, run, at, attempt, None)
}

/// The newest commit that the next attempt can begin with, if it differs from that of the attempt before: a person
/// expects what joined before it to be there.
pub(super) fn newest_base(trees: &Trees, run: &Run, at: usize) -> Result<Option<Id>, Error> {
    let (_, state) = require_step(run, at)?;
    let head = head_commit(run)?;
    if state.attempts == 0 {
        return Ok(run.has_own_tree(at).then_some(head));
    }
    let (Some(_), Some(carried)) = (&state.activation.base, &state.activation.carried) else {
        return Ok(None);
    };
    // If they conflict, the attempt goes on with its old base, and its candidate reports the conflict.
    let onto = trees.rebase_work(&parse_id(run, carried)?, &head);
    Ok(onto.ok().flatten().map(|_| head))
}

/// The same, for an attempt that is to begin with this commit.
pub(super) fn work_context_from(
    trees: &Trees,
    run: &Run,
    at: usize,
    attempt: u32,
    newer: Option<Id>,
) -> Result<WorkContext, Error> {
    let (step, state) = require_step(run, at)?;
    let base = match newer {
        Some(newer) => newer,
        None => base(run, at)?,
    };
    let began = match &state.activation.carried {
        Some(carried) => {
            let onto = trees.rebase_work(&parse_id(run, carried)?, &base);
            let onto = onto.map_err(|why| broken_run(run, &why))?;
            onto.ok_or_else(|| broken_run(run, "an attempt on a base that it conflicts with"))?
        }
        None => {
            // An attempt that was cut off left nothing for a later one.
            let counts = (1..attempt).filter(|attempt| !state.cut_off.numbers.contains(attempt));
            let earlier = trees.earlier_work(&step.id, counts, &base);
            let earlier = earlier.map_err(|why| broken_run(run, &why))?;
            earlier.unwrap_or_else(|| base.clone())
        }
    };
    Ok(WorkContext {
        message: trees.commit_message(&step.title, &step.id, attempt),
        step: step.id.clone(),
        attempt,
        base,
        began,
        protects: step.protects.clone(),
        produces: step.produces.clone(),
        interrupted: state.attempt.interrupted,
    })
}

/// An attempt whose candidate is to be built.
pub(super) fn attempt_of(
    trees: &Trees,
    run: &Run,
    at: usize,
    attempt: u32,
) -> Result<Attempt, Error> {
    let (step, state) = require_step(run, at)?;
    let source = match step.work {
        Work::Agent { .. } if state.attempt.repaired_by.is_some() => WorkSource::Repaired,
        Work::Agent { .. } => WorkSource::Layer,
        Work::Tool { .. } if state.attempt.changed_tree => WorkSource::RunTree,
        Work::Tool { .. } | Work::Check | Work::Ask { .. } => WorkSource::Nowhere,
    };
    let work = work_context(trees, run, at, attempt)?;
    Ok(Attempt { work, source })
}
