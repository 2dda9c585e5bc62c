//! Asks the person at the terminal whether less than this machine had before will do.

use signoff_runtime::Error;
use signoff_runtime::levels::{Machine, Weaker};
use signoff_runtime::project::Project;

use crate::commands::running::ask::{may_ask, yes_or_no};
use crate::failure::weaker_headline;
use crate::session::Session;
use crate::style::{CARE, paint, sanitize};

/// Tries something; if it is refused because the machine confines less than before, and a person who can be asked
/// accepts that, tries it again.
pub(crate) fn asking_to_accept<T>(
    session: &mut Session,
    project: &Project,
    mut attempt: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    match attempt() {
        Err(Error::Weaker(weaker)) if may_ask(session) => {
            if !accepts(session, &weaker) {
                return Err(Error::Weaker(weaker));
            }
            Machine::from(project).accept(&weaker)?;
            attempt()
        }
        result => result,
    }
}

fn accepts(session: &mut Session, weaker: &Weaker) -> bool {
    let first = format!("{} {}", paint(CARE, "?"), weaker_headline(weaker));
    session.out.say(first);
    for why in &weaker.why {
        session.out.say(format!("  {}", sanitize(why)));
    }
    yes_or_no(session, "accept it, from now on? [y/N] ")
}
