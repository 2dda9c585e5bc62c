//! Changes a plan file and nothing else in it: marks, fields, a rejection, a version, the order of its steps.
//!
//! Bytes are spliced at known places, the result is read again, and anything but the wanted marks
//! having changed is a refusal: better no mark than a damaged file.

mod content_hash;
mod frontmatter;
mod keyed;
mod members;
mod proposal;
mod record;
mod records;
mod removal;
mod resolved_edit;
mod splice;
mod steps;
mod thread;
mod toolplan;
mod verify;
mod workunit;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use self::content_hash::ContentHash;
pub use self::records::Records;
pub(crate) use self::splice::{Splice, apply_to as splice_into};
pub use self::steps::{NewStep, Restructured, StepPlace, add_step, move_step, replace_step};
use crate::check::{resolve, resolved_plan};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, parse};
use crate::digest::Digest;
use crate::draft::{self, Draft};
use crate::model::{Plan, Step};
use crate::source::Source;
use crate::spelling::status;

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
///
/// For a plan that is a directory see [`apply_to`].
pub fn apply(source: &Source, edits: &[Edit]) -> Result<Vec<u8>, EditRefused> {
    Ok(apply_to(source, edits)?.bytes().to_vec())
}

/// The source with these changes; of a directory every file is there, [`Source::split`] gives them.
pub fn apply_to(source: &Source, edits: &[Edit]) -> Result<Source, EditRefused> {
    let mut current = source.clone();
    for edit in edits {
        current = apply_one(&current, edit)?;
    }
    Ok(current)
}

fn apply_one(source: &Source, edit: &Edit) -> Result<Source, EditRefused> {
    let before = parse(source);
    require_readable(&before)?;
    let wanted = verify::ExpectedResult::new(&before, edit)?;
    let splices = match before.dialect {
        Dialect::Workunit => workunit::edit(source, &before, edit)?,
        Dialect::Proposal => proposal::edit(source, &before, edit)?,
        Dialect::Record => record::edit(source, &before, edit)?,
        Dialect::Toolplan => toolplan::edit(source, &before, edit)?,
        Dialect::Thread => thread::edit(source, &before, edit)?,
    };
    let changed = splice::apply_to(source, splices);
    wanted.check(&parse(&changed))?;
    Ok(changed)
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
    /// It has not begun: a mark that it is under way or blocked goes, somebody's claim that it has ended stays.
    NotBegun,
    /// Something it waits for has failed.
    Blocked,
    /// It is under way.
    Running,
    /// Its contract held.
    Done,
    /// Its contract did not hold.
    Failed,
    /// It was not run.
    Skipped,
}

impl StepMark {
    /// Can files of this dialect say it? They need not have a word for a step that has not ended.
    pub fn has_place_in(self, dialect: Dialect) -> bool {
        let is_end = matches!(self, Self::Done | Self::Failed | Self::Skipped);
        self == Self::None || is_end || self.word(dialect).is_some()
    }

    /// The word that a dialect has for it, if its files have words for steps.
    fn word(self, dialect: Dialect) -> Option<&'static str> {
        let word = match self {
            Self::None | Self::NotBegun => "pending",
            Self::Blocked => "blocked",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        };
        status::step_word(dialect, word)
    }
}

/// Why a file was left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefused {
    /// The file cannot be read well enough to change it safely.
    Unreadable(String),
    /// The status is not a word that the dialect has.
    UnknownStatus(String),
    /// The file has no step of this id.
    UnknownStep(String),
    /// There is no such field.
    UnknownField {
        /// `plan` or `step`.
        of: &'static str,
        /// As it was written.
        field: String,
        /// What was probably meant.
        nearest: Option<&'static str>,
    },
    /// The dialect has no place for this; says what for.
    NoPlace(String),
    /// The field cannot have this value; says why.
    BadValue(String),
    /// The value stands in several places, by a YAML anchor; says which field.
    Shared(String),
    /// The change would have touched more, or less, than its field; says what.
    NotOnlyField(String),
    /// The change would have touched more, or less, than the marks; says what.
    NotOnlyMarks(&'static str),
    /// A step would stand before one that it waits for.
    BreaksDependency {
        /// Id of the step.
        step: String,
        /// Id of the one that it waits for.
        dependency: String,
    },
    /// A step that would get another number is read under the old one.
    NamedByNumber {
        /// Id of the step.
        step: String,
        /// Id of the one that reads it.
        by: String,
    },
}

impl EditRefused {
    fn unknown_field(
        of: &'static str,
        field: &str,
        names: impl Iterator<Item = &'static str>,
    ) -> Self {
        Self::UnknownField {
            of,
            field: field.to_owned(),
            nearest: crate::suggest::nearest(field, names),
        }
    }
}

impl fmt::Display for EditRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => {
                write!(f, "the file cannot be read well enough to change it: {why}")
            }
            Self::UnknownStatus(word) => write!(f, "`{word}` is not a status of a plan"),
            Self::UnknownStep(id) => write!(f, "the file has no step `{id}`"),
            Self::UnknownField { of, field, nearest } => {
                write!(f, "a {of} has no field `{field}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::BadValue(why) => f.write_str(why),
            Self::Shared(field) => write!(
                f,
                "`{field}` is shared by a YAML anchor or alias, and is not changed: write its value out first"
            ),
            Self::NotOnlyField(what) => write!(f, "the edit would have changed {what}"),
            Self::NoPlace(what) => write!(f, "this dialect has no place for {what}"),
            Self::NotOnlyMarks(what) => write!(f, "marking the file would have changed {what}"),
            Self::BreaksDependency { step, dependency } => write!(
                f,
                "step `{step}` waits for `{dependency}`, and would stand before it"
            ),
            Self::NamedByNumber { step, by } => write!(
                f,
                "step `{by}` uses what `{step}` gives, and `{step}` would get another number: give it an `id` first"
            ),
        }
    }
}

impl std::error::Error for EditRefused {}

/// The bytes of the file with these marks; every other byte as it was.
///
/// Giving the same marks again changes nothing.
pub fn apply_marks(source: &Source, marks: &Marks) -> Result<Vec<u8>, EditRefused> {
    let file = ParsedFile::new(source.clone());
    let marked = apply_progress(file, marks, Records::default())?;
    Ok(marked.bytes().to_vec())
}

/// A plan's file and what it says. Who has parsed a file to look at it can hand this on to who changes it.
#[derive(Debug)]
pub struct ParsedFile {
    source: Source,
    draft: Draft,
}

impl ParsedFile {
    /// Parses a file.
    pub fn new(source: Source) -> Self {
        let draft = parse(&source);
        Self { source, draft }
    }

    /// Its text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The dialect it is in.
    pub fn dialect(&self) -> Dialect {
        self.draft.dialect
    }

    /// The plan as it stands, without any of the checks.
    // Not kept: the plan and the draft of a hundred thousand steps are too much together.
    pub fn plan(&self) -> Plan {
        resolved_plan(&self.draft)
    }
}

/// The same as [`apply_marks`], with these records where the dialect has a place for them.
pub fn apply_progress(
    file: ParsedFile,
    marks: &Marks,
    mut records: Records,
) -> Result<Source, EditRefused> {
    let ParsedFile { source, draft } = file;
    require_readable(&draft)?;
    let before = MarksFound::in_draft(&draft);
    let rest_before = hash_of_rest(&draft, &records);
    let written = match draft.dialect {
        Dialect::Record | Dialect::Toolplan if !records::have_place(&draft) => None,
        Dialect::Record | Dialect::Toolplan => {
            // Two drafts of a large plan take too much memory.
            drop(draft);
            records::write(&source, &before, marks, &records)?
        }
        Dialect::Workunit => {
            let splices = workunit::splices(&source, &draft, marks)?;
            changed_file(&source, draft, splices)
        }
        Dialect::Proposal => {
            let splices = proposal::splices(&source, &draft, marks)?;
            changed_file(&source, draft, splices)
        }
        // No marks in its files: its state lives in the store.
        Dialect::Thread => None,
    };
    let Some(marked) = written else {
        return Ok(source);
    };
    records.forget_values();
    let draft = parse(&marked);
    let after = MarksFound::in_draft(&draft);
    if hash_of_rest(&draft, &records) != rest_before {
        drop(draft);
        return Err(difference(&source, &marked, &records));
    }
    drop(draft);
    no_new_problems(&before, &after)?;
    marks_are_there(&before, &after, marks)?;
    Ok(marked)
}

/// The file with these changes; `None` without any.
fn changed_file(source: &Source, before: Draft, splices: Vec<Splice>) -> Option<Source> {
    // Two drafts of a large plan take too much memory.
    drop(before);
    (!splices.is_empty()).then(|| splice::apply_to(source, splices))
}

/// All that a plan says beside marks and records, as one hash.
fn hash_of_rest(draft: &Draft, records: &Records) -> [u8; 32] {
    let cleared = records.cleared_steps();
    let mut hash = ContentHash::default();
    let mut problems = Vec::new();
    resolve::each_step(draft, &mut problems, |mut step| {
        step.clear_marks();
        cleared.clear(&mut step);
        hash.add(&step);
    });
    let mut plan = resolve::without_steps(draft, &mut problems);
    plan.status = None;
    records.clear_plan(&mut plan);
    hash.add(&plan);
    hash.finish()
}

/// What differs between two texts beside marks and records.
fn difference(before: &Source, after: &Source, records: &Records) -> EditRefused {
    let digest = |source: &Source| {
        let mut plan = resolved_plan(&parse(source));
        plan.status = None;
        plan.steps.iter_mut().for_each(Step::clear_marks);
        records.clear_plan(&mut plan);
        Digest::of_plan(&plan)
    };
    let is_same = digest(before) == digest(after);
    EditRefused::NotOnlyMarks(if is_same {
        "what the plan says"
    } else {
        "the digest"
    })
}

/// The marks of a file and how it is read: what is left of its draft when another takes its place.
struct MarksFound {
    dialect: Dialect,
    problems: BTreeSet<Code>,
    status: Option<String>,
    ids: Vec<String>,
    /// Where each step begins.
    starts: Vec<usize>,
    /// Of each step; `None` where its marks contradict each other.
    steps: Vec<Option<StepMark>>,
}

impl MarksFound {
    fn in_draft(draft: &Draft) -> Self {
        Self {
            dialect: draft.dialect,
            problems: draft.problems.iter().map(|problem| problem.code).collect(),
            status: draft.status.as_ref().map(|status| status.value.clone()),
            ids: resolve::step_ids(draft),
            starts: draft.steps.iter().map(|step| step.span.start).collect(),
            steps: draft.steps.iter().map(|step| state(&step.marks)).collect(),
        }
    }

    /// The mark of the step at a position; `None` without one, and where its marks contradict each other.
    fn step(&self, at: usize) -> Option<StepMark> {
        self.steps.get(at).copied().flatten()
    }
}

/// Refuses files in which the place of things is uncertain.
pub(crate) fn require_readable(draft: &Draft) -> Result<(), EditRefused> {
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

/// Removing a mark may remove its problem; a new problem is never part of the bargain.
fn no_new_problems(before: &MarksFound, after: &MarksFound) -> Result<(), EditRefused> {
    if after.problems.is_subset(&before.problems) {
        return Ok(());
    }
    Err(EditRefused::NotOnlyMarks("how the file is read"))
}

fn marks_are_there(
    before: &MarksFound,
    after: &MarksFound,
    marks: &Marks,
) -> Result<(), EditRefused> {
    let missing = EditRefused::NotOnlyMarks("something, but not the marks");
    // Where a dialect has no place for a mark, it may stay as it was.
    let optional = after.dialect != Dialect::Workunit;
    let unchanged = optional && before.status == after.status;
    if marks.status.is_some() && marks.status != after.status && !unchanged {
        return Err(missing);
    }
    let positions = after.ids.iter().map(String::as_str).zip(0..after.ids.len());
    let positions: BTreeMap<&str, usize> = positions.rev().collect();
    for (id, mark) in &marks.steps {
        if !mark.has_place_in(after.dialect) {
            continue;
        }
        let at = positions.get(id.as_str()).copied().unwrap_or(usize::MAX);
        let found = after.step(at);
        let wanted = if *mark == StepMark::NotBegun {
            StepMark::None
        } else {
            *mark
        };
        if found != Some(wanted) && !(optional && found == before.step(at)) {
            return Err(missing);
        }
    }
    Ok(())
}

/// The mark that a step has; `None` where its marks contradict each other.
fn state(marks: &draft::StepMarks) -> Option<StepMark> {
    let ticks = marks.ticks.iter().map(|_| Some(StepMark::Done));
    let words = marks
        .statuses
        .iter()
        .map(|mark| match mark.word.value.as_str() {
            word if status::is_done(word) => Some(StepMark::Done),
            word => match status::step_status(word) {
                None | Some("ready") => Some(StepMark::None),
                Some("blocked") => Some(StepMark::Blocked),
                Some("running") => Some(StepMark::Running),
                Some("failed") => Some(StepMark::Failed),
                Some("skipped") => Some(StepMark::Skipped),
                Some(_) => None,
            },
        });
    let mut all = ticks.chain(words);
    let Some(first) = all.next() else {
        return Some(StepMark::None);
    };
    all.all(|other| other == first).then_some(first).flatten()
}

#[cfg(test)]
mod tests;
