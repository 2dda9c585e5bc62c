//! `import` with the real binary.

use serde_json::Value;
use signoff_testkit::Project;

use crate::support::BINARY;

#[test]
fn a_directory_becomes_a_draft_that_verifies_but_for_what_is_open() {
    let project = Project::new(BINARY);
    project
        .write(
            "openspec/changes/add-2fa/proposal.md",
            "## Why\nPasswords leak.\n",
        )
        .write(
            "openspec/changes/add-2fa/tasks.md",
            "## 1. Base\n- [x] 1.1 Column\n- [ ] 1.2 Code\n",
        )
        .write("openspec/changes/add-2fa/.openspec.yaml", "schema: x\n");
    project
        .signoff(["import", "openspec/changes/add-2fa", "-o", "plan.md"])
        .assert_success()
        .assert_stderr_contains("as openspec: it lies below `openspec/`")
        .assert_stderr_contains("left out: `file`: .openspec.yaml")
        .assert_stderr_contains("open: warning[missing-contract]")
        .assert_stderr_contains("then `signoff verify plan.md`");
    let draft = project.read("plan.md");
    assert!(
        draft.contains("Passwords leak.") && draft.contains("### 1. ✅ Column"),
        "{draft}"
    );
    project.signoff(["show", "plan.md"]).assert_success();
    let again = project.signoff(["import", "openspec/changes/add-2fa", "-o", "plan.md"]);
    again
        .assert_code(5)
        .assert_stderr_contains("plan.md exists");
}

#[test]
fn json_has_the_draft_the_losses_and_what_is_open() {
    let project = Project::new(BINARY);
    let tasks = r#"{"tasks": [{"id": 1, "title": "A", "status": "review", "dependencies": [9]}]}"#;
    project.write("tasks.json", tasks);
    let output = project.signoff(["import", "tasks.json", "--format", "json"]);
    output.assert_success();
    let shape: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(shape["schema"], "signoff.import/1");
    assert_eq!(shape["from"], "task-master");
    assert_eq!(shape["losses"][0]["value"], "review");
    assert_eq!(shape["losses"][0]["line"], 1);
    let codes = shape["diagnostics"].as_array().unwrap().iter();
    let codes: Vec<&str> = codes.filter_map(|one| one["code"].as_str()).collect();
    assert!(codes.contains(&"unknown-dependency"), "{codes:?}");
    assert!(
        shape["text"]
            .as_str()
            .unwrap()
            .contains("**depends_on:** task-9")
    );
}

#[test]
fn a_plan_and_what_is_no_plan_are_refused() {
    let project = Project::new(BINARY);
    project.write(
        "plan.md",
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n# A\n",
    );
    project
        .signoff(["import", "plan.md"])
        .assert_code(2)
        .assert_stderr_contains("a plan of Signoff already");
    project.signoff(["import", "gone.md"]).assert_code(2);
    project.write("empty.md", "\n");
    project
        .signoff(["import", "empty.md", "-o", "out.md"])
        .assert_code(1)
        .assert_stderr_contains("there is nothing in it");
    assert!(!project.exists("out.md"));
}

/// A project with tasks that have no contracts, and a planner that answers with `first.txt`, then with `second.txt`.
fn with_planner(first: &str, second: &str) -> Project {
    let planner = "prompt=$(cat)\ncase $prompt in\n  *'# Your last answer'*) cat second.txt ;;\n  *) cat first.txt ;;\nesac\n";
    let project = Project::new(BINARY);
    project
        .write(
            "tasks.md",
            "# Greet\n\nBe kind.\n\n- [ ] Say hello in `a.txt`\n- [-] Say goodbye\n",
        )
        .write("planner.sh", planner)
        .write("first.txt", first)
        .write("second.txt", second)
        .write(
            ".signoff/config.toml",
            "[agents.default]\ndriver = 'command'\ncommand = ['sh', 'planner.sh']\n",
        );
    project.signoff(["trust"]).assert_success();
    project
}

const VACUOUS: &str = r#"{"contracts": [
  {"step": "say-hello-in-a-txt", "command": "true", "why": "it is done"},
  {"step": "say-goodbye", "command": null, "why": "nobody can see it"}]}"#;
const GOOD: &str = r#"{"contracts": [
  {"step": "say-hello-in-a-txt", "command": "grep -q hello a.txt", "expect": ["exit_code == 0"],
   "protects": ["tests/**"], "why": "the greeting is there"},
  {"step": "say-goodbye", "command": null, "why": "nobody can see it"}]}"#;

#[test]
fn a_planner_proposes_the_contracts_and_changes_nothing_else() {
    let project = with_planner(VACUOUS, GOOD);
    project
        .signoff(["import", "tasks.md", "-o", "bare.md"])
        .assert_success();
    project
        .signoff(["import", "tasks.md", "--plan", "-o", "plan.md"])
        .assert_success()
        .assert_stderr_contains("1 contract proposed")
        .assert_stderr_contains("say-hello-in-a-txt: the greeting is there")
        .assert_stderr_contains("say-goodbye: left open: nobody can see it")
        .assert_stderr_contains("left out: `mark`: [-] (line 6)");
    let (bare, planned) = (project.read("bare.md"), project.read("plan.md"));
    assert!(
        planned.contains("```shell\ngrep -q hello a.txt\n```"),
        "{planned}"
    );
    assert!(planned.contains("tests/**"), "{planned}");
    // Every line of the draft is still there, in its order.
    let mut lines = planned.lines();
    for line in bare.lines() {
        assert!(lines.any(|found| found == line), "{line}\n{planned}");
    }
    project
        .signoff(["verify", "plan.md"])
        .assert_stdout_contains("missing-contract")
        .assert_stdout_lacks("say-hello-in-a-txt` has no contract");
}

#[test]
fn a_planner_that_proposes_nothing_usable_changes_nothing() {
    for answer in [
        VACUOUS,
        "no",
        r#"{"contracts": []}"#,
        r#"{"contracts": [{"step": "other", "command": "x", "why": "y"}]}"#,
        r#"{"contracts": [{"step": "say-hello-in-a-txt", "command": "if", "why": "y"},
            {"step": "say-goodbye", "command": null, "why": "z"}]}"#,
    ] {
        let project = with_planner(answer, answer);
        project
            .signoff(["import", "tasks.md", "--plan", "-o", "plan.md"])
            .assert_code(6)
            .assert_stderr_contains("gave no usable answer")
            .assert_stderr_contains("without `--plan` the contracts stay open");
        assert!(!project.exists("plan.md"), "{answer}");
    }
}

#[test]
fn proposed_contracts_are_in_the_json() {
    let project = with_planner(GOOD, GOOD);
    let output = project.signoff(["import", "tasks.md", "--plan", "--format", "json"]);
    output.assert_success();
    let shape: Value = serde_json::from_str(&output.stdout).unwrap();
    let proposal = &shape["proposal"];
    assert_eq!(proposal["agent"], "default");
    assert_eq!(proposal["contracts"][0]["command"], "grep -q hello a.txt");
    assert_eq!(proposal["contracts"][1]["command"], Value::Null);
}

#[test]
fn a_draft_in_another_dialect_lists_what_it_cannot_hold() {
    let project = with_planner(GOOD, GOOD);
    project
        .signoff([
            "import",
            "tasks.md",
            "--plan",
            "--dialect",
            "record",
            "-o",
            "plan.yaml",
        ])
        .assert_success()
        .assert_stderr_contains("left out: `mark`");
    let record = project.read("plan.yaml");
    assert!(record.contains("grep -q hello a.txt"), "{record}");
    assert!(record.contains("Be kind."), "{record}");
    let toolplan = project.signoff(["import", "tasks.md", "--dialect", "toolplan"]);
    toolplan.assert_success().assert_stderr_contains(
        "left out: `task`: say-hello-in-a-txt, say-goodbye: a toolplan has no agent steps",
    );
}
