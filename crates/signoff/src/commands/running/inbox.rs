//! `inbox`: everything that waits on a person, in all runs.

use signoff_api::inbox::{HeldFiles, Inbox, Item};
use signoff_runtime::project::Project;
use signoff_runtime::runs::view::RunView;

use crate::failure::Failure;
use crate::report::question::{answer_command, question_lines};
use crate::session::Session;
use crate::style::{CARE, paint, sanitize};

pub(crate) fn inbox(session: &mut Session) -> Result<u8, Failure> {
    let project = session.project()?;
    let OpenItems {
        items,
        held,
        unreadable,
    } = open_items(&project)?;
    // A run that cannot be read does not hide the others, and must not look like an empty inbox.
    let code = if unreadable.is_empty() { 0 } else { 6 };
    for note in &unreadable {
        session
            .out
            .say(format!("{} {}", paint(CARE, "note:"), sanitize(note)));
    }
    if session.is_json() {
        session.json(&Inbox::new(items, held));
        return Ok(code);
    }
    if items.is_empty() && held.is_empty() {
        session.out.answer("nothing waits on you");
    }
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            session.out.answer("");
        }
        for line in question_lines(item) {
            session.out.answer(line);
        }
        session.out.answer(answer_command(item));
    }
    for run in &held {
        for line in held_lines(&run.run, &run.files) {
            session.out.answer(line);
        }
    }
    Ok(code)
}

/// The lines about held files, and the command that shows how to settle them.
pub(crate) fn held_lines(run: &str, files: &[String]) -> Vec<String> {
    let held = files
        .iter()
        .map(|why| format!("{} held: {}", paint(CARE, "!"), sanitize(why)));
    let next = format!("  `signoff land {run}` shows how to settle it");
    held.chain([next]).collect()
}

/// Everything that waits on a person.
#[derive(Default)]
struct OpenItems {
    items: Vec<Item>,
    held: Vec<HeldFiles>,
    /// Runs that cannot be read, with the reason.
    unreadable: Vec<String>,
}

/// Open items of all runs that have not ended, and held files of those that have; oldest first.
fn open_items(project: &Project) -> Result<OpenItems, Failure> {
    let mut open = OpenItems::default();
    for (run, view) in RunView::all(project)? {
        let view = match view {
            Ok(view) => view,
            Err(error) => {
                let why = Failure::from(error).message;
                open.unreadable.push(if why.contains(&run) {
                    why
                } else {
                    format!("run {run}: {why}")
                });
                continue;
            }
        };
        open.held.extend(view.files_to_settle());
        if view.run.outcome().is_none() && !view.over {
            open.items.extend(view.items_with_patches(project));
        }
    }
    Ok(open)
}
