//! What a person is told when a run asks them, and how little they have to type.

use serde_json::json;
use signoff_testkit::{Reply, Script};

use crate::support::{agent, events, newest_run, only_item, plan, project, signed};

#[test]
fn a_question_has_what_a_person_decides_by_and_takes_short_names() {
    let script = Script::new().reply(Reply::always().write("junk", "x\n").say("All done."));
    let step = format!("{}**on_fail:** escalate\n", agent("Make it.", "out"));
    let project = signed(&script, &plan(&[&step]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let run = newest_run(&project);
    let shown = project.signoff(["inbox"]);
    shown.assert_success();
    for line in [
        "  Test plan, step `step-1`: Step 1",
        "  contract  test -s out || { echo \"out is missing\" >&2; exit 1; }",
        "  ended     exit code 1",
        "  output    out is missing",
        "  agent     All done.",
        "  fixed     you repaired it by hand: the contract decides",
        &format!("  logs      .signoff/runs/{run}/steps/step-1/1/agent.log"),
        &format!("  signoff answer {run}/step-1-1 retry"),
    ] {
        shown.assert_stdout_contains(line);
    }
    let item = only_item(&project);
    assert_eq!(item["meanings"]["skip"], "go on without it", "{item}");
    let about = &item["about"][0];
    assert_eq!(about["output"], json!(["out is missing"]), "{item}");
    for log in about["logs"].as_array().expect("a list") {
        assert!(
            project.exists(log["path"].as_str().expect("a path")),
            "{log}"
        );
    }
    assert!(
        events(&project, "step_waiting")
            .iter()
            .all(|event| event["stepIndex"] == 0)
    );

    // A newer run that has ended is not the one to go on with.
    let check = plan(&["**contract:**\n```shell\ntrue\n```\n"]);
    project.write("other.md", &check.replace("Test plan", "Other"));
    project
        .signoff(["run", "other.md", "--approve"])
        .assert_success();
    project.signoff(["resume"]).assert_code(3);
    project
        .signoff(["run", "other.md"])
        .assert_code(5)
        .assert_stderr_contains("`signoff clone other.md`");
    project
        .signoff(["run", "plan.md"])
        .assert_code(5)
        .assert_stderr_contains("`signoff resume plan.md` continues it");

    let end = run.get(16..).expect("a name has an end");
    for name in [end, "plan.md"] {
        let status = project.json(["status", name]);
        assert_eq!(status["run"], json!(run), "{name}");
    }
    project
        .signoff(["status", "20"])
        .assert_code(2)
        .assert_stderr_contains("there is no run");
    project
        .signoff(["status", "202"])
        .assert_code(2)
        .assert_stderr_contains("type more of it");
    project
        .signoff(["answer", "step-2", "skip"])
        .assert_code(2)
        .assert_stderr_contains("no open question is named `step-2`");
    project
        .signoff(["answer", "step-1", "retry", "--args", "{}"])
        .assert_code(2)
        .assert_stderr_contains("calls a tool");
    project
        .signoff(["step", "retry", "plan.md", "7"])
        .assert_code(2)
        .assert_stderr_contains("its steps are `step-1`");
    project
        .signoff(["step", "skip", "plan.md", "1"])
        .assert_success()
        .assert_stdout_contains(&format!("run {run} skips step `step-1`"));
    project.signoff(["resume"]).assert_success();
}

#[test]
fn an_acceptance_shows_the_difference() {
    let script = Script::new().reply(Reply::always().write("one", "x\n").say("Made one."));
    let bare = "**target:** coder\n**task:**\nMake one.\n";
    let project = project(&script, &plan(&[bare])).on_trees();
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_code(3);
    let about = &only_item(&project)["about"][0];
    assert_eq!(
        (&about["title"], &about["said"], &about["changed"]),
        (&json!("Step 1"), &json!("Made one."), &json!(["one"]))
    );
    let diff = about["diff"].as_str().expect("git has recorded it");
    assert!(diff.ends_with("+++ b/one\n@@ -0,0 +1 @@\n+x\n"), "{diff}");
    // Its name is `acceptance-1`.
    project
        .signoff(["answer", "acceptance", "accept", "--resume"])
        .assert_success();
}

#[test]
fn what_stops_and_asks_is_said_before_signing_and_nothing_is_signed_in_vain() {
    let call = |tool: &str, args: &str| {
        format!("**tool:** {tool}\n**args:**\n```json\n{args}\n```\n**on_fail:** abort\n")
    };
    let steps = [
        call("delete_file", "{\"path\": \"plan.md\"}"),
        call("read_file", "{\"path\": \"plan.md\"}"),
        "**target:** stranger\n**task:**\nDo it.\n\n**contract:**\n```shell\ntrue\n```\n"
            .to_owned(),
    ];
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let project = project(&Script::new(), &plan(&steps));
    let config = project.read(".signoff/config.toml");
    let stranger = "[agents.stranger]\ndriver = \"command\"\ncommand = [\"no-such-program\"]\n";
    project.write(".signoff/config.toml", &format!("{config}\n{stranger}"));
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["show", "plan.md"])
        .assert_success()
        .assert_stdout_contains("asks       before it deletes `plan.md`");
    for words in [&["graph", "plan.md"][..], &["run", "plan.md", "--dry-run"]] {
        let shown = project.signoff(words);
        shown.assert_stdout_contains("stops and asks you at: `step-1`\n");
    }
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(6)
        .assert_stderr_contains("no-such-program");
    assert_eq!(project.json(["show", "plan.md"])["status"], "verified");
}

#[test]
fn plans_are_found_by_their_names_wherever_they_are_read() {
    let project = project(
        &Script::new(),
        &plan(&["**contract:**\n```shell\ntrue\n```\n"]),
    );
    project.signoff(["trust"]).assert_success();
    let text = project.read("plan.md");
    let proposed = project.signoff_with_input(["propose", "-", "--format", "json"], &text);
    let id = proposed.assert_success().json()["id"].clone();
    let id = id.as_str().expect("plans have ids");
    for command in ["verify", "graph", "show"] {
        project.signoff([command, id]).assert_success();
    }
    project.signoff(["verify", "PLAN-nothere"]).assert_code(2);
}

#[test]
fn a_step_s_name_answers_for_that_step_alone() {
    let bare = |id: &str| format!("**id:** {id}\n**target:** coder\n**task:**\nDo it.\n");
    let script = Script::new().reply(Reply::always().say("done"));
    let project = signed(&script, &plan(&[&bare("first"), &bare("second")]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
        .signoff(["answer", "first", "accept"])
        .assert_success();
    let item = only_item(&project);
    assert_eq!(item["steps"], json!(["second"]), "{item:#}");
}

#[test]
fn a_part_of_a_step_s_name_is_enough_where_only_one_fits() {
    let bare = |id: &str| format!("**id:** {id}\n**target:** coder\n**task:**\nDo it.\n");
    let script = Script::new().reply(Reply::always().say("done"));
    let project = signed(&script, &plan(&[&bare("first-one"), &bare("second-one")]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
        .signoff(["step", "skip", "plan.md", "one"])
        .assert_code(2)
        .assert_stderr_contains("type more of it: `first-one`, `second-one`");
    project
        .signoff(["answer", "fir", "accept"])
        .assert_success();
    let item = only_item(&project);
    assert_eq!(item["steps"], json!(["second-one"]), "{item:#}");
    project
        .signoff(["step", "skip", "plan.md", "sec"])
        .assert_code(5)
        .assert_stderr_contains("step `second-one` is done and waits");
}

#[test]
fn arguments_that_cannot_work_are_refused_when_they_are_given() {
    let call = "**tool:** delete_file\n**args:**\n```json\n{\"path\": \"plan.md\"}\n```\n";
    let project = signed(&Script::new(), &plan(&[call]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let answer = |args: &str| project.signoff(["answer", "step-1", "approve", "--args", args]);
    answer("{\"path\": \"/etc/passwd\"}")
        .assert_code(2)
        .assert_stderr_contains("`/etc/passwd` is outside the workspace");
    answer("{\"pth\": \"x\"}")
        .assert_code(5)
        .assert_stderr_contains("the arguments do not fit `delete_file`");
    answer("{\"path\": \"nothing\"}").assert_success();
}

#[test]
fn hints_about_a_broken_journal_name_its_run() {
    let project = signed(
        &Script::new(),
        &plan(&["**contract:**\n```shell\ntrue\n```\n"]),
    );
    project.signoff(["run", "plan.md"]).assert_success();
    let run = newest_run(&project);
    let journal = format!(".signoff/runs/{run}/journal.jsonl");
    let text = project
        .read(&journal)
        .replacen("run_started", "run_startet", 1);
    project.write(&journal, &text);
    let refused = project.signoff(["status", &run]);
    refused.assert_code(6);
    refused.assert_stderr_contains(&format!("`signoff/{run}`"));
    refused.assert_stderr_contains(&format!("`signoff prune {run}` deletes"));
}
