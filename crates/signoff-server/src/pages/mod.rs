//! Pages for people.

use axum::Router;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use signoff_api::error::Error;

use crate::sessions::Session;
use crate::state::AppState;

/// What the form to sign in shows.
#[derive(Debug)]
pub(crate) struct SignInView {
    /// The page to go on to.
    pub(crate) next: String,
    /// What was wrong with the last try.
    pub(crate) message: Option<String>,
}

/// The addresses of pages and of what they load.
pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/", get(home))
}

async fn home(session: Session) -> Html<String> {
    page(&format!(
        "<p>Signed in as {}.</p>",
        escaped(&session.person)
    ))
}

/// The form to sign in.
pub(crate) fn sign_in(view: &SignInView) -> Response {
    let message = view.message.as_deref().unwrap_or_default();
    page(&format!(
        "<p>{}</p><form method=\"post\" action=\"/sign-in\"><input type=\"hidden\" name=\"next\" value=\"{}\"><label>Code <input name=\"code\" autocomplete=\"off\" autofocus></label> <button>Sign in</button></form>",
        escaped(message),
        escaped(&view.next)
    ))
    .into_response()
}

/// A failure, for a person.
pub(crate) fn failure(status: StatusCode, error: &Error) -> Response {
    let hints = error
        .hints
        .iter()
        .map(|hint| format!("<li>{}</li>", escaped(hint)));
    let hints: String = hints.collect();
    let body = format!("<p>{}</p><ul>{hints}</ul>", escaped(&error.message));
    (status, page(&body)).into_response()
}

fn page(body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Signoff</title><h1>Signoff</h1>{body}</html>"
    ))
}

fn escaped(text: &str) -> String {
    let escape = |letter| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(escape).collect()
}
