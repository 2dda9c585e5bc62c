//! The commands that change a plan's state. The runtime decides what is allowed.

pub(crate) mod approve;
mod cancel;
mod clone;
mod comment;
mod delete;
mod edit;
pub(crate) mod list;
mod propose;
mod reject;
mod retry;
pub(crate) mod review;
mod revise;

use std::path::PathBuf;

use signoff_engine::{Actor, PlanState};
use signoff_runtime::SystemClock;
use signoff_runtime::plans::{ActorContext, PlanReport};
use signoff_runtime::project::Project;

pub(crate) use self::cancel::cancel;
pub(crate) use self::clone::clone;
pub(crate) use self::comment::comment;
pub(crate) use self::delete::delete;
pub(crate) use self::edit::edit;
pub(crate) use self::propose::propose;
pub(crate) use self::reject::reject;
pub(crate) use self::retry::retry;
pub(crate) use self::review::review;
pub(crate) use self::revise::{revise, write_anew};
use crate::failure::Failure;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, GOOD, paint};

/// The file of a plan that was named by path or id, and its name for messages.
pub(crate) fn locate_plan(project: &Project, text: &str) -> Result<(PathBuf, String), Failure> {
    Ok(signoff_runtime::plans::locate(project, text)?)
}

/// The context for what a person does.
pub(crate) fn by_person<'a>(project: &'a Project, clock: &'a SystemClock) -> ActorContext<'a> {
    ActorContext {
        project,
        actor: Actor::Person,
        clock,
    }
}

/// Prints the new state of a plan.
pub(crate) fn print_report(
    session: &mut Session,
    done: &PlanReport,
    word: &str,
    next: Option<String>,
) {
    for note in &done.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    if session.is_json() {
        session.json(&done.to_api());
        return;
    }
    let name = done.plan.source.name();
    let key = if done.key == name {
        String::new()
    } else {
        format!(" ({name})")
    };
    let version = done.plan.checked.plan.version;
    let version = version.map_or_else(String::new, |version| format!(", version {version}"));
    session.out.answer(format!(
        "{} {}{key}: {}{version}",
        paint(GOOD, word),
        done.key,
        done.state,
    ));
    if let Some(next) = next {
        session.out.answer(format!("next: {next}"));
    }
}

/// The next commands after a plan was submitted.
fn then_approve(done: &PlanReport) -> String {
    let name = shell_word(&done.key);
    match done.state {
        PlanState::Approved => format!("`signoff run {name}`"),
        // It is not there yet: its run has to end what is under way.
        PlanState::Draft => "`signoff inbox` says when it can be signed".to_owned(),
        _ => format!("`signoff show {name}`, then `signoff approve {name}`"),
    }
}
