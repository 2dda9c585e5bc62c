//! How much a request may ask for.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

use crate::error::HttpError;

/// Bytes of a body: more than the largest plan has.
const LARGEST: usize = 8 << 20;
/// How long an answer may take to begin: a run may take a minute until it has begun.
const LONGEST: Duration = Duration::from_mins(2);

pub(crate) fn body_limit() -> DefaultBodyLimit {
    DefaultBodyLimit::max(LARGEST)
}

/// Gives up what takes too long.
pub(crate) async fn time_limit(request: Request, next: Next) -> Result<Response, HttpError> {
    let answer = tokio::time::timeout(LONGEST, next.run(request)).await;
    answer.map_err(|_| {
        let message = "it took too long";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        HttpError::new(
            status,
            "timeout",
            message,
            &["what was begun may be done later"],
        )
    })
}
