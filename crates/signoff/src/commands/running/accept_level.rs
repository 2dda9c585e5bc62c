//! Asks the person at the terminal to accept a weaker level than before.

use signoff_runtime::Error;
use signoff_runtime::confinement::levels::Machine;
use signoff_runtime::error::WeakerConfinement;
use signoff_runtime::project::Project;

use crate::commands::running::ask::{may_ask, yes_or_no};
use crate::session::Session;
use crate::style::{CARE, paint, sanitize};

/// Runs `attempt`. If it fails because the machine confines less than before, asks the person at the terminal, and
/// runs it again if they accept.
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

fn accepts(session: &mut Session, weaker: &WeakerConfinement) -> bool {
    let first = format!("{} {}", paint(CARE, "?"), weaker);
    session.out.say(first);
    for why in &weaker.why {
        session.out.say(format!("  {}", sanitize(why)));
    }
    yes_or_no(session, "accept this from now on? [y/N] ")
}
