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
