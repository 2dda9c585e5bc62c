//! Failures about which plan is meant, and which version of it.

use std::path::PathBuf;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn bad_digest() -> Failure {
    Failure::of(2, "bad-digest")
        .hint("give at least 8 hexadecimal digits, as `signoff show PLAN` prints them")
}

pub(super) fn digest_changed() -> Failure {
    Failure::of(5, "moved").hint("read it again, and decide with what it says now")
}

pub(super) fn deleted_plan() -> Failure {
    Failure::of(2, "no-plan").hint("its log stays; `signoff list` shows the other plans")
}

pub(super) fn unknown_plan(plan: &str, known: &[String]) -> Failure {
    let failure = Failure::of(2, "no-plan");
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

pub(super) fn outside_project() -> Failure {
    Failure::of(2, "outside")
        .hint("move it there, or submit a copy of its text: `signoff propose - < FILE`")
}

pub(super) fn other_version() -> Failure {
    Failure::of(5, "moved").hint("the plan has changed; read it again first")
}

pub(super) fn no_version() -> Failure {
    Failure::of(2, "no-version").hint("compare its digest instead: `--expect-digest`")
}

pub(super) fn same_version(plan: &str) -> Failure {
    let plan = shell_word(plan);
    Failure::of(5, "moved")
        .hint(format!(
            "`signoff diff --signed {plan}` shows what changed since it was signed"
        ))
        .hint(format!(
            "`signoff revise {plan}` hands it in as it is now, with the next version"
        ))
}

pub(super) fn counts_replans() -> Failure {
    Failure::of(2, "no-version")
    .hint("compare its digest instead: `signoff approve --expect-digest DIGEST`, as `signoff show` prints it")
}

pub(super) fn edited_meanwhile() -> Failure {
    Failure::of(5, "edited").hint("read it again, then repeat the command")
}

pub(super) fn duplicate_id(paths: &[PathBuf]) -> Failure {
    paths
        .iter()
        .fold(Failure::of(5, "duplicate-id"), |failure, path| {
            failure.detail(path.display().to_string())
        })
        .hint("give one of them another id, so that a signature names one plan")
}

pub(super) fn id_taken(id: &str) -> Failure {
    Failure::of(5, "duplicate-id")
        .hint(format!(
            "for a new version of that plan: `signoff revise {} --with FILE`",
            shell_word(id)
        ))
        .hint("for another plan: give it another id, or none")
}

pub(super) fn other_id() -> Failure {
    Failure::of(2, "other-id").hint("leave the id out of the new text, or make it the same")
}
