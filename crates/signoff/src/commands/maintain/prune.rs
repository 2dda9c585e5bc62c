//! `prune`: deletes old archived plans and leftovers, and lists them.

use signoff_api::pruned::{KeptPath, Pruned as Shape, RemovedItem, RemovedKind, SCHEMA};
use signoff_runtime::SystemClock;
use signoff_runtime::plans::{self, KeptReason, PruneOptions, PruneReport};

use crate::agent_check::require_person;
use crate::args::Prune;
use crate::commands::sign::by_person;
use crate::commands::sign::list::{relative_path, say_note};
use crate::failure::Failure;
use crate::report::count::count_of;
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn prune(session: &mut Session, args: &Prune) -> Result<u8, Failure> {
    require_person(&session.process.variables, "delete archived plans")?;
    let project = session.project()?;
    let clock = SystemClock::new();
    let options = PruneOptions {
        older_than_days: args.older_than.unwrap_or(project.rules.prune_after_days),
        dry_run: args.dry_run,
        records: args.records,
    };
    let context = by_person(&project, &clock);
    let pruned = if args.runs.is_empty() {
        plans::prune(context, &options)?
    } else {
        plans::prune_damaged_runs(context, &args.runs, args.force, args.dry_run)?
    };
    let shape = to_api(session, &options, pruned);
    let code = if shape.kept.is_empty() { 0 } else { 6 };
    if session.is_json() {
        session.json(&shape);
    } else {
        print_pruned(session, &shape);
    }
    Ok(code)
}

fn print_pruned(session: &mut Session, shape: &Shape) {
    let word = if shape.dry_run {
        "would delete"
    } else {
        "deleted"
    };
    for one in &shape.removed {
        session.out.answer(format!(
            "{word} {} {} ({}, {} bytes)",
            name(one.kind),
            sanitize(&one.id),
            sanitize(&one.path),
            one.bytes
        ));
    }
    for one in &shape.kept {
        say_note(session, &format!("{} stays: {}", one.path, one.why));
    }
    let days = shape.older_than_days;
    let count = count_of(shape.removed.len(), "thing", "things");
    session.out.answer(match shape.removed.len() {
        0 if !shape.kept.is_empty() => "nothing was deleted".to_owned(),
        0 => format!("nothing to delete: nothing archived is older than {days} days"),
        _ => format!("{word} {count}, {} bytes", shape.bytes),
    });
}

fn name(kind: RemovedKind) -> &'static str {
    match kind {
        RemovedKind::Plan => "plan",
        RemovedKind::Artifacts => "artifacts of",
        RemovedKind::Log => "log of",
        RemovedKind::Signatures => "signatures of",
        RemovedKind::Run => "run",
        RemovedKind::Worktrees => "worktrees of",
        RemovedKind::Refs => "git references of",
        RemovedKind::Lock => "lock of",
    }
}

fn to_api(session: &Session, options: &PruneOptions, pruned: PruneReport) -> Shape {
    let removed: Vec<RemovedItem> = pruned
        .removed
        .into_iter()
        .map(|one| RemovedItem {
            kind: one.kind,
            path: relative_path(session, &one.path),
            id: one.id,
            bytes: one.bytes,
        })
        .collect();
    let kept = pruned.kept.into_iter().map(|one| KeptPath {
        path: relative_path(session, &one.path),
        why: match one.why {
            KeptReason::Unfinished => "its run has not ended".to_owned(),
            KeptReason::NotLanded(run) => format!(
                "its changes are not in your checkout: `signoff land {run}`, or `signoff undo {run}`"
            ),
            KeptReason::CheckedOut(directory) => format!(
                "it is checked out in {}: `git switch` to another branch there",
                relative_path(session, &directory)
            ),
            KeptReason::UnlandedCommits(run) => format!(
                "its run cannot be read, and its commits may be nowhere else: `git log signoff/{run}` shows them, `signoff prune {run} --force` deletes them"
            ),
            KeptReason::Readable => {
                "the run can be read, and goes with its plan when `signoff prune` finds that old".to_owned()
            }
            KeptReason::Driven => "a process drives the run".to_owned(),
            KeptReason::Error(error) => Failure::from(error).message,
        },
    });
    Shape {
        schema: SCHEMA.to_owned(),
        dry_run: options.dry_run,
        older_than_days: options.older_than_days,
        bytes: removed.iter().map(|one| one.bytes).sum(),
        kept: kept.collect(),
        removed,
    }
}
