//! The list of plans, and that of runs.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::Html;
use axum::routing::get;
use serde::Deserialize;
use signoff_api::runs::Run;
use signoff_page::frame::Place;
use signoff_page::plans::{PlanFilter, PlanRow, PlansView};
use signoff_plan::diagnostic::Severity;
use signoff_runtime::inbox::waiting_items;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plan_history::PlanHistory;
use signoff_runtime::plans::ListedPlan;
use signoff_runtime::runs::view::RunView;

use super::frame::{Screen, listing, now, page};
use super::review::handed_in;
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::sessions::Session;
use crate::state::AppState;

/// Plans whose text is looked at: each is read and checked.
const READ: usize = 40;
/// Plans that are shown at once.
const MOST: usize = 200;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(plans))
        .route("/runs", get(runs))
}

/// Which plans to show.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    text: String,
    #[serde(default)]
    state: String,
    most: Option<usize>,
    done: Option<String>,
}

async fn plans(
    State(state): State<AppState>,
    session: Session,
    Query(asked): Query<Asked>,
) -> Result<Html<String>, HttpError> {
    let person = session.clone();
    call(&state, &session, move |call| {
        let listed = listing(call)?;
        let total = listed.plans.len();
        let most = asked.most.unwrap_or(MOST);
        let filter = PlanFilter {
            text: asked.text,
            state: asked.state,
        };
        let rows = (listed.plans.iter().enumerate()).map(|(at, plan)| row(call, plan, at < READ));
        let rows: Vec<PlanRow> = rows.filter(|row| filter.shows(row)).take(most).collect();
        let waiting = waiting_items(&call.project).map_err(|error| call.fail(error))?;
        let questions = if filter.is_empty() {
            waiting.items
        } else {
            Vec::new()
        };
        let view = PlansView {
            rows: &rows,
            questions: &questions,
            filter: &filter,
            total,
            most,
            now: now(call),
        };
        let screen = Screen {
            title: "Plans".to_owned(),
            place: Place::Plans,
            events: Some("/api/events".to_owned()),
            html: view.render(),
            done: asked.done,
        };
        page(call, &person, &screen)
    })
    .await
}

/// A plan as the list shows it. `read`: with what its text tells.
fn row(call: &Call, plan: &ListedPlan, read: bool) -> PlanRow {
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
    let run = run.and_then(|run| RunView::load(&call.project, run).ok());
    PlanRow {
        by: handed_in(&history).map(|(by, _)| by),
        steps: file.as_ref().map(|file| file.checked.plan.steps.len()),
        errors: problems(Severity::Error),
        warnings: problems(Severity::Warning),
        run: run.map(|view| Run::new(view.to_api())),
        topic: None,
        plan: plan.to_api(here),
    }
}

async fn runs(State(state): State<AppState>, session: Session) -> Result<Html<String>, HttpError> {
    let person = session.clone();
    call(&state, &session, move |call| {
        let all = RunView::all(&call.project).map_err(|error| call.fail(error))?;
        let listed = all.into_iter().rev().map(|(id, view)| match view {
            Ok(view) => Run::new(view.to_api()),
            Err(error) => Run::unreadable(id, call.fail(error).error.message),
        });
        let listed: Vec<Run> = listed.collect();
        let screen = Screen {
            title: "Runs".to_owned(),
            place: Place::Runs,
            events: Some("/api/events".to_owned()),
            html: signoff_page::plans::runs(&listed, now(call)),
            done: None,
        };
        page(call, &person, &screen)
    })
    .await
}
