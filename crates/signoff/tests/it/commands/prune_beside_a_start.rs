//! `prune --older-than 0` while a run is being made: until it is locked, it looks like one that was left.

use std::fs;
use std::path::Path;

use signoff_testkit::{Reply, Script};

use crate::support::{agent, plan, signed};

fn is_stopped(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The second field is the program's name, in brackets.
    stat.rsplit_once(") ")
        .is_some_and(|(_, fields)| fields.starts_with('T'))
}

/// Has it this file open, as whoever waits for its lock has?
fn has_open(process: u32, file: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd"));
    let mut open = open.into_iter().flatten().flatten();
    open.any(|entry| fs::read_link(entry.path()).is_ok_and(|path| path == file))
}

/// A run that stands still at this point while `prune` comes by.
fn start_beside_prune(point: &str) {
    let script = Script::new().reply(Reply::when(["Make one"]).write("out", "x"));
    let project = signed(&script, &plan(&[&agent("Make one", "out")]));
    let held = format!("{point}:1");
    let mut run = project.spawn_with(&[("SIGNOFF_HOLD", &held)], ["run", "plan.md"]);
    let maker = run.id();
    assert!(run.wait_until(|| is_stopped(maker)), "{point}: it ended");

    let mut prune = project.spawn(["prune", "--older-than", "0"]);
    let start = project.path().join(".signoff/locks/start");
    let start = start.canonicalize().expect("the run holds it");
    let looker = prune.id();
    // It waits for the run to be locked, and then it looks at it and is gone.
    let has_lock = point != "run.named";
    let waits = prune.wait_until(|| !has_lock && has_open(looker, &start));
    assert_eq!(waits, !has_lock, "{point}");

    project.bash(&format!("kill -CONT {maker}"), &project.path());
    run.wait().assert_success();
    prune.wait().assert_success();
    assert_eq!(project.json(["status"])["status"], "completed", "{point}");
}

#[test]
fn it_waits_for_a_run_that_has_a_name_and_no_lock() {
    start_beside_prune("run.named");
}

#[test]
fn it_leaves_a_run_that_has_no_event() {
    start_beside_prune("run.created");
}
