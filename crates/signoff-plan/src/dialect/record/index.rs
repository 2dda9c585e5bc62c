//! Indexes become positions: steps are put in the order of their indexes, and dependencies, which
//! name indexes, name ids.

use std::collections::BTreeMap;

use super::DIALECT;
use crate::check::{duplicate_index, unknown_dependency};
use crate::draft::{Draft, DraftStep, Spanned};
use crate::source::Span;

/// The steps read so far, and beside each what it says of indexes: steps are large, and stay where they are.
#[derive(Debug, Default)]
pub(super) struct IndexedSteps {
    pub(super) steps: Vec<DraftStep>,
    pub(super) indexes: Vec<StepIndexes>,
}

/// What a step says of indexes.
#[derive(Debug, Default)]
pub(super) struct StepIndexes {
    pub(super) index: Option<Spanned<u64>>,
    /// Something stands in the place of an index.
    pub(super) unreadable: bool,
    /// Something stands in the place of a description.
    pub(super) undescribed: bool,
    pub(super) depends_on: Option<Vec<Spanned<u64>>>,
}

/// Puts the steps into the draft, in the order of their indexes: one that does not say what it waits
/// for waits for all lower ones.
pub(super) fn add_in_order(read: IndexedSteps, draft: &mut Draft) {
    let IndexedSteps {
        mut steps,
        mut indexes,
    } = read;
    // A step without an index stays behind the one before it.
    let mut last = 0;
    let mut keys = Vec::with_capacity(steps.len());
    for step in &indexes {
        last = step.index.as_ref().map_or(last, |index| index.value);
        keys.push(last);
    }
    if !keys.is_sorted() {
        let mut keyed: Vec<_> = keys
            .into_iter()
            .zip(steps.into_iter().zip(indexes))
            .collect();
        keyed.sort_by_key(|(index, _)| *index);
        (steps, indexes) = keyed.into_iter().map(|(_, step)| step).unzip();
    }
    let ids = by_index(&steps, &indexes, draft);
    let highest = ids.keys().next_back().copied();
    for (position, (step, read)) in steps.iter_mut().zip(indexes).enumerate() {
        if let Some(references) = read.depends_on {
            let mut named = Vec::with_capacity(references.len());
            for Spanned { value, span } in references {
                match ids.get(&value) {
                    Some((id, _)) => named.push(Spanned::new(id.clone(), span)),
                    None => {
                        let id = id_of(step, position);
                        let found = unknown_dependency::index(DIALECT, &id, value, highest, span);
                        draft.problems.push(found);
                    }
                }
            }
            step.depends_on = Some(named);
        }
    }
    steps.shrink_to_fit();
    draft.steps = steps;
}

/// The id of the step with each index, and where that is written.
fn by_index(
    steps: &[DraftStep],
    indexes: &[StepIndexes],
    draft: &mut Draft,
) -> BTreeMap<u64, (String, Span)> {
    let mut ids: BTreeMap<u64, (String, Span)> = BTreeMap::new();
    for (position, (step, read)) in steps.iter().zip(indexes).enumerate() {
        let Some(index) = &read.index else {
            continue;
        };
        let id = id_of(step, position);
        match ids.get(&index.value) {
            None => {
                ids.insert(index.value, (id, index.span));
            }
            Some((_, first)) => {
                let found = duplicate_index::at(DIALECT, index, *first);
                draft.problems.push(found.step(id));
            }
        }
    }
    ids
}

fn id_of(step: &DraftStep, position: usize) -> String {
    match &step.id {
        Some(id) => id.value.clone(),
        None => format!("step-{}", position + 1),
    }
}
