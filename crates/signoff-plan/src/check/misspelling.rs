//! Problems that are only the shadow of a misspelt name.
//!
//! A field whose name is misspelt is missing as well, and what would read it finds nothing. Of all
//! that, only the misspelt is said. It becomes as grave as what it hides: a plan that lacks something it
//! must have is not fit to be signed, however its author meant it.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, MissingFieldScope, Severity};
use crate::spelling::Dialect;

/// Stands for the right name of a tool, as if that were a field.
pub(super) const TOOL_NAME: &str = "(name of a tool)";

/// A misspelt name: its step, if any, and the intended name.
type Misspelling = (Option<String>, String);

/// Removes problems that only follow from a misspelt name.
pub(super) fn remove_follow_ups(dialect: Dialect, problems: &mut Vec<Diagnostic>) {
    let mut misspellings: BTreeMap<Misspelling, Severity> = BTreeMap::new();
    let mut by_name: BTreeMap<String, Misspelling> = BTreeMap::new();
    for problem in problems.iter() {
        if let Some(misspelt) = misspelling(problem) {
            by_name
                .entry(misspelt.1.clone())
                .or_insert_with(|| misspelt.clone());
            misspellings.insert(misspelt, problem.severity);
        }
    }
    if misspellings.is_empty() {
        return;
    }
    problems.retain(|problem| {
        let cause = problem.lack.and_then(|lack| {
            let (fields, anywhere) = match lack {
                MissingFieldScope::Here(fields) => (fields, false),
                MissingFieldScope::Anywhere(fields) => (fields, true),
            };
            let mut names = fields
                .iter()
                .flat_map(|field| [(*field).to_owned(), key(&dialect.field_name(field))]);
            names.find_map(|name| {
                let here = (problem.step.clone(), name);
                let misspelt = if anywhere {
                    by_name.get(&here.1)?
                } else {
                    &here
                };
                misspellings
                    .contains_key(misspelt)
                    .then(|| misspelt.clone())
            })
        });
        let severity = cause.and_then(|misspelt| misspellings.get_mut(&misspelt));
        match severity {
            Some(severity) => {
                *severity = problem.severity.min(*severity);
                false
            }
            None => true,
        }
    });
    for problem in problems {
        let severity = misspelling(problem).and_then(|misspelt| misspellings.get(&misspelt));
        problem.severity = severity.copied().unwrap_or(problem.severity);
    }
}

/// The misspelt name that a problem is about.
fn misspelling(problem: &Diagnostic) -> Option<Misspelling> {
    let fix = problem.fix.as_ref()?;
    let name = if problem.code == Code::UnknownTool {
        TOOL_NAME
    } else if problem.code == Code::UnknownField {
        // Where only the marks are wrong, the fix is the whole line.
        fix.text.trim_start_matches('*').split(':').next()?
    } else {
        return None;
    };
    Some((problem.step.clone(), key(name)))
}

/// A name as names are compared.
fn key(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}
