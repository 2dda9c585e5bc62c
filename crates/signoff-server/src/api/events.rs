//! Events as they come, for whoever keeps the connection open.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_api::activity::ActivityEvent;
use signoff_api::event::{LogEntry, StepResult, StreamedEvent};
use signoff_runtime::project::Project;
use signoff_runtime::runs::names::run_of_task;

use super::endpoint::{Answer, Endpoint, Nothing};
use crate::address::{Named, Queried};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::sessions::Session;
use crate::state::AppState;
use crate::streams::{IsAllowed, View, last_seen};

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let stream = |path, about, answer, handler| Endpoint {
        method: Method::GET,
        path,
        about,
        query: |schemas| schemas.subschema_for::<EventsQuery>(),
        body: |schemas| schemas.subschema_for::<Nothing>(),
        answer,
        handler,
    };
    vec![
        stream(
            "/api/runs/{run}/events",
            "Streams the events of a run.",
            Answer::Events(schemars::SchemaGenerator::subschema_for::<StreamedEvent>),
            get(stream_run),
        ),
        stream(
            "/api/tasks/{task}/events",
            "Streams the progress of the steps of a task's newest run.",
            Answer::Events(schemars::SchemaGenerator::subschema_for::<ProgressEvent>),
            get(stream_task),
        ),
        stream(
            "/api/events",
            "Streams what becomes of all plans, and what waits on people.",
            Answer::Events(schemars::SchemaGenerator::subschema_for::<ActivityEvent>),
            get(stream_all),
        ),
    ]
}

/// Where a stream begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// The number of the last event that is known; `Last-Event-ID` says the same.
    after: Option<u64>,
}

/// The toolplan specification's `ProgressEvent`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProgressEvent {
    task_id: String,
    step_id: String,
    status: String,
    /// 0–100.
    progress: u8,
    result: Option<StepResult>,
    #[serde(default)]
    logs: Vec<LogEntry>,
}

async fn stream_run(
    State(state): State<AppState>,
    session: Session,
    named: Named,
    Queried(query): Queried<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let run = named.get("run").to_owned();
    let found = move |call: &Call| Ok(call.read_run(&run)?.run.id().to_owned());
    follow(
        (&state, &headers),
        &session,
        found,
        View::Events,
        last_seen(&headers, query.after),
    )
    .await
}

async fn stream_task(
    State(state): State<AppState>,
    session: Session,
    named: Named,
    Queried(query): Queried<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let task = named.get("task").to_owned();
    let found = move |call: &Call| {
        let run = run_of_task(&call.project, &task).map_err(|error| call.fail(error))?;
        run.ok_or_else(|| {
            let message = format!("no run of a task `{task}` is known");
            HttpError::new(StatusCode::NOT_FOUND, "unknown-task", &message, &[])
        })
    };
    follow(
        (&state, &headers),
        &session,
        found,
        View::Progress,
        last_seen(&headers, query.after),
    )
    .await
}

async fn stream_all(
    State(state): State<AppState>,
    session: Session,
    Queried(query): Queried<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let seen = last_seen(&headers, query.after);
    let project = call(&state, &session, |call| Ok(call.project.clone())).await?;
    let body = state.hub.follow_all(project, seen)?;
    Ok(body
        .while_allowed(is_still_signed_in(&state, &headers))
        .into_response())
}

/// Is the person who opened this stream still signed in?
fn is_still_signed_in(state: &AppState, headers: &HeaderMap) -> IsAllowed {
    let (state, headers) = (state.clone(), headers.clone());
    Arc::new(move || state.session_of(&headers).is_some())
}

async fn follow(
    (state, headers): (&AppState, &HeaderMap),
    session: &Session,
    find: impl FnOnce(&Call) -> Result<String, HttpError> + Send + 'static,
    view: View,
    seen: Option<u64>,
) -> Result<Response, HttpError> {
    let found = call(state, session, move |call| {
        Ok::<(Project, String), HttpError>((call.project.clone(), find(call)?))
    });
    let (project, run) = found.await?;
    let body = state.hub.follow_run(project, &run, view, seen)?;
    Ok(body
        .while_allowed(is_still_signed_in(state, headers))
        .into_response())
}
