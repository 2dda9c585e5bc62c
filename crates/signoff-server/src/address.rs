//! What an address says: the names in its path, and its query. One that makes no sense is refused in the shape of errors.

use std::collections::BTreeMap;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::HttpError;

/// The names in the path of an address.
#[derive(Debug, Default)]
pub(crate) struct Named(BTreeMap<String, String>);

impl Named {
    /// What stands in the place of this name.
    pub(crate) fn get(&self, name: &str) -> &str {
        let found = self.0.get(name);
        found.expect("the address has a place of this name")
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let found = Path::from_request_parts(parts, state).await;
        let Path(found) = found.map_err(|rejection| HttpError {
            status: rejection.status(),
            ..HttpError::bad_request(&rejection.body_text())
        })?;
        Ok(Self(found))
    }
}

/// The query of an address.
#[derive(Debug)]
pub(crate) struct Queried<Q>(pub(crate) Q);

impl<S: Sync, Q: DeserializeOwned> FromRequestParts<S> for Queried<Q> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, HttpError> {
        let query = serde_urlencoded::from_str(parts.uri.query().unwrap_or_default());
        let query = query.map_err(|why| HttpError::bad_request(&format!("the query: {why}")));
        Ok(Self(query?))
    }
}
