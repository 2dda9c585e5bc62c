//! Asks the person at the terminal whether less than this machine had before will do.

use signoff_runtime::Error;
use signoff_runtime::confinement::levels::Machine;
use signoff_runtime::error::{LostLevel, WeakerConfinement};
use signoff_runtime::project::Project;

use crate::commands::ask::{may_ask, yes_or_no};
use crate::report::style::{CARE, harmless, paint};
use crate::session::Session;

/// Tries something; if it is refused because the machine confines less than before, and a person who can be asked
/// accepts that, tries it again.
pub(crate) fn accepting<T>(
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
    let first = format!("{} {}", paint(CARE, "?"), headline(weaker));
    session.out.say(first);
    for why in &weaker.why {
        session.out.say(format!("  {}", harmless(why)));
    }
    yes_or_no(session, "accept it, from now on? [y/N] ")
}

/// What there is less of, as one line.
pub(crate) fn headline(weaker: &WeakerConfinement) -> String {
    let lost: Vec<String> = weaker.lost.iter().map(line).collect();
    format!(
        "this machine confines less than it did before: {}",
        lost.join("; ")
    )
}

fn line(lost: &LostLevel) -> String {
    let LostLevel { what, before, now } = lost;
    format!("the {what} was `{before}` and is `{now}`")
}
