//! Names of fields and sections.

use super::super::unknown_field::documented_name;
use super::{WordPosition, complaints, plan};
use crate::dialect::{Dialect, names};

/// How a name is spelled in a plan, and the text that the first one of its owner stands behind.
fn spelling_of(dialect: Dialect, owner: &str, name: &str) -> (String, &'static str) {
    let from = match (dialect, owner) {
        (Dialect::Workunit, "plan record") => "\nrecord:",
        (Dialect::Workunit | Dialect::Proposal, "step") => "## Steps",
        (Dialect::Workunit, "step record") => "**record:**",
        (Dialect::Workunit, "plan") => "\n# ",
        (Dialect::Proposal, "context") => "## Context",
        (Dialect::Thread, "step") => "tasks/",
        (Dialect::Record, "step") => "\nsteps:",
        (Dialect::Record, "contract") => "contract:\n",
        (Dialect::Record, "ask") => "ask:\n",
        (Dialect::Record, "budget") => "budget:\n",
        (Dialect::Record, "metadata") => "metadata:\n",
        (Dialect::Toolplan, "step") => "\"steps\"",
        (Dialect::Toolplan, "contract") => "\"contract\": {",
        (Dialect::Toolplan, "ask") => "\"ask\": {",
        (Dialect::Toolplan, "budget") => "\"budget\": {",
        _ => "",
    };
    let text = match (dialect, owner) {
        (Dialect::Workunit, "plan") => format!("**{}:**", documented_name(name, "a plan")),
        (Dialect::Workunit, "step") => format!("**{name}:**"),
        (_, "section") => format!("\n## {name}"),
        (_, "context") => format!("\n### {name}"),
        (Dialect::Proposal, "step") => format!("- {name}:"),
        (Dialect::Toolplan, _) | (_, "step record") => format!("\"{name}\":"),
        _ => format!(" {name}:"),
    };
    (text, from)
}

/// Where a name stands, and how it is written there.
fn name_position(dialect: Dialect, owner: &str, name: &str) -> (usize, String) {
    let (spelled, from) = spelling_of(dialect, owner, name);
    let text = plan(dialect).replace('\n', " ");
    let (spelled, from) = (spelled.replace('\n', " "), from.replace('\n', " "));
    let start = text.find(&from).expect("the owner");
    let found = text[start + from.len()..].find(&spelled);
    let found =
        found.unwrap_or_else(|| panic!("the {dialect} plan does not use `{name}` of {owner}"));
    let marks = |c: char| !c.is_alphabetic();
    let name = spelled.trim_matches(marks);
    let at = start + from.len() + found + spelled.find(name).expect("the name itself");
    (at, name.to_owned())
}

#[test]
fn every_name_is_suggested() {
    let mut wrong = Vec::new();
    for dialect in Dialect::ALL {
        for (owner, mut known) in names(*dialect) {
            // A field of a step before the steps is told to go there.
            let elsewhere = names(*dialect)
                .into_iter()
                .filter(|(other, _)| (owner, *other) == ("plan", "step"));
            let own = known.clone();
            known.extend(elsewhere.flat_map(|(_, names)| names));
            for name in &own {
                let (at, word) = name_position(*dialect, owner, name);
                let slips = WordPosition {
                    dialect: *dialect,
                    text: plan(*dialect),
                    at,
                    word: &word,
                    others: &known,
                };
                let found = complaints(&slips).into_iter();
                wrong.extend(found.map(|found| format!("{dialect} {owner}: {found}")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} slips:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
