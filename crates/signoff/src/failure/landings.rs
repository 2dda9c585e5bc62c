//! What keeps a run from landing, or from being taken back.

use std::path::Path;

use signoff_runtime::landing::{HeldVersion, Landing, Undone};
use signoff_store::runs::RunDir;
use signoff_work::git::HoldReason;

use super::Failure;
use crate::shell_words::shell_word;
use crate::style::sanitize;

/// Every reason, and what to type.
pub(crate) fn not_landed(landing: &Landing) -> Failure {
    let run = &landing.run;
    let message = if !landing.held.is_empty() {
        let files = match landing.held.len() {
            1 => "1 file is held".to_owned(),
            files => format!("{files} files are held"),
        };
        format!("not all of run {run} is in your checkout: {files}, and yours stays as it is")
    } else if landing.cut_off {
        format!(
            "the landing of run {run} was cut off and cannot be finished yet: a part of it may be in the checkout, which stays as it is"
        )
    } else {
        format!("run {run} does not land: the checkout stays as it is")
    };
    let failure = Failure::new(5, "not-landed", message);
    let failure = reasons(failure, &landing.refused);
    let by_hand = landing.by_hand.iter();
    failure
        .hints(held_hints(landing))
        .hints(by_hand.map(|command| format!("`{}`", sanitize(command))))
}

/// Which files are.
pub(super) fn not_held(run: &str, path: &str, held: &[String]) -> Failure {
    let message = format!("`{}` is not held in run {run}", sanitize(path));
    let failure = Failure::new(2, "not-held", message);
    if held.is_empty() {
        return failure.hint("no file of it is held: there is nothing to settle");
    }
    let held: Vec<String> = held.iter().map(|path| shell_word(path)).collect();
    failure.hint(format!("held are: {}", held.join(" ")))
}

pub(super) fn settled_twice(path: &str) -> Failure {
    let message = format!("`{}` is to be taken and kept", sanitize(path));
    Failure::new(2, "settled-twice", message)
        .hint("name it after `--take` for the run's version, or after `--keep` for yours")
}

/// What to type about files that are held: how one sees both versions, and how one settles them.
pub(crate) fn held_hints(landing: &Landing) -> Vec<String> {
    let Some(first) = landing.held.first() else {
        return Vec::new();
    };
    let run = &landing.run;
    let seen = match version_of(landing, first) {
        Some(version) => format!(
            "`diff {} {}` shows yours and the run's",
            shell_word(&first.path),
            shell_word(&version)
        ),
        None => format!("the run removes `{}`", sanitize(&first.path)),
    };
    let [take, keep] = settling_commands(run, &first.path);
    // What is no file is never written over.
    let taking = if first.reason == HoldReason::InTheWay.to_string() {
        format!("move away what is in its place, then `{take}` writes the run's version there")
    } else {
        format!("`{take}` writes the run's version over yours")
    };
    let mut hints = vec![
        seen,
        taking,
        format!("`{keep}` settles it with yours, as it is or merged by hand"),
    ];
    if landing.held.len() > 1 {
        hints.push("the others by their names, or all at once: `.`".to_owned());
    }
    hints
}

/// Where the run's version is, as seen from the project.
pub(crate) fn version_of(landing: &Landing, held: &HeldVersion) -> Option<String> {
    let versions = RunDir::seen_from_workspace(&landing.run).held_versions();
    held.version.as_ref()?;
    Some(versions.join(&held.path).to_string_lossy().into_owned())
}

/// The two ways of settling a file.
pub(crate) fn settling_commands(run: &str, path: &str) -> [String; 2] {
    let path = shell_word(path);
    ["--take", "--keep"].map(|flag| format!("signoff land {run} {flag} {path}"))
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
    let place = sanitize(&place.display().to_string());
    let message = format!(
        "run {run} does not go on: its branch `signoff/{run}` is checked out in {place}, where it would move under you"
    );
    let leave = match before {
        Some("HEAD") | None => "git switch --detach".to_owned(),
        Some(branch) => format!("git checkout {}", branch.trim_start_matches("refs/heads/")),
    };
    Failure::new(5, "checked-out", message).hint(format!(
        "`{}` there, then `signoff resume {run}`",
        sanitize(&leave)
    ))
}

fn reasons(failure: Failure, sentences: &[String]) -> Failure {
    let each = sentences.iter();
    each.fold(failure, |failure, sentence| {
        failure.detail(sanitize(sentence))
    })
}
