//! A person works in the checkout while a run is under way: what they do joins the run, never holds it up, and is never
//! blamed on an agent.

#[expect(dead_code, reason = "other tests use more of it")]
mod common;
#[expect(dead_code, reason = "other tests use more of it")]
mod trees;

use std::time::{Duration, Instant};

use common::{agent, plan};
use serde_json::Value;
use signoff_testkit::{Project, Reply, Script};
use trees::repository;

fn events(project: &Project, kind: &str) -> Vec<Value> {
    let mut events = project.signoff(["log", "--format", "json"]).json_lines();
    events.retain(|event| event["type"] == kind);
    events
}

fn makes(file: &str) -> Script {
    Script::new().reply(Reply::always().write(file, "whole\n").say("done"))
}

/// Whatever is printed changes the file that it is printed to, which is in the checkout.
#[test]
fn a_run_that_prints_into_the_checkout_ends() {
    let steps = [agent("Make one.", "out"), agent("Make it more.", "out")];
    let project = repository(
        &makes("out"),
        &plan(&[&steps[0], &steps[1]]),
        &[("mine.txt", "mine\n")],
    );
    let line = format!("timeout 60 {} run plan.md > run.out 2>&1", common::BINARY);
    let output = project.bash(&line, &project.path());
    let printed = project.read("run.out");
    assert_eq!(output.code, Some(0), "{printed}");
    let joined = events(&project, "checkout_joined").len();
    assert!(joined <= 12, "{joined} joins:\n{printed}");
}

/// Another program writes all the time; the run can be stopped all the same.
#[test]
fn a_file_that_never_rests_keeps_no_run_from_working_or_from_being_stopped() {
    let script = Script::new().reply(Reply::always().write("begun", "x").wait_for("go"));
    let project = repository(
        &script,
        &plan(&[&agent("Make one.", "out")]),
        &[("mine.txt", "mine\n")],
    );
    let writing =
        "for i in $(seq 4000); do echo $i >> busy.txt; [ -e stop ] && break; sleep 0.005; done";
    let writer = project.path();
    std::thread::scope(|scope| {
        let person = scope.spawn(|| project.bash(writing, &writer));
        let mut running = project.spawn(["run", "plan.md"]);
        let works = running.wait_until(|| !events(&project, "process_started").is_empty());
        let asked = Instant::now();
        project.signoff(["stop"]);
        let output = running.wait();
        project.write("stop", "");
        let took = asked.elapsed();
        drop(person.join());
        assert!(works, "no agent ever started");
        assert!(took < Duration::from_secs(5), "{took:?} to stop");
        assert!(output.code.is_some());
    });
}
