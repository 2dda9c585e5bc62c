//! What a run left, written into YAML and JSON.

use serde_json::{Value, json};
use signoff_plan::edit::{Marks, ParsedFile, Records, apply_progress};

use super::{JSON, YAML, digest, source};

type Fields = Vec<(&'static str, Value)>;

fn records(plan: Fields, step: Fields) -> Records {
    Records {
        plan,
        steps: vec![("step-1".to_owned(), step)],
        updated_at: None,
    }
}

/// The text with these records, which a second time changes nothing, nor the digest.
#[track_caller]
fn recorded(text: &str, plan: Fields, step: Fields) -> String {
    let records = records(plan, step);
    let written =
        |source, records| apply_progress(ParsedFile::new(source), &Marks::default(), records);
    let after = written(source(text), records.clone()).expect("they fit");
    let again = written(after.clone(), records);
    assert_eq!(again.as_ref(), Ok(&after), "a second time");
    let after = after.text().to_owned();
    assert_eq!(digest(&after), digest(text), "{after}");
    after
}

fn some() -> (Fields, Fields) {
    let plan = vec![("current_step_index", json!(1))];
    let step = vec![
        ("started_at", json!("2026-01-23T10:00:00.000Z")),
        ("output", json!("a: b # c\nd")),
        ("affected_files", json!(["x", "y z"])),
        ("error", Value::Null),
    ];
    (plan, step)
}

fn none() -> (Fields, Fields) {
    let (plan, step) = some();
    let nothing = |(name, _)| (name, Value::Null);
    let plan = plan.into_iter().map(nothing).collect();
    (plan, step.into_iter().map(nothing).collect())
}

const STARTED: &str = "startedAt: \"2026-01-23T10:00:00.000Z\"";
const OUTPUT: &str = "output: \"a: b # c\\nd\"";
const FILES: &str = "affectedFiles: [\"x\", \"y z\"]";

/// Several keys of one mapping go in at once, and out again one by one, to the byte.
#[test]
fn keys_are_inserted_and_taken_away() {
    let block = format!("{STARTED}|{OUTPUT}|{FILES}").replace('|', "\n  ");
    let line = format!("{STARTED}, {OUTPUT}, {FILES}");
    let lines = line
        .replace(", output", ",\n  output")
        .replace(", aff", ",\n  aff");
    let cases = [
        (
            "task: x # why\nsteps:\n- index: 0 # first\n  description: a # b\n  # end\n".to_owned(),
            format!(
                "task: x # why\ncurrentStepIndex: 1\nsteps:\n- index: 0 # first\n  description: a # b\n  {block}\n  # end\n"
            ),
        ),
        (
            "task: x\r\nsteps:\r\n- index: 0\r\n  description: a".to_owned(),
            format!(
                "task: x\ncurrentStepIndex: 1\nsteps:\n- index: 0\n  description: a\n  {block}"
            )
            .replace('\n', "\r\n")
            .replace("\\r\\n", "\\n"),
        ),
        (
            "task: x\nsteps:\n  - {index: 0, description: a}\n".to_owned(),
            format!(
                "task: x\ncurrentStepIndex: 1\nsteps:\n  - {{index: 0, description: a, {line}}}\n"
            ),
        ),
        (
            "{task: x, steps: [{\n  index: 0, # first\n  description: a\n}]}".to_owned(),
            format!(
                "{{task: x, steps: [{{\n  index: 0, # first\n  description: a,\n  {lines}\n}}], currentStepIndex: 1}}"
            ),
        ),
    ];
    for (text, expected) in cases {
        let (plan, step) = some();
        let found = recorded(&text, plan, step);
        assert_eq!(found, expected, "{text}");
        let (plan, step) = none();
        assert_eq!(recorded(&found, plan, step), text, "{found}");
    }
}

/// The comma in front of a comment stays, and so does the comment.
#[test]
fn a_comment_behind_the_last_key_stays() {
    let text = "{task: x, steps: [{\n  index: 0,\n  description: a # b\n}]}";
    let (plan, step) = some();
    let found = recorded(text, plan, step);
    assert!(
        found.contains("description: a, # b\n  startedAt"),
        "{found}"
    );
    let trailing = "task: x\nsteps: [{index: 0, description: a,}]\n";
    let (plan, step) = some();
    let found = recorded(trailing, plan, step);
    assert!(found.contains("description: a, startedAt"), "{found}");
}

#[test]
fn the_seeds_examples_are_brought_up_to_date() {
    for text in [JSON, YAML] {
        let at = json!("2026-02-01T00:00:00.000Z");
        let step = vec![("completed_at", at), ("executed_by", json!("reviewer"))];
        let found = recorded(text, vec![("updated_at", json!("now"))], step);
        let expected = text.replacen("2026-01-23T10:35:00Z", "now", 1).replacen(
            "2026-01-23T10:10:00Z",
            "2026-02-01T00:00:00.000Z",
            1,
        );
        let by = expected.find("executedBy").expect("it says who");
        let (before, after) = expected.split_at(by);
        let expected = format!("{before}{}", after.replacen("planner", "reviewer", 1));
        assert_eq!(
            found.replace("\"now\"", "now"),
            expected.replace("\"now\"", "now")
        );
    }
}

/// What is no longer true goes; where somebody's comment stands beside it, the key stays for that.
#[test]
fn comments_beside_what_goes_stay() {
    let text = "task: x\nsteps:\n- index: 0\n  error: 'it # broke' # by night\n  output: done\n  affectedFiles:\n    - a # why\n  description: a\n";
    let step = vec![
        ("error", Value::Null),
        ("output", Value::Null),
        ("affected_files", json!([])),
    ];
    assert_eq!(
        recorded(text, Vec::new(), step),
        text.replace("'it # broke'", "null")
            .replace("  output: done\n", "")
    );
}

#[test]
fn an_alias_is_not_written_through() {
    let step_text = "- &a\n  index: 0\n  description: y\n";
    let text = &format!("task: x\nsteps:\n{step_text}");
    let (plan, step) = some();
    let written = apply_progress(
        ParsedFile::new(source(text)),
        &Marks::default(),
        records(plan, step),
    )
    .expect("the plan's own fields have a place");
    let written = written.text();
    assert!(
        written != *text && written.ends_with(step_text),
        "{written}"
    );
}
