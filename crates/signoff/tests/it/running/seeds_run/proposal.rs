//! `proposal`: an executor with the tools that are named, the model that is named, and the rule to
//! stop and report.

use super::*;
use crate::support::kill_points;

pub(crate) const TEXT: &str =
    include_str!("../../../../../signoff-plan/tests/fixtures/proposal/invoice-reminder.md");
pub(crate) const ID: &str = "PLAN-a1b2c3d4";
pub(crate) const FILE: &str = ".pi/plans/PLAN-a1b2c3d4.md";
pub(crate) const ARTIFACT: &str = ".pi/plans/artifacts/PLAN-abc123/invoice-2024-0847.pdf";

pub(crate) fn script() -> Script {
    let when = |text: &str| Reply::when([text]);
    Script::new()
        .reply(when("Update invoice status").say("Status updated"))
        .reply(when("Send payment reminder").say("Reminder sent"))
        .reply(when("Fetch invoice").say("Invoice found"))
}

fn example(script: &Script) -> Example {
    // Today it would have expired.
    let text = TEXT.replace("2026-02-11", "2099-02-11");
    Example::new(ID, &[(FILE, &text), (ARTIFACT, "pdf\n")], script).signed()
}

fn field(example: &Example, name: &str) -> String {
    let text = example.project.read(FILE);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or("none").trim().to_owned()
}

/// The executor's log, in the format of plan mode.
fn session(example: &Example) -> Vec<Value> {
    let text = example
        .project
        .read(format!(".pi/plans/sessions/{ID}.jsonl"));
    let lines = text.lines().map(serde_json::from_str);
    lines.map(|line| line.expect("each line is JSON")).collect()
}

fn accepted(example: &Example) {
    example.answer("acceptance", "accept", &[]).assert_success();
    all_done(example, 3, "accepted");
    assert_eq!(
        field(example, "status").split(' ').next(),
        Some("completed")
    );
    assert!(field(example, "result_summary").contains("3 of 3 steps done"));
    assert!(field(example, "execution_ended_at").starts_with("20"));
    assert_eq!(
        session(example),
        [
            json!({"step": 1, "tool": "odoo-toolbox", "op": "read", "status": "success", "result_summary": "Invoice found"}),
            json!({"step": 2, "tool": "go-easy", "op": "gmail send", "status": "success", "result_summary": "Reminder sent"}),
            json!({"step": 3, "tool": "odoo-toolbox", "op": "write", "status": "success", "result_summary": "Status updated"}),
        ]
    );
    let model = "claude-haiku-4-5 claude-haiku-4-5";
    assert!(
        example.models().iter().all(|line| line == model),
        "{:?}",
        example.models()
    );
}

#[test]
fn runs_to_its_end() {
    let example = example(&script());
    example.run().assert_code(3);
    assert_eq!(example.models().len(), 3);
    accepted(&example);
    let events = example.events();
    let prompts = events.iter().filter(|event| event["type"] == "work_item");
    for event in prompts {
        let prompt = event["item"]["input"]["prompt"]
            .as_str()
            .unwrap_or_default();
        for part in [
            "You ONLY have [odoo-toolbox, go-easy].",
            "STOP immediately",
            "bank account XYZ",
            "might bounce",
        ] {
            assert!(prompt.contains(part), "{part}: {prompt}");
        }
    }
}

#[test]
fn killed_and_resumed() {
    for point in kill_points(&["spawn.released:2", "finished.after:2", "mark.after:1"]) {
        let example = example(&script());
        example.killed_at(point);
        assert_eq!(
            field(&example, "status").split(' ').next(),
            Some("executing")
        );
        assert_eq!(example.project.json(["show", ID])["status"], "stalled");
        example.resume().assert_code(3);
        accepted(&example);
        example.ledger();
    }
}

#[test]
fn a_failure_stops_and_is_reported() {
    let refused = Reply::when(["Send payment reminder"])
        .say("Recipient not found")
        .exit(1);
    let found = Reply::when(["Fetch invoice"]).say("Invoice found");
    let first = Script::new()
        .reply(Reply::when(["Update invoice status"]))
        .reply(refused)
        .reply(found);
    let example = example(&first);
    example.run().assert_code(1);
    ended(&example.events(), "failed");
    let words: Vec<String> = example
        .steps()
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    assert_eq!(words[1..], ["failed", "blocked"]);
    assert_eq!(field(&example, "status").split(' ').next(), Some("failed"));
    assert!(field(&example, "result_summary").contains("`step-2` failed"));
    let lines = session(&example);
    assert_eq!(
        lines.last().map(|line| &line["status"]),
        Some(&json!("failed"))
    );

    // Its executor is repaired, and the run goes on from where it stopped.
    let path = example.project.outside("script.json");
    let ledger = example.project.outside("ledger");
    std::fs::write(&path, script().ledger(ledger).to_string()).expect("the folder is ours");
    example.resume().assert_code(3);
    accepted(&example);
    let ledger = example.ledger();
    ledger
        .assert_starts("step-1", 1)
        .assert_starts("step-2", 2)
        .assert_starts("step-3", 1);
}
