//! Pages for people. They show what the runtime knows and pass on what a person does; the HTML is `signoff-page`'s.

mod assets;
mod comments;
mod edit;
mod frame;
mod inbox;
mod key;
mod plans;
mod request;
mod review;
mod run;
mod step_form;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use signoff_api::error::Error;
use signoff_page::problem::KeptForm;

use crate::state::AppState;

/// What the form to sign in shows.
#[derive(Debug)]
pub(crate) struct SignInView {
    /// A token is asked for, and not the code.
    pub(crate) by_token: bool,
    /// The page to go on to.
    pub(crate) next: String,
    /// What was wrong with the last try.
    pub(crate) message: Option<String>,
}

/// The addresses of pages and of what they load.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/assets/{name}", get(assets::asset))
        .merge(plans::routes())
        .merge(review::routes())
        .merge(edit::routes())
        .merge(step_form::routes())
        .merge(key::routes())
        .merge(comments::routes())
        .merge(run::routes())
        .merge(inbox::routes())
}

/// The form to sign in.
pub(crate) fn sign_in(view: &SignInView) -> Response {
    let shown = signoff_page::sign_in::SignInView {
        next: &view.next,
        message: view.message.as_deref(),
        by_token: view.by_token,
    };
    Html(shown.render().into_string()).into_response()
}

/// A failure, for a person; with what they had written, so that it is not lost.
pub(crate) fn failure(status: StatusCode, error: &Error, kept: Option<&KeptForm>) -> Response {
    let page = signoff_page::problem::page(error, kept).into_string();
    (status, Html(page)).into_response()
}
