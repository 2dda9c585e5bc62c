//! What happened to a plan, as its log records it.

use serde_json::{Map, Value};
use signoff_api::plan_log::{PlanEvent, ReplacedPlan};
use signoff_engine::{Actor, Millis, Outcome, PlanFact, Run};
use signoff_store::journal::Record;
use signoff_store::plan_log;
use signoff_store::signatures::Proof;

use crate::clock::{Clock, millis, timestamp};
use crate::error::{Error, RunOverReason};
use crate::plan_file::PlanFile;
use crate::project::Project;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanHistoryEntry {
    /// When.
    pub at: Millis,
    /// What.
    pub event: PlanEvent,
}

/// Everything that happened to one plan, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanHistory {
    /// The entries.
    pub entries: Vec<PlanHistoryEntry>,
}

impl PlanHistory {
    /// Reads a plan's log; empty for one that nobody ever touched.
    pub fn read(project: &Project, key: &str) -> Result<Self, Error> {
        Self::of(&plan_log::read(&project.store, key)?)
    }

    /// The lines of a log, understood.
    pub(crate) fn of(records: &[Record]) -> Result<Self, Error> {
        let entries = records.iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// The newest file that the log names for this plan.
    pub fn path(&self) -> Option<&str> {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| match &entry.event {
                PlanEvent::PlanProposed { path, .. }
                | PlanEvent::PlanRevised { path, .. }
                | PlanEvent::PlanApproved { path, .. }
                | PlanEvent::PlanRejected { path, .. }
                | PlanEvent::PlanExecuting { path, .. }
                | PlanEvent::PlanArchived { path, .. }
                | PlanEvent::PlanRestored { path, .. } => Some(path.as_str()),
                PlanEvent::PlanNeedsReview { .. }
                | PlanEvent::PlanModelAsked { .. }
                | PlanEvent::PlanCommented { .. }
                | PlanEvent::PlanCommentResolved { .. }
                | PlanEvent::PlanCancelled { .. }
                | PlanEvent::PlanRetried { .. }
                | PlanEvent::PlanCompleted { .. }
                | PlanEvent::PlanFailed { .. }
                | PlanEvent::PlanReplaced { .. }
                | PlanEvent::PlanDeleted { .. } => None,
            })
    }

    /// Digest of the definition that something last happened to.
    pub fn newest_digest(&self) -> Option<&String> {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| match &entry.event {
                PlanEvent::PlanExecuting { digest, .. }
                | PlanEvent::PlanCompleted { digest, .. }
                | PlanEvent::PlanFailed { digest, .. } => Some(digest),
                event => lifecycle_fact(event).map(|(_, digest)| digest),
            })
    }

    /// The run that began last.
    pub fn newest_run(&self) -> Option<&str> {
        let mut events = self.entries.iter().rev().map(|entry| &entry.event);
        events.find_map(|event| match event {
            PlanEvent::PlanExecuting { run, .. } => Some(run.as_str()),
            _ => None,
        })
    }

    /// All runs that it names.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match &entry.event {
            PlanEvent::PlanExecuting { run, .. } => Some(run.as_str()),
            _ => None,
        })
    }

    /// The plan that took its place in this run, if the run has not gone on under this one since.
    pub fn replaced_by(&self, run: &str) -> Option<&str> {
        let mut events = self.entries.iter().rev().map(|entry| &entry.event);
        let newest = events.find_map(|event| match event {
            PlanEvent::PlanReplaced { run: of, by, .. } if of == run => Some(Some(by.as_str())),
            PlanEvent::PlanExecuting { run: of, .. } if of == run => Some(None),
            _ => None,
        });
        newest.flatten()
    }

    /// Does it say that this run carries out this version now?
    pub(crate) fn executes(&self, run: &str, version: &str) -> bool {
        let mut events = self.entries.iter().rev().map(|entry| &entry.event);
        let newest = events.find_map(|event| match event {
            PlanEvent::PlanExecuting { run, digest, .. } => Some((run, digest)),
            _ => None,
        });
        newest.is_some_and(|(of, digest)| of == run && digest == version)
    }

    /// The plan that it is the next version of, if it is one.
    pub fn replaces(&self) -> Option<&ReplacedPlan> {
        let mut events = self.entries.iter().rev().map(|entry| &entry.event);
        events.find_map(|event| match event {
            PlanEvent::PlanProposed { replaces, .. } => replaces.as_ref(),
            _ => None,
        })
    }

    /// How this run ended last according to the log.
    pub(crate) fn outcome_of(&self, run: &str) -> Option<Outcome> {
        let mut events = self.entries.iter().rev().map(|entry| &entry.event);
        events.find_map(|event| match event {
            PlanEvent::PlanCompleted { run: ended, .. } if ended == run => Some(Outcome::Completed),
            PlanEvent::PlanFailed { run: ended, .. } if ended == run => Some(Outcome::Failed),
            _ => None,
        })
    }

    /// Digest of the definition that was last handed in or signed under this version.
    pub(crate) fn digest_of_version(&self, wanted: u64) -> Option<&String> {
        let known = |entry: &'_ PlanHistoryEntry| match &entry.event {
            PlanEvent::PlanProposed { version, .. }
            | PlanEvent::PlanRevised { version, .. }
            | PlanEvent::PlanApproved { version, .. } => *version == Some(wanted),
            _ => false,
        };
        let newest = self.entries.iter().rev().find(|entry| known(entry))?;
        lifecycle_fact(&newest.event).map(|(_, digest)| digest)
    }

    /// The newest version that something happened to.
    pub(crate) fn newest_version(&self) -> Option<u64> {
        let versions = self.entries.iter().rev();
        let mut versions = versions.filter_map(|entry| match &entry.event {
            PlanEvent::PlanProposed { version, .. }
            | PlanEvent::PlanRevised { version, .. }
            | PlanEvent::PlanApproved { version, .. }
            | PlanEvent::PlanRejected { version, .. } => *version,
            _ => None,
        });
        versions.next()
    }

    /// How often it was rejected.
    pub fn rejections(&self) -> u64 {
        self.feedback().count() as u64
    }

    /// What people said when they rejected it, oldest first.
    pub fn feedback(&self) -> impl Iterator<Item = (Option<u64>, Option<&str>)> {
        self.entries.iter().filter_map(|entry| match &entry.event {
            PlanEvent::PlanRejected {
                version, feedback, ..
            } => Some((*version, feedback.as_deref())),
            _ => None,
        })
    }

    /// Was it rejected too often, and has no person acted on it since?
    pub(crate) fn needs_person(&self) -> bool {
        let person = Actor::Person.name();
        let decides = |entry: &PlanHistoryEntry| match &entry.event {
            PlanEvent::PlanNeedsReview { .. } => Some(true),
            PlanEvent::PlanProposed { actor, .. }
            | PlanEvent::PlanRevised { actor, .. }
            | PlanEvent::PlanCancelled { actor, .. } => (actor == person).then_some(false),
            PlanEvent::PlanApproved { proof, .. } => {
                (proof != Proof::Policy.name()).then_some(false)
            }
            PlanEvent::PlanDeleted { .. } => Some(false),
            PlanEvent::PlanRejected { .. }
            | PlanEvent::PlanModelAsked { .. }
            | PlanEvent::PlanCommented { .. }
            | PlanEvent::PlanCommentResolved { .. }
            | PlanEvent::PlanRetried { .. }
            | PlanEvent::PlanExecuting { .. }
            | PlanEvent::PlanCompleted { .. }
            | PlanEvent::PlanFailed { .. }
            | PlanEvent::PlanReplaced { .. }
            | PlanEvent::PlanArchived { .. }
            | PlanEvent::PlanRestored { .. } => None,
        };
        self.entries.iter().rev().find_map(decides).unwrap_or(false)
    }

    /// When something last happened to a plan of this definition.
    pub fn last_activity(&self, digest: &str) -> Option<Millis> {
        let about = |entry: &&PlanHistoryEntry| {
            lifecycle_fact(&entry.event).is_some_and(|(_, about)| about == digest)
        };
        self.entries.iter().rev().find(about).map(|entry| entry.at)
    }

    /// Did a plan of this definition last expire because it waited too long?
    pub(crate) fn has_expired(&self, digest: &str) -> bool {
        let facts = self.entries.iter().rev().map(|entry| &entry.event);
        let mut about =
            facts.filter(|event| lifecycle_fact(event).is_some_and(|(_, of)| of == digest));
        about.next().is_some_and(is_expiry)
    }

    /// What the last entry about a plan of this definition was before it expired, if it has.
    pub(crate) fn fact_before_expiry(&self, digest: &str) -> Option<PlanFact> {
        let facts = self.entries.iter().rev();
        let mut about = facts
            .filter_map(|entry| lifecycle_fact(&entry.event))
            .filter(|(_, of)| *of == digest)
            .map(|(fact, _)| fact);
        self.has_expired(digest).then_some(())?;
        about.nth(1)
    }

    /// The entries without expiries that a person took back by handing the plan in again as it was.
    pub(crate) fn standing_entries(&self) -> Vec<&PlanHistoryEntry> {
        let mut standing: Vec<&PlanHistoryEntry> = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            if let PlanEvent::PlanProposed { digest, actor, .. } = &entry.event
                && actor == Actor::Person.name()
                && let Some(last) = standing.last()
                && is_expiry(&last.event)
                && lifecycle_fact(&last.event).is_some_and(|(_, of)| of == digest)
            {
                standing.pop();
                // One that was never handed in is handed in now.
                if !standing.is_empty() {
                    continue;
                }
            }
            standing.push(entry);
        }
        standing
    }

    /// When something last happened to it, except its deletion.
    pub(crate) fn last_change(&self) -> Option<Millis> {
        let deleted =
            |entry: &&PlanHistoryEntry| matches!(entry.event, PlanEvent::PlanDeleted { .. });
        let lived = self.entries.iter().rev().find(|entry| !deleted(entry));
        lived.map(|entry| entry.at)
    }

    /// When something last happened to it, in whatever form.
    pub fn last_entry(&self) -> Option<Millis> {
        self.entries.last().map(|entry| entry.at)
    }

    /// Was it deleted, with nothing since?
    pub fn is_deleted(&self) -> bool {
        let last = self.entries.last().map(|entry| &entry.event);
        matches!(last, Some(PlanEvent::PlanDeleted { .. }))
    }

    /// Does it tell that this run was completed?
    pub(crate) fn records_end_of(&self, run: &str) -> bool {
        let ends = |event: &PlanEvent| matches!(event, PlanEvent::PlanCompleted { run: ended, .. } if ended == run);
        self.entries.iter().any(|entry| ends(&entry.event))
    }

    /// Refuses a run whose journal ends before what this log tells of it.
    pub(crate) fn refuse_if_cut(&self, run: &Run) -> Result<(), Error> {
        let end = match self.outcome_of(run.id()) {
            Some(Outcome::Completed | Outcome::Partial) => "was completed",
            // One that failed may go on, and its journal says so.
            Some(Outcome::Failed) if !run.was_reopened() => "failed",
            Some(Outcome::Failed) | None => return Ok(()),
        };
        if run.outcome().is_some() {
            return Ok(());
        }
        Err(Error::BrokenRun {
            run: run.id().to_owned(),
            why: format!(
                "its plan's log says that it {end}, and its journal ends before that: the end was cut off"
            ),
        })
    }

    /// Refuses a run that was abandoned, or that another run of the plan replaced.
    pub(crate) fn refuse_if_over(&self, run: &str) -> Result<(), Error> {
        let over = |why: RunOverReason| Error::RunOver {
            run: run.to_owned(),
            why,
        };
        for entry in self.entries.iter().rev() {
            match &entry.event {
                PlanEvent::PlanExecuting { run: newer, .. } if newer != run => {
                    return Err(over(RunOverReason::Replaced {
                        newer: newer.clone(),
                    }));
                }
                PlanEvent::PlanExecuting { .. } => return Ok(()),
                PlanEvent::PlanCancelled { .. } => {
                    return Err(over(RunOverReason::Cancelled));
                }
                PlanEvent::PlanRetried { .. } => {
                    return Err(over(RunOverReason::Retried));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Does it say that a plan was cancelled because it waited too long?
pub(crate) fn is_expiry(event: &PlanEvent) -> bool {
    let harness = Actor::Harness.name();
    matches!(event, PlanEvent::PlanCancelled { actor, run: None, .. } if actor == harness)
}

/// The fact of the lifecycle that an event records, with the digest of the definition that it is about.
pub(crate) fn lifecycle_fact(event: &PlanEvent) -> Option<(PlanFact, &String)> {
    Some(match event {
        PlanEvent::PlanProposed { digest, .. } | PlanEvent::PlanRevised { digest, .. } => {
            (PlanFact::Proposed, digest)
        }
        PlanEvent::PlanApproved { digest, .. } => (PlanFact::Approved, digest),
        PlanEvent::PlanRejected { digest, .. } => (PlanFact::Rejected, digest),
        PlanEvent::PlanNeedsReview { digest, .. } => (PlanFact::NeedsReview, digest),
        PlanEvent::PlanCancelled { digest, .. } => (PlanFact::Cancelled, digest),
        PlanEvent::PlanRetried { digest, .. } => (PlanFact::Retried, digest),
        PlanEvent::PlanReplaced { digest, .. } => (PlanFact::Replaced, digest),
        PlanEvent::PlanExecuting { .. }
        | PlanEvent::PlanModelAsked { .. }
        | PlanEvent::PlanCommented { .. }
        | PlanEvent::PlanCommentResolved { .. }
        | PlanEvent::PlanCompleted { .. }
        | PlanEvent::PlanFailed { .. }
        | PlanEvent::PlanArchived { .. }
        | PlanEvent::PlanRestored { .. }
        | PlanEvent::PlanDeleted { .. } => return None,
    })
}

fn entry(record: &Record) -> Result<PlanHistoryEntry, Error> {
    let event = serde_json::from_value(Value::Object(record.body.clone()));
    Ok(PlanHistoryEntry {
        at: millis(&record.at),
        event: event.map_err(|why| Error::UnknownEvent {
            seq: record.seq,
            why: why.to_string(),
        })?,
    })
}

/// An event as the log takes it.
pub(crate) fn event_body(event: &PlanEvent) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(event) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Error::Unwritable {
            why: "it is not an object".to_owned(),
        }),
        Err(why) => Err(Error::Unwritable {
            why: why.to_string(),
        }),
    }
}

/// Writes a line into the plan's log.
pub(crate) fn append_event(
    project: &Project,
    key: &str,
    event: &PlanEvent,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let lock = plan_log::lock(&project.store, key)?;
    let at = timestamp(clock.now());
    plan_log::append(&project.store, key, &lock, &at, &[event_body(event)?])?;
    Ok(())
}

/// Does the log of this plan name this run as its newest? Without its directory nobody could tell that it never began.
pub(crate) fn names_newest_run(project: &Project, key: &str, run: &str) -> bool {
    let history = PlanHistory::read(project, key);
    // What cannot be read may name it.
    history.map_or(true, |history| history.newest_run() == Some(run))
}

/// Is this a plan that the harness marks, or something else that it keeps? Then a change of it means nothing.
pub(crate) fn is_known_plan(project: &Project, path: &str) -> bool {
    let path = project.store.workspace().join(path);
    if path.starts_with(project.store.dir()) {
        return true;
    }
    let plan = PlanFile::read(&path, "", &signoff_plan::PermissiveWorkspace).ok();
    let history = plan.and_then(|plan| PlanHistory::read(project, &plan.key(project).ok()?).ok());
    history.is_some_and(|history| history.last_entry().is_some())
}
