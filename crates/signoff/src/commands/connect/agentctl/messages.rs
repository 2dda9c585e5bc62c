//! How what happened to threads is told.

use signoff_runtime::threads::Withdrawn;

use crate::session::Session;
use crate::style::{CARE, paint};

/// Tells which plans were cancelled on the way: never silently.
pub(super) fn say_withdrawn(session: &mut Session, withdrawn: &Withdrawn) {
    for note in &withdrawn.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    for key in &withdrawn.cancelled {
        let line = format!("{} plan {key} is cancelled", paint(CARE, "note:"));
        session.out.say(line);
    }
}

/// Text that an agent chose, fit for one line of a terminal.
pub(super) fn one_line(text: &str) -> String {
    let harmless = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(harmless).collect()
}
