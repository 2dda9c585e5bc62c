//! Runs of proposals: what agents are told, and which marks the file gets.

use serde_json::{Value, json};
use signoff_testkit::{Ledger, Project, Reply, Script};

use crate::support::{BINARY, first_item_id};

const ID: &str = "PLAN-a1b2c3d4";
const PLAN: &str = ".pi/plans/PLAN-a1b2c3d4.md";

const TEXT: &str = "---
id: PLAN-a1b2c3d4
title: \"Invoice 0847\"
status: proposed
version: 1
created_at: 2099-02-11T12:00:00Z
updated_at: 2099-02-11T12:05:00Z
tools_required:
  - read_file
  - write_file
execution_session:
execution_started_at:
execution_ended_at:
result_summary:
---

## Steps
1. Fetch the invoice (read_file: read → invoice.txt)
2. Write the reminder (write_file: write)

## Context

The client is Fabbula.

## Risks
- It might be paid already
";

/// A `.pi` store with this proposal and an executor that follows the script.
fn project(script: &Script, text: &str) -> Project {
    let project = Project::new(BINARY).on_trees();
    let ledger = project.outside("ledger").to_string_lossy().into_owned();
    let path = project.outside("script.json");
    std::fs::write(&path, script.to_string().replace("LEDGER", &ledger))
        .expect("the test's folder is writable");
    let command = json!([BINARY, "scripted-agent", path]);
    let config = format!(
        "[run]\nbackoff = \"5ms\"\n[approval]\nthen_run = false\n[agents.executor]\ndriver = \"command\"\ncommand = {command}\n"
    );
    project
        .write(".signoff/config.toml", &config)
        .write(PLAN, text);
    project.signoff(["trust"]).assert_success();
    project
}

fn obliging() -> Script {
    Script::new()
        .ledger("LEDGER")
        .reply(
            Reply::when(["Write the reminder"])
                .write("reminder", "x\n")
                .say("sent"),
        )
        .reply(Reply::when(["Fetch the invoice"]).say("looking\nInvoice found"))
}

/// The word after a key of the frontmatter.
fn field(project: &Project, name: &str) -> String {
    let text = project.read(PLAN);
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or("none");
    value.trim().to_owned()
}

fn session(project: &Project) -> Vec<Value> {
    let text = project.read(format!(".pi/plans/sessions/{ID}.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

#[test]
fn from_approved_over_executing_to_completed() {
    let project = project(&obliging(), TEXT);
    project.signoff(["approve", ID]).assert_success();
    assert_eq!(
        (field(&project, "status"), field(&project, "version")),
        ("approved".to_owned(), "2".to_owned())
    );
    project
        .signoff(["run", ID])
        .assert_code(3)
        .assert_stderr_contains("only [read_file, write_file]; nothing enforces that");
    assert_eq!(
        (field(&project, "status"), field(&project, "version")),
        ("executing".to_owned(), "3".to_owned())
    );
    assert!(field(&project, "execution_started_at").starts_with("20"));
    assert_eq!(field(&project, "execution_ended_at"), "");
    assert_eq!(
        field(&project, "execution_session"),
        ".pi/plans/sessions/PLAN-a1b2c3d4.jsonl"
    );
    project
        .signoff(["delete", ID])
        .assert_code(5)
        .assert_stderr_contains("executing");

    // Their agents are done; that a person accepts them comes later.
    let lines = session(&project);
    let statuses: Vec<&Value> = lines.iter().map(|line| &line["status"]).collect();
    assert_eq!(statuses, ["success", "success"]);

    let item = first_item_id(&project);
    project
        .signoff(["answer", &item, "accept", "--resume"])
        .assert_success();
    assert_eq!(
        (field(&project, "status"), field(&project, "version")),
        ("completed".to_owned(), "4".to_owned())
    );
    assert!(field(&project, "execution_ended_at").starts_with("20"));
    assert!(field(&project, "result_summary").contains("2 of 2 steps done: 2 accepted"));
    assert_eq!(
        session(&project),
        [
            json!({"step": 1, "tool": "read_file", "op": "read", "status": "success", "result_summary": "Invoice found"}),
            json!({"step": 2, "tool": "write_file", "op": "write", "status": "success", "result_summary": "sent"}),
        ]
    );
    Ledger::read(project.outside("ledger")).assert_each_attempt_once();
}

#[test]
fn a_failure_is_reported_and_can_be_gone_on_from() {
    let script = Script::new()
        .reply(
            Reply::when(["Write the reminder"])
                .say("no such recipient")
                .exit(1),
        )
        .reply(Reply::always().say("Invoice found"));
    let project = project(&script, TEXT);
    project.signoff(["approve", ID]).assert_success();
    project.signoff(["run", ID]).assert_code(1);
    assert_eq!(
        (field(&project, "status"), field(&project, "version")),
        ("failed".to_owned(), "4".to_owned())
    );
    assert!(field(&project, "result_summary").contains("`step-2` failed"));
    let lines = session(&project);
    assert_eq!(
        lines.last().map(|line| &line["status"]),
        Some(&json!("failed"))
    );
    assert!(lines.last().is_some_and(|line| line["error"].is_string()));
    assert_eq!(project.json(["show", ID])["status"], "failed");

    // Executing once more, and failed once more: two writes.
    project.signoff(["resume"]).assert_code(1);
    assert_eq!(
        (field(&project, "status"), field(&project, "version")),
        ("failed".to_owned(), "6".to_owned())
    );
}

#[test]
fn the_executor_is_told_its_scope_its_rule_and_what_was_before() {
    let project = project(&obliging(), TEXT);
    project.signoff(["approve", ID]).assert_success();
    let run = project
        .signoff(["run", ID, "--format", "json"])
        .json_lines();
    let prompts: Vec<String> = run
        .iter()
        .filter(|event| event["type"] == "work_item")
        .filter_map(|event| event["item"]["input"]["prompt"].as_str().map(str::to_owned))
        .collect();
    let [first, second] = prompts.as_slice() else {
        panic!("two agents were started: {prompts:?}");
    };
    assert!(first.starts_with("Fetch the invoice"), "{first}");
    for part in [
        "read_file: read → invoice.txt",
        "The client is Fabbula.",
        "- It might be paid already",
        "You ONLY have [read_file, write_file].",
        "If a step fails, STOP immediately.",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains("Earlier results"), "{first}");
    assert!(second.contains("1. Fetch the invoice"), "{second}");
    assert!(second.contains("   > Invoice found"), "{second}");
}

#[test]
fn a_log_is_not_written_through_a_link() {
    let project = project(&obliging(), TEXT);
    let victim = project.outside("victim");
    std::fs::write(&victim, "mine\n").expect("the test's folder is writable");
    let sessions = project.path().join(".pi/plans/sessions");
    std::fs::create_dir_all(&sessions).expect("the project is writable");
    std::os::unix::fs::symlink(&victim, sessions.join(format!("{ID}.jsonl")))
        .expect("the project is writable");
    project.signoff(["approve", ID]).assert_success();
    project.signoff(["run", ID]).assert_code(3);
    let item = first_item_id(&project);
    project
        .signoff(["answer", &item, "accept", "--resume"])
        .assert_success()
        .assert_stderr_contains("is a link");
    assert_eq!(
        std::fs::read_to_string(&victim).ok().as_deref(),
        Some("mine\n")
    );
}

/// The proposal with contracts, so that nobody has to be asked.
fn contracted() -> String {
    TEXT.replace(
        "(read_file: read → invoice.txt)\n",
        "(read_file: read → invoice.txt)\n   - contract: `test -s found`\n",
    )
    .replace(
        "(write_file: write)\n",
        "(write_file: write)\n   - contract: `test -s reminder`\n",
    )
}

#[test]
fn killed_at_any_mark_the_file_is_brought_up_to_date() {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["Write the reminder"]).write("reminder", "x\n"))
        .reply(Reply::when(["Fetch the invoice"]).write("found", "x\n"));
    for point in [
        "mark.before:1",
        "mark.after:1",
        "mark.before:2",
        "mark.after:2",
    ] {
        let project = project(&script, &contracted());
        project.signoff(["approve", ID]).assert_success();
        let project = project.env("SIGNOFF_FAILPOINT", point);
        let killed = project.signoff(["run", ID]);
        assert_eq!(killed.code, None, "{point}: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let resumed = project.signoff(["resume"]);
        // It may have ended before it was killed.
        assert!(matches!(resumed.code, Some(0 | 5)), "{point}: {resumed}");
        assert_eq!(field(&project, "status"), "completed", "{point}");
        // On a busy machine there may be more writes, and one of them while an agent works.
        let version: u32 = field(&project, "version").parse().expect("a number");
        assert!(version >= 4, "{point}: {version}");
        let summary = field(&project, "result_summary");
        assert!(summary.contains("2 of 2 steps done"), "{point}: {summary}");
        assert_eq!(session(&project).len(), 2, "{point}");
        Ledger::read(project.outside("ledger")).assert_each_attempt_once();
    }
}

/// What was found out when the plan was made reaches who carries it out, also where it is too large for the plan.
#[test]
fn an_agent_is_told_tool_outputs_and_artifacts() {
    let script = Script::new()
        .reply(Reply::when(["Fetch the invoice", "IBAN-77", "100 EUR"]).say("small"))
        .reply(Reply::when(["Read it", "THE-END"]).say("large"));
    let text = TEXT.replace(
        "The client is Fabbula.\n",
        "The client is Fabbula.\n\n### Tool Outputs\n```json\n{\"bill\": {\"iban\": \"IBAN-77\"}}\n```\n\n### Artifacts\n- bill.txt → docs/\n",
    );
    let project = project(
        &script,
        &text.replace("2. Write the reminder (write_file: write)\n", ""),
    );
    project.write("docs/bill.txt", "100 EUR\n");
    project.signoff(["run", ID, "--approve"]).assert_code(3);
    let request = json!({
        "title": "Large",
        "steps": [{"description": "Read it", "tool": "read_file", "operation": "all"}],
        "context": format!("{}THE-END", "x\n".repeat(30_000)),
    });
    let made =
        project.signoff_with_input(["propose", "-", "--format", "json"], &request.to_string());
    let made = made.assert_success().json();
    let id = made["id"].as_str().expect("an id");
    project.signoff(["run", id, "--approve"]).assert_code(3);
}

#[test]
fn a_run_that_is_given_up_has_ended_and_waits_for_nobody() {
    let project = project(&obliging(), TEXT);
    project.signoff(["run", ID, "--approve"]).assert_code(3);
    project.signoff(["abort"]).assert_success();
    assert_eq!(field(&project, "status"), "failed");
    assert!(field(&project, "execution_ended_at").starts_with("20"));
    let steps = project.json(["status"])["steps"].clone();
    let waits = |step: &Value| step["status"] == "waiting";
    let steps = steps.as_array().expect("a list");
    assert!(!steps.iter().any(waits), "{steps:?}");
    project
        .signoff(["status"])
        .assert_stdout_contains("the run ended before it was answered");
}

#[test]
fn a_cancelled_execution_has_ended() {
    let project = project(&obliging(), TEXT);
    project.signoff(["run", ID, "--approve"]).assert_code(3);
    project.signoff(["cancel", ID]).assert_success();
    assert_eq!(field(&project, "status"), "cancelled");
    assert!(field(&project, "execution_ended_at").starts_with("20"));
}

/// Why a step failed, and what its agent had to say about that.
#[test]
fn a_failed_step_keeps_the_words_of_its_agent() {
    let script = Script::new().reply(Reply::when(["Fetch the invoice"]).say("There is no invoice"));
    let text = TEXT.replace(
        "→ invoice.txt)\n",
        "→ invoice.txt)\n   - contract: `test -s invoice`\n   - on_fail: abort\n",
    );
    let project = project(&script, &text);
    project.signoff(["run", ID, "--approve"]).assert_code(1);
    let line = &session(&project)[0];
    assert_eq!(line["status"], "failed");
    assert_eq!(line["result_summary"], "There is no invoice");
    assert!(line["error"].is_string(), "{line}");
}
