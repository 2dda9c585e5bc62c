//! The list of plans, and that of runs.

use std::collections::BTreeSet;

use axum::Router;
use axum::response::Html;
use serde::Deserialize;
use signoff_api::runs::RunSummary;
use signoff_page::frame::Place;
use signoff_page::plans::{PlanFilter, PlanRow, PlansView};
use signoff_plan::check::Checked;
use signoff_plan::diagnostic::Severity;
use signoff_plan::model::Work;
use signoff_runtime::inbox::waiting_items;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plan_history::PlanHistory;
use signoff_runtime::plans::ListedPlan;
use signoff_runtime::runs::listed_run::ListedRun;
use signoff_runtime::threads::topics;

use super::frame::{Screen, listing, new_events, now, page};
use super::request::{PageRequest, shows};
use super::review::handed_in_version;
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

/// Plans whose text is looked at: each is read and checked.
const READ: usize = 40;
/// Plans, or runs, that are shown at once.
const MOST: usize = 200;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/", shows(plans))
        .route("/runs", shows(runs))
}

/// Which plans to show.
#[derive(Debug, Default, Deserialize)]
struct PlansQuery {
    #[serde(default)]
    text: String,
    #[serde(default)]
    state: String,
    most: Option<usize>,
    done: Option<String>,
}

fn plans(call: &Call, asked: &PageRequest<PlansQuery>) -> Result<Html<String>, HttpError> {
    let listed = listing(call)?;
    let total = listed.plans.len();
    let most = asked.sent.most.unwrap_or(MOST);
    let filter = PlanFilter {
        text: asked.sent.text.clone(),
        state: asked.sent.state.clone(),
    };
    let topics = topics(&call.project);
    let rows = listed.plans.iter().enumerate();
    let rows = rows.map(|(at, plan)| PlanRow {
        topic: topics.get(&plan.key).cloned(),
        ..plan_row(call, plan, at < READ || may_match(plan, &filter.text))
    });
    let rows: Vec<PlanRow> = rows.filter(|row| filter.shows(row)).take(most).collect();
    let waiting = waiting_items(&call.project).map_err(|error| call.fail(error))?;
    let (questions, held) = if filter.is_empty() {
        (waiting.items, waiting.held)
    } else {
        (Vec::new(), Vec::new())
    };
    let view = PlansView {
        rows: &rows,
        questions: &questions,
        held: &held,
        filter: &filter,
        total,
        most,
        now: now(call),
    };
    let screen = Screen {
        title: "Plans".to_owned(),
        place: Place::Plans,
        events: Some(new_events(call)),
        html: view.render(),
        done: asked.sent.done.clone(),
    };
    page(call, &asked.person, &screen)
}

/// May the text of a plan have what is searched for? Only then it is worth reading it with the checks.
fn may_match(plan: &ListedPlan, searched: &str) -> bool {
    if searched.is_empty() {
        return false;
    }
    // A thread is a directory: few files, which are read anyway.
    std::fs::read(&plan.path).ok().is_none_or(|bytes| {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        text.contains(&searched.to_lowercase())
    })
}

/// A plan as the list shows it. `read`: with what its text tells.
fn plan_row(call: &Call, plan: &ListedPlan, read: bool) -> PlanRow {
    let here = &call.project.process.directory;
    let history = PlanHistory::read(&call.project, &plan.key).unwrap_or_default();
    let name = plan.path.display().to_string();
    let file = read
        .then(|| PlanFile::read(&plan.path, &name, &call.project.workspace()).ok())
        .flatten();
    let problems = |severity| {
        let found = file.iter().flat_map(|file| &file.checked.diagnostics);
        found.filter(|one| one.severity == severity).count()
    };
    let ran = matches!(
        plan.state.name(),
        "executing" | "stalled" | "failed" | "completed" | "replanning"
    );
    let run = history.newest_run().filter(|_| ran && read);
    let run = run.and_then(|run| ListedRun::load(&call.project, run).ok());
    let words = file.as_ref().map(|file| search_words(&file.checked));
    PlanRow {
        words: words.unwrap_or_default(),
        by: handed_in_version(&history).map(|(by, _)| by),
        steps: file.as_ref().map(|file| file.checked.plan.steps.len()),
        errors: problems(Severity::Error),
        warnings: problems(Severity::Warning),
        run: run.map(|run| run.to_api()),
        topic: None,
        plan: plan.to_api(here),
    }
}

/// What a plan can be found by beside its title: its owner, its dialect, its agents.
fn search_words(plan: &Checked) -> Vec<String> {
    let roles = plan.plan.steps.iter().filter_map(|step| match &step.work {
        Work::Agent { role, .. } => role.clone(),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
    });
    let roles: BTreeSet<String> = roles.collect();
    let own = [
        Some(plan.dialect.as_str().to_owned()),
        plan.plan.owner.clone(),
    ];
    own.into_iter().flatten().chain(roles).collect()
}

/// How many runs to show.
#[derive(Debug, Default, Deserialize)]
struct RunsQuery {
    most: Option<usize>,
}

fn runs(call: &Call, asked: &PageRequest<RunsQuery>) -> Result<Html<String>, HttpError> {
    let all = ListedRun::load_all(&call.project).map_err(|error| call.fail(error))?;
    let listed = all.into_iter().rev().map(|(id, run)| match run {
        Ok(run) => run.to_api(),
        Err(error) => RunSummary::unreadable(id, call.fail(error).error.message),
    });
    let listed: Vec<RunSummary> = listed.collect();
    let screen = Screen {
        title: "Runs".to_owned(),
        place: Place::Runs,
        events: Some(new_events(call)),
        html: signoff_page::plans::runs(&listed, asked.sent.most.unwrap_or(MOST), now(call)),
        done: None,
    };
    page(call, &asked.person, &screen)
}
