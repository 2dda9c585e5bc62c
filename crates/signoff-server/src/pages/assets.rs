//! The style and the scripts of pages.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

/// A file by its name; nothing but its tag, if the browser has it already.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = signoff_page::assets::find(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let known = headers.get(IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    // Asked for again with each page: after an update nobody signs on an old script.
    let about = [
        (ETAG, asset.tag()),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_TYPE, asset.kind),
    ];
    if known == Some(asset.tag()) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, asset.text).into_response()
}
