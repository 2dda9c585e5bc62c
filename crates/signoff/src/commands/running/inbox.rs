//! `inbox`: everything that waits on a person, in all runs.

use signoff_api::inbox::Inbox;
use signoff_runtime::inbox::{WaitingItems, waiting_items};

use crate::commands::sign::list::{say_hints, say_note};
use crate::failure::Failure;
use crate::report::question::{answer_command, question_lines};
use crate::session::Session;
use crate::style::{CARE, paint, sanitize};

pub(crate) fn inbox(session: &mut Session) -> Result<u8, Failure> {
    let project = session.project()?;
    let WaitingItems {
        items,
        held,
        unreadable,
    } = waiting_items(&project)?;
    // A run that cannot be read does not hide the others, and must not look like an empty inbox.
    let code = if unreadable.is_empty() { 0 } else { 6 };
    for (run, error) in unreadable {
        let failure = Failure::from(error);
        say_note(session, &unreadable_note(&run, &failure.message));
        say_hints(session, &failure.hints);
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

/// The message for a run that cannot be read.
fn unreadable_note(run: &str, why: &str) -> String {
    if why.contains(run) {
        why.to_owned()
    } else {
        format!("run {run}: {why}")
    }
}
