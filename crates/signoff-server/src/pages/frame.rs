//! The page around a screen, for the person of a session.

use axum::response::Html;
use signoff_page::frame::{Frame, Notice, Place};
use signoff_runtime::plans::{ListOptions, Listing};
use signoff_runtime::{Clock as _, questions};

use crate::calls::Call;
use crate::error::HttpError;
use crate::sessions::Session;

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

/// How many questions wait.
pub(super) fn questions_open(call: &Call, listing: &Listing) -> Result<usize, HttpError> {
    let asked = questions::open(&call.project).map_err(|error| call.fail(error))?;
    let of_runs: usize = listing.plans.iter().map(|plan| plan.questions).sum();
    Ok(of_runs + asked.len())
}

/// The whole page.
pub(super) fn page(
    call: &Call,
    session: &Session,
    screen: &Screen,
) -> Result<Html<String>, HttpError> {
    let waiting = questions_open(call, &listing(call)?)?;
    let root = call.project.store.workspace();
    let project = root
        .file_name()
        .map_or_else(|| "project".into(), |name| name.to_string_lossy());
    let notice = screen.done.as_deref().and_then(sentence);
    let frame = Frame {
        title: &screen.title,
        place: screen.place,
        project: &project,
        person: &session.person,
        waiting,
        csrf: &session.csrf,
        events: screen.events.as_deref(),
        notice: notice.map(|(tone, text)| Notice { tone, text }),
    };
    Ok(Html(frame.page(&screen.html).into_string()))
}

/// What was done, in a sentence. Only known words: an address is written by anybody.
fn sentence(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "signed" => (
            "proved",
            "Signed. It covers exactly this text and these terms.",
        ),
        "rejected" => (
            "regressed",
            "Rejected. Your words are kept for the planner.",
        ),
        "cancelled" => ("skipped", "Cancelled."),
        "started" => ("running", "It runs, in a process of its own."),
        "edited" => ("held", "Saved. The plan has to be signed again."),
        "moved" => ("held", "Moved. The plan has to be signed again."),
        "commented" => ("held", "Your comment is kept with the plan."),
        "answered" => ("proved", "Answered."),
        "asked" => ("held", "The run was told."),
        "landed" => ("proved", "It is in your checkout."),
        "undone" => ("held", "It was taken back."),
        _ => return None,
    })
}
