//! Files, journals and signatures that cannot be read or written.

use std::io::ErrorKind;
use std::path::Path;

use signoff_store::FileError;
use signoff_store::atomic::ReplaceError;
use signoff_store::journal::JournalError;
use signoff_store::runs::is_run_id;
use signoff_store::signatures::SignatureError;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn cannot_read(path: &Path, why: &std::io::Error) -> Failure {
    let exit = match why.kind() {
        // A usage error: no such file, or it cannot be a plan.
        ErrorKind::NotFound | ErrorKind::InvalidInput => 2,
        _ => 6,
    };
    Failure::of(exit, "unreadable").hints(hints_about(path, why))
}

pub(super) fn file(error: &FileError) -> Failure {
    Failure::of(6, "file").hints(hints_about(&error.path, &error.source))
}

/// What helps where the system, or what lies there, does not let us have a file of the store.
fn hints_about(path: &Path, why: &std::io::Error) -> Vec<String> {
    let word = shell_word(&path.display().to_string());
    match why.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            vec!["make room on that disk, then repeat the command".to_owned()]
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            vec![format!("`ls -ld {word}` shows who may use it")]
        }
        ErrorKind::IsADirectory
        | ErrorKind::NotADirectory
        | ErrorKind::InvalidData
        | ErrorKind::UnexpectedEof => hints_about_damage(path, &word),
        _ => Vec::new(),
    }
}

/// What is there is not what we wrote.
fn hints_about_damage(path: &Path, word: &str) -> Vec<String> {
    let mut parts = path.iter().skip_while(|part| *part != ".signoff").skip(1);
    let place = parts.next().and_then(|place| place.to_str());
    let below = parts.next().and_then(|name| name.to_str());
    match (place, below) {
        (None, _) => Vec::new(),
        (Some("locks"), _) => vec![format!("`rm -r {word}` removes it: it holds nothing")],
        (Some("runs"), Some(run)) if path.ends_with("lock") => vec![format!(
            "`rm -r {word}` removes it: it holds nothing of run {run}"
        )],
        (Some("runs"), Some(run)) => broken_run_hints(run).into(),
        (Some(_), _) => {
            let aside = format!("`mv {word} {word}.aside` frees the file's place");
            let back = format!(
                "if it is in git, `git restore {word}` brings it back; otherwise take it from a backup"
            );
            let is_in_the_way = path.is_dir().then_some(aside);
            is_in_the_way.into_iter().chain([back]).collect()
        }
    }
}

fn broken_run_hints(run: &str) -> [String; 2] {
    [
        format!("its files are in .signoff/runs/{run}"),
        format!(
            "`signoff prune {run}` deletes it, and with `--force` also commits of it that have not landed"
        ),
    ]
}

pub(super) fn link_outside() -> Failure {
    Failure::of(4, "leads-away")
        .hint("Signoff does not follow it; replace the link by what it points to")
}

pub(super) fn broken_run(run: &str) -> Failure {
    Failure::of(6, "broken-run").hints(broken_run_hints(run))
}

pub(super) fn unknown_event() -> Failure {
    Failure::of(6, "unknown-event")
        .hint("another version of signoff, or another program, wrote the run")
}

pub(super) fn unwritable_event() -> Failure {
    Failure::of(6, "journal")
}

pub(super) fn driven_elsewhere() -> Failure {
    Failure::of(5, "elsewhere").hint("set `[engine] url` in your own configuration to reach them")
}

pub(super) fn cannot_share() -> Failure {
    Failure::of(6, "unshared")
        .hint("another process takes the run over if it can reach the database")
}

pub(super) fn journal(error: &JournalError) -> Failure {
    match error {
        JournalError::File(error) => file(error),
        JournalError::Touched { .. } => Failure::of(6, "journal")
            .hint("the run cannot continue: only its journal says how far it was")
            .hint("the changes that had landed stay in your checkout: `git status` and `git diff` show them")
            .hint("if `.signoff` itself is gone (`git clean -x` removes it), `signoff init` makes a new one")
            .hint("then `signoff prune` removes the rest of the run, such as its branch"),
        JournalError::Busy { .. } => Failure::of(5, "journal")
            .hint("nothing is lost: repeat the command when that process has ended"),
        error => Failure::of(6, "journal")
            .hints(broken_journal_hints(error)),
    }
}

/// What is left of a run whose journal is broken. The journal lies in the run's directory.
fn broken_journal_hints(error: &JournalError) -> Vec<String> {
    let directory = error.path().and_then(Path::parent);
    let run = directory.and_then(|directory| directory.file_name()?.to_str());
    let Some(run) = run.filter(|run| is_run_id(run)) else {
        return Vec::new();
    };
    vec![
        format!(
            "run {run} cannot continue; what it had merged is on its branch, `signoff/{run}`, until it is pruned"
        ),
        format!("`signoff prune {run}` deletes what is left of it"),
    ]
}

pub(super) fn replace(error: &ReplaceError) -> Failure {
    match error {
        ReplaceError::Changed { .. } => {
            Failure::of(5, "replace").hint("read it again, then repeat the command")
        }
        ReplaceError::File(error) => file(error),
        ReplaceError::NotAFile { path } => {
            let word = shell_word(&path.display().to_string());
            Failure::of(6, "file").hints(hints_about_damage(path, &word))
        }
    }
}

pub(super) fn signature(error: &SignatureError) -> Failure {
    match error {
        SignatureError::Invalid { .. } => Failure::of(4, "signature").hint(
            "no signature of this plan counts while that file exists; remove it, then sign again",
        ),
        SignatureError::File(error) => Failure {
            code: "signature",
            ..file(error)
        },
        SignatureError::Refused { .. } => Failure::of(6, "signature"),
    }
}
