//! Runs: how far they are, and what a person does about them.

use axum::http::{Method, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_api::error::Error;
use signoff_api::landing::Landing;
use signoff_api::report::Report;
use signoff_api::request::RequestKind;
use signoff_api::run::Run;
use signoff_api::runs::{RunSummary, Runs};
use signoff_api::transcript::Transcript;
use signoff_api::undo::Undo;
use signoff_runtime::Clock as _;
use signoff_runtime::launch::{LaunchedBy, launch_resume, launch_run};
use signoff_runtime::live::RunOptions;
use signoff_runtime::live::landing::{LandingReport, SettleOptions, UndoReport, land, undo};
use signoff_runtime::live::rehearsal::require_startable;
use signoff_runtime::runs::control::ask;
use signoff_runtime::runs::listed_run::ListedRun;
use signoff_runtime::runs::questions::step_patch;
use signoff_runtime::runs::transcript::AgentLog;
use signoff_runtime::runs::view::RunView;

use super::endpoint::{Endpoint, EndpointRequest, Nothing, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let (get, post) = (Method::GET, Method::POST);
    vec![
        endpoint(
            &post,
            "/api/plans/{plan}/start",
            "Starts a signed plan in a process of its own.",
            start,
        ),
        endpoint(&get, "/api/runs", "Lists the runs, newest last.", list),
        endpoint(
            &get,
            "/api/runs/{run}",
            "Shows a run, with the evidence for each step.",
            show,
        ),
        endpoint(
            &get,
            "/api/runs/{run}/report",
            "Tells what a run did and how we know.",
            report,
        ),
        endpoint(
            &get,
            "/api/runs/{run}/steps/{step}/transcript",
            "Shows what an agent said and did.",
            transcript,
        ),
        endpoint(
            &get,
            "/api/runs/{run}/steps/{step}/changes",
            "Shows what an attempt changed, as a patch.",
            changes,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/pause",
            "Lets nothing new start.",
            pause,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/stop",
            "Stops a run and its agents.",
            stop,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/abort",
            "Ends a run as failed.",
            abort,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/resume",
            "Continues a run in a process of its own.",
            resume,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/steps/{step}/retry",
            "Tries a step again.",
            retry_step,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/steps/{step}/skip",
            "Skips a step.",
            skip_step,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/land",
            "Brings a run's changes into the checkout.",
            land_run,
        ),
        endpoint(
            &post,
            "/api/runs/{run}/undo",
            "Takes a run's changes back.",
            undo_run,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AttemptQuery {
    /// Without one, the last.
    attempt: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RetryBody {
    /// What the agent is told.
    hint: Option<String>,
}

/// How held files are settled: paths in the project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettleBody {
    /// The run's version takes their place.
    #[serde(default)]
    take: Vec<String>,
    /// They stay as they are.
    #[serde(default)]
    keep: Vec<String>,
}

/// What an attempt changed.
#[derive(Debug, Serialize, JsonSchema)]
struct Changes {
    run: String,
    step: String,
    attempt: u32,
    /// `null` where git has not recorded it.
    patch: Option<String>,
}

fn start(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    let plan = asked.path_value("plan");
    let file = call.read_plan(plan)?;
    let name = file.source.name().to_owned();
    // Its process would say so too, but as an end of a process.
    let options = RunOptions::default();
    require_startable(call.by_person(), &file, &options, false).map_err(call.fail_about(plan))?;
    let begun = launch_run(&call.project, &call.program, &name, LaunchedBy::Person);
    let begun = begun.map_err(call.fail_about(plan))?;
    Ok(call.read_run(&begun.run)?.to_api())
}

fn list(call: &Call, _asked: &EndpointRequest) -> Result<Runs, HttpError> {
    let all = ListedRun::load_all(&call.project).map_err(|error| call.fail(error))?;
    let runs = all.into_iter().map(|(id, run)| match run {
        Ok(run) => run.to_api(),
        Err(error) => RunSummary::unreadable(id, call.fail(error).error.message),
    });
    Ok(Runs::new(runs.collect()))
}

fn show(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    Ok(call.read_run(asked.path_value("run"))?.to_api())
}

fn report(call: &Call, asked: &EndpointRequest) -> Result<Report, HttpError> {
    let view = call.read_run(asked.path_value("run"))?;
    let report = view.report(&call.project, call.clock.now());
    report.map_err(|error| call.fail(error))
}

fn transcript(call: &Call, asked: &EndpointRequest<AttemptQuery>) -> Result<Transcript, HttpError> {
    let (view, step) = (
        call.read_run(asked.path_value("run"))?,
        asked.path_value("step"),
    );
    let log = AgentLog::find(&call.project, &view, step, asked.query.attempt);
    let log = log.ok_or_else(|| {
        let message = format!("no agent has made such an attempt at step `{step}`");
        HttpError::new(StatusCode::NOT_FOUND, "no-attempt", &message, &[])
    })?;
    let transcript = log.transcript(call.project.store.workspace());
    transcript.map_err(|error| call.fail(error))
}

fn changes(call: &Call, asked: &EndpointRequest<AttemptQuery>) -> Result<Changes, HttpError> {
    let view = call.read_run(asked.path_value("run"))?;
    let step = step_of(&view, asked.path_value("step"))?;
    let state = view.run.position(&step).and_then(|at| view.run.step(at));
    let attempts = state.map_or(0, |(_, state)| state.attempts);
    let attempt = asked.query.attempt.unwrap_or(attempts);
    Ok(Changes {
        run: view.run.id().to_owned(),
        patch: step_patch(&call.project, &view.run, &step, attempt),
        step,
        attempt,
    })
}

fn resume(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    let run = call.read_run(asked.path_value("run"))?.run.id().to_owned();
    let begun = launch_resume(&call.project, &call.program, &run, LaunchedBy::Person);
    let begun = begun.map_err(|error| call.fail(error))?;
    Ok(call.read_run(&begun.run)?.to_api())
}

fn retry_step(call: &Call, asked: &EndpointRequest<Nothing, RetryBody>) -> Result<Run, HttpError> {
    let step = step_of(
        &call.read_run(asked.path_value("run"))?,
        asked.path_value("step"),
    )?;
    let hint = asked.body.hint.clone();
    request(call, asked, RequestKind::RetryStep { step, hint })
}

fn skip_step(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    let step = step_of(
        &call.read_run(asked.path_value("run"))?,
        asked.path_value("step"),
    )?;
    request(call, asked, RequestKind::SkipStep { step })
}

fn land_run(
    call: &Call,
    asked: &EndpointRequest<Nothing, SettleBody>,
) -> Result<Landing, HttpError> {
    let run = call.read_run(asked.path_value("run"))?.run.id().to_owned();
    let settlement = SettleOptions {
        take: asked.body.take.clone(),
        keep: asked.body.keep.clone(),
    };
    Ok(land_or_refuse(call, &run, &settlement)?.to_api())
}

fn undo_run(call: &Call, asked: &EndpointRequest) -> Result<Undo, HttpError> {
    let run = call.read_run(asked.path_value("run"))?.run.id().to_owned();
    Ok(undo_or_refuse(call, &run)?.to_api())
}

/// Lands a run. One that did not land, or not all of it, is a conflict: the checkout has what stands in the way.
pub(crate) fn land_or_refuse(
    call: &Call,
    run: &str,
    settlement: &SettleOptions,
) -> Result<LandingReport, HttpError> {
    let landing = land(&call.project, Some(run), settlement, &call.clock);
    let landing = landing.map_err(|error| call.fail(error))?;
    if landing.refused.is_empty() {
        return Ok(landing);
    }
    let message = format!("run {run} has not landed completely");
    let hints = landing.by_hand.iter().map(|command| format!("`{command}`"));
    Err(conflict(
        "not-landed",
        &message,
        &landing.refused,
        hints.collect(),
    ))
}

/// Undoes a run. What was not undone is a conflict, as on the command line.
pub(crate) fn undo_or_refuse(call: &Call, run: &str) -> Result<UndoReport, HttpError> {
    let undone = undo(&call.project, Some(run), &call.clock);
    let undone = undone.map_err(|error| call.fail(error))?;
    if undone.refused.is_empty() {
        return Ok(undone);
    }
    let message = format!("run {run} was not undone completely");
    Err(conflict(
        "not-undone",
        &message,
        &undone.refused,
        Vec::new(),
    ))
}

fn conflict(code: &str, message: &str, why: &[String], hints: Vec<String>) -> HttpError {
    HttpError {
        status: StatusCode::CONFLICT,
        error: Box::new(Error::new(code, message, why.to_vec(), hints)),
    }
}

fn pause(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    request(call, asked, RequestKind::Pause)
}

fn stop(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    request(call, asked, RequestKind::Stop)
}

fn abort(call: &Call, asked: &EndpointRequest) -> Result<Run, HttpError> {
    request(call, asked, RequestKind::Abort)
}

/// Asks something of a run, and shows it afterwards.
fn request<Q, B>(
    call: &Call,
    asked: &EndpointRequest<Q, B>,
    what: RequestKind,
) -> Result<Run, HttpError> {
    let run = call.read_run(asked.path_value("run"))?.run.id().to_owned();
    ask(&call.project, &run, what, &call.clock).map_err(|error| call.fail(error))?;
    Ok(call.read_run(&run)?.to_api())
}

/// The step of this id.
fn step_of(view: &RunView, step: &str) -> Result<String, HttpError> {
    let found = view.run.position(step).map(|_| step.to_owned());
    found.ok_or_else(|| {
        let message = format!("run {} has no step `{step}`", view.run.id());
        HttpError::new(StatusCode::NOT_FOUND, "unknown-step", &message, &[])
    })
}
