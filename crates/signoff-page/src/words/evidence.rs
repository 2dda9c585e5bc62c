//! Evidence in words: how we know that a step is done.

use signoff_engine::{EvidenceFacts, Grade, TestTotals};

use super::caches::is_cache;
use super::safe::{escape_file_name, sanitize};

/// How many files are named; the rest is counted.
const NAMED: usize = 5;

/// The word for a grade.
pub fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "proved",
        Grade::Held => "held",
        Grade::Observed => "observed",
        Grade::Accepted => "accepted",
    }
}

/// What a grade means, in a few words.
pub fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "red before, green after",
        Grade::Held => "green after",
        Grade::Observed => "seen by the harness",
        Grade::Accepted => "a person said so",
    }
}

/// The grade's meaning, and what qualifies it.
pub fn because(grade: Grade, known: &EvidenceFacts) -> String {
    let qualifiers = facts(known);
    if qualifiers.is_empty() {
        meaning(grade).to_owned()
    } else {
        format!("{}; {qualifiers}", meaning(grade))
    }
}

/// What qualifies a grade, where it is worth a word.
pub fn facts(facts: &EvidenceFacts) -> String {
    let mut words = Vec::new();
    if let Some(tests) = &facts.tests {
        words.extend(tests_seen(tests));
    }
    for (present, word) in [
        (facts.no_change, "nothing was changed"),
        (facts.claimed, "was marked done before"),
        (facts.interrupted, "interrupted and then verified"),
        (facts.agent_failed, "the agent itself failed"),
        (facts.own_sandbox, "the agent kept its own sandbox"),
    ] {
        if present {
            words.push(word.to_owned());
        }
    }
    for (what, by) in [
        ("repaired by", &facts.repaired_by),
        ("accepted by", &facts.accepted_by),
        ("arguments changed by", &facts.args_by),
    ] {
        words.extend(by.iter().map(|by| format!("{what} {by}")));
    }
    let kept = facts.kept_from.iter();
    words.extend(kept.map(|run| format!("kept from run {run}")));
    let written = facts.contract_writes.iter();
    let written: Vec<String> = written.filter(|path| !is_cache(path)).cloned().collect();
    for (what, files) in [
        (
            "its contract reads files that it changed:",
            &facts.changed_inputs,
        ),
        ("written by its contract and thrown away:", &written),
    ] {
        if !files.is_empty() {
            words.push(format!("{what} {}", first_names(files)));
        }
    }
    if !facts.not_proved.is_empty() {
        words.push(format!(
            "not proved: {}",
            sanitize(&facts.not_proved.join("; "))
        ));
    }
    words.join(", ")
}

fn tests_seen(tests: &TestTotals) -> Option<String> {
    Some(match (tests.before, tests.after) {
        (Some(before), Some(after)) => format!("tests {before} → {after}"),
        (None, Some(after)) => format!("tests {after}"),
        (Some(before), None) => format!("tests {before} → none seen"),
        (None, None) => return None,
    })
}

/// The first names of a list, and how many more there are.
pub fn first_names(names: &[String]) -> String {
    let first: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| escape_file_name(name))
        .collect();
    let more = names.len().saturating_sub(NAMED);
    match more {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_its_words() {
        let files = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let all = EvidenceFacts {
            sandbox: "none".to_owned(),
            claimed: true,
            interrupted: true,
            agent_failed: true,
            repaired_by: Some("ada".to_owned()),
            accepted_by: Some("bob".to_owned()),
            args_by: Some("cy".to_owned()),
            changed_inputs: files(&["tests/a.py"]),
            no_change: true,
            tests: Some(TestTotals {
                before: Some(3),
                after: Some(5),
            }),
            tree: None,
            commit: None,
            contract_writes: files(&["a", "b", "c", "d", "e"]),
            not_proved: files(&["no summary of pytest was seen", "the tree was shared"]),
            kept_from: Some("r1".to_owned()),
            overlay_mode: Some("shared".to_owned()),
            own_sandbox: true,
            spent: None,
        };
        assert_eq!(
            because(Grade::Proved, &all),
            "red before, green after; tests 3 → 5, nothing was changed, was marked done before, \
             interrupted and then verified, the agent itself failed, the agent kept its own sandbox, repaired by ada, accepted by bob, arguments changed by cy, kept from run r1, \
             its contract reads files that it changed: tests/a.py, written by its contract and thrown away: a, b, c, d, e, \
             not proved: no summary of pytest was seen; the tree was shared"
        );
        assert_eq!(
            because(Grade::Held, &EvidenceFacts::default()),
            "green after"
        );
        let noise = EvidenceFacts {
            contract_writes: files(&[".pytest_cache/v/x", "a/__pycache__/b.pyc"]),
            ..EvidenceFacts::default()
        };
        assert_eq!(because(Grade::Held, &noise), "green after");
    }
}
