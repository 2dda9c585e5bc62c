//! Messages about threads.

use signoff_runtime::threads::WithdrawReport;

use crate::session::Session;
use crate::style::{CARE, paint};

/// Says which plans were cancelled.
pub(super) fn say_withdrawn(session: &mut Session, withdrawn: &WithdrawReport) {
    for note in &withdrawn.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    for key in &withdrawn.cancelled {
        let line = format!("{} cancelled plan {key}", paint(CARE, "note:"));
        session.out.say(line);
    }
}

/// An agent's text as one line that is safe to print.
pub(super) fn one_line(text: &str) -> String {
    let harmless = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(harmless).collect()
}
