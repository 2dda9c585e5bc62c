//! `archive`: moves finished plans to the archive, and back.

use signoff_api::archived::{Archived as Shape, MovedPlan, SCHEMA};
use signoff_runtime::SystemClock;
use signoff_runtime::plans::{self, ArchiveReport};

use crate::agent_check::require_person;
use crate::args::Archive;
use crate::commands::sign::list::{relative_path, say_note};
use crate::commands::sign::{by_person, locate_plan};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{GOOD, paint};

pub(crate) fn archive(session: &mut Session, args: &Archive) -> Result<u8, Failure> {
    require_person(&session.process.variables, "archive plans")?;
    let project = session.project()?;
    let clock = SystemClock::new();
    let context = by_person(&project, &clock);
    let named = args.plan.as_deref().map(|plan| locate_plan(&project, plan));
    let moved = match (named.transpose()?, args.restore) {
        (Some((path, name)), false) => vec![plans::archive(context, &path, &name)?],
        (Some((path, name)), true) => vec![plans::restore(context, &path, &name)?],
        (None, false) => plans::archive_due(context)?,
        (None, true) => plans::restore_last(context)?,
    };
    for note in moved.iter().flat_map(|one| &one.notes) {
        say_note(session, note);
    }
    if session.is_json() {
        let plans = moved.iter().map(|one| moved_plan(session, one)).collect();
        let schema = SCHEMA.to_owned();
        session.json(&Shape { schema, plans });
        return Ok(0);
    }
    let done = if args.restore { "restored" } else { "archived" };
    for one in &moved {
        let to = relative_path(session, &one.to);
        let line = format!("{} {}: {to}", paint(GOOD, done), one.key);
        session.out.answer(line);
    }
    if moved.is_empty() {
        let days = project.rules.archive_after_days;
        session.out.answer(if args.restore {
            "nothing to restore: the archive is empty".to_owned()
        } else {
            format!("nothing to archive: no plan finished more than {days} days ago")
        });
    }
    Ok(0)
}

fn moved_plan(session: &Session, moved: &ArchiveReport) -> MovedPlan {
    MovedPlan {
        id: moved.key.clone(),
        from: relative_path(session, &moved.from),
        path: relative_path(session, &moved.to),
    }
}
