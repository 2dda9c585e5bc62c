//! What each step waits for: names of the source become positions, and names that no step has stay names.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::of_name;
use super::imported::{ImportedDependencies, ImportedPlan, ImportedStep};
use crate::model::Depends;
use crate::write::workunit::UnknownDependencies;

/// What each step waits for, and which names no step has.
pub(super) fn dependencies(
    imported: &mut ImportedPlan,
    ids: &[String],
) -> (Vec<Depends>, UnknownDependencies) {
    let mut names = Names::new(&imported.steps, ids);
    let mut unknown = UnknownDependencies::new();
    let mut depends = Vec::new();
    for (at, step) in imported.steps.iter().enumerate() {
        let found: Vec<usize> = match &step.waits {
            ImportedDependencies::AllBefore => {
                depends.push(Depends::AllBefore);
                continue;
            }
            ImportedDependencies::Positions(positions) => positions.clone(),
            ImportedDependencies::Names(wanted) => {
                let (known, missing) = names.find(wanted);
                if !missing.is_empty() {
                    unknown.insert(at, missing.into_iter().collect());
                }
                known
            }
        };
        let found = found.into_iter().filter_map(|at| u32::try_from(at).ok());
        depends.push(Depends::from_positions(at, found.collect()));
    }
    let notes = names.notes;
    imported.notes.extend(notes);
    (depends, unknown)
}

struct Names<'s> {
    positions: BTreeMap<&'s str, usize>,
    ids: BTreeSet<&'s str>,
    /// What is said about names, each once.
    notes: BTreeSet<String>,
}

impl<'s> Names<'s> {
    fn new(steps: &'s [ImportedStep], ids: &'s [String]) -> Self {
        let mut names = Self {
            positions: BTreeMap::new(),
            ids: ids.iter().map(String::as_str).collect(),
            notes: BTreeSet::new(),
        };
        for (at, (step, id)) in steps.iter().zip(ids).enumerate() {
            let Some(name) = step.name.as_deref() else {
                continue;
            };
            if names.positions.contains_key(name) {
                names.notes.insert(format!(
                    "several steps are called `{name}`; who waits for it waits for the first"
                ));
            } else {
                names.positions.insert(name, at);
            }
            if !is_held(name) {
                names.notes.insert(format!("`{name}` has the id `{id}`"));
            }
        }
        names
    }

    /// The positions of the steps with these names, and ids for names that no step has.
    fn find(&mut self, wanted: &[String]) -> (Vec<usize>, BTreeSet<String>) {
        let mut known = Vec::new();
        let mut missing = BTreeSet::new();
        for name in wanted {
            match self.positions.get(name.as_str()) {
                Some(at) => known.push(*at),
                None => {
                    let id = self.unused_id(name);
                    self.notes.insert(format!(
                        "`{name}` is not in the source; steps wait for `{id}` all the same"
                    ));
                    missing.insert(id);
                }
            }
        }
        (known, missing)
    }

    /// An id that no step has.
    fn unused_id(&self, name: &str) -> String {
        let mut id = of_name(name);
        if id.is_empty() {
            "unknown".clone_into(&mut id);
        }
        while self.ids.contains(id.as_str()) {
            id.push_str("-unknown");
        }
        id
    }
}

/// Whether an id shows the whole name.
fn is_held(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_has_is_never_the_id_of_another_step() {
        let step = |name: &str, waits: &[&str]| ImportedStep {
            name: Some(name.to_owned()),
            waits: ImportedDependencies::Names(
                waits.iter().map(|name| (*name).to_owned()).collect(),
            ),
            ..ImportedStep::default()
        };
        let mut imported = ImportedPlan {
            steps: vec![step("a", &["b", "A!"]), step("b", &["b", ""])],
            ..ImportedPlan::default()
        };
        let ids = ["a".to_owned(), "b".to_owned()];
        let (depends, unknown) = dependencies(&mut imported, &ids);
        assert_eq!(depends, [Depends::On(vec![1]), Depends::On(vec![1])]);
        assert_eq!(unknown[&0], ["a-unknown"]);
        assert_eq!(unknown[&1], ["unknown"]);
        assert_eq!(imported.notes.len(), 2);
    }
}
