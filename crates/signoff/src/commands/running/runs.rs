//! `runs`: lists the runs, newest last.

use signoff_api::event::Outcome;
use signoff_api::runs::{RunSummary, Runs};
use signoff_runtime::runs::listed_run::ListedRun;

use crate::failure::Failure;
use crate::report::count::count_of;
use crate::report::run::short_text::short_commit;
use crate::session::Session;
use crate::style::{CARE, DIM, ERROR, GOOD, paint, sanitize};

pub(crate) fn runs(session: &mut Session) -> Result<u8, Failure> {
    let project = session.project()?;
    let mut runs = Vec::new();
    for (id, run) in ListedRun::load_all(&project)? {
        runs.push(match run {
            Ok(run) => run.to_api(),
            // A broken journal must not hide the other runs.
            Err(error) => RunSummary::unreadable(id, Failure::from(error).message),
        });
    }
    if session.is_json() {
        session.json(&Runs::new(runs));
        return Ok(0);
    }
    if runs.is_empty() {
        session
            .out
            .answer("no runs yet; `signoff run PLAN` starts one");
    }
    for run in &runs {
        session.out.answer(run_row(run));
    }
    Ok(0)
}

/// Whether the changes of a run on its own tree are in the checkout.
fn landing(run: &RunSummary) -> Option<String> {
    if run.undone {
        return Some(paint(DIM, "undone").to_string());
    }
    if let Some(commit) = &run.landed {
        let text = format!("landed as {}", short_commit(commit));
        return Some(paint(DIM, text).to_string());
    }
    run.branch.as_ref()?;
    Some(match run.outcome {
        Some(Outcome::Completed | Outcome::Partial) => paint(CARE, "not landed").to_string(),
        Some(Outcome::Failed) | None => paint(DIM, "in its own trees").to_string(),
    })
}

fn run_row(run: &RunSummary) -> String {
    let style = match run.status.as_str() {
        "completed" => GOOD,
        "failed" | "unreadable" => ERROR,
        _ => CARE,
    };
    let gap = " ".repeat(10_usize.saturating_sub(run.status.chars().count()));
    let done = run.progress.map(|share| format!("{share:>3}%"));
    let about = run.title.as_deref().or(run.problem.as_deref());
    let mut text = format!(
        "{}  {}{gap}  {}  {}",
        run.run,
        paint(style, &run.status),
        done.as_deref().unwrap_or("   –"),
        sanitize(about.unwrap_or_default()),
    );
    if let Some(plan) = &run.plan {
        text = format!("{text}  {}", paint(DIM, sanitize(plan)));
    }
    if let Some(word) = landing(run) {
        text = format!("{text}  {word}");
    }
    if run.held > 0 {
        let files = count_of(run.held, "file held", "files held");
        text = format!("{text}  {}", paint(CARE, files));
    }
    if run.waiting > 0 {
        text = format!("{text}  {}", paint(CARE, "waits on a person"));
    }
    text
}
