//! Are we inside an agent? Then nobody can sign, answer or trust: those are a person's.

use std::ffi::OsStr;

use signoff_engine::Actor;
use signoff_work::environment::Variables;

use crate::failure::Failure;

/// Variables that show an agent at work. Ours is set for every process a run starts; those of the
/// coding agents join once they have been measured.
const MARKERS: [&str; 1] = [signoff_sandbox::MARKER];

/// Refuses what only a person may do.
pub(crate) fn require_person(variables: &Variables, what: &str) -> Result<(), Failure> {
    let found = MARKERS
        .into_iter()
        .find(|name| variables.contains_key(OsStr::new(name)));
    match found.or_else(marked_ancestor) {
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

/// Who types this: a person, as far as can be seen.
pub(crate) fn actor(variables: &Variables) -> Actor {
    match require_person(variables, "") {
        Ok(()) => Actor::Person,
        Err(_) => Actor::Agent,
    }
}

/// A marker in the environment of a process that started us, directly or not: clearing one's own
/// environment is no way out.
#[cfg(target_os = "linux")]
fn marked_ancestor() -> Option<&'static str> {
    let mut process = std::os::unix::process::parent_id();
    // A chain that long is no terminal's.
    for _ in 0..64 {
        if process <= 1 {
            return None;
        }
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let found = MARKERS.into_iter().find(|marker| {
            environment
                .split(|byte| *byte == 0)
                .filter_map(|variable| variable.strip_prefix(marker.as_bytes()))
                .any(|rest| rest.starts_with(b"="))
        });
        if found.is_some() {
            return found;
        }
        process = parent_of(process)?;
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn marked_ancestor() -> Option<&'static str> {
    None
}

/// The second field after the name, which may itself hold spaces and parentheses.
#[cfg(target_os = "linux")]
fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}
