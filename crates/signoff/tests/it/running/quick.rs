//! `run --task` and `run --dry-run`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;
use signoff_testkit::{Ledger, Project, Reply, Script};

use crate::support::{agent, plan, project, signed};

const TASK: &str =
    "Write `out` with {{ params.x }} and \"quotes\".\n\n## Steps\n\n```\nnot 'a' step\n```";

fn obliging() -> Script {
    Script::new()
        .ledger("LEDGER")
        .reply(Reply::when([TASK]).write("out", "{{ x }}\n"))
        .reply(Reply::always().say("what?").exit(1))
}

fn trusted() -> Project {
    let project = project(
        &obliging(),
        &plan(&["**contract:**\n```shell\nfalse\n```\n"]),
    );
    project.signoff(["trust"]).assert_success();
    project
}

fn proposals(project: &Project) -> Vec<String> {
    let plans = project.path().join(".signoff/plans");
    let entries = std::fs::read_dir(plans).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("PLAN-")).collect()
}

#[test]
fn a_task_is_done_and_proved_as_a_plan_of_one_step() {
    let project = trusted().on_trees();
    let output = project.signoff([
        "run",
        "--task",
        TASK,
        "--agent",
        "coder",
        "--contract",
        "grep -q '{{ x }}' out && test \"$(wc -l < out)\" = 1",
    ]);
    output
        .assert_success()
        .assert_stderr_contains("signed")
        .assert_stderr_contains("not 'a' step")
        .assert_stdout_contains("proved");
    let shape = project.json(["status"]);
    let steps = shape["steps"].as_array().expect("a run has steps");
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0]["evidence"], "proved");
    let plan = shape["plan"].as_str().expect("a run has a plan");
    assert!(plan.starts_with("PLAN-"), "{plan}");
    let file = project.read(format!(".signoff/plans/{plan}.md"));
    assert!(file.contains("type: plan"), "{file}");
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 1);
}

#[test]
fn without_a_contract_a_person_accepts_it() {
    let project = trusted();
    project
        .signoff(["run", "--task", TASK, "--agent", "coder"])
        .assert_code(3);
    let item = project.json(["inbox"])["items"][0].clone();
    assert_eq!(item["kind"], "acceptance");
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "accept", "--resume"])
        .assert_success();
}

#[test]
fn what_cannot_run_leaves_no_plan_behind() {
    let project = trusted();
    for (line, code, says) in [
        (vec!["run", "--task", "x", "--agent", "codr"], 1, "codr"),
        (vec!["run", "--task", " "], 2, "the task is empty"),
        (
            vec!["run", "plan.md", "--task", "x"],
            2,
            "cannot be used with",
        ),
        (
            vec!["run", "plan.md", "--agent", "coder"],
            2,
            "cannot be used with",
        ),
        (
            vec!["run", "--task", "x", "--until", "a"],
            2,
            "cannot be used with",
        ),
        (vec!["run"], 2, "PLAN"),
    ] {
        project
            .signoff(line)
            .assert_code(code)
            .assert_stderr_contains(says);
    }
    assert_eq!(proposals(&project), [""; 0]);
    let inside = project.env("CLAUDECODE", "1");
    inside
        .signoff(["run", "--task", "x", "--agent", "coder"])
        .assert_code(4);
    assert_eq!(proposals(&inside), [""; 0]);
}

/// Every file of the project and of the home with its bytes.
fn everything(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            }
            found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
        }
    }
    let mut found = BTreeMap::new();
    walk(&project.path(), &mut found);
    walk(&project.home(), &mut found);
    found
}

/// Two checks side by side, then an agent, then a question.
fn mixed() -> String {
    let check = "**depends_on:** none\n**contract:**\n```shell\ntest -d .\n```\n";
    let ask = "**ask:** Ship it?\n**choices:** yes, no\n";
    plan(&[check, check, &agent("Make it.", "out"), ask])
}

#[test]
fn a_rehearsal_shows_the_run_and_leaves_no_trace() {
    let project = signed(&obliging(), &mixed());
    let before = everything(&project);
    project
        .signoff(["run", "plan.md", "--dry-run"])
        .assert_success()
        .assert_stdout_contains("  1. Step 1 [step-1] check\n   + Step 2 [step-2] check\n  2. Step 3 [step-3] coder, up to 3 attempts\n  3. Step 4 [step-4] a person answers")
        .assert_stdout_contains("at worst: 3 agents, together up to 30m");
    let shape = project.json([
        "run",
        "plan.md",
        "--dry-run",
        "--jobs",
        "1",
        "--until",
        "step-3",
    ]);
    assert_eq!(
        (
            &shape["schema"],
            &shape["rounds"],
            &shape["agents"],
            &shape["refused"]
        ),
        (
            &json!("signoff.rehearsal/1"),
            &json!([["step-1"], ["step-2"], ["step-3"]]),
            &json!(3),
            &json!(null)
        )
    );
    assert_eq!(everything(&project), before);
}

#[test]
fn a_rehearsal_refuses_as_the_run_would() {
    let project = project(&obliging(), &mixed());
    let check = |line: &[&str], code: i32, says: &str| {
        let before = everything(&project);
        let rehearsed = project.signoff(line);
        rehearsed.assert_code(code).assert_stderr_contains(says);
        assert_eq!(everything(&project), before, "{line:?}");
        rehearsed
    };
    check(&["run", "plan.md", "--dry-run"], 4, "signoff trust");
    project.signoff(["trust"]).assert_success();
    check(&["run", "plan.md", "--dry-run"], 4, "is not signed")
        .assert_stdout_contains("[step-3] coder");
    check(
        &["run", "plan.md", "--dry-run", "--approve"],
        0,
        "nothing was started",
    );
    project.signoff(["approve", "plan.md"]).assert_success();
    check(
        &["run", "plan.md", "--dry-run", "--until", "stp-3"],
        2,
        "no step",
    );
    check(
        &["run", "plan.md", "--dry-run", "--only", "step-3"],
        5,
        "waits for",
    );
    let edited = project
        .read("plan.md")
        .replace("Make it.", "Make it better.");
    project.write("plan.md", &edited);
    check(
        &["run", "plan.md", "--dry-run"],
        4,
        "is not what was signed",
    );
    project.write("plan.md", &edited.replace("Ship it?", ""));
    check(&["run", "plan.md", "--dry-run"], 1, "error");
}
