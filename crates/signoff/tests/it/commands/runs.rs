//! `runs`: the runs there are.

use serde_json::json;
use signoff_testkit::{Reply, Script};

use crate::support::{agent, plan, signed};

#[test]
fn every_run_is_listed_and_a_broken_one_hides_no_other() {
    let script = Script::new()
        .reply(Reply::when(["Advice"]).write("out", "x\n"))
        .reply(Reply::always().say("no"));
    let step = format!("{}**on_fail:** escalate\n", agent("Make it.", "out"));
    let project = signed(&script, &plan(&[&step]));
    project
        .signoff(["runs"])
        .assert_success()
        .assert_stdout_contains("no runs yet");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let shape = project.json(["runs"]);
    assert_eq!(shape["schema"], "signoff.runs/1");
    let run = shape["runs"][0].clone();
    assert_eq!(
        (&run["status"], &run["paused"], &run["waiting"]),
        (&json!("executing"), &json!("waiting"), &json!(1))
    );
    project
        .signoff(["runs"])
        .assert_success()
        .assert_stdout_contains("waits on a person");
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("an item is open");
    project
        .signoff(["answer", item, "retry", "--note", "try", "--resume"])
        .assert_success();
    assert_eq!(project.json(["runs"])["runs"][0]["status"], "completed");

    let id = run["run"].as_str().expect("runs have names");
    let journal = format!(".signoff/runs/{id}/journal.jsonl");
    let text = project.read(&journal).replacen("step-1", "step-2", 1);
    project.write(&journal, &text);
    let shape = project.json(["runs"]);
    assert_eq!(shape["runs"][0]["status"], "unreadable");
    assert!(shape["runs"][0]["problem"].is_string(), "{shape}");
}
