//! Failures as responses: `signoff.error/1` for programs, a page for people.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use signoff_api::error as api;

/// A failure as the command line words it, with its exit code.
#[derive(Debug, Clone)]
pub struct WordedError {
    /// The exit code, which says what kind of failure it is.
    pub exit: u8,
    /// The words.
    pub error: api::Error,
}

/// A failure with the status that it is answered with.
#[derive(Debug, Clone)]
pub(crate) struct HttpError {
    pub(crate) status: StatusCode,
    pub(crate) error: Box<api::Error>,
}

impl HttpError {
    /// A failure of this surface.
    pub(crate) fn new(status: StatusCode, code: &str, message: &str, hints: &[&str]) -> Self {
        let hints = hints.iter().map(|hint| (*hint).to_owned()).collect();
        Self {
            status,
            error: Box::new(api::Error::new(code, message, Vec::new(), hints)),
        }
    }

    /// An address that nothing is at.
    pub(crate) fn not_found() -> Self {
        let message = "there is nothing at this address";
        Self::new(StatusCode::NOT_FOUND, "no-such-address", message, &[])
    }

    /// A request that makes no sense, whatever the project's state.
    pub(crate) fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message, &[])
    }
}

impl From<WordedError> for HttpError {
    fn from(worded: WordedError) -> Self {
        let status = match (worded.exit, worded.error.code.as_str()) {
            // What a person wrote cannot be carried out as it is.
            (1, _) => StatusCode::UNPROCESSABLE_ENTITY,
            (2, "no-plan" | "no-run" | "no-step" | "no-item") => StatusCode::NOT_FOUND,
            (2, _) => StatusCode::BAD_REQUEST,
            (4, _) => StatusCode::FORBIDDEN,
            // Its process says why: it is not signed, or not trusted.
            (3 | 5, _) | (6, "not-started") => StatusCode::CONFLICT,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self {
            status,
            error: Box::new(worded.error),
        }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self.error)).into_response();
        // The outermost layer makes a page of it where a person asked.
        response.extensions_mut().insert(self);
        response
    }
}
