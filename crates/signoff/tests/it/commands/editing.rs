//! `edit` and `comment`, with the real binary.

use serde_json::Value;
use signoff_testkit::Project;

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: me\nversion: 1\n---\n# Ship it\n\n\
    **budget:** 3 agents\n\n### 1. Build\n**id:** build\n**target:** coder\n**task:** Build it.\n\
    **contract:** `test -f out`\n\n### 2. Test\n**target:** coder\n**task:** Test it.\n\
    **contract:** `test -f tested`\n\n### 3. Deploy\n**id:** deploy\n**depends_on:** build\n\
    **target:** coder\n**task:** Deploy it.\n**contract:** `test -f deployed`\n";

fn project() -> Project {
    let project = crate::support::project(&signoff_testkit::Script::new(), PLAN);
    project.signoff(["trust"]).assert_success();
    project
}

fn digest(project: &Project) -> String {
    let shown = project.json(["show", "plan.md"]);
    shown["digest"].as_str().expect("a digest").to_owned()
}

/// What each edit makes of the file; everything else stays as it is.
#[test]
fn an_edit_changes_its_field_and_nothing_else() {
    let project = project();
    project.signoff(["propose", "plan.md"]).assert_success();
    let before = project.read("plan.md");
    let edit = |args: &[&str]| project.signoff([&["edit", "plan.md"], args].concat());
    edit(&["set", "build", "task", "Build it twice."]).assert_success();
    let expected = before
        .replace("Build it.", "Build it twice.")
        .replace("version: 1", "version: 2");
    assert_eq!(project.read("plan.md"), expected);
    // What it meant before, so that the version stays.
    edit(&["set", "2", "depends_on", "build"]).assert_success();
    edit(&["set", "--plan", "title", "Ship it now"]).assert_success();
    edit(&["skip", "deploy"]).assert_success();
    let text = project.read("plan.md");
    for part in ["# Ship it now\n", "**when:** false", "version: 4"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(
        shown["steps"][1]["depends_on"],
        serde_json::json!(["build"])
    );
    assert_eq!(shown["status"], "verified");
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_written() {
    let project = project();
    let refused = |args: &[&str], code: i32, why: &str| {
        let done = project.signoff([&["edit", "plan.md"], args].concat());
        done.assert_code(code).assert_stderr_contains(why);
        assert_eq!(project.read("plan.md"), PLAN, "{args:?}");
    };
    refused(&["set", "biuld", "task", "x"], 2, "did you mean `build`?");
    refused(&["set", "build", "taks", "x"], 2, "did you mean `task`?");
    refused(
        &["set", "build", "timeout", "soon"],
        2,
        "`timeout` cannot be",
    );
    refused(&["set", "build", "status", "done"], 2, "is a mark");
    refused(&["set", "--plan", "id", "x"], 2, "signatures name");
    refused(&["set", "build"], 2, "`set STEP FIELD VALUE`");
    refused(
        &["move", "deploy", "--before", "build"],
        1,
        "waits for `build`, and would stand before it",
    );
    refused(&["set", "deploy", "depends_on", "nowhere"], 2, "nowhere");
    refused(
        &["set", "build", "contract", "if then ("],
        1,
        "contract-syntax",
    );
    refused(&["skip", "build", "--expect-version", "7"], 5, "version");
    refused(
        &["skip", "build", "--expect-digest", "00000000"],
        5,
        "digest",
    );
}

#[test]
fn an_edit_voids_the_signature_and_says_so() {
    let project = project();
    project.signoff(["approve", "plan.md"]).assert_success();
    let signed = digest(&project);
    // Who owns a plan is not signed.
    project
        .signoff(["edit", "plan.md", "set", "--plan", "owner", "ada"])
        .assert_success();
    assert_eq!(project.json(["show", "plan.md"])["status"], "approved");
    let args = [
        "edit",
        "plan.md",
        "move",
        "deploy",
        "--before",
        "2",
        "--expect-digest",
        &signed,
    ];
    project
        .signoff(args)
        .assert_success()
        .assert_stderr_contains("no longer is");
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["status"], "verified");
    let ids: Vec<&str> = shown["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["id"].as_str())
        .collect();
    assert_eq!(ids, ["build", "deploy", "step-3"]);
    project.signoff(args).assert_code(5);
}

#[test]
fn comments_follow_their_step_and_are_not_signed() {
    let project = project();
    project.signoff(["approve", "plan.md"]).assert_success();
    let before = digest(&project);
    project
        .signoff(["comment", "plan.md", "2", "not on a \u{1b}[31mFriday"])
        .assert_success();
    let inside = [("SIGNOFF_INSIDE", "1")];
    project
        .signoff_with(&inside, ["comment", "plan.md", "reads well"])
        .assert_success();
    project
        .signoff_with(&inside, ["comment", "plan.md", "--resolve", "c1"])
        .assert_code(4);
    assert_eq!(digest(&project), before);
    assert_eq!(project.json(["show", "plan.md"])["status"], "approved");
    project
        .signoff([
            "edit",
            "plan.md",
            "add",
            "Lint",
            "--after",
            "build",
            "--set",
            "role=coder",
            "--set",
            "task=Lint it.",
            "--set",
            "contract=test -f linted",
        ])
        .assert_success();
    let shown = project.json(["show", "plan.md"]);
    let comment = |at: usize, field: &str| shown["comments"][at][field].clone();
    assert_eq!(comment(0, "step"), "step-3");
    assert_eq!(comment(0, "actor"), "person");
    assert_eq!(comment(1, "actor"), "agent");
    assert_eq!(comment(1, "step"), Value::Null);
    let text = project.signoff(["show", "plan.md"]);
    text.assert_success().assert_stdout_contains("on `step-3`");
    assert!(
        !text.stdout.contains('\u{1b}'),
        "escape sequences are shown, not sent"
    );
    project
        .signoff(["comment", "plan.md", "--resolve", "c9"])
        .assert_code(2)
        .assert_stderr_contains("only c1, c2");
    project
        .signoff(["comment", "plan.md", "--resolve", "c1"])
        .assert_success();
    let listed = project.json(["comment", "plan.md", "--list"]);
    assert!(listed["comments"][0]["resolved_by"].is_string());
    project
        .signoff(["comment", "plan.md", "nowhere", "x"])
        .assert_code(2);
}
