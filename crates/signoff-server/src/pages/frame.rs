//! The page around a screen, for the person of a session.

use axum::response::Html;
use serde::Deserialize;
use signoff_engine::PlanState;
use signoff_page::frame::{Frame, Notice, Place};
use signoff_page::plans::WAITING;
use signoff_runtime::Clock as _;
use signoff_runtime::inbox::waiting_count;
use signoff_runtime::plans::{ListOptions, Listing, count_in_states};

use crate::calls::Call;
use crate::error::HttpError;
use crate::sessions::Session;

/// A form that is only a button, and an address without a query.
#[derive(Debug, Deserialize)]
#[expect(
    clippy::empty_structs_with_brackets,
    reason = "a form is a map, even an empty one"
)]
pub(super) struct EmptyForm {}

/// What is shown, without what every page has.
pub(super) struct Screen {
    pub(super) title: String,
    pub(super) place: Place,
    /// What to follow for changes.
    pub(super) events: Option<String>,
    pub(super) html: signoff_page::Markup,
    /// The word of what was just done, from the address.
    pub(super) done: Option<String>,
}

/// Milliseconds since 1970.
pub(super) fn now(call: &Call) -> u64 {
    call.clock.now()
}

/// All plans, without housekeeping that a look at a page should not do.
pub(super) fn listing(call: &Call) -> Result<Listing, HttpError> {
    let listed = signoff_runtime::plans::list(call.by_person(), &ListOptions::default());
    listed.map_err(|error| call.fail(error))
}

/// The stream of what happens from now on.
pub(super) fn new_events(call: &Call) -> String {
    let last = signoff_runtime::activity::last_activity(&call.project);
    format!("/api/events?after={last}")
}

/// The whole page.
pub(super) fn page(
    call: &Call,
    session: &Session,
    screen: &Screen,
) -> Result<Html<String>, HttpError> {
    let html = &screen.html;
    with_frame(call, session, screen, |frame| frame.page(html))
}

/// Only its bar, for a page that is there already: what waits on the person has changed.
pub(super) fn bar(call: &Call, session: &Session, place: Place) -> Result<String, HttpError> {
    let screen = Screen {
        title: String::new(),
        place,
        events: None,
        html: signoff_page::Markup::default(),
        done: None,
    };
    Ok(with_frame(call, session, &screen, |frame: &Frame<'_>| frame.bar())?.0)
}

fn with_frame(
    call: &Call,
    session: &Session,
    screen: &Screen,
    shown: impl FnOnce(&Frame<'_>) -> signoff_page::Markup,
) -> Result<Html<String>, HttpError> {
    let waiting = waiting_count(&call.project).map_err(|error| call.fail(error))?;
    let states: Vec<PlanState> = (WAITING.iter())
        .filter_map(|name| PlanState::from_name(name))
        .collect();
    let plans = count_in_states(&call.project, &call.clock, &states);
    let plans = plans.map_err(|error| call.fail(error))?;
    let root = call.project.store.workspace();
    let project = root
        .file_name()
        .map_or_else(|| "project".into(), |name| name.to_string_lossy());
    let notice = screen.done.as_deref().and_then(done_sentence);
    let frame = Frame {
        title: &screen.title,
        place: screen.place,
        project: &project,
        person: &session.person,
        waiting,
        plans,
        csrf: &session.csrf,
        events: screen.events.as_deref(),
        activity: &new_events(call),
        notice: notice.map(|(tone, text)| Notice { tone, text }),
    };
    Ok(Html(shown(&frame).into_string()))
}

/// What was done, in a sentence. Only known words: an address is written by anybody.
fn done_sentence(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "signed" => ("proved", "Signed. Start it when you are ready."),
        "rejected" => (
            "regressed",
            "Rejected. Your words are kept for the planner.",
        ),
        "cancelled" => ("skipped", "Cancelled."),
        "started" => ("running", "Started. It goes on when you close this page."),
        "edited" => ("held", "Saved."),
        "edited-unsigned" => ("held", "Saved. The plan has to be signed again."),
        "moved" => ("held", "Moved."),
        "moved-unsigned" => ("held", "Moved. The plan has to be signed again."),
        "resolved" => ("held", "The comment is settled."),
        "commented" => ("held", "Your comment is kept with the plan."),
        "answered" => ("proved", "Answered."),
        "asked" => ("held", "The run was told."),
        "landed" => ("proved", "It is in your checkout."),
        "undone" => ("held", "It was taken back."),
        "undone-in-part" => (
            "regressed",
            "It was taken back. What you changed since stays as it is.",
        ),
        _ => return None,
    })
}
