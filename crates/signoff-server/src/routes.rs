//! Every address, and what every request goes through.

use std::io;

use axum::Router;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Redirect, Response};
use signoff_page::problem::KeptForm;

use crate::error::HttpError;
use crate::forms::SentForm;
use crate::safety::{
    add_headers, body_limit, refuse_strangers, show_hidden_characters, time_limit,
};
use crate::sessions::Session;
use crate::state::AppState;
use crate::{api, mcp, pages, sign_in};

/// The whole server.
pub(crate) fn router(state: AppState) -> io::Result<Router> {
    let router = Router::new()
        .merge(sign_in::routes())
        .merge(api::routes())
        .merge(pages::routes())
        .merge(mcp::routes(&state)?)
        .fallback(async || HttpError::not_found())
        .method_not_allowed_fallback(async || wrong_method())
        .layer(body_limit())
        .layer(from_fn(time_limit))
        .layer(from_fn_with_state(state.clone(), identify))
        .layer(from_fn_with_state(state.clone(), refuse_strangers))
        .layer(from_fn(show_failures))
        .layer(map_response(show_hidden_characters))
        .layer(from_fn(add_headers))
        .with_state(state);
    Ok(router)
}

/// Finds out whose request it is.
async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    if let Some(session) = state.session_of(request.headers()) {
        request.extensions_mut().insert(session);
    }
    next.run(request).await
}

/// Whoever takes a session refuses requests without one.
impl<S: Sync> FromRequestParts<S> for Session {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, HttpError> {
        let session = parts.extensions.get::<Self>().cloned();
        session.ok_or_else(|| {
            let message = "nobody is signed in";
            let hint = "sign in at `/sign-in`";
            HttpError::new(StatusCode::UNAUTHORIZED, "no-session", message, &[hint])
        })
    }
}

/// Makes a page of a failure where a person asked, and leads them to the form where they must sign in.
async fn show_failures(mut request: Request, next: Next) -> Response {
    let accepts = request.headers().get(ACCEPT);
    let accepts = accepts.and_then(|types| types.to_str().ok());
    let path = request.uri().path();
    let is_person =
        accepts.is_some_and(|types| types.contains("text/html")) && !path.starts_with("/api/");
    let reads = request.method() == Method::GET;
    let there = request
        .uri()
        .path_and_query()
        .map_or("/", |there| there.as_str());
    let back = percent_encoded(there);
    let action = request.uri().path().to_owned();
    let sent = SentForm::default();
    request.extensions_mut().insert(sent.clone());
    let response = next.run(request).await;
    let Some(failure) = response
        .extensions()
        .get::<HttpError>()
        .filter(|_| is_person)
    else {
        return response;
    };
    if failure.status == StatusCode::UNAUTHORIZED && reads {
        return Redirect::to(&format!("/sign-in?next={back}")).into_response();
    }
    let kept = sent.take_sent().map(|sent| KeptForm {
        action,
        fields: sent.fields,
        csrf: sent.csrf,
    });
    pages::failure(failure.status, &failure.error, kept.as_ref())
}

/// A path as the value of a query.
fn percent_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                encoded.push(char::from(byte));
            }
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

fn wrong_method() -> HttpError {
    let message = "this address does not take this method";
    HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", message, &[])
}
