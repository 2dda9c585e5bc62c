//! Evidence in words: how we know that a step is done.

use signoff_engine::{EvidenceFacts, Grade, Remark, ReviewAdvice, TestTotals};

use super::caches::is_cache;
use super::sanitize::{escape_file_name, sanitize};

/// How many files are named; the rest is counted.
const NAMED: usize = 5;
/// How many remarks of a reviewer are shown; the rest is counted.
const REMARKS: usize = 3;
/// Bytes of a remark that are shown.
const REMARK_BYTES: usize = 300;

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
pub fn qualified_meaning(grade: Grade, known: &EvidenceFacts) -> String {
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
        words.extend(tests_text(tests));
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
    let judge = facts.judged_on.iter();
    words.extend(judge.map(|machine| format!("judged on {machine}")));
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
    words.extend(facts.advice.as_ref().map(advice));
    words.join(", ")
}

/// What the reviewer said: the weightiest first, each in one line.
fn advice(advice: &ReviewAdvice) -> String {
    let by = sanitize(&advice.by);
    if let Some(why) = &advice.none {
        return format!("no advice of {by}: {}", one_line(why));
    }
    let mut remarks: Vec<&Remark> = advice.remarks.iter().collect();
    remarks.sort_by_key(|remark| std::cmp::Reverse(remark.severity));
    let text = |remark: &&Remark| {
        let file = remark.file.as_deref().map(escape_file_name);
        let file = file.map_or_else(String::new, |file| format!(" {file}:"));
        format!(
            "{}:{file} {}",
            remark.severity.name(),
            one_line(&remark.text)
        )
    };
    let shown: Vec<String> = remarks.iter().take(REMARKS).map(text).collect();
    let more = remarks.len().saturating_sub(REMARKS);
    match (shown.is_empty(), more) {
        (true, _) => format!("{by} had nothing to remark"),
        (false, 0) => format!("{by} remarks (no verdict): {}", shown.join(" / ")),
        (false, more) => format!(
            "{by} remarks (no verdict): {} / and {more} more",
            shown.join(" / ")
        ),
    }
}

/// The beginning of what a model said, in one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let end = text.floor_char_boundary(REMARK_BYTES);
    let cut = if end < text.len() { "…" } else { "" };
    sanitize(&format!("{}{cut}", text.get(..end).unwrap_or_default()))
}

fn tests_text(tests: &TestTotals) -> Option<String> {
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
    use signoff_engine::RemarkSeverity;

    use super::*;

    fn remark(severity: RemarkSeverity, file: Option<&str>, text: &str) -> Remark {
        Remark {
            file: file.map(str::to_owned),
            severity,
            text: text.to_owned(),
        }
    }

    #[test]
    fn advice_without_remarks_says_so() {
        let facts_of = |remarks, none: Option<&str>| EvidenceFacts {
            advice: Some(ReviewAdvice {
                by: "rev".to_owned(),
                remarks,
                none: none.map(str::to_owned),
            }),
            ..EvidenceFacts::default()
        };
        assert_eq!(
            facts(&facts_of(Vec::new(), None)),
            "rev had nothing to remark"
        );
        assert_eq!(
            facts(&facts_of(Vec::new(), Some("it timed out"))),
            "no advice of rev: it timed out"
        );
        let many = vec![remark(RemarkSeverity::Minor, None, "x"); 5];
        assert!(facts(&facts_of(many, None)).ends_with("minor: x / and 2 more"));
    }

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
            judged_on: Some("w1 (ed25519:ab), terms cd".into()),
            own_sandbox: true,
            spent: None,
            advice: Some(ReviewAdvice {
                by: "rev".to_owned(),
                remarks: vec![
                    remark(RemarkSeverity::Minor, None, "a\nb"),
                    remark(RemarkSeverity::Blocking, Some("x.py"), "weak test"),
                ],
                none: None,
            }),
        };
        assert_eq!(
            qualified_meaning(Grade::Proved, &all),
            "red before, green after; tests 3 → 5, nothing was changed, was marked done before, \
             interrupted and then verified, the agent itself failed, the agent kept its own sandbox, repaired by ada, accepted by bob, arguments changed by cy, kept from run r1, judged on w1 (ed25519:ab), terms cd, \
             its contract reads files that it changed: tests/a.py, written by its contract and thrown away: a, b, c, d, e, \
             not proved: no summary of pytest was seen; the tree was shared, \
             rev remarks (no verdict): blocking: x.py: weak test / minor: a b"
        );
        assert_eq!(
            qualified_meaning(Grade::Held, &EvidenceFacts::default()),
            "green after"
        );
        let noise = EvidenceFacts {
            contract_writes: files(&[".pytest_cache/v/x", "a/__pycache__/b.pyc"]),
            ..EvidenceFacts::default()
        };
        assert_eq!(qualified_meaning(Grade::Held, &noise), "green after");
    }
}
