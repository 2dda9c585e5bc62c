//! The merge queue.

use signoff_plan::glob;
use signoff_plan::model::Work;

use crate::contract_inputs::names_of;
use crate::event::Candidate;
use crate::state::{Allocation, Failure, JoinedFile, Run, Stage, StepState, StepStatus};
use crate::verdict::{ProcessEnd, Verdict};

pub(super) fn start_candidate(run: &mut Run, at: usize, attempt: u32) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.status = StepStatus::Verifying;
    step.stage = Stage::Assembling { attempt };
    step.allocation = Allocation::MergeQueue;
}

pub(super) fn finish_candidate(run: &mut Run, at: usize, attempt: u32, candidate: &Candidate) {
    let Some(definition) = run.definition(at) else {
        return;
    };
    let judged = definition.contract.is_some();
    let wants_baseline = run.wants_baseline(at);
    let works = matches!(definition.work, Work::Agent { .. } | Work::Tool { .. });
    let covers = |path: &&String| {
        let names = names_of(path, &candidate.details);
        let mut globs = definition.protects.iter();
        globs.any(|glob| names.iter().any(|name| glob::covers(glob, name)))
    };
    let protected: Vec<String> = candidate.files.iter().filter(covers).cloned().collect();
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    if step.attempt.interrupted || step.attempt.taken_over.is_some() {
        step.changes.protected = protected;
    }
    if works || step.attempt.taken_over.is_some() {
        // What the commit changes is judged, no matter who changed it and when.
        step.changes.files = Some(candidate.files.clone());
        step.changes.details.clone_from(&candidate.details);
        step.cut_off.unseen_since = None;
    }
    step.attempt.candidate = Some(Box::new(candidate.clone()));
    let was_red = wants_baseline && step.baseline.verdict == Some(Verdict::Fail);
    let is_moved =
        step.baseline.commit.is_some() && step.baseline.commit.as_ref() != Some(&candidate.onto);
    step.stage = if was_red && is_moved && candidate.commit != candidate.onto {
        // Other steps may have made its contract pass meanwhile: the baseline runs again on the head.
        Stage::NeedsBaseline
    } else if judged {
        Stage::NeedsEvaluation { attempt }
    } else {
        Stage::NeedsMerge { attempt }
    };
}

pub(super) fn note_conflict(run: &mut Run, at: usize, attempt: u32, files: &[String], text: &str) {
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.allocation.leave_queue();
    step.attempt.candidate = None;
    step.contract.red = None;
    step.stage = Stage::NeedsEvaluation { attempt };
    // The next attempt starts from the head.
    step.attempt.conflicted = !files.is_empty();
    step.advice.failure = Some(Failure {
        unmet: vec![conflict_reason(files, text)],
        ended: ProcessEnd::Exited(0),
        stdout: text.to_owned(),
        stderr: String::new(),
        conflict: Some(files.to_vec()),
    });
}

pub(super) fn start_merge(run: &mut Run, at: usize, attempt: u32) {
    if let Some(step) = run.steps.get_mut(at) {
        step.stage = Stage::Merging { attempt };
    }
}

/// Moves the head to the commit that merged the checkout's changes. What a person changed may explain why a contract
/// fails later.
pub(super) fn join_checkout(
    run: &mut Run,
    commit: &str,
    tree: &str,
    files: &[String],
    deleted: &[String],
) {
    let was_landed = run.landing.head == run.tree.head;
    set_head(run, commit, tree);
    if was_landed {
        run.landing.head.clone_from(&run.tree.head);
    }
    for file in files {
        let joined = JoinedFile {
            tree_version: run.tree.version,
            is_deleted: deleted.contains(file),
        };
        run.tree.joined.insert(file.clone(), joined);
    }
}

fn set_head(run: &mut Run, commit: &str, tree: &str) {
    // Earlier verdicts are about another tree.
    run.tree.version += u64::from(run.tree.head.as_deref() != Some(commit));
    run.tree.head = Some(commit.to_owned());
    run.tree.latest = Some(tree.to_owned());
}

pub(super) fn finish_merge(run: &mut Run, at: usize, commit: &str, tree: &str) {
    set_head(run, commit, tree);
    let Some(step) = run.steps.get_mut(at) else {
        return;
    };
    step.contract.tree_version = run.tree.version;
    step.allocation.leave_queue();
    step.attempt.commit = Some(commit.to_owned());
    step.contract.judged_on = Some(tree.to_owned());
    step.stage = Stage::NeedsMerge {
        attempt: step.attempts,
    };
}

/// Prepares the next attempt: it continues with the work on its newer base, or starts from the head after a conflict.
/// Nothing is kept of an interrupted attempt: the next one starts where it started.
// Only called when there is a next attempt: until then a person may repair this one, and a crash builds its candidate
// again.
pub(super) fn carry_work_over(step: &mut StepState) {
    step.allocation.leave_queue();
    if step.attempt.conflicted {
        step.activation.base = None;
        step.activation.carried = None;
    }
    let candidate = step
        .attempt
        .candidate
        .take()
        .filter(|_| !step.attempt.interrupted);
    if let Some(candidate) = candidate {
        step.activation.base = Some(candidate.onto);
        step.activation.carried = Some(candidate.commit);
    }
}

/// Why the work could not be merged, in one line.
pub(crate) fn conflict_reason(files: &[String], text: &str) -> String {
    if files.is_empty() {
        return text.to_owned();
    }
    let files = files.join(", ");
    format!("its work conflicts with what was merged meanwhile: {files}")
}
