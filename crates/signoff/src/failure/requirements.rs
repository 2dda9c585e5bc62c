//! What a plan lacks to run: a signature, contracts, programs, confinement.

use signoff_engine::Unsupported;
use signoff_plan::source::Source;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn invalid(source: &Source) -> Failure {
    Failure::of(1, "invalid").hint(format!(
        "`signoff verify {}` shows them",
        shell_word(source.name())
    ))
}

pub(super) fn not_signed(plan: &str) -> Failure {
    let word = shell_word(plan);
    Failure::of(4, "not-signed").hint(format!(
        "read it with `signoff show {word}`, then sign it with `signoff approve {word}`"
    ))
}

pub(super) fn unsupported(missing: &[Unsupported]) -> Failure {
    missing
        .iter()
        .fold(Failure::of(6, "unsupported"), |failure, one| {
            let subject = one
                .step
                .as_ref()
                .map_or_else(|| "the plan".to_owned(), |step| format!("step `{step}`"));
            failure.detail(format!("{subject} has {}", one.what))
        })
        .hint("the plan can be checked and shown, but a run would have to ignore these")
}

pub(super) fn unverified() -> Failure {
    Failure::of(4, "unverified")
    .hints([
        "give each step a contract: a command that fails before the work and passes after it".to_owned(),
        "or let a person accept the steps: `[contract] unverified = \"ask\"` in your own configuration".to_owned(),
    ])
}

pub(super) fn missing_programs(missing: Vec<String>) -> Failure {
    missing
        .into_iter()
        .fold(
            Failure::of(6, "missing-program"),
            Failure::detail,
        )
        .hint("install it, or change `[agents]` in .signoff/config.toml; `signoff doctor agents` shows what is there")
}

pub(super) fn unconfined(why: Vec<String>) -> Failure {
    why
        .into_iter()
        .fold(
            Failure::of(6, "unconfined"),
            Failure::detail,
        )
        .hint("`signoff doctor` shows details; `[sandbox] mode` in your own configuration sets the requirement")
}

pub(super) fn no_worktrees(insists: bool) -> Failure {
    let failure = Failure::of(2, "no-worktrees");
    failure.hint(if insists {
        "solve that, or remove `isolation: worktree` from the plan and sign it again"
    } else {
        "`--isolation shared` lets agents work one after another in the checkout"
    })
}

pub(super) fn no_processes() -> Failure {
    Failure::of(6, "sandbox")
}
