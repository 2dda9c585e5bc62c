//! Pages on which every character is seen.

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use signoff_page::hidden_characters::escape_hidden;

/// Escapes hidden characters in every page, whichever handler made it.
pub(crate) async fn show_hidden_characters(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !is_page {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let page = escape_hidden(&String::from_utf8_lossy(&bytes));
    Response::from_parts(parts, Body::from(page))
}
