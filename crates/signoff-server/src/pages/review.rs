//! Reviewing a plan, and deciding about it.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{Html, Redirect};
use axum::routing::{get, post};
use serde::Deserialize;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::diff::{ComparedPlan, Diff};
use signoff_api::plan_log::PlanEvent;
use signoff_api::regeneration::{Regeneration, RegenerationState};
use signoff_engine::{Actor, Transition, state_after};
use signoff_page::address::part;
use signoff_page::frame::Place;
use signoff_page::graph::RunProgress;
use signoff_page::graph::layout::StepGraph;
use signoff_page::graph::svg::{Canvas, svg};
use signoff_page::moment::between;
use signoff_page::review::{PAGE, PlanActions, ReviewView, SigningView};
use signoff_runtime::Error;
use signoff_runtime::launch::{LaunchedBy, launch_run};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plan_history::PlanHistory;
use signoff_runtime::planning::regeneration;
use signoff_runtime::plans::status::PlanStatus;
use signoff_runtime::plans::{
    ApproveOptions, PlanView, UnsignedChanges, approve_on_page, require_approvable_on_page,
    requires_key, unsigned_changes,
};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::proof::SignatureCheck;

use super::frame::{Nothing, Screen, new_events, now, page};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::sessions::Session;
use crate::state::AppState;

/// The most steps of a plan whose graph is drawn beside it: a larger one says little in so little room, and takes long.
const DRAWN: usize = 300;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}", get(review))
        .route("/plans/{plan}/sign", post(sign))
        .route("/plans/{plan}/reject", post(reject))
        .route("/plans/{plan}/cancel", post(cancel))
        .route("/plans/{plan}/start", post(start))
}

#[derive(Debug, Deserialize)]
struct ReviewQuery {
    from: Option<usize>,
    done: Option<String>,
    /// Only the steps, for a page that is there already.
    #[serde(default)]
    part: bool,
}

async fn review(
    State(state): State<AppState>,
    session: Session,
    Path(plan): Path<String>,
    Query(asked): Query<ReviewQuery>,
) -> Result<Html<String>, HttpError> {
    let person = session.clone();
    call(&state, &session, move |call| {
        show(call, &person, &plan, asked)
    })
    .await
}

fn show(
    call: &Call,
    person: &Session,
    name: &str,
    asked: ReviewQuery,
) -> Result<Html<String>, HttpError> {
    let file = call.read_plan(name)?;
    let view = PlanView::of(&call.project, &file).map_err(call.about(name))?;
    let shown = view.to_api(&file);
    let status = view.status.as_ref();
    let problems: Vec<Diagnostic> = (file.checked.diagnostics.iter())
        .map(|one| Diagnostic::new(one, &file.source))
        .collect();
    let changes = unsigned_changes(&call.project, &file).map_err(call.about(name))?;
    let changes = changes.as_ref();
    let difference = changes.map(|changes| difference(&file, changes));
    let handed = status.and_then(|status| handed_in(&status.history));
    let run = status.and_then(|status| status.view.as_ref());
    let ran = run.map(RunView::to_api);
    let took = ran.as_ref().map(durations).unwrap_or_default();
    let planner = asked_planner(call, &file, handed.as_ref());
    let graph = graph(&file, run);
    let key = file.key(&call.project).map_err(call.about(name))?;
    let actions = actions(&view, status);
    let refused = status.filter(|_| actions.sign);
    let refused = refused.and_then(|status| refusal(call, &file, status));
    let screen = ReviewView {
        plan: &shown,
        key: &key,
        path: file.source.name(),
        by: handed.as_ref().map(|(by, _)| by.as_str()),
        at: handed.as_ref().map(|(_, at)| at.as_str()),
        problems: &problems,
        difference: difference.as_ref(),
        replaces_in: changes.and_then(|changes| changes.run.as_deref()),
        signing: &SigningView {
            person: &person.person,
            proof: "proof: page",
            refused: refused.as_deref(),
            needs_key: requires_key(&call.project),
            signed_by: status.and_then(signed_by),
        },
        actions: &actions,
        graph: graph.as_deref(),
        run: run.map(|run| run.run.id()),
        took: &took,
        lasted: ran.as_ref().and_then(whole_duration),
        regeneration: planner.as_ref(),
        from: asked.from.unwrap_or(0),
        csrf: &person.csrf,
        now: now(call),
    };
    if asked.part {
        return Ok(Html(screen.more_steps().into_string()));
    }
    let html = screen.render();
    let screen = Screen {
        title: shown.title.clone().unwrap_or_else(|| key.clone()),
        place: Place::Plans,
        events: Some(new_events(call)),
        html,
        done: asked.done,
    };
    page(call, person, &screen)
}

/// Who handed a plan in last, and when.
pub(super) fn handed_in(history: &PlanHistory) -> Option<(String, String)> {
    history
        .entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.event {
            PlanEvent::PlanProposed { by, .. } | PlanEvent::PlanRevised { by, .. } => {
                Some((by.clone(), signoff_runtime::timestamp(entry.at)))
            }
            _ => None,
        })
}

/// A planner that writes the plan anew, or did not manage to since it was handed in.
fn asked_planner(
    call: &Call,
    file: &PlanFile,
    handed: Option<&(String, String)>,
) -> Option<Regeneration> {
    // A plan whose state cannot be read says so elsewhere on its page.
    let asked = regeneration(&call.project, file).ok()?;
    let since = asked.started_at.as_deref()?;
    let is_newer = handed.is_none_or(|(_, at)| at.as_str() < since);
    let is_told = match asked.state {
        RegenerationState::Running => true,
        RegenerationState::Failed => is_newer,
        RegenerationState::None | RegenerationState::Done => false,
    };
    is_told.then_some(asked)
}

/// How long a run took that is over.
fn whole_duration(run: &signoff_api::run::Run) -> Option<u64> {
    run.outcome?;
    between(&run.started_at, &run.updated_at)
}

fn signed_by(status: &PlanStatus) -> Option<&str> {
    match &status.signature {
        SignatureCheck::Valid(record) => Some(&record.signature.by),
        SignatureCheck::Waiting(_) | SignatureCheck::Missing(_) => None,
    }
}

/// What the person may do now, by the table of the engine.
fn actions(view: &PlanView, status: Option<&PlanStatus>) -> PlanActions {
    let may = |transition| state_after(view.state, transition, Actor::Person).is_ok();
    let is_signed = status.is_some_and(|status| status.signed);
    PlanActions {
        sign: may(Transition::Approve) && !is_signed,
        reject: may(Transition::Reject),
        start: may(Transition::Start) && is_signed,
        cancel: may(Transition::Cancel),
        edit: may(Transition::Edit),
        comment: true,
    }
}

/// Why the plan could not be signed on a page now.
fn refusal(call: &Call, plan: &PlanFile, status: &PlanStatus) -> Option<String> {
    let refused = require_approvable_on_page(&call.project, plan, status).err()?;
    let error = call.fail(refused).error;
    Some(match error.hints.first() {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message,
    })
}

fn difference(plan: &PlanFile, changes: &UnsignedChanges) -> Diff {
    let side = |digest: String| ComparedPlan {
        path: plan.source.name().to_owned(),
        dialect: plan.checked.dialect.as_str().to_owned(),
        digest,
    };
    let (before, now) = (
        side(changes.before.clone()),
        side(plan.digest().to_string()),
    );
    let diff = Diff::new(before, now, &changes.difference.plan);
    diff.with_terms(changes.difference.terms.clone())
}

/// The drawing of a plan, with how far its run is; none of a large one.
fn graph(file: &PlanFile, run: Option<&RunView>) -> Option<String> {
    let plan = &file.checked.plan;
    if plan.steps.len() > DRAWN || plan.steps.len() < 2 {
        return None;
    }
    let is_of_plan = |view: &&RunView| view.run.signed().digest() == file.digest();
    let progress = run.filter(is_of_plan).map(|view| RunProgress {
        run: &view.run,
        driven: view.driven,
    });
    svg(
        plan,
        &StepGraph::of_plan(plan),
        Canvas::Page,
        progress.as_ref(),
    )
    .ok()
}

#[expect(clippy::cast_precision_loss, reason = "no step takes 2⁵³ milliseconds")]
fn durations(run: &signoff_api::run::Run) -> Vec<(String, f64)> {
    let took = |step: &signoff_api::run::Step| {
        let took = between(step.started_at.as_deref()?, step.ended_at.as_deref()?)?;
        Some((step.id.clone(), took as f64 / 1000.0))
    };
    run.steps.iter().take(PAGE * 10).filter_map(took).collect()
}

/// What the person saw.
#[derive(Debug, Deserialize)]
struct Signing {
    digest: String,
    terms: Option<String>,
}

async fn sign(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<Signing>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let file = call.read_plan(&plan)?;
        let options = ApproveOptions {
            proof: None,
            note: None,
            expect_digest: Some(fields.digest),
            expect_version: None,
            expect_terms: fields.terms,
        };
        approve_on_page(call.by_person(), &file, &options).map_err(call.about(&plan))?;
        Ok(back(&plan, "signed"))
    })
    .await
}

#[derive(Debug, Deserialize)]
struct Rejecting {
    digest: String,
    feedback: String,
}

async fn reject(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<Rejecting>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let (path, name) = call.locate(&plan)?;
        if call.read_plan(&plan)?.digest().to_string() != fields.digest {
            let error = Error::EditedMeanwhile { plan: name };
            return Err(call.about(&plan)(error));
        }
        let done =
            signoff_runtime::plans::reject(call.by_person(), &path, &name, Some(&fields.feedback));
        done.map_err(call.about(&plan))?;
        Ok(back(&plan, "rejected"))
    })
    .await
}

#[derive(Debug, Deserialize)]
struct Cancelling {
    reason: String,
}

async fn cancel(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<Cancelling>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let (path, name) = call.locate(&plan)?;
        let done =
            signoff_runtime::plans::cancel(call.by_person(), &path, &name, Some(&fields.reason));
        done.map_err(call.about(&plan))?;
        Ok(back(&plan, "cancelled"))
    })
    .await
}

async fn start(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<Nothing>,
) -> Result<Redirect, HttpError> {
    call(&state, &form.session, move |call| {
        let (_, name) = call.locate(&plan)?;
        let begun = launch_run(&call.project, &call.program, &name, LaunchedBy::Person);
        let begun = begun.map_err(call.about(&plan))?;
        Ok(Redirect::to(&format!("/runs/{}?done=started", begun.run)))
    })
    .await
}

/// To the plan, with a word about what was done.
fn back(plan: &str, done: &str) -> Redirect {
    Redirect::to(&format!("/plans/{}?done={done}", part(plan)))
}
