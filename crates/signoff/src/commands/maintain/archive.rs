//! `archive`: moves finished plans to the archive.

use signoff_api::archived::{Archived as Shape, MovedPlan, SCHEMA};
use signoff_runtime::SystemClock;
use signoff_runtime::plans::ArchiveReport;

use crate::agent_check::require_person;
use crate::args::Archive;
use crate::commands::sign::list::{relative_path, say_note};
use crate::commands::sign::{by_person, locate};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{GOOD, paint};

pub(crate) fn archive(session: &mut Session, args: &Archive) -> Result<u8, Failure> {
    require_person(&session.process.variables, "archive plans")?;
    let project = session.project()?;
    let clock = SystemClock::new();
    let context = by_person(&project, &clock);
    let archived = match &args.plan {
        Some(plan) => {
            let (path, name) = locate(&project, plan)?;
            vec![signoff_runtime::plans::archive(context, &path, &name)?]
        }
        None => signoff_runtime::plans::archive_due(context)?,
    };
    for note in archived.iter().flat_map(|one| &one.notes) {
        say_note(session, note);
    }
    if session.is_json() {
        let plans = archived
            .iter()
            .map(|one| moved_plan(session, one))
            .collect();
        let schema = SCHEMA.to_owned();
        session.json(&Shape { schema, plans });
        return Ok(0);
    }
    for one in &archived {
        let to = relative_path(session, &one.to);
        let line = format!("{} {}: {to}", paint(GOOD, "archived"), one.key);
        session.out.answer(line);
    }
    if archived.is_empty() {
        let days = project.rules.archive_after_days;
        session.out.answer(format!(
            "nothing to archive: no plan finished more than {days} days ago"
        ));
    }
    Ok(0)
}

fn moved_plan(session: &Session, archived: &ArchiveReport) -> MovedPlan {
    MovedPlan {
        id: archived.key.clone(),
        from: relative_path(session, &archived.from),
        path: relative_path(session, &archived.to),
    }
}
