//! What waits on a person, and their answers.

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{Html, Redirect};
use axum::routing::get;
use serde::Deserialize;
use signoff_page::frame::Place;
use signoff_page::inbox::InboxView;
use signoff_runtime::inbox::waiting_items;

use super::frame::{Screen, page};
use crate::api::inbox::{AnswerBody, send_answer};
use crate::calls::call;
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::sessions::Session;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/inbox", get(inbox).post(answer))
}

#[derive(Debug, Deserialize)]
struct Asked {
    done: Option<String>,
}

async fn inbox(
    State(state): State<AppState>,
    session: Session,
    Query(asked): Query<Asked>,
) -> Result<Html<String>, HttpError> {
    let person = session.clone();
    call(&state, &session, move |call| {
        let waiting = waiting_items(&call.project).map_err(|error| call.fail(error))?;
        let unreadable = waiting.unreadable.into_iter();
        let unreadable: Vec<String> = unreadable
            .map(|(run, error)| {
                format!(
                    "run {run} cannot be read: {}",
                    call.fail(error).error.message
                )
            })
            .collect();
        let view = InboxView {
            items: &waiting.items,
            held: &waiting.held,
            unreadable: &unreadable,
            csrf: &person.csrf,
        };
        let screen = Screen {
            title: "Inbox".to_owned(),
            place: Place::Inbox,
            events: Some("/api/events".to_owned()),
            html: view.render(),
            done: asked.done,
        };
        page(call, &person, &screen)
    })
    .await
}

/// An answer, as the form of a card sends it.
#[derive(Debug, Deserialize)]
struct Answer {
    item: String,
    choice: String,
    #[serde(default)]
    note: String,
}

async fn answer(
    State(state): State<AppState>,
    form: PersonForm<Answer>,
) -> Result<Redirect, HttpError> {
    let Answer { item, choice, note } = form.fields;
    call(&state, &form.session, move |call| {
        let body = AnswerBody {
            choice,
            note: Some(note).filter(|note| !note.trim().is_empty()),
            steps: Vec::new(),
        };
        send_answer(call, &item, &body)?;
        Ok(Redirect::to("/inbox?done=answered"))
    })
    .await
}
