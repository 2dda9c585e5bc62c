//! What happened to a plan, as its log tells it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, Millis, PlanFact};
use signoff_plan::digest::Digest;
use signoff_store::journal::Record;
use signoff_store::plan_log;
use signoff_store::signatures::Proof;

use crate::clock::millis;
use crate::error::Error;
use crate::project::Project;
use crate::view::View;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Millis,
    /// What.
    pub event: PlanEvent,
}

/// Everything that happened to one plan, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl History {
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
                | PlanEvent::PlanArchived { path, .. } => Some(path.as_str()),
                PlanEvent::PlanNeedsReview { .. }
                | PlanEvent::PlanCancelled { .. }
                | PlanEvent::PlanRetried { .. }
                | PlanEvent::PlanCompleted { .. }
                | PlanEvent::PlanFailed { .. }
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
                event => fact(event).map(|(_, digest)| digest),
            })
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

    /// Was it rejected too often, with nothing since that a person did to it?
    pub(crate) fn needs_person(&self) -> bool {
        let person = Actor::Person.name();
        let decides = |entry: &Entry| match &entry.event {
            PlanEvent::PlanNeedsReview { .. } => Some(true),
            PlanEvent::PlanProposed { actor, .. }
            | PlanEvent::PlanRevised { actor, .. }
            | PlanEvent::PlanCancelled { actor, .. } => (actor == person).then_some(false),
            PlanEvent::PlanApproved { proof, .. } => {
                (proof != Proof::Policy.name()).then_some(false)
            }
            PlanEvent::PlanDeleted { .. } => Some(false),
            PlanEvent::PlanRejected { .. }
            | PlanEvent::PlanRetried { .. }
            | PlanEvent::PlanExecuting { .. }
            | PlanEvent::PlanCompleted { .. }
            | PlanEvent::PlanFailed { .. }
            | PlanEvent::PlanArchived { .. } => None,
        };
        self.entries.iter().rev().find_map(decides).unwrap_or(false)
    }

    /// When something last happened to a plan of this definition.
    pub fn last_activity(&self, digest: &str) -> Option<Millis> {
        let about = |entry: &&Entry| fact(&entry.event).is_some_and(|(_, about)| about == digest);
        self.entries.iter().rev().find(about).map(|entry| entry.at)
    }

    /// When something last happened to it, its deletion apart.
    pub(crate) fn last_lived(&self) -> Option<Millis> {
        let deleted = |entry: &&Entry| matches!(entry.event, PlanEvent::PlanDeleted { .. });
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
    pub(crate) fn tells_end_of(&self, run: &str) -> bool {
        let ends = |event: &PlanEvent| matches!(event, PlanEvent::PlanCompleted { run: ended, .. } if ended == run);
        self.entries.iter().any(|entry| ends(&entry.event))
    }

    /// A run that somebody gave up, or that another one came after, is not gone on with.
    pub(crate) fn refuse_if_over(&self, run: &str) -> Result<(), Error> {
        let over = |why: String| Error::RunOver {
            run: run.to_owned(),
            why,
        };
        for entry in self.entries.iter().rev() {
            match &entry.event {
                PlanEvent::PlanExecuting { run: newer, .. } if newer != run => {
                    return Err(over(format!("run {newer} came after it")));
                }
                PlanEvent::PlanExecuting { .. } => return Ok(()),
                PlanEvent::PlanCancelled { .. } => {
                    return Err(over("its plan was cancelled".to_owned()));
                }
                PlanEvent::PlanRetried { .. } => {
                    return Err(over("its plan is to be run from scratch".to_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The newest fact that decides about a definition, with the run it is about: one that has not
    /// ended, whatever it runs, or one of this definition. Signing another version of a plan that runs
    /// does not end its run.
    pub(crate) fn newest_fact(
        &self,
        project: &Project,
        present_digest: &Digest,
    ) -> Result<Option<(PlanFact, Option<View>)>, Error> {
        let present = present_digest.to_string();
        // Runs that a person gave up.
        let mut over = BTreeSet::new();
        let mut approved = None;
        for entry in self.entries.iter().rev() {
            if let PlanEvent::PlanExecuting { run, digest, .. } = &entry.event {
                let Some(view) = begun(project, run)? else {
                    continue;
                };
                let goes_on = view.run.outcome().is_none() && !over.contains(run);
                let of_present =
                    *digest == present && view.run.signed().digest() == *present_digest;
                if goes_on || (of_present && approved.is_none()) {
                    return Ok(Some((PlanFact::Run(view.known()), Some(view))));
                }
                if approved.is_some() {
                    break;
                }
                continue;
            }
            if let PlanEvent::PlanCancelled { run: Some(run), .. }
            | PlanEvent::PlanRetried { run, .. } = &entry.event
            {
                over.insert(run.clone());
            }
            if let Some((fact, digest)) = fact(&entry.event)
                && *digest == present
                && approved.is_none()
            {
                if fact != PlanFact::Approved {
                    return Ok(Some((fact, None)));
                }
                approved = Some((fact, None));
            }
        }
        Ok(approved)
    }
}

/// The run, unless it ended before its first event.
fn begun(project: &Project, run: &str) -> Result<Option<View>, Error> {
    match View::load(project, run) {
        Ok(view) => Ok(Some(view)),
        // Runs are kept out of the repository: a clone has the log and not the runs.
        Err(Error::NeverBegun { .. } | Error::NoSuchRun { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn fact(event: &PlanEvent) -> Option<(PlanFact, &String)> {
    Some(match event {
        PlanEvent::PlanProposed { digest, .. } | PlanEvent::PlanRevised { digest, .. } => {
            (PlanFact::Proposed, digest)
        }
        PlanEvent::PlanApproved { digest, .. } => (PlanFact::Approved, digest),
        PlanEvent::PlanRejected { digest, .. } => (PlanFact::Rejected, digest),
        PlanEvent::PlanNeedsReview { digest, .. } => (PlanFact::NeedsReview, digest),
        PlanEvent::PlanCancelled { digest, .. } => (PlanFact::Cancelled, digest),
        PlanEvent::PlanRetried { digest, .. } => (PlanFact::Retried, digest),
        PlanEvent::PlanExecuting { .. }
        | PlanEvent::PlanCompleted { .. }
        | PlanEvent::PlanFailed { .. }
        | PlanEvent::PlanArchived { .. }
        | PlanEvent::PlanDeleted { .. } => return None,
    })
}

fn entry(record: &Record) -> Result<Entry, Error> {
    let event = serde_json::from_value(Value::Object(record.body.clone()));
    Ok(Entry {
        at: millis(&record.at),
        event: event.map_err(|why| Error::UnknownEvent {
            seq: record.seq,
            why: why.to_string(),
        })?,
    })
}

/// An event as the log takes it.
pub(crate) fn body(event: &PlanEvent) -> Result<Map<String, Value>, Error> {
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
