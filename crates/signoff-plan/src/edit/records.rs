//! What a run leaves in files of keys and values: each step's mark, and beside it when it began, who did it, what came of
//! it. All of it in one go, because a plan may have thousands of steps and each of them several such fields.

use std::collections::BTreeMap;

use serde_json::Value;

use super::keyed::{KeyedFile, PathSegment, at};
use super::{EditRefused, Marks, Splice, StepMark, splice, state, toolplan};
use crate::dialect::{Dialect, parse};
use crate::draft::{self, Draft};
use crate::model::Plan;
use crate::node::Node;
use crate::source::Source;
use crate::spelling::status::plan_words;

/// Fields of the record, by the names of [`crate::model::PLAN_RECORD`] and
/// [`crate::model::STEP_RECORD`]; `null` takes one away. What is not named is left alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Records {
    /// Of the plan.
    pub plan: Vec<(&'static str, Value)>,
    /// Of steps, by id.
    pub steps: Vec<(String, Vec<(&'static str, Value)>)>,
    /// When the file was changed; written only if anything else is.
    pub updated_at: Option<Value>,
}

/// A round removes at most one key from a mapping, so several need several rounds.
const ROUNDS: usize = 16;

/// The file with these marks and records, as text and read again; `None` if it has them already.
///
/// A field that has no place in the file, or only one with a comment inside, is left out.
pub(super) fn write(
    source: &Source,
    before: Draft,
    marks: &Marks,
    records: &Records,
) -> Result<Option<(Source, Draft)>, EditRefused> {
    if !has_place(&before) {
        return Ok(None);
    }
    let mut written: Option<Source> = None;
    let mut draft = before;
    for _ in 0..ROUNDS {
        let current = written.as_ref().unwrap_or(source);
        let Round { splices, is_last } =
            Round::new(&KeyedFile::new(current, &draft)?, marks, records)?;
        if splices.is_empty() {
            break;
        }
        let next = splice::apply_to(current, splices);
        // Two drafts of a large plan take too much memory.
        drop(draft);
        draft = parse(&next);
        written = Some(next);
        if is_last {
            break;
        }
    }
    Ok(written.map(|written| (written, draft)))
}

fn has_place(draft: &Draft) -> bool {
    match draft.dialect {
        Dialect::Record => true,
        Dialect::Toolplan => !toolplan::is_bare(draft),
        // One names its fields by other edits, the others have none.
        Dialect::Proposal | Dialect::Workunit | Dialect::Thread => false,
    }
}

/// As much as can be written at once.
struct Round {
    splices: Vec<Splice>,
    /// Nothing is left for another round.
    is_last: bool,
}

impl Round {
    fn new(file: &KeyedFile<'_>, marks: &Marks, records: &Records) -> Result<Self, EditRefused> {
        let mut round = Self {
            splices: Vec::new(),
            is_last: true,
        };
        let dialect = file.draft.dialect;
        let known = file.steps();
        let statuses = step_statuses(&known, dialect, marks)?;
        let mut steps: BTreeMap<usize, Fields<'_>> = BTreeMap::new();
        for (position, status) in &statuses {
            steps.entry(*position).or_default().push(("status", status));
        }
        for (id, fields) in &records.steps {
            if let Some((position, _)) = known.get(id) {
                let fields = keys(fields, |name| dialect.step_key(name));
                steps.entry(*position).or_default().extend(fields);
            }
        }
        for (position, fields) in steps {
            let way = [PathSegment::Key("steps"), PathSegment::Item(position)];
            if let Some(step) = at(&file.root, &way) {
                round.set(file, step, &fields)?;
            }
        }
        let status = plan_status(dialect, marks)?;
        let mut fields: Fields<'_> = status.iter().map(|word| ("status", word)).collect();
        fields.extend(keys(&records.plan, |name| dialect.plan_key(name)));
        let before = round.splices.len();
        round.set(file, &file.root, &fields)?;
        let updated = records
            .updated_at
            .as_ref()
            .zip(dialect.plan_key("updated_at"));
        if let Some((value, key)) = updated
            && !round.splices.is_empty()
        {
            round.splices.truncate(before);
            fields.push((key, value));
            round.set(file, &file.root, &fields)?;
        }
        Ok(round)
    }

    /// Sets keys of one mapping; if all of those are there, takes one away.
    fn set(
        &mut self,
        file: &KeyedFile<'_>,
        mapping: &Node,
        fields: &[Field<'_>],
    ) -> Result<(), EditRefused> {
        if mapping.shared {
            // The mark of one step would be another's too.
            return Ok(());
        }
        let entries = mapping.entries().unwrap_or_default();
        let before = self.splices.len();
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        for (key, value) in fields {
            let found = entries.iter().position(|entry| entry.key.value == *key);
            match found.and_then(|at| Some((at, entries.get(at)?))) {
                Some((at, entry)) if value.is_null() => {
                    if !entry.value.is_nothing() {
                        gone.push((at, entry));
                    }
                }
                Some((_, entry)) => match file.editor.replace(mapping, entry, value) {
                    Ok(splices) => self.splices.extend(splices),
                    Err(EditRefused::Shared(_)) => {}
                    Err(refused) if *key == "status" => return Err(refused),
                    // A comment inside what is there now outlives what we have to say.
                    Err(_) => {}
                },
                None if value.is_null() => {}
                None => new.push((*key, *value)),
            }
        }
        self.splices.extend(file.editor.insert(mapping, &new));
        self.is_last &= gone.is_empty();
        // Keys side by side share the comma or line end between them.
        if self.splices.len() == before {
            let mut removals = gone.into_iter().filter_map(|(at, entry)| {
                let removed = file.editor.remove(mapping, entries, at);
                // Where a comment stands beside it, the key stays for that.
                let removed =
                    removed.or_else(|_| file.editor.replace(mapping, entry, &Value::Null));
                removed.ok().filter(|splices| !splices.is_empty())
            });
            self.splices.extend(removals.next().into_iter().flatten());
        }
        Ok(())
    }
}

/// A key of a mapping, and its value.
type Field<'a> = (&'static str, &'a Value);
type Fields<'a> = Vec<Field<'a>>;

/// Fields under the keys that a dialect has for them.
fn keys<'a>(
    fields: &'a [(&'static str, Value)],
    key: impl Fn(&str) -> Option<&'static str>,
) -> impl Iterator<Item = Field<'a>> {
    let named = move |(name, value): &'a (&'static str, Value)| Some((key(name)?, value));
    fields.iter().filter_map(named)
}

/// The status that the plan itself gets, where the dialect has a place for one.
fn plan_status(dialect: Dialect, marks: &Marks) -> Result<Option<Value>, EditRefused> {
    match &marks.status {
        Some(word) if dialect == Dialect::Record => {
            let is_known = plan_words(dialect).contains(&word.as_str());
            let unknown = || EditRefused::UnknownStatus(word.clone());
            is_known
                .then(|| Some(Value::from(word.as_str())))
                .ok_or_else(unknown)
        }
        _ => Ok(None),
    }
}

/// The status that each marked step gets, by its position in the file.
fn step_statuses(
    known: &BTreeMap<String, (usize, &draft::Step)>,
    dialect: Dialect,
    marks: &Marks,
) -> Result<Vec<(usize, Value)>, EditRefused> {
    let mut statuses = Vec::new();
    for (id, mark) in &marks.steps {
        let unknown = || EditRefused::UnknownStep(id.clone());
        let (position, step) = known.get(id).ok_or_else(unknown)?;
        let present = state(&step.marks);
        let is_ours = matches!(present, Some(StepMark::Blocked | StepMark::Running));
        if present == Some(*mark) || (*mark == StepMark::NotBegun && !is_ours) {
            continue;
        }
        // A dialect without a word for it leaves what is there.
        if let Some(word) = mark.word(dialect) {
            statuses.push((*position, Value::from(word)));
        }
    }
    Ok(statuses)
}

/// Takes away what may differ between the file before and after.
pub(super) fn clear(plan: &mut Plan, records: &Records) {
    for (name, _) in &records.plan {
        plan.record.remove(*name);
    }
    if records.updated_at.is_some() {
        plan.record.remove("updated_at");
    }
    let fields: BTreeMap<&str, _> = records
        .steps
        .iter()
        .map(|(id, fields)| (id.as_str(), fields))
        .collect();
    for step in &mut plan.steps {
        for (name, _) in fields.get(step.id.as_str()).into_iter().copied().flatten() {
            step.record.remove(name);
        }
    }
}
