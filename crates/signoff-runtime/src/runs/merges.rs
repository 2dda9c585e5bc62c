//! Merges that a crash cut off. The branch may already stand at the candidate; that is found out before anything else
//! is decided about the step, because nothing looks for it later.

use signoff_engine::{Input, Run, Stage};

use crate::trees::{Trees, first_commit};

/// The steps whose merge was begun, with their attempts.
pub(crate) fn begun_merges(run: &Run) -> Vec<(usize, u32)> {
    let merging = |at| match run.step(at)?.1.stage {
        Stage::Merging { attempt } => Some((at, attempt)),
        _ => None,
    };
    run.order().filter_map(merging).collect()
}

/// Completes them. What cannot be merged is left to the resumed run.
pub(crate) fn finish(run: &Run, trees: &Trees, begun: &[(usize, u32)]) -> Vec<Input> {
    let Ok(since) = first_commit(run) else {
        return Vec::new();
    };
    let merged = |&(step, attempt): &(usize, u32)| {
        let (definition, state) = run.step(step)?;
        let candidate = state.attempt.candidate.as_ref()?;
        let merged = trees.merge(&definition.id, attempt, candidate, &since);
        let (commit, tree) = merged.ok()?;
        Some(Input::Merged {
            step,
            attempt,
            commit,
            tree,
        })
    };
    begun.iter().filter_map(merged).collect()
}
