//! What holds across runs of one machine: locks that steps name, and the money of a day.

use std::fs;

use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, commit_all, plan, project};

/// A project with two signed plans that need one lock; agents wait for the file `go` beside the project.
fn two_plans() -> Project {
    let script = Script::new().reply(
        Reply::always()
            .append("BEGAN", "x")
            .wait_for("GO")
            .write("one", "x\n")
            .write("two", "x\n"),
    );
    let locked = |file: &str| plan(&[&format!("**locks:** db\n{}", agent("Work.", file))]);
    let project = project(&script, &locked("one")).on_trees();
    let path = project.outside("script.json");
    let text = fs::read_to_string(&path).expect("it was just written");
    let at = |name: &str| project.outside(name).to_string_lossy().into_owned();
    let text = text.replace("BEGAN", &at("began")).replace("GO", &at("go"));
    fs::write(&path, text).expect("the folder is ours");
    project.write("other.md", &locked("two"));
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    for plan in ["plan.md", "other.md"] {
        project.signoff(["approve", plan]).assert_success();
    }
    project
}

#[test]
fn a_lock_is_held_across_runs_and_ends_with_its_process() {
    let project = two_plans();
    let mut first = project.spawn(["run", "plan.md"]);
    assert!(first.wait_until(|| project.outside("began").exists()));
    let held_by = project.json(["status"])["run"].clone();
    let held_by = held_by.as_str().expect("runs have names");
    let mut second = project.spawn(["run", "other.md"]);
    let waits = format!("waits for the lock `db`, held by run {held_by}");
    let mut said = String::new();
    assert!(second.wait_until(|| {
        said = project.signoff(["status", "other.md"]).to_string();
        said.contains(&waits)
    }));
    let began = || fs::read_to_string(project.outside("began")).expect("it was written");
    assert_eq!(began(), "x", "{said}");
    first.kill();
    fs::write(project.outside("go"), "").expect("the folder is ours");
    second.wait().assert_success();
    assert_eq!(project.read("two"), "x\n");
    project.signoff(["resume", held_by]).assert_success();
}

#[test]
fn nothing_that_costs_money_starts_when_that_of_the_day_is_used_up() {
    let project = two_plans();
    let settings = project.home().join(".config/signoff/config.toml");
    let before = fs::read_to_string(&settings).expect("it was written");
    let limited = format!("{before}\n[engine]\nusd_per_day = 1.50\n");
    fs::write(&settings, limited).expect("the folder is ours");
    // What another run noted, on whichever day it is when the run starts.
    let costs = project.home().join(".local/state/signoff/costs");
    let day = project.bash("date -u +%F", &project.path()).stdout;
    let of_day = costs.join(day.trim());
    fs::create_dir_all(&of_day).expect("the folder is ours");
    fs::write(of_day.join("another"), "2000000").expect("the folder is ours");
    let mut running = project.spawn(["run", "plan.md"]);
    let reached = "$2.00 of the $1.50 that a day allows";
    assert!(running.wait_until(|| {
        let status = project.signoff(["status"]);
        status.to_string().contains(reached)
    }));
    assert!(!project.outside("began").exists());
    project.signoff(["stop"]).assert_success();
    let stopped = running.wait();
    assert!(stopped.to_string().contains(reached), "{stopped}");
    fs::remove_dir_all(&costs).expect("it is there");
    fs::write(project.outside("go"), "").expect("the folder is ours");
    project.signoff(["resume"]).assert_success();
}
