//! The merge queue.

use crate::decide::conflict_reason;
use crate::event::{Event, Recorded};
use crate::state::{Failure, Run, Stage, StepState, StepStatus};
use crate::verdict::ProcessEnd;

pub(super) fn apply(run: &mut Run, at: usize, recorded: &Recorded) {
    let has_contract = (run.definition(at)).is_some_and(|step| step.contract.is_some());
    if let Event::Merged { commit, tree, .. } = &recorded.event {
        return merged(run, at, commit, tree);
    }
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    if let Event::CandidateStarted { attempt, .. } = &recorded.event {
        step.status = StepStatus::Verifying;
        step.stage = Stage::Assembling { attempt: *attempt };
        step.holds = true;
        step.placed = true;
    }
    if let Event::CandidateBuilt {
        attempt, candidate, ..
    } = &recorded.event
    {
        let attempt = *attempt;
        step.candidate = Some(candidate.clone());
        step.stage = if has_contract {
            Stage::NeedsEvaluation { attempt }
        } else {
            Stage::NeedsMerge { attempt }
        };
    }
    if let Event::MergeStarted { attempt, .. } = &recorded.event {
        step.stage = Stage::Merging { attempt: *attempt };
    }
    if let Event::MergeConflicted {
        attempt,
        files,
        text,
        ..
    } = &recorded.event
    {
        step.stage = Stage::NeedsEvaluation { attempt: *attempt };
        conflicted(step, files, text);
    }
}

fn conflicted(step: &mut StepState, files: &[String], text: &str) {
    step.holds = false;
    step.candidate = None;
    step.conflicted = !files.is_empty();
    step.failure = Some(Failure {
        unmet: vec![conflict_reason(files, text)],
        ended: ProcessEnd::Exited(0),
        stdout: text.to_owned(),
        stderr: String::new(),
        conflict: Some(files.to_vec()),
    });
}

fn merged(run: &mut Run, at: usize, commit: &str, tree: &str) {
    // Whoever was judged before was judged on another tree.
    run.tree += u64::from(run.head.as_deref() != Some(commit));
    run.head = Some(commit.to_owned());
    run.seen_tree = Some(tree.to_owned());
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.tree = run.tree;
    step.holds = false;
    step.commit = Some(commit.to_owned());
    step.judged_on = Some(tree.to_owned());
    step.stage = Stage::NeedsMerge {
        attempt: step.attempts,
    };
}

/// The next attempt goes on with the work as it was put on a newer base, or starts from the head after a conflict. One
/// that was cut off left nothing: the next begins as it did.
// Not before there is a next attempt: until then a person may repair this one, and a crash builds its candidate again.
pub(super) fn carry(step: &mut StepState) {
    step.holds = false;
    if step.conflicted {
        step.base = None;
        step.carried = None;
    }
    let candidate = step.candidate.take().filter(|_| !step.interrupted);
    if let Some(candidate) = candidate {
        step.base = Some(candidate.onto);
        step.carried = Some(candidate.commit);
    }
}
