//! Agent steps without a contract: a person accepts them, at the end or at each step.

use serde_json::json;
use signoff_testkit::{Ledger, Project, Reply, Script};

use crate::support::{only_item, plan, project, statuses};

const BARE: &str = "**target:** coder\n**task:**\nMake one.\n";
const AFTER: &str =
    "**target:** coder\n**task:**\nMake two.\n\n**contract:**\n```shell\ntest -s two\n```\n";

/// A project with this line in its configuration, and a signed plan of two steps.
fn signed_with(setting: &str) -> Project {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["no tests"]).write("one", "tested\n"))
        .reply(Reply::when(["Make one"]).write("one", "x\n"))
        .reply(Reply::when(["Make two"]).append("two", "x\n"));
    let project = project(&script, &plan(&[BARE, AFTER]));
    let config = project.read(".signoff/config.toml");
    project.write(
        ".signoff/config.toml",
        &format!("{config}\n[contract]\n{setting}\n"),
    );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

#[test]
fn at_the_end_one_item_asks_about_what_nobody_verified() {
    let project = signed_with("accept = \"end\"");
    project
        .signoff(["run", "plan.md"])
        .assert_code(3)
        .assert_stderr_contains("no contract: the run continues");
    assert_eq!(statuses(&project), ["waiting", "completed"]);
    let item = only_item(&project);
    assert_eq!(
        (&item["kind"], &item["steps"], &item["choices"]),
        (
            &json!("acceptance"),
            &json!(["step-1"]),
            &json!(["accept", "refuse"])
        )
    );
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "accept", "--step", "step-2"])
        .assert_code(5)
        .assert_stderr_contains("not about `step-2`");
    project
        .signoff(["answer", id, "accept", "--resume"])
        .assert_success()
        .assert_stdout_contains("accepted");
    assert_eq!(statuses(&project), ["completed", "completed"]);
    let step = &project.json(["status"])["steps"][0];
    assert_eq!(step["evidence"], "accepted");
    assert!(step["facts"]["accepted_by"].is_string(), "{step}");
}

#[test]
fn what_is_refused_takes_with_it_what_was_built_on_it() {
    let project = signed_with("accept = \"end\"");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = only_item(&project);
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "refuse", "--note", "no tests"])
        .assert_success();
    project.signoff(["resume"]).assert_code(1);
    assert_eq!(statuses(&project), ["failed", "blocked"]);

    // Done again, with the note in the prompt.
    project.signoff(["resume"]).assert_code(3);
    assert_eq!(project.read("one"), "tested\n");
    let ledger = Ledger::read(project.outside("ledger"));
    ledger
        .assert_each_attempt_once()
        .assert_starts("step-1", 2)
        .assert_starts("step-2", 2);
    let item = only_item(&project);
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "accept", "--resume"])
        .assert_success();
}

#[test]
fn at_each_step_nothing_goes_on_before_the_answer() {
    let project = signed_with("accept = \"step\"");
    project.signoff(["run", "plan.md"]).assert_code(3);
    assert_eq!(statuses(&project), ["waiting", "pending"]);
    assert!(!project.exists("two"));
    let item = only_item(&project);
    let id = item["id"].as_str().expect("items have ids");
    project
        .signoff(["answer", id, "accept", "--resume"])
        .assert_success();
    assert!(project.exists("two"));
}

#[test]
fn a_project_may_refuse_what_nobody_verifies() {
    let project = signed_with("unverified = \"refuse\"");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("agent steps without a contract: `step-1`");
    assert!(!project.exists("one"));
}

/// However far an answer got before it was killed: once it is given again, or was kept, it counts.
#[test]
fn a_killed_answer_counts_or_can_be_given_again() {
    for point in ["append.before:1", "append.after:1"] {
        let project = signed_with("accept = \"end\"");
        project.signoff(["run", "plan.md"]).assert_code(3);
        let item = only_item(&project);
        let id = item["id"].as_str().expect("items have ids");
        let project = project.env("SIGNOFF_FAILPOINT", point);
        let killed = project.signoff(["answer", id, "accept"]);
        assert_eq!(killed.code, None, "{point}: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let resumed = project.signoff(["resume"]);
        if resumed.code == Some(3) {
            let again = project.signoff(["answer", id, "accept", "--resume"]);
            again.assert_success();
        } else {
            resumed.assert_success();
        }
        assert_eq!(statuses(&project), ["completed", "completed"], "{point}");
        let ledger = Ledger::read(project.outside("ledger"));
        ledger.assert_starts("step-1", 1).assert_starts("step-2", 1);
    }
}
