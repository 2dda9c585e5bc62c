//! Reviewing a plan, and deciding about it.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{Html, Redirect};
use axum::routing::{get, post};
use serde::Deserialize;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::diff::{ComparedPlan, Diff};
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, Transition, state_after};
use signoff_page::address::part;
use signoff_page::frame::Place;
use signoff_page::graph::layout::StepGraph;
use signoff_page::graph::svg::{Canvas, svg};
use signoff_page::moment::between;
use signoff_page::review::{PAGE, PlanActions, ReviewView, SigningView};
use signoff_plan::model;
use signoff_runtime::Error;
use signoff_runtime::launch::{LaunchedBy, launch_run};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plan_history::PlanHistory;
use signoff_runtime::plans::status::PlanStatus;
use signoff_runtime::plans::{ApproveOptions, PlanView, approve_on_page, changes_since_signed};
use signoff_runtime::signing::proof::SignatureCheck;

use super::frame::{Screen, new_events, now, page};
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
struct Asked {
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
    Query(asked): Query<Asked>,
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
    asked: Asked,
) -> Result<Html<String>, HttpError> {
    let file = call.read_plan(name)?;
    let view = PlanView::of(&call.project, &file).map_err(call.about(name))?;
    let shown = view.to_api(&file);
    let status = view.status.as_ref();
    let problems: Vec<Diagnostic> = (file.checked.diagnostics.iter())
        .map(|one| Diagnostic::new(one, &file.source))
        .collect();
    let difference = difference(call, &file)?;
    let handed = status.and_then(|status| handed_in(&status.history));
    let run = status.and_then(|status| status.view.as_ref());
    let took: Vec<(String, f64)> = run.map(|run| durations(&run.to_api())).unwrap_or_default();
    let graph = graph(&file.checked.plan);
    let key = file.key(&call.project);
    let refused = refusal(call, &file);
    let screen = ReviewView {
        plan: &shown,
        key: &key,
        path: file.source.name(),
        by: handed.as_ref().map(|(by, _)| by.as_str()),
        at: handed.as_ref().map(|(_, at)| at.as_str()),
        problems: &problems,
        difference: difference.as_ref(),
        signing: &SigningView {
            person: &person.person,
            proof: "proof: page",
            refused: refused.as_deref(),
            command: None,
            signed_by: status.and_then(signed_by),
        },
        actions: &actions(&view, status),
        graph: graph.as_deref(),
        run: run.map(|run| run.run.id()),
        took: &took,
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

fn signed_by(status: &PlanStatus) -> Option<&str> {
    match &status.signature {
        SignatureCheck::Valid(record) => Some(&record.signature.by),
        SignatureCheck::Missing(_) => None,
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
fn refusal(call: &Call, plan: &PlanFile) -> Option<String> {
    let refused = signoff_runtime::plans::require_approvable_on_page(&call.project, plan).err()?;
    let error = call.fail(refused).error;
    Some(match error.hints.first() {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message,
    })
}

fn difference(call: &Call, plan: &PlanFile) -> Result<Option<Diff>, HttpError> {
    let side = |digest: String| ComparedPlan {
        path: plan.source.name().to_owned(),
        dialect: plan.checked.dialect.as_str().to_owned(),
        digest,
    };
    match changes_since_signed(&call.project, plan) {
        Ok((signature, difference)) => {
            let before = side(signature.digest.to_string());
            let diff = Diff::new(before, side(plan.digest().to_string()), &difference.plan);
            Ok(Some(diff.with_terms(difference.terms)))
        }
        Err(Error::NotSigned { .. }) => Ok(None),
        Err(error) => Err(call.fail(error)),
    }
}

/// The drawing of a plan; none of a large one.
fn graph(plan: &model::Plan) -> Option<String> {
    if plan.steps.len() > DRAWN || plan.steps.len() < 2 {
        return None;
    }
    svg(plan, &StepGraph::of_plan(plan), Canvas::Page, None).ok()
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

#[derive(Debug, Deserialize)]
#[expect(
    clippy::empty_structs_with_brackets,
    reason = "a form is a map, even an empty one"
)]
struct Nothing {}

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
