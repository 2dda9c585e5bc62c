//! One address of the API: what it takes, what it answers, and what answers it. The router and the OpenAPI document are
//! both made of these, so that they cannot differ.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, FromRequestParts as _, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::address::{Named, Queried};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::redaction::hide_in_json;
use crate::sessions::Session;
use crate::state::AppState;

/// One address of the API.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    /// With its parameters in braces.
    pub(crate) path: &'static str,
    /// What it does, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) query: SchemaOf,
    pub(crate) body: SchemaOf,
    pub(crate) answer: Answer,
    pub(crate) handler: MethodRouter<AppState>,
}

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What an address answers with.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// One value.
    Json(SchemaOf),
    /// Values, one after another, as they come.
    Events(SchemaOf),
}

/// No query, or no body.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::empty_structs_with_brackets,
    reason = "a query and a body are maps, even empty ones"
)]
pub(crate) struct Nothing {}

/// What a request asks for.
#[derive(Debug, Default)]
pub(crate) struct EndpointRequest<Q = Nothing, B = Nothing> {
    named: Named,
    pub(crate) query: Q,
    pub(crate) body: B,
}

impl<Q, B> EndpointRequest<Q, B> {
    /// The parameter of this name in the path.
    pub(crate) fn path_value(&self, name: &str) -> &str {
        self.named.get(name)
    }
}

/// An address that calls the runtime for the person who is signed in.
pub(crate) fn endpoint<Q, B, A>(
    method: &Method,
    path: &'static str,
    about: &'static str,
    work: fn(&Call, &EndpointRequest<Q, B>) -> Result<A, HttpError>,
) -> Endpoint
where
    Q: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    B: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    A: Serialize + JsonSchema + Send + 'static,
{
    let filter = MethodFilter::try_from(method.clone()).expect("it is a method of HTTP");
    let answer = async move |State(state): State<AppState>, session: Session, request: Request| {
        let asked = read::<Q, B>(request, &state).await?;
        let answer = call(&state, &session, move |call| {
            let answer = work(call, &asked)?;
            Ok(response_value(call, path, &answer))
        });
        Ok::<Response, HttpError>(Json(answer.await?).into_response())
    };
    Endpoint {
        method: method.clone(),
        path,
        about,
        query: |schemas| schemas.subschema_for::<Q>(),
        body: |schemas| schemas.subschema_for::<B>(),
        answer: Answer::Json(schemars::SchemaGenerator::subschema_for::<A>),
        handler: on(filter, answer),
    }
}

/// What is sent of an answer: of runs, not what is secret.
fn response_value(call: &Call, path: &str, answer: &impl Serialize) -> Value {
    let mut value = json!(answer);
    if path.starts_with("/api/runs") || path.starts_with("/api/inbox") {
        hide_in_json(&call.project.secrets(), &mut value);
    }
    value
}

/// Reads what a request asks for.
async fn read<Q: DeserializeOwned, B: DeserializeOwned>(
    request: Request,
    state: &AppState,
) -> Result<EndpointRequest<Q, B>, HttpError> {
    let (mut parts, body) = request.into_parts();
    let named = Named::from_request_parts(&mut parts, state).await?;
    let Queried(query) = Queried::from_request_parts(&mut parts, state).await?;
    let kind = parts.headers.get(CONTENT_TYPE).cloned();
    let bytes = Bytes::from_request(Request::from_parts(parts, body), state).await;
    let bytes = bytes.map_err(|rejection| {
        HttpError::new(
            rejection.status(),
            "bad-request",
            &rejection.body_text(),
            &[],
        )
    })?;
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !bytes.is_empty() && !is_json {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let message = "the body must be `application/json`";
        return Err(HttpError::new(status, "bad-request", message, &[]));
    }
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    let body = serde_json::from_slice(text);
    let body = body.map_err(|why| HttpError::bad_request(&format!("the body: {why}")))?;
    Ok(EndpointRequest { named, query, body })
}
