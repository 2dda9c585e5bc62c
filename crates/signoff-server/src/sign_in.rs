//! Opening and closing the session of a person.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{HeaderMap, SET_COOKIE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use crate::address::Queried;
use crate::error::HttpError;
use crate::forms::{PersonForm, SignInFields};
use crate::pages::{self, SignInView};
use crate::sessions::cookie;
use crate::state::AppState;

/// The addresses of signing in and out.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/sign-in", get(show).post(sign_in))
        .route("/sign-out", post(sign_out))
}

/// What the link to the form says.
#[derive(Debug, Default, Deserialize)]
struct SignInQuery {
    /// The page to go on to.
    #[serde(default)]
    next: String,
}

/// What the form sends.
#[derive(Debug, Deserialize)]
struct SignInForm {
    #[serde(default)]
    code: String,
    #[serde(default)]
    token: String,
    #[serde(default)]
    next: String,
}

async fn show(
    State(state): State<AppState>,
    Queried(asked): Queried<SignInQuery>,
) -> Result<Response, HttpError> {
    refuse_agents(&state)?;
    state.show_code().map_err(|_| no_randomness())?;
    let view = SignInView {
        by_token: state.has_people(),
        next: safe_target(&asked.next),
        message: None,
    };
    Ok(pages::sign_in(&view))
}

async fn sign_in(
    State(state): State<AppState>,
    SignInFields(typed): SignInFields<SignInForm>,
) -> Result<Response, HttpError> {
    refuse_agents(&state)?;
    let next = safe_target(&typed.next);
    let by_token = state.has_people();
    let opened = if by_token {
        state.open_by_token(typed.token.trim())
    } else {
        state.open_by_code(&typed.code).await
    };
    let opened = opened.map_err(|_| no_randomness())?;
    let Some(id) = opened else {
        // The newest may be too old by now.
        state.show_code().map_err(|_| no_randomness())?;
        let message = if by_token {
            "this is not the token of a person who may sign in here"
        } else {
            "this is not the code that was shown last, or it is too old"
        };
        let shown = pages::sign_in(&SignInView {
            by_token,
            next,
            message: Some(message.to_owned()),
        });
        return Ok((StatusCode::FORBIDDEN, shown).into_response());
    };
    let cookie = cookie::set(&state.cookie_name(), &id, state.is_secure());
    Ok(([(SET_COOKIE, cookie)], Redirect::to(&next)).into_response())
}

async fn sign_out(
    State(state): State<AppState>,
    headers: HeaderMap,
    PersonForm { session, fields }: PersonForm<SignInQuery>,
) -> Response {
    (state.options.tell)(&format!("{} signed out", session.person));
    state.close_session(&headers);
    let cookie = cookie::clear(&state.cookie_name());
    (
        [(SET_COOKIE, cookie)],
        Redirect::to(&safe_target(&fields.next)),
    )
        .into_response()
}

/// A server that an agent started speaks for nobody.
fn refuse_agents(state: &AppState) -> Result<(), HttpError> {
    match &state.options.refusal {
        Some(refusal) => Err(refusal.clone().into()),
        None => Ok(()),
    }
}

/// A page of this server: whatever else a link says leads home.
fn safe_target(next: &str) -> String {
    let is_own = next.starts_with('/')
        && !next.starts_with("//")
        && next
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_own { next } else { "/" }.to_owned()
}

fn no_randomness() -> HttpError {
    let message = "the system gives no random numbers";
    HttpError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "no-randomness",
        message,
        &[],
    )
}

#[cfg(test)]
mod tests {
    use super::safe_target;

    #[test]
    fn a_link_leads_to_our_own_pages_only() {
        assert_eq!(safe_target("/plans/a?b=c"), "/plans/a?b=c");
        for other in [
            "",
            "plans",
            "//evil.example",
            "/\\evil.example",
            "https://e",
            "/a\nb",
        ] {
            assert_eq!(safe_target(other), "/", "{other}");
        }
    }
}
