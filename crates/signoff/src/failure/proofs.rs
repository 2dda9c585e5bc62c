//! What to type where a signature cannot be made or does not count.

use std::path::Path;

use signoff_runtime::proof::{Doubt, Doubted};
use signoff_runtime::{KeyError, Unset};
use signoff_store::signatures::Proof;

use super::Failure;

/// There are signatures, and something is wrong with each.
pub(super) fn none_counts(plan: &str, doubted: &[Doubted]) -> Failure {
    let message = format!("{plan} is signed, but no signature of it counts here");
    let failure = doubted
        .iter()
        .fold(Failure::new(4, "not-counted", message), |failure, one| {
            failure.detail(one.to_string())
        });
    let mut hints: Vec<String> = Vec::new();
    for hint in doubted.iter().flat_map(|one| remedy(plan, &one.why)) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    failure.hints(hints)
}

/// Less was offered than the settings ask for.
pub(super) fn weaker_proof(proof: Proof, required: Proof) -> Failure {
    Failure::new(
        4,
        "weaker-proof",
        format!("`{required}` is asked for, and `{proof}` proves less"),
    )
    .hint(format!("sign with `--proof {required}`"))
}

/// Nobody can be asked.
pub(super) fn no_terminal(why: &std::io::Error) -> Failure {
    Failure::new(
        4,
        "no-terminal",
        format!("there is no terminal to confirm the signature on: {why}"),
    )
    .hint("type the command in a terminal of your own; what is piped into it does not count")
}

/// Somebody was asked and typed something else.
pub(super) fn not_confirmed(digits: &str) -> Failure {
    Failure::new(
        4,
        "not-confirmed",
        format!("not signed: `{digits}` was not typed"),
    )
    .hint("read the plan with `signoff show PLAN`, then type the command again")
}

fn remedy(plan: &str, doubt: &Doubt) -> Vec<String> {
    match doubt {
        Doubt::TooWeak { minimum, .. } => {
            vec![format!(
                "sign it again: `signoff approve {plan} --proof {minimum}`"
            )]
        }
        Doubt::Copy { .. } => {
            vec!["if it is a clone or a copy of yours, type `signoff trust`".to_owned()]
        }
        Doubt::Unbound | Doubt::OtherProject | Doubt::Key(KeyError::DoesNotFit) => {
            vec![format!("sign it again: `signoff approve {plan}`")]
        }
        Doubt::Key(error) => key_hints(error),
    }
}

/// The key did not sign.
pub(super) fn key_failure(error: &KeyError) -> Failure {
    let exit = match error {
        KeyError::WithinReach { .. }
        | KeyError::DoesNotFit
        | KeyError::NotAllowed { .. }
        | KeyError::WouldNotSign { .. } => 4,
        KeyError::Program { .. }
        | KeyError::Unset(_)
        | KeyError::NoSuchKey { .. }
        | KeyError::Unreadable { .. }
        | KeyError::File(_) => 6,
    };
    let message = match error {
        KeyError::DoesNotFit => "the key signed something else than it was given".to_owned(),
        other => other.to_string(),
    };
    Failure::new(exit, "key", message).hints(key_hints(error))
}

/// What makes a key sign, or count.
fn key_hints(error: &KeyError) -> Vec<String> {
    match error {
        KeyError::Unset(missing) => missing.iter().flat_map(|one| setting_hints(*one)).collect(),
        KeyError::NoSuchKey { .. } => setting_hints(Unset::SigningKey),
        KeyError::Unreadable { path, line: Some(line), .. } => allow_hint(line, path),
        KeyError::Unreadable { path, .. } => {
            vec![format!("a line of {} is: EMAIL KIND KEY", path.display())]
        }
        KeyError::WithinReach { .. } => vec![
            "copy it to a place of your own and tell git: `git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers`"
                .to_owned(),
        ],
        KeyError::NotAllowed {
            list,
            line: Some(line),
            ..
        } => allow_hint(line, list),
        KeyError::NotAllowed { principal, list, .. } => vec![format!(
            "if you trust it, ask {principal} for the public key and add a line to {}: EMAIL KIND KEY",
            list.display()
        )],
        KeyError::Program { program, .. } => vec![format!("install what has `{program}`")],
        KeyError::DoesNotFit | KeyError::WouldNotSign { .. } | KeyError::File(_) => Vec::new(),
    }
}

fn allow_hint(line: &str, list: &Path) -> Vec<String> {
    vec![format!(
        "if the key is yours: `echo '{line}' >> {}`",
        list.display()
    )]
}

fn setting_hints(unset: Unset) -> Vec<String> {
    let command = match unset {
        Unset::SigningKey => "`git config --global user.signingkey ~/.ssh/id_ed25519`",
        Unset::Email => "`git config --global user.email YOU@EXAMPLE.ORG`",
        Unset::AllowedSigners { .. } => {
            "`git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers`"
        }
    };
    let mut hints = vec![command.to_owned()];
    if let Unset::AllowedSigners {
        in_repository: true,
    } = unset
    {
        hints.push(
            "what the repository's own configuration says does not count: agents can write it"
                .to_owned(),
        );
    }
    hints
}
