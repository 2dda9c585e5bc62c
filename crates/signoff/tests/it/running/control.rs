//! `pause`, `stop`, `abort` and `step`, from a second process while a run is driven, and without one.

use serde_json::{Value, json};
use signoff_testkit::{Ledger, Project, Reply, Running, Script};

use crate::support::{agent, newest_run, plan, signed, statuses};

/// The first agent says that it has begun and works until it is let go.
fn slow() -> Script {
    Script::new()
        .ledger("LEDGER")
        .reply(
            Reply::when(["First"])
                .write("begun", "x\n")
                .wait_for("go")
                .write("first", "x\n"),
        )
        .reply(Reply::when(["Second"]).write("second", "x\n"))
}

fn two_steps() -> Project {
    let steps = [agent("First.", "first"), agent("Second.", "second")];
    signed(&slow(), &plan(&[&steps[0], &steps[1]]))
}

/// A run of which the first agent is at work.
fn begun(project: &Project) -> Running {
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    running
}

/// Lets the first agent go on.
fn let_go(project: &Project) {
    project.write("go", "");
}

fn status(project: &Project) -> Value {
    project.json(["status"])
}

#[test]
fn a_detached_run_goes_on_in_the_background() {
    let project = two_steps();
    let run = project.json([
        "run", "plan.md", "--detach", "--only", "step-1", "--jobs", "2",
    ]);
    // The command has ended, and the run waits for the agent.
    assert_eq!(run["status"], "executing", "{run}");
    let_go(&project);
    let run = run["run"].as_str().unwrap();
    project.signoff(["log", run, "--follow"]).assert_success();
    assert_eq!(statuses(&project), ["completed", "ready"]);
    project.signoff(["resume"]).assert_success();
    project
        .signoff(["run", "plan.md", "--detach"])
        .assert_code(6)
        .assert_stderr_contains("no run of plan.md began");
}

#[test]
fn a_paused_run_ends_what_is_under_way_and_starts_nothing_new() {
    let project = two_steps();
    let running = begun(&project);
    project
        .signoff(["pause"])
        .assert_success()
        .assert_stdout_contains("nothing new starts");
    let_go(&project);
    running
        .wait()
        .assert_code(130)
        .assert_stdout_contains("paused");
    assert_eq!(statuses(&project), ["completed", "ready"]);
    assert_eq!(status(&project)["paused"], "requested");
    // Nobody drives it: nothing to ask for, and no mistake either.
    project
        .signoff(["pause"])
        .assert_success()
        .assert_stdout_contains("signoff resume");
    project.signoff(["resume"]).assert_success();
    Ledger::read(project.outside("ledger"))
        .assert_starts("step-1", 1)
        .assert_starts("step-2", 1);
    project
        .signoff(["pause"])
        .assert_code(5)
        .assert_stderr_contains("has ended: completed");
}

#[test]
fn a_stopped_run_has_no_agents_and_can_go_on_at_once() {
    let project = two_steps();
    let running = begun(&project);
    let id = newest_run(&project);
    project
        .signoff(["stop", &id])
        .assert_success()
        .assert_stdout_contains(&format!("signoff resume {id}"));
    // `stop` comes back when the run is free: whoever types `resume` next finds it so.
    let step = status(&project)["steps"][0].clone();
    let (status, reason) = (&step["status"], &step["reason"]);
    assert_eq!((status, reason), (&json!("ready"), &json!("interrupted")));
    for command in [vec!["status"], vec!["show", "plan.md"]] {
        let shown = project.signoff(command);
        assert!(!shown.stdout.contains("running"), "{}", shown.stdout);
    }
    project
        .signoff(["status"])
        .assert_stdout_contains("interrupted\n");
    let_go(&project);
    let resumed = project.signoff(["resume", &id]);
    running.wait().assert_code(130);
    resumed.assert_success();
    assert_eq!(statuses(&project), ["completed", "completed"]);
    assert_eq!(project.processes(), [""; 0]);
    project.signoff(["stop", &id]).assert_code(5);
}

#[test]
fn an_aborted_run_has_failed() {
    let project = two_steps();
    let running = begun(&project);
    let shape = project.json(["abort"]);
    assert_eq!(
        (&shape["schema"], &shape["outcome"]),
        (&json!("signoff.run/1"), &json!("failed"))
    );
    running.wait().assert_code(1);
    assert_eq!(statuses(&project), ["failed", "blocked"]);
    project
        .signoff(["abort"])
        .assert_code(5)
        .assert_stderr_contains("has ended: failed");
    // Also one that nobody drives.
    let project = two_steps();
    let running = begun(&project);
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    project
        .signoff(["abort"])
        .assert_success()
        .assert_stdout_contains("it has failed");
    assert_eq!(status(&project)["outcome"], "failed");
    assert!(project.read("plan.md").contains("status: failed"));
}

#[test]
fn a_step_is_skipped_while_another_is_under_way() {
    let project = two_steps();
    let running = begun(&project);
    let id = newest_run(&project);
    project
        .signoff(["step", "skip", &id, "step-1"])
        .assert_code(5)
        .assert_stderr_contains("is under way");
    project
        .signoff(["step", "skip", &id, "step-22"])
        .assert_code(2)
        .assert_stderr_contains("did you mean `step-2`?");
    project
        .signoff(["step", "skip", "20990101-000000-aaaa", "step-2"])
        .assert_code(2)
        .assert_stderr_contains("there is no run");
    project
        .signoff(["step", "skip", &id, "step-2"])
        .assert_success()
        .assert_stdout_contains("skips step `step-2` and continues");
    let_go(&project);
    running.wait().assert_success();
    assert_eq!(statuses(&project), ["completed", "skipped"]);
    Ledger::read(project.outside("ledger")).assert_starts("step-2", 0);
}

/// An agent that needs advice.
fn advised() -> Project {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["the left one"]).write("out", "x\n"))
        .reply(Reply::always().say("no"));
    let step = format!("{}**on_fail:** abort\n", agent("Make it.", "out"));
    signed(&script, &plan(&[&step]))
}

#[test]
fn a_failed_step_is_tried_again_with_advice() {
    let project = advised();
    project.signoff(["run", "plan.md"]).assert_code(1);
    let id = newest_run(&project);
    let shape = project.json(["step", "retry", &id, "step-1", "--hint", "the left one"]);
    assert_eq!(shape["outcome"], Value::Null);
    project.signoff(["resume", &id]).assert_success();
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 2);
    project
        .signoff(["step", "retry", &id, "step-1"])
        .assert_code(5);
}

#[test]
fn an_agent_cannot_give_up_skip_or_retry() {
    let project = advised();
    project.signoff(["run", "plan.md"]).assert_code(1);
    let id = newest_run(&project);
    let inside = project.env("CLAUDECODE", "1");
    for line in [
        vec!["abort", &id],
        vec!["step", "skip", &id, "step-1"],
        vec!["step", "retry", &id, "step-1"],
    ] {
        inside
            .signoff(line)
            .assert_code(4)
            .assert_stderr_contains("only a person can");
    }
}

#[test]
fn of_two_that_resume_at_once_one_wins() {
    let project = two_steps();
    let running = begun(&project);
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    std::fs::remove_file(project.path().join("begun")).expect("the agent wrote it");
    let mut both = [project.spawn(["resume"]), project.spawn(["resume"])];
    let [one, other] = &mut both;
    // The winner's agent waits for us, so the loser cannot come after its end.
    assert!(
        one.wait_until(|| project.exists("begun")) || other.wait_until(|| project.exists("begun"))
    );
    let id = newest_run(&project);
    project
        .signoff(["resume"])
        .assert_code(5)
        .assert_stderr_contains(&format!(
            "another process already drives run {id} (process "
        ))
        .assert_stderr_contains(&format!("`signoff stop {id}`"));
    one.wait_until(|| !other.is_running());
    let_go(&project);
    let mut codes = both.map(|running| running.wait().code);
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(5)]);
    Ledger::read(project.outside("ledger")).assert_starts("step-2", 1);
}

#[test]
fn a_run_that_is_driven_takes_an_answer() {
    let question = "**id:** name\n**depends_on:** none\n**ask:** What is it called?\n";
    let first = format!("**depends_on:** none\n{}", agent("First.", "first"));
    let project = signed(&slow(), &plan(&[&first, question]));
    let mut running = begun(&project);
    let asked = || project.json(["inbox"])["items"][0]["id"].clone();
    assert!(running.wait_until(|| asked().is_string()));
    let item = asked();
    let item = item.as_str().expect("it was just seen");
    project
        .signoff(["answer", item, "   "])
        .assert_code(2)
        .assert_stderr_contains("the answer is empty");
    // The positional word would be a choice; this is the text.
    project
        .signoff(["answer", item, "--reply", "skip", "--resume"])
        .assert_success()
        .assert_stdout_contains("the run continues");
    project
        .signoff(["answer", item, "again"])
        .assert_code(5)
        .assert_stderr_contains("any more: tester answered it with `skip`");
    let_go(&project);
    running.wait().assert_success();
    let shape = status(&project);
    assert_eq!(shape["steps"][1]["status"], "completed");
    project
        .signoff(["log", "--format", "json"])
        .assert_success()
        .assert_stdout_contains(r#""choice":"reply","note":"skip""#);
}

#[test]
fn an_answer_is_recorded_also_where_the_run_cannot_go_on() {
    let project = signed(
        &slow(),
        &plan(&["**id:** name\n**ask:** What is it called?\n"]),
    );
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("an item is open");
    project.write("other.md", &plan(&[&agent("First.", "first")]));
    let mut other = project.spawn(["run", "other.md", "--approve"]);
    assert!(other.wait_until(|| project.exists("begun")));
    project
        .signoff(["answer", item, "Ada", "--resume"])
        .assert_code(5)
        .assert_stderr_contains("the answer `reply` is recorded, but the run cannot continue: ");
    assert_eq!(project.json(["inbox"])["items"], json!([]));
    let_go(&project);
    other.wait().assert_success();
}

#[test]
fn a_run_goes_only_so_far_and_resume_goes_on() {
    let script = Script::new().ledger("LEDGER").reply(
        Reply::always()
            .write("first", "x\n")
            .write("second", "x\n")
            .write("third", "x\n"),
    );
    let steps = ["first", "second", "third"].map(|file| agent("Do it.", file));
    let project = signed(&script, &plan(&[&steps[0], &steps[1], &steps[2]]));
    project
        .signoff(["run", "plan.md", "--only", "step-2"])
        .assert_code(5)
        .assert_stderr_contains("step `step-2` waits for `step-1`");
    project
        .signoff(["run", "plan.md", "--until", "step-9"])
        .assert_code(2);
    project
        .signoff(["run", "plan.md", "--until", "1", "--jobs", "2"])
        .assert_success()
        .assert_stdout_contains("signoff resume");
    assert_eq!(statuses(&project), ["completed", "ready", "pending"]);
    assert_eq!(status(&project)["paused"], "limited");
    project
        .signoff(["resume", "--only", "4"])
        .assert_code(2)
        .assert_stderr_contains("there is no step `4`");
    project.signoff(["resume", "--only", "2"]).assert_success();
    assert_eq!(statuses(&project), ["completed", "completed", "ready"]);
    project.signoff(["resume", "--jobs", "2"]).assert_success();
    assert_eq!(status(&project)["outcome"], "completed");
    project
        .signoff(["run", "plan.md", "--until", "a", "--only", "b"])
        .assert_code(2);
}

#[test]
fn whoever_follows_a_run_sees_every_event_once_and_comes_to_its_end() {
    let project = two_steps();
    let running = begun(&project);
    let follower = project.spawn(["log", "--follow", "--format", "json"]);
    let mut reader = project.spawn(["log", "--follow"]);
    let so_far = || follower.stdout_so_far().lines().count();
    assert!(reader.wait_until(|| so_far() > 3));
    let_go(&project);
    running.wait().assert_success();
    for (watching, command) in [
        (follower, vec!["log", "--format", "json"]),
        (reader, vec!["log"]),
    ] {
        let seen = watching.wait();
        let there = project.signoff(command);
        assert_eq!(seen.assert_success().stdout, there.stdout);
        assert_ne!(seen.stdout, "");
    }
    // One that nobody drives is over.
    project.signoff(["log", "--follow"]).assert_success();
}

#[test]
fn whoever_follows_a_run_is_let_go_when_it_pauses_or_nobody_drives_it() {
    let project = two_steps();
    let running = begun(&project);
    let follower = project.spawn(["log", "--follow", "--format", "json"]);
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    follower
        .wait()
        .assert_success()
        .assert_stdout_contains("\"type\":\"run_paused\"");
    std::fs::remove_file(project.path().join("begun")).expect("the agent wrote it");
    let mut killed = project.spawn(["resume"]);
    assert!(killed.wait_until(|| project.exists("begun")));
    let follower = project.spawn(["log", "--follow"]);
    killed.kill();
    follower.wait().assert_success();
    // `stop` also ends what the killed process left running.
    project.signoff(["stop"]).assert_success();
    assert_eq!(project.processes(), [""; 0]);
}

#[test]
fn what_cuts_a_run_short_comes_with_the_way_to_go_on() {
    let config = "[agents.coder]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    let script = Script::new().reply(
        Reply::when(["First"])
            .write("first", "x\n")
            .write(".signoff/config.toml", config),
    );
    let steps = [agent("First.", "first"), agent("Second.", "second")];
    let project = signed(&script, &plan(&[&steps[0], &steps[1]]));
    let output = project.signoff(["run", "plan.md"]);
    let id = newest_run(&project);
    output
        .assert_code(4)
        .assert_stderr_contains("`signoff trust`")
        .assert_stderr_contains(&format!("then `signoff resume {id}` continues the run"));
}

#[test]
fn a_resumed_run_may_do_more_at_once_than_before() {
    let script = Script::new();
    let meet = |own: &str, other: &str| {
        format!(
            "**depends_on:** none\n**contract:**\n```shell\ntouch ../{own}; until test -e ../{other}; do sleep 0.01; done\n```\n**contract_timeout:** 2m\n"
        )
    };
    let first = "**depends_on:** none\n**contract:**\n```shell\ntest -d .\n```\n";
    let project = signed(
        &script,
        &plan(&[first, &meet("two", "three"), &meet("three", "two")]),
    );
    project
        .signoff(["run", "plan.md", "--jobs", "1", "--only", "step-1"])
        .assert_success();
    // Each of the two waits for the other.
    project.signoff(["resume", "--jobs", "2"]).assert_success();
    assert_eq!(statuses(&project), ["completed"; 3]);
}
