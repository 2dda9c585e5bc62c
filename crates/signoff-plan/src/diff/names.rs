//! What steps are called in both plans, so that a new name is not a change of all who use it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::id;
use super::matching::is_implicit;

/// The newer id of each step of the older plan.
pub(super) struct StepRenames<'v> {
    newer: BTreeMap<&'v str, &'v str>,
}

impl<'v> StepRenames<'v> {
    pub(super) fn new(old: &'v [Value], new: &'v [Value], pairs: &[Option<usize>]) -> Self {
        let newer = new
            .iter()
            .zip(pairs)
            .filter_map(|(step, position)| Some((id(old.get((*position)?)?), id(step))));
        Self {
            newer: newer.collect(),
        }
    }

    /// Makes two forms of one step comparable: the older one names other steps as the newer plan
    /// does, and a number that is not a name is left out.
    pub(super) fn align(
        &self,
        was: &mut Map<String, Value>,
        is: &mut Map<String, Value>,
        old_position: usize,
        new_position: usize,
    ) {
        if let Some(Value::Array(ids)) = was.get_mut("depends_on") {
            for id in ids.iter_mut() {
                let newer = id.as_str().and_then(|id| self.newer.get(id));
                if let Some(newer) = newer {
                    *id = Value::from(*newer);
                }
            }
            ids.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
        let old = Value::Object(was.clone());
        let new = Value::Object(is.clone());
        if is_implicit(&old, old_position) && is_implicit(&new, new_position) {
            was.remove("id");
            is.remove("id");
        }
    }
}
