//! `status`: the state of a run.

use std::time::Duration;

use signoff_api::event::Outcome;
use signoff_api::run::{AgentAtWork, Run};
use signoff_engine::{Millis, PauseReason};
use signoff_plan::duration;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::proof::valid_signature_for_run;
use signoff_runtime::{Clock, SystemClock};

use crate::commands::running::inbox::held_lines;
use crate::failure::Failure;
use crate::report::question::{answer_command, question_lines};
use crate::report::run::agent_text::progress_text;
use crate::report::run::short_text::{one_line, short_commit};
use crate::report::run::table::table;
use crate::report::signature::signature;
use crate::report::step_name::role;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{DIM, TITLE, paint, sanitize};

pub(crate) fn status(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, run)?;
    let shape = view.to_api();
    if session.is_json() {
        session.json(&shape);
        return Ok(0);
    }
    let dir = project.store.run_dir(&shape.run);
    let counted = valid_signature_for_run(&project, &view.key, &dir, view.run.signed_plan())?;
    for line in opening_lines(&shape).into_iter().chain(signature(&counted)) {
        session.out.answer(line);
    }
    let columns = session.out.columns();
    let now = view.driven.then(|| SystemClock::new().now());
    session.out.answer_lines(&table(&view.run, now, columns));
    for line in shape
        .at_work
        .iter()
        .map(|agent| agent_at_work(&view, agent))
    {
        session.out.answer(line);
    }
    let items = view.items_with_patches(&project);
    let questions = items.iter().flat_map(|item| {
        let lines = question_lines(item).into_iter();
        lines.chain([answer_command(item)])
    });
    for line in questions.chain(closing_lines(&view, &shape)) {
        session.out.answer(line);
    }
    Ok(0)
}

/// What an agent does right now.
fn agent_at_work(view: &RunView, agent: &AgentAtWork) -> String {
    let at = view.run.position(&agent.step);
    let step = at.and_then(|at| view.run.definition(at));
    let text = progress_text(step.map_or("agent", role), &agent.agent);
    format!(
        "  {}: {}",
        sanitize(&agent.step),
        paint(DIM, text.full_text())
    )
}

/// What is run, and where.
fn opening_lines(run: &Run) -> Vec<String> {
    let title = paint(TITLE, sanitize(&run.title)).to_string();
    let plan = paint(DIM, &run.plan);
    let state = format!("{} · run {} · {plan}", run.status, run.run);
    let location = location_lines(run).into_iter();
    let location = location.map(|line| paint(DIM, line).to_string());
    [title, state].into_iter().chain(location).collect()
}

/// Why the run does not go on, and what becomes of its changes.
fn closing_lines(view: &RunView, run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(pause_line(view, run));
    if run.outcome == Some(Outcome::Partial) {
        lines.push("partly completed: steps that are not critical failed".to_owned());
    }
    let cut_off = view.run.landing_commit().is_some() && !view.driven && !run.undone;
    if cut_off {
        lines.push(format!(
            "its landing was interrupted, and the checkout may hold a part of it: `signoff land {}` finishes it",
            run.run
        ));
    } else {
        lines.extend(landing_word(run));
    }
    if let Some(held) = view.files_to_settle() {
        lines.extend(held_lines(&held.run, &held.files));
    }
    if run.status == "stalled" {
        lines.push(stuck_line(view, SystemClock::new().now()));
        lines.push(stuck_choices(view));
    }
    lines
}

/// How long a run has been stuck, and how far it came.
fn stuck_line(view: &RunView, now: Millis) -> String {
    let since = |then: Millis| {
        let seconds = now.saturating_sub(then) / 1000;
        duration::format(Duration::from_secs(seconds))
    };
    let why = if view.is_hung {
        "its process shows no sign of life"
    } else {
        "no process drives it"
    };
    let word = match view.run.pause_reason() {
        Some(_) => "has stood still",
        None => "stuck",
    };
    format!(
        "{word} for {}: {why}; it started {} ago, and {} of {} steps are done",
        since(view.last),
        since(view.began),
        view.run.done_steps(),
        view.run.plan().steps.len()
    )
}

/// What can be done about a run that is stuck.
fn stuck_choices(view: &RunView) -> String {
    let run = view.run.id();
    let first = if view.is_hung {
        "end that process, then "
    } else {
        ""
    };
    format!(
        "{first}`signoff resume {run}` continues it, `signoff abort {run}` marks it failed, `signoff cancel {}` cancels its plan",
        shell_word(&view.key)
    )
}

fn pause_line(view: &RunView, run: &Run) -> Option<String> {
    let rests = !view.driven && !view.over && !run.undone && run.outcome.is_none();
    let reason = view.run.pause_reason();
    let word = pause_word(reason).filter(|_| rests)?;
    if run.inbox.is_empty() && reason == Some(PauseReason::Waiting) {
        return Some(format!(
            "every question is answered: `signoff resume {}` continues",
            run.run
        ));
    }
    Some(match view.run.harness_trouble() {
        Some(trouble) => format!("{word}: {}", one_line(trouble)),
        None => word.to_owned(),
    })
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
        PauseReason::Trouble => "it stopped because the harness was in trouble",
        PauseReason::Changed => {
            "it stopped because the plan or its terms no longer matched the signature"
        }
        PauseReason::Requested => "somebody paused it",
        PauseReason::Replanned => "another version of its plan is signed",
        PauseReason::Limited => "it reached the step of `--until` or `--only`",
    })
}
