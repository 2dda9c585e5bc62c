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
    match &recorded.event {
        Event::CandidateStarted { attempt, .. } => {
            step.status = StepStatus::Verifying;
            step.stage = Stage::Assembling { attempt: *attempt };
            step.holds = true;
        }
        Event::CandidateBuilt {
            attempt, candidate, ..
        } => {
            let attempt = *attempt;
            step.candidate = Some(candidate.clone());
            step.stage = if has_contract {
                Stage::NeedsEvaluation { attempt }
            } else {
                Stage::NeedsMerge { attempt }
            };
        }
        Event::MergeConflicted {
            attempt,
            files,
            text,
            ..
        } => {
            step.holds = false;
            step.candidate = None;
            step.stage = Stage::NeedsEvaluation { attempt: *attempt };
            if !files.is_empty() {
                // The next attempt starts from the head.
                step.base = None;
                step.carried = None;
            }
            step.failure = Some(Failure {
                unmet: vec![conflict_reason(files, text)],
                ended: ProcessEnd::Exited(0),
                stdout: text.clone(),
                stderr: String::new(),
                conflict: Some(files.clone()),
            });
        }
        Event::MergeStarted { attempt, .. } => step.stage = Stage::Merging { attempt: *attempt },
        _ => {}
    }
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

/// The next attempt goes on with the work as it was put on a newer base.
pub(super) fn carry(step: &mut StepState) {
    step.holds = false;
    if let Some(candidate) = step.candidate.take() {
        step.base = Some(candidate.onto);
        step.carried = Some(candidate.commit);
    }
}
