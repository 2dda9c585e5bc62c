//! Failures of signing where the settings or the plan say who signs.

use signoff_engine::ApprovalProgress;

use super::Failure;
use crate::shell_words::shell_word;

/// Some have signed, and others have to.
pub(super) fn more_signatures(plan: &str) -> Failure {
    Failure::of(4, "more-signatures").hint(format!(
        "they read it with `signoff show {word}`, then sign it with `signoff approve {word}`",
        word = shell_word(plan)
    ))
}

/// The signature of this person would not count.
pub(super) fn not_an_approver(named: &[String]) -> Failure {
    let failure = Failure::of(4, "not-an-approver");
    if named.is_empty() {
        return failure.hint("anybody else can sign it");
    }
    failure.hint(format!("these people can: {}", named.join(", ")))
}

/// This person has signed.
pub(super) fn signed_already(progress: &ApprovalProgress) -> Failure {
    let failure = Failure::of(5, "signed-already");
    match progress.awaited_text() {
        Some(_) => failure.hint("a second signature of the same person does not count"),
        None => failure,
    }
}

/// Nobody could ever sign it as often as is asked for.
pub(super) fn too_few() -> Failure {
    Failure::of(4, "too-few-approvers").hints([
        "`signoff config` shows `approval.from`, `approval.count` and `approval.not_author`, and where they come from"
            .to_owned(),
        "the plan may name people that the settings do not: see its `approval_required_from`"
            .to_owned(),
    ])
}
