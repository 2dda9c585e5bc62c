//! Words that values choose from.

use super::{WordPosition, complaints, plan, problems, source};
use crate::model::FailAction;
use crate::spelling::Dialect;
use crate::spelling::status::{plan_words, step_words};
use crate::spelling::words::{
    APPROVAL, FEWER_TESTS, HOLDS, ISOLATION, PRIORITIES, SHELLS, YES_OR_NO,
};
use crate::{condition, duration};

/// In a dialect, behind some text, one of these words.
type WordChoice = (Dialect, &'static str, &'static [&'static str]);

const WORKUNIT: [WordChoice; 15] = [
    (Dialect::Workunit, "type: ", &["plan"]),
    (Dialect::Workunit, "**Priority:** ", &PRIORITIES),
    (Dialect::Workunit, "**baseline:** ", &YES_OR_NO),
    (Dialect::Workunit, "**critical:** ", &YES_OR_NO),
    (Dialect::Workunit, "**fewer_tests:** ", &FEWER_TESTS),
    (Dialect::Workunit, "**holds:** ", &HOLDS),
    (Dialect::Workunit, "**approval:** ", &APPROVAL),
    (Dialect::Workunit, "**isolation:** ", &ISOLATION),
    (Dialect::Workunit, "**contract:**\n```", &SHELLS),
    (Dialect::Workunit, "**timeout:** 20 ", &duration::UNITS),
    (Dialect::Workunit, "900k ", &["tokens", "token"]),
    (Dialect::Workunit, ", 9 ", &["agents", "agent"]),
    (Dialect::Workunit, "**Budget:** ", &["max"]),
    (Dialect::Workunit, "**target:** ", &["coder", "reviewer"]),
    (Dialect::Workunit, "**depends_on:** ", &["build", "none"]),
];

const OTHERS: [WordChoice; 18] = [
    (Dialect::Workunit, "- ", &["file"]),
    (Dialect::Workunit, "README.md\n- ", &["topic"]),
    (Dialect::Workunit, "**when:** ", &["params"]),
    (Dialect::Workunit, "**when:** params.", &["region"]),
    (Dialect::Workunit, "**tool:** ", &["write_file"]),
    (Dialect::Workunit, "**args:**\n```json\n{\"", &["path"]),
    (Dialect::Workunit, "stdout ", &["contains"]),
    (Dialect::Thread, "approval: ", &APPROVAL),
    (Dialect::Thread, "depends_on: [", &["first"]),
    (Dialect::Thread, "agent: ", &["coder"]),
    (Dialect::Record, "baseline: ", &YES_OR_NO),
    (Dialect::Record, "shell: ", &SHELLS),
    (Dialect::Record, "holds: ", &HOLDS),
    (Dialect::Record, "suggestedAgent: ", &["coder"]),
    (Dialect::Toolplan, "\"shell\": \"", &SHELLS),
    (Dialect::Toolplan, "\"approval\": \"", &APPROVAL),
    (Dialect::Toolplan, "\"tool\": \"", &["read_file"]),
    (Dialect::Toolplan, "\"content\": \"$", &["read"]),
];

/// The words of conditions and failure policies, in each dialect.
fn condition_and_policy_words() -> Vec<(Dialect, String, Vec<&'static str>)> {
    let mut choices = Vec::new();
    let actions: Vec<_> = FailAction::ALL.into_iter().map(FailAction::name).collect();
    for (dialect, field) in [
        (Dialect::Workunit, "**on_fail:** "),
        (Dialect::Thread, "on_fail: "),
        (Dialect::Proposal, "- on_fail: "),
        (Dialect::Record, "onFail: "),
        (Dialect::Toolplan, "\"onFail\": \""),
    ] {
        choices.push((dialect, field.to_owned(), vec!["retry"]));
        choices.push((dialect, format!("{field}retry(1), "), vec!["then"]));
        choices.push((dialect, format!("{field}retry(1), then "), actions.clone()));
    }
    for (dialect, before) in [
        (Dialect::Workunit, "check\n```\n"),
        (Dialect::Thread, "expect: ["),
        (Dialect::Proposal, "- expect: "),
        (Dialect::Record, "expect:\n        - "),
        (Dialect::Toolplan, "\"expect\": [\""),
    ] {
        choices.push((dialect, before.to_owned(), vec!["exit_code"]));
    }
    for word in condition::WORDS
        .into_iter()
        .filter(|word| *word != "contains")
    {
        choices.push((Dialect::Workunit, "\n".to_owned(), vec![word]));
    }
    choices
}

/// The words for a status, in each dialect that has some.
fn statuses() -> Vec<(Dialect, String, Vec<&'static str>)> {
    let plan = |dialect, before: &str| (dialect, before.to_owned(), plan_words(dialect));
    let step = |dialect, before: &str| (dialect, before.to_owned(), step_words(dialect));
    vec![
        plan(Dialect::Workunit, "\nstatus: "),
        plan(Dialect::Proposal, "status: "),
        plan(Dialect::Record, "\nstatus: "),
        step(Dialect::Workunit, "**status:** "),
        step(Dialect::Record, "    status: "),
        step(Dialect::Toolplan, "\"status\": \""),
    ]
}

/// The first place behind some text in which one of these words stands.
fn word_position<'a>(text: &str, before: &str, words: &[&'a str]) -> Option<(usize, &'a str)> {
    text.match_indices(before).find_map(|(at, _)| {
        let rest = &text[at + before.len()..];
        let written = rest
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'))
            .next();
        let word = words.iter().find(|word| Some(**word) == written)?;
        Some((at + before.len(), *word))
    })
}

/// Everything that is wrong with the answers to slips in each of some words.
fn choice(dialect: Dialect, before: &str, words: &[&str]) -> Vec<String> {
    let text = plan(dialect);
    let (at, present) = word_position(text, before, words)
        .unwrap_or_else(|| panic!("the {dialect} plan has none of {words:?} behind {before:?}"));
    let mut wrong = Vec::new();
    for word in words {
        let mut text = text.to_owned();
        text.replace_range(at..at + present.len(), word);
        assert_eq!(
            problems(&source(&text, dialect)),
            [],
            "{dialect} {before:?} {word}"
        );
        let slips = WordPosition {
            dialect,
            text: &text,
            at,
            word,
            others: words,
        };
        let found = complaints(&slips).into_iter();
        wrong.extend(found.map(|found| format!("{dialect} word: {found}")));
    }
    wrong
}

#[test]
fn every_word_is_suggested() {
    let mut wrong = Vec::new();
    for (dialect, before, words) in WORKUNIT.into_iter().chain(OTHERS) {
        wrong.extend(choice(dialect, before, words));
    }
    for (dialect, before, words) in condition_and_policy_words().into_iter().chain(statuses()) {
        wrong.extend(choice(dialect, &before, &words));
    }
    assert!(
        wrong.is_empty(),
        "{} slips:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
