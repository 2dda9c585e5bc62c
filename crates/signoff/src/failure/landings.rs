//! Failures of landing and undoing a run.

use signoff_runtime::live::landing::{HeldFileVersion, LandingReport, UndoReport};
use signoff_work::git::HoldReason;

use super::Failure;
use crate::shell_words::shell_word;
use crate::style::sanitize;

/// A run that did not land: every reason, and what to type.
pub(crate) fn not_landed(landing: &LandingReport) -> Failure {
    let run = &landing.run;
    let message = if !landing.held.is_empty() {
        let files = match landing.held.len() {
            1 => "1 file is held".to_owned(),
            files => format!("{files} files are held"),
        };
        format!("run {run} has not landed completely: {files}; your versions stay as they are")
    } else if landing.cut_off {
        format!(
            "the landing of run {run} was interrupted and cannot be finished yet; the checkout may hold a part of it, and stays as it is"
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

/// A file that is not held; names the held ones.
pub(super) fn not_held(held: &[String]) -> Failure {
    let failure = Failure::of(2, "not-held");
    if held.is_empty() {
        return failure.hint("the run holds no files: there is nothing to settle");
    }
    let held: Vec<String> = held.iter().map(|path| shell_word(path)).collect();
    failure.hint(format!("held files: {}", held.join(" ")))
}

pub(super) fn settled_twice() -> Failure {
    Failure::of(2, "settled-twice")
        .hint("use `--take` for the run's version, or `--keep` for yours")
}

/// How to compare and settle held files.
pub(crate) fn held_hints(landing: &LandingReport) -> Vec<String> {
    let Some(first) = landing.held.first() else {
        return Vec::new();
    };
    let run = &landing.run;
    if first.runs_by_itself {
        return unasked_hints(landing, first);
    }
    let seen = match landing.version_of(first) {
        Some(version) => format!(
            "`diff {} {}` compares your version with the run's",
            shell_word(&first.path),
            shell_word(&version)
        ),
        None => format!("the run removes `{}`", sanitize(&first.path)),
    };
    let [take, keep] = settling_commands(run, &first.path);
    // Something that is not a file is never overwritten.
    let taking = if first.reason == HoldReason::InTheWay.to_string() {
        format!("move what is in its place, then `{take}` writes the run's version there")
    } else {
        format!("`{take}` overwrites yours with the run's version")
    };
    let mut hints = vec![
        seen,
        taking,
        format!("`{keep}` keeps yours, as it is or merged by hand"),
    ];
    if landing.held.len() > 1 {
        hints.push("name the other files too, or `.` for all of them".to_owned());
    }
    hints
}

/// The same for a file that runs by itself: it is not in the checkout, so there is nothing to compare it with.
fn unasked_hints(landing: &LandingReport, first: &HeldFileVersion) -> Vec<String> {
    let [take, keep] = settling_commands(&landing.run, &first.path);
    let look = match landing.version_of(first) {
        Some(version) => format!("read `{}` first", shell_word(&version)),
        None => format!("the run removes `{}`", sanitize(&first.path)),
    };
    let other = if landing.files.is_some() {
        format!("`{keep}` leaves your checkout as it is")
    } else {
        "its commits land as a whole: `git cherry-pick` brings in others".to_owned()
    };
    let mut hints = vec![look, format!("`{take}` brings it in"), other];
    if landing.held.len() > 1 {
        hints.push("name the other files too, or `.` for all of them".to_owned());
    }
    hints
}

/// The two commands that settle a file.
pub(crate) fn settling_commands(run: &str, path: &str) -> [String; 2] {
    let path = shell_word(path);
    ["--take", "--keep"].map(|flag| format!("signoff land {run} {flag} {path}"))
}

/// A run that could not be undone completely: every reason.
pub(crate) fn not_undone(undone: &UndoReport) -> Failure {
    let run = &undone.run;
    let what = if undone.restored.is_empty() && undone.removed.is_empty() {
        "cannot undo anything of run"
    } else {
        "cannot undo everything of run"
    };
    let message = format!("{what} {run}");
    let failure = reasons(Failure::new(5, "not-undone", message), &undone.refused);
    if undone.for_good {
        return failure;
    }
    failure.hint(format!(
        "solve these problems, then type `signoff undo {run}` again"
    ))
}

/// A run whose branch is checked out, and how to leave it.
pub(super) fn checked_out(run: &str, before: Option<&str>) -> Failure {
    let leave = match before {
        Some("HEAD") | None => "git switch --detach".to_owned(),
        Some(branch) => format!("git checkout {}", branch.trim_start_matches("refs/heads/")),
    };
    Failure::of(5, "checked-out").hint(format!(
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

pub(super) fn not_written(run: &str) -> Failure {
    Failure::of(6, "landing").hint(format!("`signoff land {run}` tries again"))
}
