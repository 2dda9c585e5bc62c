//! The style and the scripts of pages.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

use crate::address::Named;
use crate::error::HttpError;

/// A file by its name; nothing but its tag, if the browser has it already.
pub(super) async fn asset(named: Named, headers: HeaderMap) -> Response {
    let Some(asset) = signoff_page::assets::find(named.get("name")) else {
        return HttpError::not_found().into_response();
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
