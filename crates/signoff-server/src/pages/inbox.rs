//! What waits on a person, and their answers.

use axum::Router;
use axum::response::{Html, Redirect};
use serde::Deserialize;
use signoff_page::frame::Place;
use signoff_page::inbox::InboxView;
use signoff_runtime::inbox::waiting_items;
use signoff_runtime::launch::{LaunchedBy, launch_resume};
use signoff_runtime::runs::view::RunView;

use super::frame::{Screen, new_events, page};
use super::request::{PageRequest, form_route, shows};
use crate::api::inbox::{AnswerBody, send_answer};
use crate::calls::Call;
use crate::error::HttpError;
use crate::redaction::hide_in_html;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/inbox", shows(inbox).merge(form_route(answer)))
}

#[derive(Debug, Deserialize)]
struct InboxQuery {
    done: Option<String>,
}

fn inbox(call: &Call, asked: &PageRequest<InboxQuery>) -> Result<Html<String>, HttpError> {
    let person = &asked.person;
    let waiting = waiting_items(&call.project).map_err(|error| call.fail(error))?;
    let unreadable = waiting.unreadable.into_iter();
    let unreadable = unreadable.map(|(run, error)| {
        let why = call.fail(error).error.message;
        format!("run {run} cannot be read: {why}")
    });
    let unreadable: Vec<String> = unreadable.collect();
    let view = InboxView {
        items: &waiting.items,
        held: &waiting.held,
        unreadable: &unreadable,
        csrf: &person.csrf,
    };
    let screen = Screen {
        title: "Inbox".to_owned(),
        place: Place::Inbox,
        events: Some(new_events(call)),
        html: hide_in_html(&call.project.secrets(), view.render(), &person.csrf),
        done: asked.sent.done.clone(),
    };
    page(call, person, &screen)
}

/// Continues the run that asked, if nobody drives it and nothing else waits. Whether that succeeds or not, the answer is
/// kept, and the page of the run offers to continue it.
fn resume_after_answer(call: &Call, item: &str) {
    let run = item.split('/').next().unwrap_or(item);
    let waits = |view: &RunView| !view.driven && view.run.outcome().is_none();
    if call.read_run(run).is_ok_and(|view| waits(&view)) {
        launch_resume(&call.project, &call.program, run, LaunchedBy::Person).ok();
    }
}

/// An answer, as the form of a card sends it.
#[derive(Debug, Deserialize)]
struct Answer {
    item: String,
    choice: String,
    #[serde(default)]
    note: String,
}

fn answer(call: &Call, asked: &PageRequest<Answer>) -> Result<Redirect, HttpError> {
    let Answer { item, choice, note } = &asked.sent;
    let body = AnswerBody {
        choice: choice.clone(),
        note: Some(note.clone()).filter(|note| !note.trim().is_empty()),
        steps: Vec::new(),
    };
    send_answer(call, item, &body)?;
    resume_after_answer(call, item);
    Ok(Redirect::to("/inbox?done=answered"))
}
