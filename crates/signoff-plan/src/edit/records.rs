//! What a run leaves in files of keys and values: each step's mark, and beside it when it began, who did it, what came of
//! it. All of it in one go, because a plan may have thousands of steps and each of them several such fields.

use std::collections::BTreeMap;

use serde_json::Value;

use super::members::MemberEditor;
use super::{EditRefused, Marks, MarksFound, Splice, StepMark, splice, toolplan};
use crate::dialect::object::{self, Format};
use crate::dialect::{Dialect, parse};
use crate::draft::Draft;
use crate::model::{Plan, Step};
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

impl Records {
    /// Keeps only the names, which is what is needed once they are written.
    pub(super) fn forget_values(&mut self) {
        let steps = self.steps.iter_mut().flat_map(|(_, fields)| fields);
        for (_, value) in self.plan.iter_mut().chain(steps) {
            *value = Value::Null;
        }
    }

    /// What may differ between the steps before and after.
    pub(super) fn cleared_steps(&self) -> ClearedSteps<'_> {
        let mut steps: Vec<_> = self.steps.iter().collect();
        steps.sort_by(|(one, _), (other, _)| one.cmp(other));
        ClearedSteps(steps)
    }

    /// Takes away what may differ between the plan before and after, beside its steps.
    pub(super) fn clear_plan(&self, plan: &mut Plan) {
        for (name, _) in &self.plan {
            plan.record.remove(*name);
        }
        if self.updated_at.is_some() {
            plan.record.remove("updated_at");
        }
    }
}

/// Records of steps, by their ids.
pub(super) struct ClearedSteps<'a>(Vec<&'a (String, Vec<(&'static str, Value)>)>);

impl ClearedSteps<'_> {
    /// Takes away what may differ between the step before and after.
    pub(super) fn clear(&self, step: &mut Step) {
        let found = self.0.binary_search_by(|(id, _)| id.as_str().cmp(&step.id));
        let fields = found.ok().and_then(|at| self.0.get(at));
        for (name, _) in fields.iter().flat_map(|(_, fields)| fields) {
            step.record.remove(name);
        }
    }
}

/// A round removes at most one key from a mapping, so several need several rounds.
const ROUNDS: usize = 16;

/// The file with these marks and records; `None` if it has them already.
///
/// A field that has no place in the file, or only one with a comment inside, is left out.
pub(super) fn write(
    source: &Source,
    before: &MarksFound,
    marks: &Marks,
    records: &Records,
) -> Result<Option<Source>, EditRefused> {
    let mut written: Option<Source> = None;
    let mut found: Option<MarksFound> = None;
    for _ in 0..ROUNDS {
        let current = written.as_ref().unwrap_or(source);
        let found_now = found.as_ref().unwrap_or(before);
        let RecordBatch {
            splices, is_last, ..
        } = RecordBatch::new(current, found_now, marks, records)?;
        if splices.is_empty() {
            break;
        }
        let next = splice::apply_to(current, splices);
        if is_last {
            return Ok(Some(next));
        }
        found = Some(MarksFound::in_draft(&parse(&next)));
        written = Some(next);
    }
    Ok(written)
}

/// Does the file have a place for them?
pub(super) fn have_place(draft: &Draft) -> bool {
    match draft.dialect {
        Dialect::Record => true,
        Dialect::Toolplan => !toolplan::is_bare(draft),
        // One names its fields by other edits, the others have none.
        Dialect::Proposal | Dialect::Workunit | Dialect::Thread => false,
    }
}

/// As much as can be written at once.
struct RecordBatch<'a> {
    editor: MemberEditor<'a>,
    splices: Vec<Splice>,
    /// Nothing is left for another round.
    is_last: bool,
}

impl<'a> RecordBatch<'a> {
    fn new(
        source: &'a Source,
        found: &MarksFound,
        marks: &Marks,
        records: &Records,
    ) -> Result<Self, EditRefused> {
        let dialect = found.dialect;
        let wanted = WantedFields::new(found, marks, records)?;
        let mut round = Self {
            editor: MemberEditor {
                text: source.text(),
                format: Format::Json,
            },
            splices: Vec::new(),
            is_last: true,
        };
        let mut refused = None;
        let tree = object::tree_by_steps(source, dialect, &mut |format, step| {
            round.editor.format = format;
            let set = round.set(step, &wanted.of(step.span.start, dialect));
            refused = refused.take().or(set.err());
        });
        if let Some(refused) = refused {
            return Err(refused);
        }
        round.editor.format = tree.format;
        let root = tree.root;
        let root = root.ok_or_else(|| EditRefused::Unreadable("it is empty".to_owned()))?;
        let status = plan_status(dialect, marks)?;
        let mut fields: Fields<'_> = status.iter().map(|word| ("status", word)).collect();
        fields.extend(keys(&records.plan, |name| dialect.plan_key(name)));
        let before = round.splices.len();
        round.set(&root, &fields)?;
        let updated = records
            .updated_at
            .as_ref()
            .zip(dialect.plan_key("updated_at"));
        if let Some((value, key)) = updated
            && !round.splices.is_empty()
        {
            round.splices.truncate(before);
            fields.push((key, value));
            round.set(&root, &fields)?;
        }
        Ok(round)
    }

    /// Sets keys of one mapping; if all of those are there, takes one away.
    fn set(&mut self, mapping: &Node, fields: &[Field<'_>]) -> Result<(), EditRefused> {
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
                Some((_, entry)) => match self.editor.replace(mapping, entry, value) {
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
        self.splices.extend(self.editor.insert(mapping, &new));
        self.is_last &= gone.is_empty();
        // Keys side by side share the comma or line end between them.
        if self.splices.len() == before {
            let mut removals = gone.into_iter().filter_map(|(at, entry)| {
                let removed = self.editor.remove(mapping, entries, at);
                // Where a comment stands beside it, the key stays for that.
                let removed =
                    removed.or_else(|_| self.editor.replace(mapping, entry, &Value::Null));
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

/// What each step of a file gets, by where it begins.
struct WantedFields<'a> {
    records: &'a Records,
    /// In the order of the file.
    steps: Vec<WantedStep>,
}

struct WantedStep {
    start: usize,
    status: Option<Value>,
    /// Which of the records is its own.
    record: Option<usize>,
}

impl<'a> WantedFields<'a> {
    fn new(found: &MarksFound, marks: &Marks, records: &'a Records) -> Result<Self, EditRefused> {
        let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, id) in found.ids.iter().enumerate() {
            by_id.entry(id).or_insert(at);
        }
        let starts = found.starts.iter();
        let mut steps: Vec<WantedStep> = starts
            .map(|start| WantedStep {
                start: *start,
                status: None,
                record: None,
            })
            .collect();
        for (id, mark) in &marks.steps {
            let at = by_id.get(id.as_str()).copied();
            let at = at.ok_or_else(|| EditRefused::UnknownStep(id.clone()))?;
            if let Some(step) = steps.get_mut(at) {
                step.status = new_status(found.dialect, found.step(at), *mark);
            }
        }
        for (number, (id, _)) in records.steps.iter().enumerate() {
            let at = by_id.get(id.as_str());
            if let Some(step) = at.and_then(|at| steps.get_mut(*at)) {
                step.record = Some(number);
            }
        }
        steps.sort_by_key(|step| step.start);
        Ok(Self { records, steps })
    }

    /// What the step that begins here gets.
    fn of(&self, start: usize, dialect: Dialect) -> Fields<'_> {
        let found = self.steps.binary_search_by_key(&start, |step| step.start);
        let Some(step) = found.ok().and_then(|at| self.steps.get(at)) else {
            return Vec::new();
        };
        let status = step.status.iter().map(|status| ("status", status));
        let record = step.record.and_then(|at| self.records.steps.get(at));
        let record = record.map_or(&[][..], |(_, fields)| fields);
        status
            .chain(keys(record, |name| dialect.step_key(name)))
            .collect()
    }
}

/// The status that a step with this mark gets; `None` = what is there stays.
fn new_status(dialect: Dialect, present: Option<StepMark>, mark: StepMark) -> Option<Value> {
    let is_ours = matches!(present, Some(StepMark::Blocked | StepMark::Running));
    if present == Some(mark) || (mark == StepMark::NotBegun && !is_ours) {
        return None;
    }
    // A dialect without a word for it leaves what is there.
    mark.word(dialect).map(Value::from)
}
