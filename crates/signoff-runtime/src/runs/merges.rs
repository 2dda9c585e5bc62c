//! Merges that a crash cut off. The branch may stand at the candidate already, and only then may anything else be
//! decided about the step: afterwards it would not be looked for there.

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

/// Brings them to their end. What cannot be merged stays for the resumed run.
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
