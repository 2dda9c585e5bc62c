//! Files, journals and signatures that cannot be read or written.

use std::path::Path;

use signoff_store::atomic::ReplaceError;
use signoff_store::journal::JournalError;
use signoff_store::runs::is_run_id;
use signoff_store::signatures::SignatureError;

use super::Failure;

pub(super) fn unreadable(path: &Path, why: &std::io::Error) -> Failure {
    let exit = match why.kind() {
        // A usage error: no such file, or it cannot be a plan.
        std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidInput => 2,
        _ => 6,
    };
    Failure::new(exit, "unreadable", format!("{}: {why}", path.display()))
}

pub(super) fn leads_away(path: &Path) -> Failure {
    Failure::new(
        4,
        "leads-away",
        format!(
            "{} is a link to somewhere else, or lies behind one",
            path.display()
        ),
    )
    .hint("Signoff does not follow it; replace the link by what it points to")
}

pub(super) fn broken_run(run: &str, why: &str) -> Failure {
    Failure::new(6, "broken-run", format!("run {run} cannot be read: {why}"))
        .hint(format!("its files are in .signoff/runs/{run}"))
        .hint(format!(
            "`signoff prune {run}` deletes it, and with `--force` also commits of it that have not landed"
        ))
}

pub(super) fn unknown_event(seq: u64, why: &str) -> Failure {
    Failure::new(
        6,
        "unknown-event",
        format!("this version does not know event {seq} of the journal: {why}"),
    )
    .hint("another version of signoff, or another program, wrote the run")
}

pub(super) fn unwritable_event(why: &str) -> Failure {
    Failure::new(
        6,
        "journal",
        format!("an event could not be written: {why}"),
    )
}

pub(super) fn elsewhere(run: &str) -> Failure {
    Failure::new(5, "elsewhere", format!("other machines drive {run}"))
        .hint("`[engine] url` in your own configuration says where: then this command reaches them")
}

pub(super) fn unshared(why: &str) -> Failure {
    Failure::new(
        6,
        "unshared",
        format!("the other machines cannot be told: {why}"),
    )
    .hint("another process goes on with the run where it can reach the database")
}

pub(super) fn journal(error: &JournalError) -> Failure {
    match error {
        JournalError::File(error) => Failure::new(6, "file", error.to_string()),
        JournalError::Touched { .. } => Failure::new(6, "journal", error.to_string())
            .hint("the run cannot continue: only its journal says how far it was")
            .hint("the changes that had landed stay in your checkout: `git status` and `git diff` show them")
            .hint("if `.signoff` itself is gone (`git clean -x` removes it), `signoff init` makes a new one")
            .hint("then `signoff prune` removes the rest of the run, such as its branch"),
        JournalError::Busy { .. } => Failure::new(5, "journal", error.to_string())
            .hint("nothing is lost: repeat the command when that process has ended"),
        error => Failure::new(6, "journal", error.to_string())
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
        ReplaceError::Changed { .. } => Failure::new(5, "replace", error.to_string())
            .hint("read it again, then repeat the command"),
        error => Failure::new(6, "file", error.to_string()),
    }
}

pub(super) fn signature(error: &SignatureError) -> Failure {
    match error {
        SignatureError::Invalid { .. } => Failure::new(4, "signature", error.to_string()).hint(
            "no signature of this plan counts while that file exists; remove it, then sign again",
        ),
        error => Failure::new(6, "signature", error.to_string()),
    }
}
