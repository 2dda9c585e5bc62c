//! Failures of signing where the settings or the plan say who signs.

use signoff_engine::{ApprovalProgress, ImpossibleRule, NotCounted};

use super::Failure;
use crate::shell_words::shell_word;

/// Some have signed, and others have to.
pub(super) fn more_signatures(plan: &str, progress: &ApprovalProgress) -> Failure {
    let message = format!(
        "{plan} is signed by {}, and more people have to sign ({progress})",
        progress.signed.join(", ")
    );
    Failure::new(4, "more-signatures", message).hint(format!(
        "they read it with `signoff show {word}`, then sign it with `signoff approve {word}`",
        word = shell_word(plan)
    ))
}

/// The signature of this person would not count.
pub(super) fn not_an_approver(plan: &str, by: &str, why: NotCounted, named: &[String]) -> Failure {
    let why = match why {
        NotCounted::NotNamed => "is not among those who have to sign it",
        NotCounted::Author => "wrote it, and somebody else has to sign it",
        NotCounted::NoPerson => "is a rule, and people have to sign it",
    };
    let failure = Failure::new(4, "not-an-approver", format!("{plan}: `{by}` {why}"));
    if named.is_empty() {
        return failure.hint("anybody else can sign it");
    }
    failure.hint(format!("these people can: {}", named.join(", ")))
}

/// This person has signed.
pub(super) fn signed_already(plan: &str, by: &str, progress: &ApprovalProgress) -> Failure {
    let message = format!("`{by}` has signed {plan} as it is ({progress})");
    let failure = Failure::new(5, "signed-already", message);
    match progress.awaited() {
        Some(_) => failure.hint("a second signature of the same person does not count"),
        None => failure,
    }
}

/// Nobody could ever sign it as often as is asked for.
pub(super) fn too_few(plan: &str, rule: &ImpossibleRule) -> Failure {
    let able = match rule.able.as_slice() {
        [] => "nobody can".to_owned(),
        able => format!("only {} can", able.join(" and ")),
    };
    let message = format!("{plan}: {} people have to sign it, and {able}", rule.count);
    Failure::new(4, "too-few-approvers", message).hints([
        "`signoff config` shows `approval.from`, `approval.count` and `approval.not_author`, and where they come from"
            .to_owned(),
        "the plan may name people that the settings do not: see its `approval_required_from`"
            .to_owned(),
    ])
}
