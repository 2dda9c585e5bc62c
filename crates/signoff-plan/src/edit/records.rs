//! What a run left, beside the marks: when a step began, who did it, what came of it. All of it in
//! one go, because a plan may have thousands of steps and each of them several such fields.

use std::collections::BTreeMap;

use serde_json::Value;

use super::keyed::{KeyedFile, PathSegment, at};
use super::{EditRefused, Splice, only_changed, readable, splice, toolplan};
use crate::dialect::{Dialect, parse};
use crate::draft::Draft;
use crate::model::Plan;
use crate::node::Node;
use crate::source::Source;

/// Fields of the record, by the names of [`crate::model::PLAN_RECORD`] and
/// [`crate::model::STEP_RECORD`]; `null` takes one away. What is not named is left alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Records {
    /// Of the plan.
    pub plan: Vec<(&'static str, Value)>,
    /// Of steps, by id.
    pub steps: Vec<(String, Vec<(&'static str, Value)>)>,
}

/// Several keys that go from one mapping need a look at the file each.
const ROUNDS: usize = 16;

/// The bytes of the file with these records; every other byte as it was.
///
/// A field that has no place in the file, or only one with a comment inside, is left out. Giving the
/// same records again changes nothing.
pub fn apply_records(source: &Source, records: &Records) -> Result<Vec<u8>, EditRefused> {
    let before = parse(source);
    readable(&before)?;
    if !has_place(&before) {
        return Ok(source.bytes().to_vec());
    }
    let mut written: Option<(Source, Draft)> = None;
    for _ in 0..ROUNDS {
        let (current, draft) = written
            .as_ref()
            .map_or((source, &before), |(current, draft)| (current, draft));
        let splices = round(&KeyedFile::new(current, draft)?, records);
        let next = splice::apply_to(current, splices);
        if next.bytes() == current.bytes() {
            break;
        }
        let draft = parse(&next);
        written = Some((next, draft));
    }
    let Some((written, after)) = written else {
        return Ok(source.bytes().to_vec());
    };
    only_changed(&before, &after, &|plan| clear(plan, records))?;
    Ok(written.bytes().to_vec())
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
fn round(file: &KeyedFile<'_>, records: &Records) -> Vec<Splice> {
    let dialect = file.draft.dialect;
    let named = |key: Option<&'static str>, value| key.map(|key| (key, value));
    let plan = records.plan.iter();
    let plan = plan.filter_map(|(name, value)| named(dialect.plan_key(name), value));
    let mut splices = set(file, &file.root, &plan.collect::<Vec<_>>());
    let places = file.steps();
    for (id, fields) in &records.steps {
        let Some((position, _)) = places.get(id) else {
            continue;
        };
        let way = [PathSegment::Key("steps"), PathSegment::Item(*position)];
        let Some(step) = at(&file.root, &way) else {
            continue;
        };
        let fields = fields.iter();
        let fields = fields.filter_map(|(name, value)| named(dialect.step_key(name), value));
        splices.extend(set(file, step, &fields.collect::<Vec<_>>()));
    }
    splices
}

/// Sets keys of one mapping; if all of those are there, takes one away.
fn set(file: &KeyedFile<'_>, mapping: &Node, wanted: &[(&'static str, &Value)]) -> Vec<Splice> {
    let entries = mapping.entries().unwrap_or_default();
    let (mut splices, mut new, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in wanted {
        let found = entries.iter().position(|entry| entry.key.value == *key);
        match found.and_then(|at| Some((at, entries.get(at)?))) {
            Some((at, entry)) if value.is_null() => {
                if !entry.value.is_nothing() {
                    gone.push((at, entry));
                }
            }
            // A comment inside what is there now outlives what we have to say.
            Some((_, entry)) => {
                splices.extend(
                    file.editor
                        .replace(mapping, entry, value)
                        .unwrap_or_default(),
                );
            }
            None if value.is_null() => {}
            None => new.push((*key, *value)),
        }
    }
    splices.extend(file.editor.insert(mapping, &new));
    // Keys side by side share the comma or line end between them.
    if splices.is_empty() {
        let mut removals = gone.into_iter().filter_map(|(at, entry)| {
            let removed = file.editor.remove(mapping, entries, at);
            // Where a comment stands beside it, the key stays for that.
            let removed = removed.or_else(|_| file.editor.replace(mapping, entry, &Value::Null));
            removed.ok().filter(|splices| !splices.is_empty())
        });
        splices = removals.next().unwrap_or_default();
    }
    splices
}

fn clear(plan: &mut Plan, records: &Records) {
    for (name, _) in &records.plan {
        plan.record.remove(*name);
    }
    let fields: BTreeMap<&str, _> = records
        .steps
        .iter()
        .map(|(id, fields)| (id.as_str(), fields))
        .collect();
    for step in &mut plan.steps {
        for (name, _) in fields.get(step.id.as_str()).into_iter().copied().flatten() {
            step.record.remove(*name);
        }
    }
}
