//! Failures about which plan is meant, and which version of it.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn bad_digest(text: &str) -> Failure {
    Failure::new(
        2,
        "bad-digest",
        format!("`{text}` is not the beginning of a digest"),
    )
    .hint("give at least 8 hexadecimal digits, as `signoff show PLAN` prints them")
}

pub(super) fn moved(expected: &str, found: &str) -> Failure {
    Failure::new(
        5,
        "moved",
        format!(
            "the plan has changed: its digest is {}, not {}",
            short_digest(found),
            short_digest(expected)
        ),
    )
    .hint("read it again, and decide with what it says now")
}

pub(super) fn deleted_plan(plan: &str) -> Failure {
    Failure::new(2, "no-plan", format!("plan `{plan}` was deleted"))
        .hint("its log stays; `signoff list` shows the other plans")
}

pub(super) fn unknown_plan(plan: &str, known: &[String]) -> Failure {
    let failure = Failure::new(2, "no-plan", format!("plan `{plan}` not found"));
    let near = known
        .iter()
        .map(|id| (strsim::damerau_levenshtein(id, plan), id))
        .filter(|(distance, _)| *distance <= 3)
        .min();
    match near {
        Some((_, id)) => failure.hint(format!("did you mean `{id}`?")),
        None => failure.hint("give the path of its file, or an id that `signoff list` shows"),
    }
}

pub(super) fn outside_project(path: &Path, workspace: &Path) -> Failure {
    Failure::new(
        2,
        "outside",
        format!(
            "{} is not in the project {}",
            path.display(),
            workspace.display()
        ),
    )
    .hint("move it there, or submit a copy of its text: `signoff propose - < FILE`")
}

pub(super) fn other_version(plan: &str, expected: u64, found: u64) -> Failure {
    Failure::new(
        5,
        "moved",
        format!("{plan} has version {found}, not {expected}"),
    )
    .hint("the plan has changed; read it again first")
}

pub(super) fn no_version(plan: &str) -> Failure {
    Failure::new(
        2,
        "no-version",
        format!("{plan} has no version to compare with"),
    )
    .hint("compare its digest instead: `--expect-digest`")
}

pub(super) fn same_version(plan: &str, version: u64) -> Failure {
    let message = format!("{plan} was edited, and is still called version {version}");
    let plan = shell_word(plan);
    Failure::new(5, "moved", message)
        .hint(format!(
            "`signoff diff --signed {plan}` shows what changed since it was signed"
        ))
        .hint(format!(
            "`signoff revise {plan}` hands it in as it is now, with the next version"
        ))
}

pub(super) fn counts_replans(plan: &str) -> Failure {
    Failure::new(
        2,
        "no-version",
        format!("the version of {plan} only counts replans; it says nothing about the text"),
    )
    .hint("compare its digest instead: `signoff approve --expect-digest DIGEST`, as `signoff show` prints it")
}

pub(super) fn edited_meanwhile(plan: &str) -> Failure {
    Failure::new(
        5,
        "edited",
        format!("{plan} was edited at the same moment; its new text stays as it is"),
    )
    .hint("read it again, then repeat the command")
}

pub(super) fn duplicate_id(id: &str, paths: &[PathBuf]) -> Failure {
    paths
        .iter()
        .fold(
            Failure::new(5, "duplicate-id", format!("two files have the id `{id}`")),
            |failure, path| failure.detail(path.display().to_string()),
        )
        .hint("give one of them another id, so that a signature names one plan")
}

pub(super) fn id_taken(id: &str) -> Failure {
    Failure::new(
        5,
        "duplicate-id",
        format!("this store has, or had, a plan with the id `{id}`"),
    )
    .hint(format!(
        "for a new version of that plan: `signoff revise {} --with FILE`",
        shell_word(id)
    ))
    .hint("for another plan: give it another id, or none")
}

pub(super) fn other_id(expected: Option<&str>, found: Option<&str>) -> Failure {
    let show =
        |id: Option<&str>| id.map_or_else(|| "no id".to_owned(), |id| format!("the id `{id}`"));
    Failure::new(
        2,
        "other-id",
        format!(
            "the new text has {}, the plan has {}",
            show(found),
            show(expected)
        ),
    )
    .hint("leave the id out of the new text, or make it the same")
}

/// The first digits of a digest.
fn short_digest(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..12).unwrap_or(digits)
}
