//! A run: how it goes, what was tried, and what a person does about it.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_DISPOSITION;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use signoff_api::report::{Report, ReportedStep};
use signoff_api::request::RequestKind;
use signoff_api::run::Run;
use signoff_page::frame::Place;
use signoff_page::graph::RunProgress;
use signoff_page::graph::layout::StepGraph;
use signoff_page::graph::svg::{Canvas, svg};
use signoff_page::run::step::{StepDetail, Tab, details};
use signoff_page::run::{RunActions, RunView as Shown, StepTally};
use signoff_page::timeline::MOST;
use signoff_runtime::launch::{LaunchedBy, launch_resume};
use signoff_runtime::live::landing::SettleOptions;
use signoff_runtime::runs::control::ask;
use signoff_runtime::runs::questions::step_patch;
use signoff_runtime::runs::transcript::AgentLog;
use signoff_runtime::runs::view::RunView;

use super::frame::{EmptyForm, Screen, bar, now, page};
use super::request::{PageRequest, form_route, shows};
use crate::api::runs::{land_or_refuse, undo_or_refuse};
use crate::calls::Call;
use crate::error::HttpError;
use crate::redaction::hide_in_html;
use crate::sessions::Session;
use crate::state::AppState;

/// The most steps of a run whose graph is drawn.
const DRAWN: usize = 300;
/// The most steps of a run whose graph is sent with each change; of a larger one the page changes the colours.
const REDRAWN: usize = 60;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/runs/{run}", shows(run))
        .route("/runs/{run}/report", shows(report))
        .route("/runs/{run}/report.html", shows(report_file))
        .route("/runs/{run}/live", shows(changed_parts))
        .route("/runs/{run}/steps/{step}", shows(step))
        .route("/runs/{run}/{act}", form_route(act_on_run))
        .route("/runs/{run}/steps/{step}/{act}", form_route(act_on_step))
}

#[derive(Debug, Default, Deserialize)]
struct RunQuery {
    from: Option<usize>,
    done: Option<String>,
    attempt: Option<u32>,
    tab: Option<String>,
    /// Only the inside of a step, for a page that is there already.
    #[serde(default)]
    part: bool,
    /// The steps that changed, with commas.
    steps: Option<String>,
    /// What waits on the person has changed too.
    #[serde(default)]
    bar: bool,
}

fn run(call: &Call, asked: &PageRequest<RunQuery>) -> Result<Html<String>, HttpError> {
    let view = call.read_run(asked.path_segment("run"))?;
    show(call, &asked.person, &view, None, &asked.sent)
}

fn step(call: &Call, asked: &PageRequest<RunQuery>) -> Result<Html<String>, HttpError> {
    let view = call.read_run(asked.path_segment("run"))?;
    let step = asked.path_segment("step");
    show(call, &asked.person, &view, Some(step), &asked.sent)
}

/// What changed: the head, the questions, and the steps that are named. Its size does not depend on the other steps.
fn changed_parts(call: &Call, asked: &PageRequest<RunQuery>) -> Result<Html<String>, HttpError> {
    let view = call.read_run(asked.path_segment("run"))?;
    let (person, asked) = (&asked.person, &asked.sent);
    let named = asked.steps.as_deref().unwrap_or_default().split(',');
    let named: Vec<&str> = named.filter(|step| !step.is_empty()).collect();
    let update = view.update(&call.project, &named, MOST);
    let update = update.map_err(|error| call.fail(error))?;
    let actions = actions(&view);
    let graph = (view.run.plan().steps.len() <= REDRAWN).then(|| graph(&view));
    let graph = graph.flatten();
    let mut shown = shown_run(call, &view, (&update.run, &update.steps), &actions, person);
    shown.graph = graph.as_deref();
    shown.earlier = update.earlier;
    let mut html = shown.live_attributes();
    for step in named {
        html.0.push_str(&shown.step(step).into_string());
    }
    let mut html = hide_in_html(&call.project.secrets(), html, &person.csrf).into_string();
    if asked.bar {
        html.push_str(&bar(call, person, Place::Runs)?);
    }
    Ok(Html(html))
}

fn show(
    call: &Call,
    person: &Session,
    view: &RunView,
    open: Option<&str>,
    asked: &RunQuery,
) -> Result<Html<String>, HttpError> {
    let report = report_of(call, view)?;
    let actions = actions(view);
    let graph = graph(view);
    let mut shown = shown_run(call, view, (&report.run, &report.steps), &actions, person);
    shown.signatures = &report.signatures;
    shown.graph = graph.as_deref();
    shown.from = asked.from.unwrap_or(0);
    let log = open.and_then(|step| AgentLog::find(&call.project, view, step, asked.attempt));
    let tab = asked
        .tab
        .as_deref()
        .map_or_else(Tab::default, Tab::from_name);
    let told = log.as_ref().filter(|_| tab == Tab::Transcript);
    let transcript = told.and_then(|log| log.transcript(call.project.store.workspace()).ok());
    let prompt = log
        .as_ref()
        .filter(|_| tab == Tab::Prompt)
        .and_then(AgentLog::prompt);
    let step = open.map(|step| find_step(&report, step)).transpose()?;
    let attempt = step.map_or(0, |(step, _)| asked.attempt.unwrap_or(step.attempts));
    let changes = open.filter(|_| tab == Tab::Changes);
    let patch = changes.and_then(|step| step_patch(&call.project, &view.run, step, attempt));
    let detail = step.map(|(step, told)| StepDetail {
        run: &report.run.run,
        step,
        told,
        attempt,
        tab,
        transcript: transcript.as_ref(),
        prompt: prompt.as_deref(),
        patch: patch.as_deref(),
        csrf: &person.csrf,
        can_decide: actions.steps
            && matches!(step.status.as_str(), "failed" | "waiting" | "blocked"),
    });
    let hide = |html| hide_in_html(&call.project.secrets(), html, &person.csrf);
    if let Some(detail) = detail.as_ref().filter(|_| asked.part) {
        return Ok(Html(hide(details(detail)).into_string()));
    }
    shown.open = detail.as_ref();
    let screen = Screen {
        title: report.run.title.clone(),
        place: Place::Runs,
        events: Some(format!(
            "/api/runs/{}/events?after={}",
            report.run.run, view.last_seq
        )),
        html: hide(shown.render()),
        done: asked.done.clone(),
    };
    page(call, person, &screen)
}

type FoundStep<'r> = (&'r signoff_api::run::RunStep, &'r ReportedStep);

fn find_step<'r>(report: &'r Report, id: &str) -> Result<FoundStep<'r>, HttpError> {
    let steps = report.run.steps.iter().zip(&report.steps);
    let found = steps.into_iter().find(|(step, _)| step.id == id);
    found.ok_or_else(|| {
        let message = format!("run {} has no step `{id}`", report.run.run);
        HttpError::new(StatusCode::NOT_FOUND, "unknown-step", &message, &[])
    })
}

fn shown_run<'a>(
    call: &Call,
    view: &RunView,
    (run, told): (&'a Run, &'a [ReportedStep]),
    actions: &'a RunActions,
    person: &'a Session,
) -> Shown<'a> {
    let budget = signoff_api::plan::Budget::from(&view.run.plan().budget);
    Shown {
        run,
        told,
        tally: StepTally::of_run(&view.run, view.driven),
        earlier: 0,
        signatures: &[],
        graph: None,
        actions,
        lands_files: view.run.lands_files(),
        budget: budget.usd,
        open: None,
        from: 0,
        csrf: &person.csrf,
        now: now(call),
    }
}

fn report_of(call: &Call, view: &RunView) -> Result<Report, HttpError> {
    view.report(&call.project, now(call))
        .map_err(|error| call.fail(error))
}

fn graph(view: &RunView) -> Option<String> {
    let plan = view.run.plan();
    let progress = RunProgress {
        run: &view.run,
        driven: view.driven,
    };
    let is_drawn = (2..=DRAWN).contains(&plan.steps.len());
    is_drawn.then(|| {
        svg(
            plan,
            &StepGraph::of_plan(plan),
            Canvas::Page,
            Some(&progress),
        )
        .ok()
    })?
}

/// What makes sense to ask of the run now; the runtime refuses the rest anyway.
fn actions(view: &RunView) -> RunActions {
    let over = view.over || view.run.outcome().is_some();
    let landed = view.run.landed_commit().is_some();
    RunActions {
        pause: view.driven && !over,
        stop: view.driven && !over,
        is_leaving: view.driven && over,
        abort: !over,
        resume: !view.driven && !over,
        land: over
            && !landed
            && !view.run.is_undone()
            && (!view.run.lands_files() || !view.held_files().is_empty()),
        undo: over && !view.driven && !view.run.is_undone(),
        steps: !over,
    }
}

fn report(call: &Call, asked: &PageRequest<EmptyForm>) -> Result<Html<String>, HttpError> {
    let view = call.read_run(asked.path_segment("run"))?;
    let report = report_of(call, &view)?;
    let html = signoff_page::report::screen(&report, graph(&view).as_deref());
    let screen = Screen {
        title: format!("Report of {}", report.run.title),
        place: Place::Runs,
        events: None,
        html: hide_in_html(&call.project.secrets(), html, &asked.person.csrf),
        done: None,
    };
    page(call, &asked.person, &screen)
}

/// The same as one file that needs nothing else.
fn report_file(call: &Call, asked: &PageRequest<EmptyForm>) -> Result<Response, HttpError> {
    let view = call.read_run(asked.path_segment("run"))?;
    let report = report_of(call, &view)?;
    let file = signoff_page::report::file(&report, graph(&view).as_deref());
    let file = call.project.secrets().hide(&file).into_owned();
    let name = format!("attachment; filename=\"{}.html\"", report.run.run);
    Ok(([(CONTENT_DISPOSITION, name)], Html(file)).into_response())
}

/// What becomes of files that the person and the run both changed; of no use to anything but `land`.
#[derive(Debug, Deserialize)]
struct Settling {
    settle: Option<String>,
    /// Empty: all of them.
    path: Option<String>,
}

impl Settling {
    fn options(&self) -> SettleOptions {
        let path = self.path.as_deref().map(str::trim).unwrap_or_default();
        let only = |word: &str| match &self.settle {
            Some(settle) if settle == word => vec![path.to_owned()],
            _ => Vec::new(),
        };
        SettleOptions {
            take: only("take"),
            keep: only("keep"),
        }
    }
}

fn act_on_run(call: &Call, asked: &PageRequest<Settling>) -> Result<Redirect, HttpError> {
    let id = call
        .read_run(asked.path_segment("run"))?
        .run
        .id()
        .to_owned();
    let done = match asked.path_segment("act") {
        "pause" => send_request(call, &id, RequestKind::Pause)?,
        "stop" => send_request(call, &id, RequestKind::Stop)?,
        "abort" => send_request(call, &id, RequestKind::Abort)?,
        "resume" => launch_resume(&call.project, &call.program, &id, LaunchedBy::Person)
            .map(|_| "started")
            .map_err(|error| call.fail(error))?,
        "land" => land_or_refuse(call, &id, &asked.sent.options()).map(|_| "landed")?,
        "undo" => match undo_or_refuse(call, &id)?.left.as_slice() {
            [] => "undone",
            _ => "undone-in-part",
        },
        _ => return Err(HttpError::not_found()),
    };
    Ok(Redirect::to(&format!("/runs/{id}?done={done}")))
}

#[derive(Debug, Deserialize)]
struct Deciding {
    hint: Option<String>,
}

fn act_on_step(call: &Call, asked: &PageRequest<Deciding>) -> Result<Redirect, HttpError> {
    let id = call
        .read_run(asked.path_segment("run"))?
        .run
        .id()
        .to_owned();
    let (step, hint) = (
        asked.path_segment("step").to_owned(),
        asked.sent.hint.clone(),
    );
    let what = match asked.path_segment("act") {
        "retry" => RequestKind::RetryStep { step, hint },
        "skip" => RequestKind::SkipStep { step },
        _ => return Err(HttpError::not_found()),
    };
    let done = send_request(call, &id, what)?;
    Ok(Redirect::to(&format!("/runs/{id}?done={done}")))
}

fn send_request(call: &Call, run: &str, what: RequestKind) -> Result<&'static str, HttpError> {
    ask(&call.project, run, what, &call.clock).map_err(|error| call.fail(error))?;
    Ok("asked")
}
