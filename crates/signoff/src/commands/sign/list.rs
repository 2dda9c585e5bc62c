//! `list`: every plan and where it stands.

use std::path::Path;

use signoff_api::plans::{Listed as Shape, Plans, SCHEMA};
use signoff_runtime::plans::{Doing, Listed, Trouble, Wanted};
use signoff_runtime::{Error, SystemClock};

use crate::args::List;
use crate::failure::Failure;
use crate::inside::actor;
use crate::report::plans::table;
use crate::session::Session;
use crate::style::{CARE, harmless, paint};

pub(crate) fn list(session: &mut Session, args: &List) -> Result<u8, Failure> {
    let project = session.project()?;
    let doing = Doing {
        project: &project,
        actor: actor(&session.around.variables),
        clock: &SystemClock::new(),
    };
    let wanted = Wanted {
        states: args.status.clone(),
        archived: args.all,
    };
    let listing = signoff_runtime::plans::list(doing, &wanted)?;
    for note in &listing.notes {
        say_note(session, note);
    }
    if let Some(undone) = listing.undone {
        let count = counted(undone.plans, "plan is", "plans are");
        let why = Failure::from(undone.error).message;
        let note = format!("{count} due to expire or to be archived, which failed: {why}");
        say_note(session, &note);
    }
    let code = tell_troubles(session, listing.troubles);
    if session.is_json() {
        let plans = listing.plans.iter();
        let plans = plans.map(|plan| shape(session, plan)).collect();
        let schema = SCHEMA.to_owned();
        session.json(&Plans { schema, plans });
        return Ok(code);
    }
    if listing.plans.is_empty() {
        let nothing = if args.status.is_empty() {
            "no plans here yet: `signoff propose PLAN` hands one in"
        } else {
            "no plan is in that state"
        };
        session.out.answer(nothing);
        return Ok(code);
    }
    let lines = table(&listing.plans, |plan| shown(session, &plan.path));
    let count = counted(listing.plans.len(), "plan", "plans");
    let pending = listing.pending;
    session.out.answer_lines(&lines);
    session.out.answer(format!("{count}, {pending} pending"));
    Ok(code)
}

fn shape(session: &Session, plan: &Listed) -> Shape {
    Shape {
        id: plan.key.clone(),
        title: plan.title.clone(),
        status: plan.state.name().to_owned(),
        version: plan.version,
        updated_at: plan.updated_at.clone(),
        path: shown(session, &plan.path),
        proof: plan.proof.clone(),
    }
}

/// A path as it can be typed here.
pub(crate) fn shown(session: &Session, path: &Path) -> String {
    let here = &session.around.directory;
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Says what could not be read; the exit code is that of the environment then.
pub(crate) fn tell_troubles(session: &mut Session, troubles: Vec<Trouble>) -> u8 {
    let code = if troubles.is_empty() { 0 } else { 6 };
    for trouble in troubles {
        let path = shown(session, &trouble.path);
        let note = match trouble.error {
            Error::Unreadable { why, .. } => format!("{path} is left out: {why}"),
            error => format!("{path} is left out: {}", Failure::from(error).message),
        };
        say_note(session, &note);
    }
    code
}

pub(crate) fn say_note(session: &mut Session, note: &str) {
    let note = format!("{} {}", paint(CARE, "note:"), harmless(note));
    session.out.say(note);
}

pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
