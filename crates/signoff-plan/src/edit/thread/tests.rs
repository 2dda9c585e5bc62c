//! Edits of a thread change their field, in its file, and not a byte besides.

use serde_json::{Value, json};

use crate::edit::{Edit, Marks, StepMark, apply_marks, apply_to};
use crate::source::Source;

const FILES: [(&str, &str); 3] = [
    ("plan.md", "---\ntitle: \"T\" # shown\n---\n\nWhy.\n"),
    (
        "tasks/01-a.md",
        "---\nid: a\ndepends_on: []\nagent: claude-code\nsubtasks:\n  - One\n---\n\nDo a.\n",
    ),
    (
        "tasks/02-b.md",
        "---\nid: b\ndepends_on: [a] # first\ncontract: |\n  make\n  test\nexpect: exit_code == 0\n---\nDo b.\n",
    ),
];

fn source(change: impl Fn(&str) -> String) -> Source {
    let files = FILES
        .iter()
        .map(|(name, text)| ((*name).to_owned(), change(text).into_bytes()));
    Source::directory("thread", files.collect())
}

fn files(source: &Source) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    source
        .split()
        .map(|(name, bytes)| (name.to_owned(), text(bytes)))
        .collect()
}

/// Asserts that an edit replaces one stretch of text in one file by another, whatever the line ends.
#[track_caller]
fn check(edit: Edit, changes: &[(&str, &str)]) {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let marked = |text: &str| format!("\u{feff}{text}");
    let same = |text: &str| text.to_owned();
    let ways: [&dyn Fn(&str) -> String; 3] = [&same, &crlf, &marked];
    for way in ways {
        let edited = apply_to(&source(way), std::slice::from_ref(&edit)).expect("an edit");
        let expected = |text: &str| {
            let change = |text: String, (from, to): &(&str, &str)| text.replacen(from, to, 1);
            changes.iter().fold(text.to_owned(), change)
        };
        let expected = source(|text| way(&expected(text)));
        assert_eq!(files(&edited), files(&expected));
    }
}

#[track_caller]
fn refused(edit: Edit, why: &str) {
    let error = apply_to(&source(str::to_owned), &[edit]).expect_err("a refusal");
    assert!(error.to_string().contains(why), "{error}");
}

fn plan(field: &str, value: Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

fn step(id: &str, field: &str, value: Value) -> Edit {
    Edit::SetStep {
        step: id.to_owned(),
        field: field.to_owned(),
        value,
    }
}

#[test]
fn fields_are_set_in_their_file() {
    check(plan("title", json!("New")), &[("\"T\"", "\"New\"")]);
    check(
        plan("context", json!("Because.\nOf it.")),
        &[("Why.", "Because.\nOf it.")],
    );
    check(step("a", "task", json!("Do it.")), &[("Do a.", "Do it.")]);
    check(
        step("a", "role", json!("coder")),
        &[("claude-code", "coder")],
    );
    check(
        step("a", "role", Value::Null),
        &[("agent: claude-code\n", "")],
    );
    check(step("b", "depends_on", json!([])), &[("[a] #", "[] #")]);
    check(
        step("a", "subtasks", json!(["Two", "3"])),
        &[("  - One\n", "  - Two\n  - \"3\"\n")],
    );
    check(
        step("b", "contract", json!("make all")),
        &[(" |\n  make\n  test\n", " make all\n")],
    );
    check(
        step("b", "contract", json!("a\nb")),
        &[(" |\n  make\n  test\n", " |-\n  a\n  b\n")],
    );
    check(
        step("b", "contract", Value::Null),
        &[("contract: |\n  make\n  test\nexpect: exit_code == 0\n", "")],
    );
    check(
        step("b", "expect", json!(["exit_code == 3"])),
        &[("expect: exit_code == 0\n", "expect:\n  - exit_code == 3\n")],
    );
}

#[test]
fn fields_that_are_not_there_are_inserted() {
    let end = "  - One\n---\n";
    check(
        step("a", "on_fail", json!("abort")),
        &[(end, "  - One\non_fail: abort\n---\n")],
    );
    check(
        step("a", "approval", json!(true)),
        &[(end, "  - One\napproval: required\n---\n")],
    );
    check(
        step("a", "title", json!("Set up")),
        &[(end, "  - One\ntitle: Set up\n---\n")],
    );
    check(
        step("a", "contract", json!("x &&\n  y")),
        &[(end, "  - One\ncontract: |-\n  x &&\n    y\n---\n")],
    );
    check(
        step("a", "tags", json!(["x"])),
        &[(end, "  - One\ntags:\n  - x\n---\n")],
    );
    check(
        step("a", "tools", json!([])),
        &[(end, "  - One\ntools: []\n---\n")],
    );
}

#[test]
fn a_new_id_is_known_where_the_old_one_was() {
    let title = ("  - One\n---\n", "  - One\ntitle: a\n---\n");
    check(
        step("a", "id", json!("first")),
        &[("id: a\n", "id: first\n"), ("[a]", "[first]"), title],
    );
    refused(step("a", "id", json!("b")), "already");
    refused(step("a", "id", json!("Not So")), "may only hold");
}

#[test]
fn what_has_no_place_is_refused() {
    refused(plan("status", json!("draft")), "`draft` is not a status");
    refused(
        plan("version", json!(2)),
        "no place for `version` of a plan",
    );
    refused(
        step("a", "budget", json!("$1")),
        "no place for `budget` of a task",
    );
    refused(step("c", "task", json!("x")), "no step `c`");
    refused(step("a", "task", Value::Null), "not empty");
    let reject = Edit::Reject {
        version: 1,
        feedback: "no".to_owned(),
    };
    refused(reject, "no place for rejections");
}

#[test]
fn marks_are_never_written() {
    let marks = Marks {
        status: Some("done".to_owned()),
        steps: vec![("a".to_owned(), StepMark::Done)],
    };
    let source = source(str::to_owned);
    assert_eq!(apply_marks(&source, &marks).as_deref(), Ok(source.bytes()));
}
