//! Changes a plan file and nothing else in it: marks, fields, a rejection, a version.
//!
//! Bytes are spliced at known places, the result is read again, and anything but the wanted marks
//! having changed is a refusal: better no mark than a damaged file.

mod proposal;
mod record;
mod splice;
mod thread;
mod toolplan;
mod workunit;

use std::fmt;

use serde_json::Value;

use self::splice::Splice;
use crate::check::resolve;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, parse};
use crate::digest::Digest;
use crate::draft::Draft;
use crate::model::Plan;
use crate::source::Source;

/// One change of a plan's definition or history.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Sets a field of the plan, by its name in the model; inserts it where there is none.
    SetPlan {
        /// Name of the field.
        field: String,
        /// Its new value.
        value: Value,
    },
    /// Sets a field of a step; inserts it where there is none.
    SetStep {
        /// Id of the step.
        step: String,
        /// Name of the field.
        field: String,
        /// Its new value.
        value: Value,
    },
    /// Appends a rejection of this version, with its feedback.
    Reject {
        /// The version that was rejected.
        version: u64,
        /// What the person said.
        feedback: String,
    },
}

/// The bytes of the file with these changes; every other byte as it was.
pub fn apply(source: &Source, edits: &[Edit]) -> Result<Vec<u8>, EditRefused> {
    let mut current = source.clone();
    for edit in edits {
        let before = parse(&current);
        readable(&before)?;
        let splices = match before.dialect {
            Dialect::Workunit => workunit::edit(&current, &before, edit)?,
            Dialect::Proposal => proposal::edit(&current, &before, edit)?,
            Dialect::Record => record::edit(&current, &before, edit)?,
            Dialect::Toolplan => toolplan::edit(&current, &before, edit)?,
            Dialect::Thread => thread::edit(&current, &before, edit)?,
        };
        let bytes = splice::apply(current.bytes(), splices);
        current = Source::new(source.name(), bytes);
    }
    Ok(current.bytes().to_vec())
}

/// What should be visible in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// The plan's status, in the dialect's word; `None` = leave it alone.
    pub status: Option<String>,
    /// Marks by step id; steps not named are left alone.
    pub steps: Vec<(String, StepMark)>,
}

/// The mark of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepMark {
    /// No mark.
    None,
    /// Its contract held.
    Done,
    /// Its contract did not hold.
    Failed,
    /// It was not run.
    Skipped,
}

/// Why a file was left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefused {
    /// The file cannot be read well enough to change it safely.
    Unreadable(String),
    /// The status is no word that the dialect has.
    UnknownStatus(String),
    /// The file has no step of this id.
    UnknownStep(String),
    /// The dialect has no place for this; says what for.
    NoPlace(String),
    /// The change would have touched more, or less, than the marks; says what.
    NotOnlyMarks(&'static str),
}

impl fmt::Display for EditRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => {
                write!(f, "the file cannot be read well enough to mark it: {why}")
            }
            Self::UnknownStatus(word) => write!(f, "`{word}` is no status of a plan"),
            Self::UnknownStep(id) => write!(f, "the file has no step `{id}`"),
            Self::NoPlace(what) => write!(f, "this dialect has no place for {what}"),
            Self::NotOnlyMarks(what) => write!(f, "marking the file would have changed {what}"),
        }
    }
}

impl std::error::Error for EditRefused {}

/// The bytes of the file with these marks; every other byte as it was.
///
/// Giving the same marks again changes nothing.
pub fn apply_marks(source: &Source, marks: &Marks) -> Result<Vec<u8>, EditRefused> {
    let before = parse(source);
    readable(&before)?;
    let splices = match before.dialect {
        Dialect::Workunit => workunit::splices(source, &before, marks)?,
        Dialect::Proposal => proposal::splices(source, &before, marks)?,
        Dialect::Record => record::splices(source, &before, marks)?,
        Dialect::Toolplan => toolplan::splices(source, &before, marks)?,
        // No marks in its files: its state lives in the store.
        Dialect::Thread => Vec::new(),
    };
    let bytes = splice::apply(source.bytes(), splices);
    let after = parse(&Source::new(source.name(), bytes.clone()));
    only_marks_changed(&before, &after)?;
    marks_are_there(&after, marks)?;
    Ok(bytes)
}

/// Refuses files in which the place of things is uncertain.
fn readable(draft: &Draft) -> Result<(), EditRefused> {
    let uncertain = |problem: &&Diagnostic| {
        matches!(
            problem.code,
            Code::FrontmatterInvalid
                | Code::FrontmatterMissing
                | Code::NotUtf8
                | Code::TooLarge
                | Code::UnterminatedFence
        )
    };
    match draft.problems.iter().find(uncertain) {
        Some(problem) => Err(EditRefused::Unreadable(problem.message.clone())),
        None => Ok(()),
    }
}

fn only_marks_changed(before: &Draft, after: &Draft) -> Result<(), EditRefused> {
    let codes = |draft: &Draft| {
        let mut codes: Vec<_> = draft.problems.iter().map(|problem| problem.code).collect();
        codes.sort_unstable();
        codes
    };
    let (old, new) = (without_marks(before), without_marks(after));
    if Digest::of_plan(&old) != Digest::of_plan(&new) {
        return Err(EditRefused::NotOnlyMarks("the digest"));
    }
    if old != new {
        return Err(EditRefused::NotOnlyMarks("what the plan says"));
    }
    // Removing a mark may remove its problem; a new problem is never part of the bargain.
    let known = codes(before);
    if codes(after).iter().any(|code| !known.contains(code)) {
        return Err(EditRefused::NotOnlyMarks("how the file is read"));
    }
    Ok(())
}

fn without_marks(draft: &Draft) -> Plan {
    let mut plan = resolve::resolve(draft, &mut Vec::new()).plan;
    plan.status = None;
    for step in &mut plan.steps {
        step.claimed = false;
    }
    plan
}

fn marks_are_there(after: &Draft, marks: &Marks) -> Result<(), EditRefused> {
    let missing = EditRefused::NotOnlyMarks("something, but not the marks");
    let status = after.status.as_ref().map(|status| status.value.as_str());
    if marks.status.is_some() && marks.status.as_deref() != status {
        return Err(missing);
    }
    let ids = resolve::step_ids(after);
    for (id, mark) in &marks.steps {
        let index = ids.iter().position(|other| other == id);
        let step = index.and_then(|index| after.steps.get(index));
        if step.map(|step| workunit::state(&step.marks)) != Some(Some(*mark)) {
            return Err(missing);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
