//! Conditions, approvals and questions, through the inbox.

use serde_json::json;
use signoff_testkit::{Ledger, Project, Script};

use crate::support::{agent, makes_out, only_item, plan, project, signed, statuses};

/// Answers the only open item and continues.
fn answer(project: &Project, word: &str) -> signoff_testkit::Output {
    let item = only_item(project);
    let id = item["id"].as_str().expect("items have ids");
    project.signoff(["answer", id, word, "--resume"])
}

#[test]
fn a_step_that_needs_leave_waits_for_it() {
    let gated = format!("{}**approval:** required\n", agent("Make it.", "out"));
    let project = signed(&makes_out().ledger("LEDGER"), &plan(&[&gated]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = only_item(&project);
    assert_eq!(
        (&item["kind"], &item["choices"]),
        (&json!("approval"), &json!(["approve", "deny"]))
    );
    assert!(!project.exists("out"));
    answer(&project, "approve").assert_success();
    assert_eq!(statuses(&project), ["completed"]);
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 1);
}

#[test]
fn a_denied_step_is_never_begun() {
    let gated = format!("{}**approval:** required\n", agent("Make it.", "out"));
    let after = "**contract:**\n```shell\ntrue; test -d .\n```\n";
    let project = signed(&makes_out().ledger("LEDGER"), &plan(&[&gated, after]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    answer(&project, "deny")
        .assert_code(1)
        .assert_stdout_contains("User denied approval");
    assert_eq!(statuses(&project), ["skipped", "blocked"]);
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 0);
}

/// A question, then a step for each answer.
fn asking() -> Project {
    let ask = "**id:** go\n**ask:** Ship it?\n**choices:** yes, no\n";
    let step = |answer: &str| {
        format!(
            "**when:** steps[\"go\"].output == \"{answer}\"\n{}",
            agent("Make it.", "out")
        )
    };
    signed(
        &makes_out().ledger("LEDGER"),
        &plan(&[ask, &step("yes"), &step("no")]),
    )
}

#[test]
fn an_answer_decides_which_steps_run() {
    let project = asking();
    project
        .signoff(["run", "plan.md"])
        .assert_code(3)
        .assert_stderr_contains("Ship it?");
    let item = only_item(&project);
    assert_eq!(item["choices"], json!(["yes", "no", "skip", "abort"]));
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "perhaps"])
        .assert_code(5)
        .assert_stderr_contains("yes, no, skip, abort");
    answer(&project, "yes").assert_success();
    assert_eq!(statuses(&project), ["completed", "completed", "skipped"]);
    let shape = project.json(["status"]);
    assert_eq!(shape["steps"][0]["evidence"], "accepted");
    project
        .signoff(["log"])
        .assert_success()
        .assert_stdout_contains("`when` is false");
}

#[test]
fn what_reads_an_answer_nobody_gave_is_blocked() {
    let project = asking();
    project.signoff(["run", "plan.md"]).assert_code(3);
    answer(&project, "skip").assert_code(1);
    assert_eq!(statuses(&project), ["skipped", "blocked", "blocked"]);
    assert!(!project.exists("out"));
}

#[test]
fn a_condition_reads_what_a_contract_printed() {
    let probe = "**id:** probe\n**contract:**\n```shell\necho changed\n```\n";
    let step = |word: &str| {
        format!(
            "**when:** \"{word}\" in steps[\"probe\"].stdout\n**contract:**\n```shell\ntest -d .\n```\n"
        )
    };
    let project = signed(
        &makes_out().ledger("LEDGER"),
        &plan(&[probe, &step("changed"), &step("same")]),
    );
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(statuses(&project), ["completed", "completed", "skipped"]);
}

#[test]
fn a_loop_begins_at_once_beside_what_is_under_way() {
    // The first waits for what the loop makes, and the loop is reached only through its condition.
    let waits = "**depends_on:** none\n**contract:**\n```shell\nuntil test -f made; do sleep 0.05; done\n```\n**on_fail:** abort\n";
    let makes = "**depends_on:** none\n**when:** true\n**for_each:** [1]\n**contract:**\n```shell\ntouch made\n```\n";
    let project = signed(&Script::new(), &plan(&[waits, makes]));
    project
        .signoff(["run", "plan.md", "--jobs", "4"])
        .assert_success();
}

/// A contract that misses a program until the person has put `ready` there.
fn missing_its_program(task: &str) -> Project {
    let step = format!("**target:** coder\n**task:**\n{task}\n\n**contract:** `bash check.sh`\n");
    let text = plan(&[&step]);
    let project = project(&makes_out().ledger("LEDGER"), &text).on_trees();
    project.write("check.sh", "test -f ready || absent-runner\ntest -f out\n");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

#[test]
fn no_agent_works_before_a_person_knows_that_its_contract_cannot_run() {
    let project = missing_its_program("Make it.");
    project
        .signoff(["run", "plan.md"])
        .assert_code(3)
        .assert_stderr_contains("absent-runner")
        .assert_stderr_contains("shall its agent work all the same?");
    let item = only_item(&project);
    let choices = json!(["retry", "approve", "revise", "skip", "abort"]);
    assert_eq!(
        (&item["kind"], &item["choices"]),
        (&json!("approval"), &choices)
    );
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 0);
    // It is installed now: the contract is asked once more, before the work.
    project.write("ready", "");
    answer(&project, "retry").assert_success();
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 1);
    assert_eq!(project.json(["status"])["steps"][0]["evidence"], "proved");
}

#[test]
fn a_person_may_let_the_agent_work_unjudged_before() {
    let project = missing_its_program("Make it.");
    project.signoff(["run", "plan.md"]).assert_code(3);
    answer(&project, "approve").assert_success();
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 1);
    assert_eq!(project.json(["status"])["steps"][0]["evidence"], "held");
}

#[test]
fn a_step_that_is_to_bring_the_program_is_not_asked_about() {
    let project = missing_its_program("Make it. Install absent-runner.");
    project.signoff(["run", "plan.md"]).assert_success();
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 1);
}
