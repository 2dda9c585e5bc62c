//! What keeps a run from landing, or from being taken back.

use std::path::Path;

use signoff_runtime::landing::{Landing, Undone};

use super::Failure;
use crate::report::style::harmless;

/// Every reason, and what to type.
pub(crate) fn not_landed(landing: &Landing) -> Failure {
    let run = &landing.run;
    let message = if landing.cut_off {
        format!(
            "the landing of run {run} was cut off and cannot be finished yet: a part of it may be in the checkout, which stays as it is"
        )
    } else {
        format!("run {run} does not land: the checkout stays as it is")
    };
    let failure = Failure::new(5, "not-landed", message);
    let failure = reasons(failure, &landing.refused);
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
    if undone.for_good {
        return failure;
    }
    failure.hint(format!(
        "settle what is said here, then `signoff undo {run}` once more"
    ))
}

/// Where the run's branch is checked out, and how one leaves it.
pub(super) fn checked_out(run: &str, place: &Path, before: Option<&str>) -> Failure {
    let place = harmless(&place.display().to_string());
    let message = format!(
        "run {run} does not go on: its branch `signoff/{run}` is checked out in {place}, where it would move under you"
    );
    let leave = match before {
        Some("HEAD") | None => "git switch --detach".to_owned(),
        Some(branch) => format!("git checkout {}", branch.trim_start_matches("refs/heads/")),
    };
    Failure::new(5, "checked-out", message).hint(format!(
        "`{}` there, then `signoff resume {run}`",
        harmless(&leave)
    ))
}

fn reasons(failure: Failure, sentences: &[String]) -> Failure {
    let each = sentences.iter();
    each.fold(failure, |failure, sentence| {
        failure.detail(harmless(sentence))
    })
}
