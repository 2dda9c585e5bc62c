//! `status`: the state of a run.

use signoff_api::event::Outcome;
use signoff_api::run::Run;
use signoff_engine::PauseReason;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::proof::valid_signature_for_run;

use crate::commands::running::inbox::{held_lines, repair_in};
use crate::failure::Failure;
use crate::report::run::short_text::short_commit;
use crate::report::run::table::table;
use crate::report::signature::signature;
use crate::session::Session;
use crate::style::{CARE, DIM, TITLE, paint, sanitize};

pub(crate) fn status(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, run)?;
    if session.is_json() {
        session.json(&view.to_api());
        return Ok(0);
    }
    let shape = view.to_api();
    session.out.answer(paint(TITLE, sanitize(&shape.title)));
    session.out.answer(format!(
        "{} · run {} · {}",
        shape.status,
        shape.run,
        paint(DIM, &shape.plan)
    ));
    for line in location_lines(&shape) {
        session.out.answer(paint(DIM, line));
    }
    let dir = project.store.run_dir(&shape.run);
    let counted = valid_signature_for_run(&project, &view.key, &dir, view.run.signed())?;
    for line in signature(&counted) {
        session.out.answer(line);
    }
    let columns = session.out.columns();
    session
        .out
        .answer_lines(&table(&view.run, view.driven, columns));
    for item in &shape.inbox {
        session
            .out
            .answer(format!("{} {}", paint(CARE, "?"), sanitize(&item.question)));
        if let Some(worktree) = &item.worktree {
            session.out.answer(repair_in(worktree));
        }
        session.out.answer(format!(
            "  answer `{}` with {}",
            item.id,
            sanitize(&item.choices.join(", "))
        ));
    }
    let answered = shape.inbox.is_empty() && view.run.pause_reason() == Some(PauseReason::Waiting);
    let resting = !view.driven && !view.over && !shape.undone && shape.outcome.is_none();
    match pause_word(view.run.pause_reason()).filter(|_| resting) {
        Some(_) if answered => session.out.answer(format!(
            "every question is answered: `signoff resume {}` continues",
            shape.run
        )),
        Some(word) => session.out.answer(word),
        None => {}
    }
    if shape.outcome == Some(Outcome::Partial) {
        session
            .out
            .answer("partly completed: steps that are not critical failed");
    }
    let cut_off = view.run.landing_commit().is_some() && !view.driven && !shape.undone;
    if cut_off {
        session.out.answer(format!(
            "its landing was interrupted, and the checkout may hold a part of it: `signoff land {}` finishes it",
            shape.run
        ));
    } else if let Some(word) = landing_word(&shape) {
        session.out.answer(word);
    }
    if let Some(held) = view.files_to_settle() {
        for line in held_lines(&held.run, &held.files) {
            session.out.answer(line);
        }
    }
    if shape.status == "stalled" {
        session.out.answer(format!(
            "no process drives this run: `signoff resume {}` continues it",
            shape.run
        ));
    }
    Ok(0)
}

/// The branch and the trees of a run.
fn location_lines(run: &Run) -> Vec<String> {
    let branch = run.branch.as_deref().filter(|_| !has_settled(run));
    let mut lines: Vec<String> = branch
        .map(|branch| match &run.worktree {
            Some(path) => format!("branch {branch} · worktree {path}"),
            None => format!("branch {branch}"),
        })
        .into_iter()
        .collect();
    for step in &run.steps {
        let own = step.worktree.as_ref().filter(|_| !has_settled(run));
        lines.extend(own.map(|path| format!("step `{}` · worktree {path}", step.id)));
    }
    lines.iter().map(|line| sanitize(line)).collect()
}

fn has_settled(run: &Run) -> bool {
    run.landed.is_some() || run.undone
}

/// Whether the changes are in the checkout, for a run that worked on its own tree and has ended.
pub(crate) fn landing_word(run: &Run) -> Option<String> {
    if run.undone {
        return Some("it was undone".to_owned());
    }
    if let Some(commit) = &run.landed {
        return Some(format!("landed as {}", short_commit(commit)));
    }
    let (id, branch) = (&run.run, run.branch.as_deref()?);
    match run.outcome {
        Some(Outcome::Completed | Outcome::Partial) => Some(format!(
            "not landed: its changes are on `{branch}`; `signoff land {id}` brings them in"
        )),
        None if run.status != "cancelled" => None,
        Some(Outcome::Failed) | None => Some(format!(
            "its trees and `{branch}` stay until `signoff undo {id}`"
        )),
    }
}

fn pause_word(reason: Option<PauseReason>) -> Option<&'static str> {
    Some(match reason? {
        PauseReason::Waiting => "it waits on a person",
        PauseReason::Interrupted => "it was stopped (Ctrl-C, a signal or `signoff stop`)",
        PauseReason::Changed => {
            "it stopped because the plan or its terms no longer matched the signature"
        }
        PauseReason::Requested => "somebody paused it",
        PauseReason::Limited => "it reached the step of `--until` or `--only`",
    })
}
