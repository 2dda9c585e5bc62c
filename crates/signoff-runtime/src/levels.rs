//! Whether this machine confines less than it did before: that is a question to the person, not a default.
//!
//! What somebody chose (`[sandbox] mode = "off"`, `isolation = "shared"`) is no weaker machine: it is neither
//! asked about nor remembered.

use std::fmt;
use std::path::Path;

use signoff_plan::model::Plan;
use signoff_sandbox::Level;
use signoff_store::config::{Config, Isolation, SandboxMode};
use signoff_store::trust::TrustError;
use signoff_store::trust::levels::{self, RecordedLevels};

use crate::confinement;
use crate::error::Error;
use crate::live::Options;
use crate::plan_file::PlanFile;
use crate::project::{Project, Surroundings};
use crate::trees::obstacles;

/// How the tree that a process works on is shown to it, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// It is the checkout itself.
    Shared,
    /// By a directory of its own, mounted at the checkout's path.
    Copy,
    /// By an overlay whose uppermost layer is in shared memory.
    OverlayInMemory,
    /// By an overlay whose uppermost layer lies beside the trees.
    Overlay,
}

impl Room {
    const ALL: [Self; 4] = [
        Self::Shared,
        Self::Copy,
        Self::OverlayInMemory,
        Self::Overlay,
    ];

    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|room| room.to_string() == name)
    }

    /// The best one that a sandbox of this level can have.
    fn best_at(level: Level) -> Self {
        match level {
            Level::Namespaces => Self::Overlay,
            level if level.uses_mounts() => Self::Copy,
            _ => Self::Shared,
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Copy => "copy",
            Self::OverlayInMemory => "overlay-tmpfs",
            Self::Overlay => "overlay",
        })
    }
}

/// What this machine gives now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    level: Level,
    /// Nothing outside of a project, and where somebody wants the checkout itself.
    room: Option<Room>,
    /// Why the sandbox is no stronger.
    why_level: Vec<String>,
    /// Why there is no better room.
    why_room: Vec<String>,
}

impl Found {
    /// How trees are shown, and why not better.
    pub(crate) fn room(&self) -> Option<(Room, &[String])> {
        Some((self.room?, self.why_room.as_slice()))
    }
}

/// This machine gives less than it did when a run last began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weaker {
    /// What there is less of.
    pub lost: Vec<Lost>,
    /// Why, a line for each reason.
    pub why: Vec<String>,
    found: Found,
}

/// What was better before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// `sandbox` or `room`.
    pub what: &'static str,
    /// What this machine had.
    pub before: String,
    /// What it has now.
    pub now: String,
}

/// Where levels are looked for and remembered.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// What the process was started with.
    pub around: &'a Surroundings,
    /// The settings in force.
    pub config: &'a Config,
    /// The project, if there is one.
    pub project: Option<&'a Project>,
}

impl<'a> From<&'a Project> for Machine<'a> {
    fn from(project: &'a Project) -> Self {
        Self {
            around: &project.around,
            config: &project.config,
            project: Some(project),
        }
    }
}

impl Machine<'_> {
    fn workspace(&self) -> Option<&Path> {
        self.project.map(|project| project.store.workspace())
    }

    /// What it gives now; nothing where nothing is to be confined.
    pub(crate) fn found(&self, wanted: Isolation) -> Result<Option<Found>, Error> {
        if self.config.sandbox.mode.value == SandboxMode::Off {
            return Ok(None);
        }
        let (level, why_level) = confinement::strongest_and_why()?;
        let project = self.project.filter(|_| wanted != Isolation::Shared);
        let room = project.map(|project| room(project, level)).transpose()?;
        let (room, why_room) = room.unzip();
        Ok(Some(Found {
            level,
            room,
            why_level,
            why_room: why_room.unwrap_or_default(),
        }))
    }

    /// What it had before.
    pub(crate) fn recorded(&self) -> Result<RecordedLevels, Error> {
        match &self.around.state_dir {
            Some(state) => Ok(levels::recorded(state, self.workspace())?),
            // Nothing is remembered where there is no home.
            None => Ok(RecordedLevels::default()),
        }
    }

    /// Remembers what it gives now.
    fn record(&self, found: &Found) -> Result<(), TrustError> {
        let Some(state) = &self.around.state_dir else {
            return Ok(());
        };
        let now = RecordedLevels {
            sandbox: Some(found.level.to_string()),
            room: found.room.map(|room| room.to_string()),
        };
        levels::record(state, self.workspace(), &now)
    }

    /// What is less than before, if anything is.
    pub fn weaker(&self) -> Result<Option<Weaker>, Error> {
        let found = self.found(self.config.run.isolation.value)?;
        let recorded = self.recorded()?;
        Ok(found.and_then(|found| less(&recorded, found)))
    }

    /// A person accepts what there is now: from now on it is what there was before.
    pub fn accept(&self, weaker: &Weaker) -> Result<(), Error> {
        Ok(self.record(&weaker.found)?)
    }
}

/// How trees of a project are shown, and why not better.
fn room(project: &Project, level: Level) -> Result<(Room, Vec<String>), Error> {
    let why = obstacles(project)?;
    if !why.is_empty() {
        return Ok((Room::Shared, why));
    }
    confinement::room(project, level)
}

/// Compares what was remembered with what was found.
pub(crate) fn less(before: &RecordedLevels, found: Found) -> Option<Weaker> {
    let (mut lost, mut why) = (Vec::new(), Vec::new());
    let level = before.sandbox.as_deref().and_then(confinement::named);
    if let Some(before) = level.filter(|before| *before > found.level) {
        lost.push(Lost {
            what: "sandbox",
            before: before.to_string(),
            now: found.level.to_string(),
        });
        why.extend(found.why_level.iter().cloned());
    }
    // Who accepted a weaker sandbox has accepted what follows from it, for every checkout.
    let before = before.room.as_deref().and_then(Room::named);
    let before = before.map(|before| before.min(Room::best_at(found.level)));
    if let (Some(before), Some(now)) = (before, found.room)
        && before > now
    {
        lost.push(Lost {
            what: "room",
            before: before.to_string(),
            now: now.to_string(),
        });
        why.extend(found.why_room.iter().cloned());
    }
    (!lost.is_empty()).then_some(Weaker { lost, why, found })
}

/// Where the steps of a plan are to work, as somebody chose it.
fn wanted(project: &Project, plan: &Plan, options: &Options) -> Isolation {
    let wants_shared = |way: &Option<String>| way.as_deref() == Some("shared");
    if plan.steps.iter().any(|step| wants_shared(&step.isolation)) {
        return Isolation::Shared;
    }
    options
        .isolation
        .unwrap_or(project.config.run.isolation.value)
}

/// Refuses a run that would be confined less than this machine could before; nothing is started or written.
pub fn check(project: &Project, plan: &PlanFile, options: &Options) -> Result<(), Error> {
    let wanted = wanted(project, &plan.checked.plan, options);
    compared(project, wanted).map(drop)
}

/// The same for a run that starts: what it gets is remembered.
pub(crate) fn require(project: &Project, plan: &Plan, options: &Options) -> Result<(), Error> {
    let found = compared(project, wanted(project, plan, options))?;
    remember(project, found.as_ref())
}

/// The same for a run that goes on, which began at this level and works there.
pub(crate) fn require_again(
    project: &Project,
    began_at: &str,
    works_in_checkout: bool,
) -> Result<(), Error> {
    let began_at = confinement::named(began_at);
    // What is less than the run itself began with cannot be accepted: it is refused as it is driven.
    let is_less = |found: Level| began_at.is_some_and(|began_at| found < began_at);
    if is_less(confinement::level(project)?) {
        return Ok(());
    }
    let wanted = if works_in_checkout {
        Isolation::Shared
    } else {
        Isolation::Auto
    };
    let found = compared(project, wanted)?;
    remember(project, found.as_ref())
}

fn compared(project: &Project, wanted: Isolation) -> Result<Option<Found>, Error> {
    let machine = Machine::from(project);
    let Some(found) = machine.found(wanted)? else {
        return Ok(None);
    };
    match less(&machine.recorded()?, found.clone()) {
        Some(weaker) => Err(Error::Weaker(Box::new(weaker))),
        None => Ok(Some(found)),
    }
}

fn remember(project: &Project, found: Option<&Found>) -> Result<(), Error> {
    let Some(found) = found else {
        return Ok(());
    };
    match Machine::from(project).record(found) {
        // A home that cannot be written to remembers nothing; that stops nobody.
        Ok(()) | Err(TrustError::File(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is less than before, as `what: before > now`, with the reasons.
    fn check(before: (&str, &str), now: (Level, Option<Room>), expected: &[&str]) {
        let recorded = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let recorded = RecordedLevels {
            sandbox: recorded(before.0),
            room: recorded(before.1),
        };
        let found = Found {
            level: now.0,
            room: now.1,
            why_level: vec!["level".to_owned()],
            why_room: vec!["room".to_owned()],
        };
        let weaker = less(&recorded, found);
        let line = |lost: &Lost| format!("{}: {} > {}", lost.what, lost.before, lost.now);
        let lost = weaker.iter().flat_map(|weaker| &weaker.lost).map(line);
        let why = weaker.iter().flat_map(|weaker| weaker.why.iter().cloned());
        let said: Vec<String> = lost.chain(why).collect();
        assert_eq!(said, expected, "{before:?} {now:?}");
    }

    #[test]
    fn less_than_before_is_told_with_its_reason() {
        use Level::{Bubblewrap, Landlock, Namespaces, None as Nothing};
        let room = "overlay";
        check(("namespaces", room), (Namespaces, Some(Room::Overlay)), &[]);
        check(
            ("namespaces", ""),
            (Landlock, Some(Room::Shared)),
            &["sandbox: namespaces > landlock", "level"],
        );
        check(
            ("namespaces", room),
            (Namespaces, Some(Room::OverlayInMemory)),
            &["room: overlay > overlay-tmpfs", "room"],
        );
        check(
            ("namespaces", "overlay-tmpfs"),
            (Namespaces, Some(Room::Copy)),
            &["room: overlay-tmpfs > copy", "room"],
        );
        // No git program, for instance: the machine could mount, and nothing is mounted.
        check(
            ("bubblewrap", "copy"),
            (Bubblewrap, Some(Room::Shared)),
            &["room: copy > shared", "room"],
        );
        check(
            ("landlock", "shared"),
            (Nothing, Some(Room::Shared)),
            &["sandbox: landlock > none", "level"],
        );
    }

    #[test]
    fn what_is_new_better_or_chosen_is_no_question() {
        use Level::{Bubblewrap, Namespaces, None as Nothing};
        check(("", ""), (Nothing, Some(Room::Shared)), &[]);
        check(("none", "shared"), (Namespaces, Some(Room::Copy)), &[]);
        check(("namespaces", "overlay"), (Namespaces, None), &[]);
        // Of a version that knew more levels.
        check(("more", "better"), (Nothing, Some(Room::Shared)), &[]);
        // A checkout that had an overlay before its machine's weaker sandbox was accepted.
        check(
            ("bubblewrap", "overlay"),
            (Bubblewrap, Some(Room::Copy)),
            &[],
        );
        check(("none", "overlay"), (Nothing, Some(Room::Shared)), &[]);
    }
}
