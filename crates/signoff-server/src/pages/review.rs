//! Reviewing a plan, and deciding about it.

use axum::Router;
use axum::response::{Html, Redirect};
use serde::Deserialize;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::diff::{ComparedPlan, Diff};
use signoff_api::plan_log::PlanEvent;
use signoff_api::regeneration::{Regeneration, RegenerationState};
use signoff_engine::{Actor, Transition, state_after};
use signoff_page::frame::Place;
use signoff_page::graph::RunProgress;
use signoff_page::graph::layout::StepGraph;
use signoff_page::graph::svg::{Canvas, svg};
use signoff_page::moment::millis_between;
use signoff_page::review::{PAGE, PlanActions, ReviewView, SigningView};
use signoff_runtime::launch::{LaunchedBy, launch_run};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plan_history::PlanHistory;
use signoff_runtime::planning::regeneration;
use signoff_runtime::plans::status::PlanStatus;
use signoff_runtime::plans::{
    self, ApproveOptions, EditOptions, PlanView, UnsignedChanges, approve_on_page,
    require_approvable_on_page, requires_key, unsigned_changes,
};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::proof::SignatureCheck;

use super::edit::redirect_to_plan;
use super::frame::{EmptyForm, Screen, new_events, now, page};
use super::request::{PageRequest, form_route, shows};
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

/// The most steps of a plan whose graph is drawn beside it: a larger one says little in so little room, and takes long.
const DRAWN: usize = 300;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}", shows(show))
        .route("/plans/{plan}/sign", form_route(sign))
        .route("/plans/{plan}/reject", form_route(reject))
        .route("/plans/{plan}/cancel", form_route(cancel))
        .route("/plans/{plan}/start", form_route(start))
}

#[derive(Debug, Deserialize)]
struct ReviewQuery {
    from: Option<usize>,
    done: Option<String>,
    /// Only the steps, for a page that is there already.
    #[serde(default)]
    part: bool,
}

fn show(call: &Call, asked: &PageRequest<ReviewQuery>) -> Result<Html<String>, HttpError> {
    let (name, person) = (asked.path_segment("plan"), &asked.person);
    let file = call.read_plan(name)?;
    let view = PlanView::of(&call.project, &file).map_err(call.fail_about(name))?;
    let shown = view.to_api(&file);
    let status = view.status.as_ref();
    let problems: Vec<Diagnostic> = (file.checked.diagnostics.iter())
        .map(|one| Diagnostic::new(one, &file.source))
        .collect();
    let changes = unsigned_changes(&call.project, &file).map_err(call.fail_about(name))?;
    let changes = changes.as_ref();
    let difference = changes.map(|changes| difference(&file, changes));
    let handed = status.and_then(|status| handed_in_version(&status.history));
    let run = status.and_then(|status| status.view.as_ref());
    let ran = run.map(RunView::to_api);
    let took = ran.as_ref().map(durations).unwrap_or_default();
    let planner = regeneration_note(call, &file, handed.as_ref());
    let graph = graph(&file, run);
    let key = file.key(&call.project).map_err(call.fail_about(name))?;
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
        from: asked.sent.from.unwrap_or(0),
        csrf: &person.csrf,
        now: now(call),
    };
    if asked.sent.part {
        return Ok(Html(screen.more_steps().into_string()));
    }
    let html = screen.render();
    let screen = Screen {
        title: shown.title.clone().unwrap_or_else(|| key.clone()),
        place: Place::Plans,
        events: Some(new_events(call)),
        html,
        done: asked.sent.done.clone(),
    };
    page(call, person, &screen)
}

/// Who handed a plan in last, and when.
pub(super) fn handed_in_version(history: &PlanHistory) -> Option<(String, String)> {
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
fn regeneration_note(
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
    millis_between(&run.started_at, &run.updated_at)
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
    let is_of_plan = |view: &&RunView| view.run.signed_plan().digest() == file.digest();
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
    let took = |step: &signoff_api::run::RunStep| {
        let took = millis_between(step.started_at.as_deref()?, step.ended_at.as_deref()?)?;
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

fn sign(call: &Call, asked: &PageRequest<Signing>) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let file = call.read_plan(plan)?;
    let options = ApproveOptions {
        proof: None,
        note: None,
        expect_digest: Some(asked.sent.digest.clone()),
        expect_version: None,
        expect_terms: asked.sent.terms.clone(),
    };
    approve_on_page(call.by_person(), &file, &options).map_err(call.fail_about(plan))?;
    Ok(redirect_to_plan(plan, "signed"))
}

#[derive(Debug, Deserialize)]
struct Rejecting {
    digest: String,
    feedback: String,
}

fn reject(call: &Call, asked: &PageRequest<Rejecting>) -> Result<Redirect, HttpError> {
    let (plan, fields) = (asked.path_segment("plan"), &asked.sent);
    let (path, name) = call.locate_plan(plan)?;
    let shown = EditOptions {
        expect_version: None,
        expect_digest: Some(fields.digest.clone()),
    };
    let feedback = Some(fields.feedback.as_str());
    let done = plans::reject(call.by_person(), &path, &name, feedback, &shown);
    done.map_err(call.fail_about(plan))?;
    Ok(redirect_to_plan(plan, "rejected"))
}

#[derive(Debug, Deserialize)]
struct Cancelling {
    reason: String,
}

fn cancel(call: &Call, asked: &PageRequest<Cancelling>) -> Result<Redirect, HttpError> {
    let (plan, reason) = (asked.path_segment("plan"), asked.sent.reason.as_str());
    let (path, name) = call.locate_plan(plan)?;
    let done = plans::cancel(call.by_person(), &path, &name, Some(reason));
    done.map_err(call.fail_about(plan))?;
    Ok(redirect_to_plan(plan, "cancelled"))
}

fn start(call: &Call, asked: &PageRequest<EmptyForm>) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let (_, name) = call.locate_plan(plan)?;
    let begun = launch_run(&call.project, &call.program, &name, LaunchedBy::Person);
    let begun = begun.map_err(call.fail_about(plan))?;
    Ok(Redirect::to(&format!("/runs/{}?done=started", begun.run)))
}
