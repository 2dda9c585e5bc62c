//! The two kinds of addresses that pages have: those that show something, and those that take a form. Each calls the
//! runtime as the person who is signed in.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use serde::de::DeserializeOwned;

use crate::address::{Named, Queried};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::sessions::Session;
use crate::state::AppState;

/// What a person asks a page for.
#[derive(Debug)]
pub(super) struct PageRequest<T> {
    pub(super) person: Session,
    named: Named,
    /// The query, or the fields of the form.
    pub(super) sent: T,
}

impl<T> PageRequest<T> {
    /// What stands in the place of this name in the path.
    pub(super) fn path_segment(&self, name: &str) -> &str {
        self.named.get(name)
    }
}

/// An address that shows what `work` makes of it and of its query.
pub(super) fn shows<Q, A>(
    work: fn(&Call, &PageRequest<Q>) -> Result<A, HttpError>,
) -> MethodRouter<AppState>
where
    Q: DeserializeOwned + Send + 'static,
    A: IntoResponse + Send + 'static,
{
    get(
        async move |State(state): State<AppState>,
                    person: Session,
                    named: Named,
                    Queried(sent): Queried<Q>| {
            answer(state, person, named, sent, work).await
        },
    )
}

/// An address that takes a form of our own pages.
pub(super) fn form_route<F, A>(
    work: fn(&Call, &PageRequest<F>) -> Result<A, HttpError>,
) -> MethodRouter<AppState>
where
    F: DeserializeOwned + Send + 'static,
    A: IntoResponse + Send + 'static,
{
    post(
        async move |State(state): State<AppState>, named: Named, form: PersonForm<F>| {
            answer(state, form.session, named, form.fields, work).await
        },
    )
}

async fn answer<T, A>(
    state: AppState,
    person: Session,
    named: Named,
    sent: T,
    work: fn(&Call, &PageRequest<T>) -> Result<A, HttpError>,
) -> Result<Response, HttpError>
where
    T: Send + 'static,
    A: IntoResponse + Send + 'static,
{
    let session = person.clone();
    let asked = PageRequest {
        person,
        named,
        sent,
    };
    let answered = call(&state, &session, move |call| work(call, &asked));
    Ok(answered.await?.into_response())
}
