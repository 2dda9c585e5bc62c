//! What keeps a run from landing, or from being taken back.

use signoff_runtime::landing::{Landing, Undone};

use super::Failure;
use crate::report::style::harmless;

/// Every reason, and what to type.
pub(crate) fn not_landed(landing: &Landing) -> Failure {
    let run = &landing.run;
    let message = format!("run {run} does not land: the checkout stays as it is");
    let failure = Failure::new(5, "not-landed", message);
    let failure = reasons(failure, &landing.refused);
    if landing.by_hand.is_empty() {
        return failure.hint(format!(
            "settle what is said here, then `signoff land {run}` once more"
        ));
    }
    let by_hand = landing.by_hand.iter();
    failure.hints(by_hand.map(|command| format!("`{}`", harmless(command))))
}

/// Every reason; what could be taken back has been.
pub(crate) fn not_undone(undone: &Undone) -> Failure {
    let run = &undone.run;
    let what = if undone.restored.is_empty() && undone.removed.is_empty() {
        "nothing of run"
    } else {
        "not all of run"
    };
    let message = format!("{what} {run} could be taken back");
    let failure = reasons(Failure::new(5, "not-undone", message), &undone.refused);
    failure.hint(format!(
        "settle what is said here, then `signoff undo {run}` once more"
    ))
}

fn reasons(failure: Failure, sentences: &[String]) -> Failure {
    let each = sentences.iter();
    each.fold(failure, |failure, sentence| {
        failure.detail(harmless(sentence))
    })
}
