//! `list`: the plans and their states.

use std::path::Path;

use signoff_api::plans::{Plans, SCHEMA};
use signoff_runtime::plans::{ActorContext, ListOptions, UnreadablePlan};
use signoff_runtime::{Error, SystemClock};

use crate::agent_check::actor;
use crate::args::List;
use crate::failure::Failure;
use crate::report::count::count_of;
use crate::report::plans::table;
use crate::session::Session;
use crate::style::{CARE, HINT, paint, sanitize};

pub(crate) fn list(session: &mut Session, args: &List) -> Result<u8, Failure> {
    let project = session.project()?;
    if args.expire {
        session.require_person("cancel plans")?;
    }
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &SystemClock::new(),
    };
    let wanted = ListOptions {
        states: args.status.clone(),
        archived: args.all,
        expire: args.expire,
    };
    let listing = signoff_runtime::plans::list(context, &wanted)?;
    for note in &listing.notes {
        say_note(session, note);
    }
    if let Some(undone) = listing.undone {
        let count = count_of(undone.plans, "plan is", "plans are");
        let why = Failure::from(undone.error).message;
        let note = format!("{count} due to expire or to be archived, but that failed: {why}");
        say_note(session, &note);
    }
    let code = say_troubles(session, listing.troubles);
    if session.is_json() {
        let plans = listing.plans.iter();
        let plans = plans.map(|plan| plan.to_api(&session.process.directory));
        let plans = plans.collect();
        let schema = SCHEMA.to_owned();
        session.json(&Plans { schema, plans });
        return Ok(code);
    }
    if listing.plans.is_empty() {
        let nothing = if code != 0 {
            "no plan can be shown"
        } else if args.status.is_empty() {
            "no plans here yet: `signoff propose PLAN` submits one"
        } else {
            "no plan is in that state"
        };
        session.out.answer(nothing);
        return Ok(code);
    }
    let lines = table(&listing.plans, |plan| relative_path(session, &plan.path));
    let count = count_of(listing.plans.len(), "plan", "plans");
    let pending = listing.pending;
    session.out.answer_lines(&lines);
    session.out.answer(format!("{count}, {pending} pending"));
    if listing.plans.iter().any(|plan| plan.questions > 0) {
        session.out.say("`signoff inbox` shows what they ask");
    }
    Ok(code)
}

/// A path relative to the current directory, where that is possible.
pub(crate) fn relative_path(session: &Session, path: &Path) -> String {
    let here = &session.process.directory;
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Says which plans could not be read; returns the exit code.
pub(crate) fn say_troubles(session: &mut Session, troubles: Vec<UnreadablePlan>) -> u8 {
    let code = if troubles.is_empty() { 0 } else { 6 };
    for trouble in troubles {
        let path = relative_path(session, &trouble.path);
        let (why, hints) = match trouble.error {
            Error::Unreadable { why, .. } => (why.to_string(), Vec::new()),
            error => {
                let failure = Failure::from(error);
                (failure.message, failure.hints)
            }
        };
        say_note(session, &format!("{path} is left out: {why}"));
        say_hints(session, &hints);
    }
    code
}

/// What helps with what the last note was about.
pub(crate) fn say_hints(session: &mut Session, hints: &[String]) {
    for hint in hints {
        session.out.say(format!("  {} {hint}", paint(HINT, "→")));
    }
}

pub(crate) fn say_note(session: &mut Session, note: &str) {
    let note = format!("{} {}", paint(CARE, "note:"), sanitize(note));
    session.out.say(note);
}
