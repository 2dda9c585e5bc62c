//! Ids of steps: lower-case words joined by `-`, each once, the same for the same source.

use std::collections::{BTreeMap, BTreeSet};

use super::imported::ImportedStep;
use crate::check::bad_filename::kebab_case;

/// How many letters of a title an id has at most.
const LONGEST: usize = 40;

/// An id for each step.
pub(super) fn ids(steps: &[ImportedStep]) -> Vec<String> {
    let mut taken = TakenIds::default();
    let wanted = |(at, step): (usize, &ImportedStep)| {
        let named = step.name.as_deref().map(of_name);
        let id = named.filter(|id| !id.is_empty());
        let id = id.unwrap_or_else(|| of_title(&step.title));
        if id.is_empty() {
            format!("step-{}", at + 1)
        } else {
            id
        }
    };
    let ids = steps.iter().enumerate().map(wanted);
    ids.map(|id| taken.unique(id)).collect()
}

/// The id for a name of the source; may be empty. A number alone would mean the step with that number.
pub(super) fn of_name(name: &str) -> String {
    let id = kebab_case(name);
    let has_letter = id.contains(|c: char| c.is_ascii_alphabetic());
    if has_letter || id.is_empty() {
        id
    } else {
        format!("task-{id}")
    }
}

/// The first words of a title.
fn of_title(title: &str) -> String {
    let id = of_name(title);
    if id.len() <= LONGEST {
        return id;
    }
    let mut short = String::new();
    for word in id.split('-') {
        if !short.is_empty() && short.len() + 1 + word.len() > LONGEST {
            break;
        }
        if !short.is_empty() {
            short.push('-');
        }
        // One word may be a whole file.
        short.extend(word.chars().take(LONGEST));
    }
    short
}

#[derive(Default)]
struct TakenIds {
    ids: BTreeSet<String>,
    /// How often an id was wanted: thousands of equal titles must not be tried one after the other.
    counts: BTreeMap<String, usize>,
}

impl TakenIds {
    fn unique(&mut self, id: String) -> String {
        let mut unique = id.clone();
        while !self.ids.insert(unique.clone()) {
            let count = self.counts.entry(id.clone()).or_insert(1);
            *count += 1;
            unique = format!("{id}-{count}");
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(steps: &[(Option<&str>, &str)], expected: &[&str]) {
        let steps: Vec<ImportedStep> = steps
            .iter()
            .map(|(name, title)| ImportedStep {
                name: name.map(str::to_owned),
                title: (*title).to_owned(),
                ..ImportedStep::default()
            })
            .collect();
        assert_eq!(ids(&steps), expected);
    }

    #[test]
    fn names_win_over_titles_and_every_id_is_unique() {
        check(
            &[(Some("T001"), "Set up"), (Some("1.2"), "x")],
            &["t001", "task-1-2"],
        );
        check(
            &[
                (None, "Add tests"),
                (None, "Add tests!"),
                (None, "Add tests 2"),
            ],
            &["add-tests", "add-tests-2", "add-tests-2-2"],
        );
        check(
            &[(None, "設計"), (None, "2"), (Some("設計"), "b")],
            &["step-1", "task-2", "b"],
        );
        check(
            &[(
                None,
                "Create the database schema and the first migration of it",
            )],
            &["create-the-database-schema-and-the-first"],
        );
        check(&[(None, &"a".repeat(99))], &[&"a".repeat(40)]);
    }
}
