//! Git may be busy for minutes with a file that somebody put into the checkout. Whoever waits for it, the run can be
//! stopped.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use signoff_testkit::{Project, Reply, Running, Script};

use crate::support::busy_checkout::{repository, shell};
use crate::support::{agent, plan};

/// A project whose `git add` never ends, from when there is a file `slow` beside the project.
fn project() -> Project {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["Make one"]).write("one", "whole\n"))
        .reply(Reply::when(["Make two"]).write("two", "whole\n"));
    let steps = [agent("Make one.", "one"), agent("Make two.", "two")];
    let project = repository(
        &script,
        &plan(&[&steps[0], &steps[1]]),
        &[("mine.txt", "mine\n")],
    );
    let git = shell(&project, "command -v git");
    let (slow, waits) = (project.outside("slow"), project.outside("waits"));
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = add ] && [ -e {} ]; then\n  echo > {}; exec sleep 1000\nfi\nexec {} \"$@\"\n",
        slow.display(),
        waits.display(),
        git.trim(),
    );
    let program = project.home().with_file_name("bin").join("git");
    std::fs::write(&program, text).expect("the folder is ours");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
        .expect("the folder is ours");
    project
}

/// From now on git is busy.
fn slow_down(project: &Project) {
    std::fs::write(project.outside("slow"), "").expect("the folder is ours");
}

fn speed_up(project: &Project) {
    std::fs::remove_file(project.outside("slow")).expect("the folder is ours");
    std::fs::remove_file(project.outside("waits")).expect("the folder is ours");
}

fn interrupt(project: &Project, running: &Running) {
    shell(project, &format!("kill -INT {}", running.id()));
}

fn goes_on(project: &Project) {
    speed_up(project);
    project.signoff(["resume"]).assert_success();
    let status = project.json(["status"]);
    let steps = status["steps"].as_array().expect("a list");
    let attempts: Vec<&Value> = steps.iter().map(|step| &step["status"]).collect();
    assert_eq!(attempts, ["completed", "completed"], "{status:#}");
    let log = project.signoff(["log", "--format", "json"]).json_lines();
    assert!(!log.iter().any(|event| event["type"] == "attempt_failed"));
}

#[test]
fn a_run_can_be_interrupted_before_its_first_step() {
    let project = project();
    slow_down(&project);
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.outside("waits").exists()));
    interrupt(&project, &running);
    running
        .wait()
        .assert_code(130)
        .assert_stdout_contains("signoff resume");
    goes_on(&project);
}

#[test]
fn a_run_can_be_stopped_from_elsewhere_before_its_first_step() {
    let project = project();
    slow_down(&project);
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.outside("waits").exists()));
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    goes_on(&project);
}

/// After the first agent the checkout is looked at, by the loop itself.
#[test]
fn a_run_can_be_interrupted_while_the_checkout_is_looked_at() {
    let project = project();
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("one") || project.outside("ledger").exists()));
    slow_down(&project);
    // Where nothing of a person's is new, git has nothing to take in.
    project.write("mine.txt", "edited\n");
    assert!(running.wait_until(|| project.outside("waits").exists()));
    interrupt(&project, &running);
    running
        .wait()
        .assert_code(130)
        .assert_stdout_contains("signoff resume");
    goes_on(&project);
}
