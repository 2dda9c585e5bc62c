//! What programs ask for: the answers are the types of `signoff-api`.

mod endpoint;
mod events;
pub(crate) mod inbox;
mod openapi;
mod plans;
mod reviews;
pub(crate) mod runs;
mod signatures;

use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use self::endpoint::Endpoint;
pub use self::openapi::openapi;
use crate::sessions::Session;
use crate::state::AppState;

/// Every address below `/api`, and `/health`.
pub(crate) fn routes() -> Router<AppState> {
    let health = Router::new()
        .route("/health", get(health))
        .route("/api/openapi.json", get(document));
    endpoints().into_iter().fold(health, |router, endpoint| {
        router.route(endpoint.path, endpoint.handler)
    })
}

/// Every address below `/api`.
fn endpoints() -> Vec<Endpoint> {
    let mut all = plans::endpoints();
    all.extend(reviews::endpoints());
    all.extend(signatures::endpoints());
    all.extend(runs::endpoints());
    all.extend(inbox::endpoints());
    all.extend(events::endpoints());
    all
}

/// What can be asked for.
async fn document(_session: Session) -> Json<Value> {
    Json(openapi())
}

/// Says that the server answers, and nothing about the project.
async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}
