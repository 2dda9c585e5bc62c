//! Whether this machine confines less than it did before: then a person has to agree.
//!
//! A choice (`[sandbox] mode = "off"`, `isolation = "shared"`) is not a weaker machine: it is neither asked about nor
//! recorded.

use std::path::Path;

use signoff_plan::model::Plan;
use signoff_sandbox::Level;
use signoff_store::config::{Config, Isolation, SandboxMode};
use signoff_store::trust::TrustError;
use signoff_store::trust::levels::{self, RecordedLevels};

use super::overlays::OverlayLevel;
use super::{obstacles, overlays};
use crate::error::{Error, LostLevel, WeakerConfinement};
use crate::plan_file::PlanFile;
use crate::project::sandbox_level::{level, strongest_level_with_reasons};
use crate::project::{ProcessContext, Project, sandbox_level};

/// The levels of this machine now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineLevels {
    level: Level,
    /// `None` outside of a project, and if the settings ask for the checkout itself.
    overlay: Option<OverlayLevel>,
    /// Why the sandbox is not stronger.
    why_level: Vec<String>,
    /// Why there is no better overlay.
    why_overlay: Vec<String>,
}

impl MachineLevels {
    /// The part of it that is recorded.
    fn to_record(&self) -> RecordedLevels {
        RecordedLevels {
            sandbox: Some(self.level.to_string()),
            overlay: self.overlay.map(|overlay| overlay.to_string()),
        }
    }

    /// How trees are shown, and why not better.
    pub(crate) fn overlay_level(&self) -> Option<(OverlayLevel, &[String])> {
        Some((self.overlay?, self.why_overlay.as_slice()))
    }
}

/// The machine whose levels are probed and recorded.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// What the process was started with.
    pub process: &'a ProcessContext,
    /// The settings in force.
    pub config: &'a Config,
    /// The project, if there is one.
    pub project: Option<&'a Project>,
}

impl<'a> From<&'a Project> for Machine<'a> {
    fn from(project: &'a Project) -> Self {
        Self {
            process: &project.process,
            config: &project.config,
            project: Some(project),
        }
    }
}

impl Machine<'_> {
    fn workspace(&self) -> Option<&Path> {
        self.project.map(|project| project.store.workspace())
    }

    /// Probes which levels of sandbox and overlay work on this machine now. `None` if processes are not to be confined.
    pub(crate) fn probe_levels(
        &self,
        isolation: Isolation,
    ) -> Result<Option<MachineLevels>, Error> {
        if self.config.sandbox.mode.value == SandboxMode::Off {
            return Ok(None);
        }
        let (level, why_level) = strongest_level_with_reasons()?;
        let project = self.project.filter(|_| isolation != Isolation::Shared);
        let overlay = project
            .map(|project| overlay_level(project, level))
            .transpose()?;
        let (overlay, why_overlay) = overlay.unzip();
        Ok(Some(MachineLevels {
            level,
            overlay,
            why_level,
            why_overlay: why_overlay.unwrap_or_default(),
        }))
    }

    /// The levels that were recorded before.
    pub(crate) fn recorded_levels(&self) -> Result<RecordedLevels, Error> {
        match &self.process.state_dir {
            Some(state) => Ok(levels::recorded_levels(state, self.workspace())?),
            // Without a home nothing is recorded.
            None => Ok(RecordedLevels::default()),
        }
    }

    /// Records the present levels.
    fn record(&self, now: &RecordedLevels) -> Result<(), TrustError> {
        match &self.process.state_dir {
            Some(state) => levels::record(state, self.workspace(), now),
            None => Ok(()),
        }
    }

    /// The levels that are lower than before, if any.
    pub fn weaker_confinement(&self) -> Result<Option<WeakerConfinement>, Error> {
        let found = self.probe_levels(self.config.run.isolation.value)?;
        let recorded = self.recorded_levels()?;
        Ok(found.and_then(|found| weaker_than(&recorded, &found)))
    }

    /// A person accepts the present levels: later ones are compared with these.
    pub fn accept(&self, weaker: &WeakerConfinement) -> Result<(), Error> {
        Ok(self.record(&weaker.now)?)
    }
}

/// How trees of a project are shown, and why not better.
fn overlay_level(project: &Project, level: Level) -> Result<(OverlayLevel, Vec<String>), Error> {
    let why = obstacles::obstacles(project)?;
    if !why.is_empty() {
        return Ok((OverlayLevel::Shared, why));
    }
    overlays::overlay_level(project, level)
}

/// Compares the recorded levels with the present ones.
pub(crate) fn weaker_than(
    before: &RecordedLevels,
    found: &MachineLevels,
) -> Option<WeakerConfinement> {
    let (mut lost, mut why) = (Vec::new(), Vec::new());
    let level = before
        .sandbox
        .as_deref()
        .and_then(sandbox_level::level_named);
    if let Some(before) = level.filter(|before| *before > found.level) {
        lost.push(LostLevel {
            what: "sandbox",
            before: before.to_string(),
            now: found.level.to_string(),
        });
        why.extend(found.why_level.iter().cloned());
    }
    // A person who accepted a weaker sandbox has also accepted the weaker overlays that follow from it, in every checkout.
    let before = before.overlay.as_deref().and_then(OverlayLevel::from_name);
    let before = before.map(|before| before.min(OverlayLevel::best_at(found.level)));
    if let (Some(before), Some(now)) = (before, found.overlay)
        && before > now
    {
        lost.push(LostLevel {
            what: "room",
            before: before.to_string(),
            now: now.to_string(),
        });
        why.extend(found.why_overlay.iter().cloned());
    }
    let now = found.to_record();
    (!lost.is_empty()).then_some(WeakerConfinement { lost, why, now })
}

/// The isolation that the plan, the command or the settings ask for.
fn requested_isolation(project: &Project, plan: &Plan, asked: Option<Isolation>) -> Isolation {
    let wants_shared = |way: &Option<String>| way.as_deref() == Some("shared");
    if plan.steps.iter().any(|step| wants_shared(&step.isolation)) {
        return Isolation::Shared;
    }
    asked.unwrap_or(project.config.run.isolation.value)
}

/// Refuses a run that would be confined less than this machine could before; nothing is started or written.
pub fn check(project: &Project, plan: &PlanFile, asked: Option<Isolation>) -> Result<(), Error> {
    let wanted = requested_isolation(project, &plan.checked.plan, asked);
    require_recorded_strength(project, wanted).map(drop)
}

/// The same for a run that starts; its levels are recorded.
pub(crate) fn require(
    project: &Project,
    plan: &Plan,
    asked: Option<Isolation>,
) -> Result<(), Error> {
    let found = require_recorded_strength(project, requested_isolation(project, plan, asked))?;
    remember(project, found.as_ref())
}

/// The same for a run that continues and that began at this level.
pub(crate) fn require_again(
    project: &Project,
    began_at: &str,
    works_in_checkout: bool,
) -> Result<(), Error> {
    let began_at = sandbox_level::level_named(began_at);
    // A level below that at which the run began cannot be accepted; it is refused when the run is driven.
    let is_less = |found: Level| began_at.is_some_and(|began_at| found < began_at);
    if is_less(level(project)?) {
        return Ok(());
    }
    let wanted = if works_in_checkout {
        Isolation::Shared
    } else {
        Isolation::Auto
    };
    let found = require_recorded_strength(project, wanted)?;
    remember(project, found.as_ref())
}

fn require_recorded_strength(
    project: &Project,
    wanted: Isolation,
) -> Result<Option<MachineLevels>, Error> {
    let machine = Machine::from(project);
    let Some(found) = machine.probe_levels(wanted)? else {
        return Ok(None);
    };
    match weaker_than(&machine.recorded_levels()?, &found) {
        Some(weaker) => Err(Error::Weaker(Box::new(weaker))),
        None => Ok(Some(found)),
    }
}

fn remember(project: &Project, found: Option<&MachineLevels>) -> Result<(), Error> {
    let Some(found) = found else {
        return Ok(());
    };
    match Machine::from(project).record(&found.to_record()) {
        // A home that cannot be written to records nothing; that is not an error.
        Ok(()) | Err(TrustError::File(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lower levels, as `what: before > now`, with the reasons.
    fn check(before: (&str, &str), now: (Level, Option<OverlayLevel>), expected: &[&str]) {
        let recorded = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let recorded = RecordedLevels {
            sandbox: recorded(before.0),
            overlay: recorded(before.1),
        };
        let found = MachineLevels {
            level: now.0,
            overlay: now.1,
            why_level: vec!["level".to_owned()],
            why_overlay: vec!["room".to_owned()],
        };
        let weaker = weaker_than(&recorded, &found);
        let line = |lost: &LostLevel| format!("{}: {} > {}", lost.what, lost.before, lost.now);
        let lost = weaker.iter().flat_map(|weaker| &weaker.lost).map(line);
        let why = weaker.iter().flat_map(|weaker| weaker.why.iter().cloned());
        let said: Vec<String> = lost.chain(why).collect();
        assert_eq!(said, expected, "{before:?} {now:?}");
    }

    #[test]
    fn less_than_before_is_told_with_its_reason() {
        use Level::{Bubblewrap, Landlock, Namespaces, None as Nothing};
        let overlay = "overlay";
        check(
            ("namespaces", overlay),
            (Namespaces, Some(OverlayLevel::Overlay)),
            &[],
        );
        check(
            ("namespaces", ""),
            (Landlock, Some(OverlayLevel::Shared)),
            &["sandbox: namespaces > landlock", "level"],
        );
        check(
            ("namespaces", overlay),
            (Namespaces, Some(OverlayLevel::OverlayInMemory)),
            &["room: overlay > overlay-tmpfs", "room"],
        );
        check(
            ("namespaces", "overlay-tmpfs"),
            (Namespaces, Some(OverlayLevel::Copy)),
            &["room: overlay-tmpfs > copy", "room"],
        );
        // No git program, for instance: the machine could mount, and nothing is mounted.
        check(
            ("bubblewrap", "copy"),
            (Bubblewrap, Some(OverlayLevel::Shared)),
            &["room: copy > shared", "room"],
        );
        check(
            ("landlock", "shared"),
            (Nothing, Some(OverlayLevel::Shared)),
            &["sandbox: landlock > none", "level"],
        );
    }

    #[test]
    fn what_is_new_better_or_chosen_is_no_question() {
        use Level::{Bubblewrap, Namespaces, None as Nothing};
        check(("", ""), (Nothing, Some(OverlayLevel::Shared)), &[]);
        check(
            ("none", "shared"),
            (Namespaces, Some(OverlayLevel::Copy)),
            &[],
        );
        check(("namespaces", "overlay"), (Namespaces, None), &[]);
        // Of a version that knew more levels.
        check(
            ("more", "better"),
            (Nothing, Some(OverlayLevel::Shared)),
            &[],
        );
        // A checkout that had an overlay before its machine's weaker sandbox was accepted.
        check(
            ("bubblewrap", "overlay"),
            (Bubblewrap, Some(OverlayLevel::Copy)),
            &[],
        );
        check(
            ("none", "overlay"),
            (Nothing, Some(OverlayLevel::Shared)),
            &[],
        );
    }
}
