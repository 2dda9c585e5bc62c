//! Are we inside an agent? Then nobody can sign, answer or trust: those are a person's.

use std::ffi::OsStr;

use signoff_work::environment::Variables;

use crate::failure::Failure;

/// Variables that show an agent at work. Ours is set for every process a run starts; those of the
/// coding agents join once they have been measured.
const MARKERS: [&str; 1] = [signoff_sandbox::MARKER];

/// Refuses what only a person may do.
pub(crate) fn require_person(variables: &Variables, what: &str) -> Result<(), Failure> {
    match MARKERS
        .into_iter()
        .find(|name| variables.contains_key(OsStr::new(name)))
    {
        Some(marker) => Err(Failure::new(
            4,
            "person-only",
            format!("only a person can {what}, and this runs inside an agent"),
        )
        .hint(format!("it was recognised by the variable `{marker}`"))
        .hint("ask the person who runs the plan to do it in their own terminal")),
        None => Ok(()),
    }
}
