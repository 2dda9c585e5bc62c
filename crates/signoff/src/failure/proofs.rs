//! Failures of making signatures, and of signatures that do not count.

use std::path::Path;

use signoff_runtime::error::{KeyError, MissingSetting, RejectedSignature, SignatureDefect};
use signoff_store::signatures::Proof;

use super::Failure;

/// The plan has signatures, but none of them counts.
pub(super) fn none_counts(plan: &str, doubted: &[RejectedSignature]) -> Failure {
    let failure = doubted
        .iter()
        .fold(Failure::of(4, "not-counted"), |failure, one| {
            failure.detail(one.to_string())
        });
    let mut hints: Vec<String> = Vec::new();
    for hint in doubted.iter().flat_map(|one| how_to_fix(plan, &one.why)) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    failure.hints(hints)
}

/// The offered proof is weaker than the required one.
pub(super) fn weaker_proof(required: Proof) -> Failure {
    Failure::of(4, "weaker-proof").hint(format!("sign with `--proof {required}`"))
}

/// There is no terminal to ask on.
pub(super) fn no_terminal() -> Failure {
    Failure::of(4, "no-terminal").hint("type the command in a terminal; piped input does not count")
}

/// The person typed something else than the digits.
pub(super) fn not_confirmed() -> Failure {
    Failure::of(4, "not-confirmed")
        .hint("read the plan with `signoff show PLAN`, then type the command again")
}

fn how_to_fix(plan: &str, doubt: &SignatureDefect) -> Vec<String> {
    match doubt {
        SignatureDefect::TooWeak { minimum, .. } => {
            vec![format!(
                "sign it again: `signoff approve {plan} --proof {minimum}`"
            )]
        }
        SignatureDefect::Copy { .. } => {
            vec!["if it is a clone or a copy of yours, type `signoff trust`".to_owned()]
        }
        SignatureDefect::Unbound
        | SignatureDefect::OtherProject
        | SignatureDefect::Key(KeyError::DoesNotFit) => {
            vec![format!("sign it again: `signoff approve {plan}`")]
        }
        SignatureDefect::Key(error) => key_hints(error),
        SignatureDefect::NotCounted { named, .. } if named.is_empty() => {
            vec![format!("somebody else signs it: `signoff approve {plan}`")]
        }
        SignatureDefect::NotCounted { named, .. } => {
            vec![format!(
                "one of them signs it ({}): `signoff approve {plan}`",
                named.join(", ")
            )]
        }
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
    Failure::of(exit, "key").hints(key_hints(error))
}

/// Hints how to make a key sign, or count.
fn key_hints(error: &KeyError) -> Vec<String> {
    match error {
        KeyError::Unset(missing) => missing.iter().flat_map(|one| setting_hints(*one)).collect(),
        KeyError::NoSuchKey { .. } => setting_hints(MissingSetting::SigningKey),
        KeyError::Unreadable { path, line: Some(line), .. } => allow_hint(line, path),
        KeyError::Unreadable { path, .. } => {
            vec![format!("a line of {} is: EMAIL KIND KEY", path.display())]
        }
        KeyError::WithinReach { .. } => vec![
            "copy it outside the project and tell git: `git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers`"
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
        KeyError::Program { program, .. } => vec![format!("install the package that has `{program}`")],
        KeyError::DoesNotFit | KeyError::WouldNotSign { .. } | KeyError::File(_) => Vec::new(),
    }
}

fn allow_hint(line: &str, list: &Path) -> Vec<String> {
    vec![format!(
        "if the key is yours: `echo '{line}' >> {}`",
        list.display()
    )]
}

fn setting_hints(unset: MissingSetting) -> Vec<String> {
    let command = match unset {
        MissingSetting::SigningKey => "`git config --global user.signingkey ~/.ssh/id_ed25519`",
        MissingSetting::Email => "`git config --global user.email YOU@EXAMPLE.ORG`",
        MissingSetting::AllowedSigners { .. } => {
            "`git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers`"
        }
    };
    let mut hints = vec![command.to_owned()];
    if let MissingSetting::AllowedSigners {
        in_repository: true,
    } = unset
    {
        hints.push(
            "the repository's own configuration does not count, because agents can write it"
                .to_owned(),
        );
    }
    hints
}
