//! What a plan lacks to run: a signature, contracts, programs, confinement.

use signoff_engine::Unsupported;
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::source::Source;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn invalid(source: &Source, diagnostics: &[Diagnostic]) -> Failure {
    let errors = diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    let plural = if errors == 1 { "" } else { "s" };
    Failure::new(
        1,
        "invalid",
        format!("{} has {errors} error{plural}", source.name()),
    )
    .hint(format!(
        "`signoff verify {}` shows them",
        shell_word(source.name())
    ))
}

pub(super) fn not_signed(plan: &str) -> Failure {
    let word = shell_word(plan);
    Failure::new(4, "not-signed", format!("{plan} is not signed")).hint(format!(
        "read it with `signoff show {word}`, then sign it with `signoff approve {word}`"
    ))
}

pub(super) fn unsupported(missing: &[Unsupported]) -> Failure {
    missing
        .iter()
        .fold(
            Failure::new(6, "unsupported", "this version cannot run the plan yet"),
            |failure, one| {
                let subject = one
                    .step
                    .as_ref()
                    .map_or_else(|| "the plan".to_owned(), |step| format!("step `{step}`"));
                failure.detail(format!("{subject} has {}", one.what))
            },
        )
        .hint("the plan can be checked and shown, but a run would have to ignore these")
}

pub(super) fn unverified(plan: &str, steps: &[String]) -> Failure {
    Failure::new(
        4,
        "unverified",
        format!("{plan} has agent steps without a contract: `{}`", steps.join("`, `")),
    )
    .hints([
        "give each step a contract: a command that fails before the work and passes after it".to_owned(),
        "or let a person accept the steps: `[contract] unverified = \"ask\"` in your own configuration".to_owned(),
    ])
}

pub(super) fn missing_programs(missing: Vec<String>) -> Failure {
    missing
        .into_iter()
        .fold(
            Failure::new(
                6,
                "missing-program",
                "a program that this plan needs is missing",
            ),
            Failure::detail,
        )
        .hint("install it, or change `[agents]` in .signoff/config.toml; `signoff doctor agents` shows what is there")
}

pub(super) fn unconfined(wanted: &str, found: &str, why: Vec<String>) -> Failure {
    why
        .into_iter()
        .fold(
            Failure::new(
                6,
                "unconfined",
                format!("this needs {wanted}, but this machine provides only `{found}`"),
            ),
            Failure::detail,
        )
        .hint("`signoff doctor` shows details; `[sandbox] mode` in your own configuration sets the requirement")
}

pub(super) fn no_worktrees(asked: &[String], why: &[String], insists: bool) -> Failure {
    let text = format!(
        "{}, which is not possible here: {}",
        asked.join("; "),
        why.join("; ")
    );
    let failure = Failure::new(2, "no-worktrees", text);
    failure.hint(if insists {
        "solve that, or remove `isolation: worktree` from the plan and sign it again"
    } else {
        "`--isolation shared` lets agents work one after another in the checkout"
    })
}

pub(super) fn no_processes(error: &std::io::Error) -> Failure {
    Failure::new(
        6,
        "sandbox",
        format!("processes cannot be started: {error}"),
    )
}
