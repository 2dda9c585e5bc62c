//! `[run] prepare` makes trees usable: once for the run, and again where a step changed what is to be installed.

use std::path::Path;

use signoff_testkit::{Project, Reply, Script};

use crate::support::{plan, project_in};

const COMMANDS: &str = "[run]\nprepare = [\"mkdir -p node_modules\", \"cp package-lock.json node_modules/installed\"]\n";

/// A step whose contract wants installed what the lockfile says.
fn step(file: &str) -> String {
    format!(
        "**target:** coder\n**task:**\nWrite {file}.\n\n**contract:**\n```shell\ntest -s {file} && cmp package-lock.json node_modules/installed\n```\nexit_code == 0\n"
    )
}

fn prepared(script: &Script, step: &str) -> Project {
    prepared_in(&std::env::temp_dir(), script, step)
}

fn prepared_in(place: &Path, script: &Script, step: &str) -> Project {
    let project = project_in(place, script, &plan(&[step])).on_trees();
    let config = std::fs::read_to_string(project.path().join(".signoff/config.toml"));
    let config = config.expect("it was just written");
    project.write(
        ".signoff/config.toml",
        &config.replacen("[run]\n", COMMANDS, 1),
    );
    project.write("package-lock.json", "1\n");
    project.write(".gitignore", "node_modules\n");
    project.signoff(["trust"]).assert_success();
    project
}

#[test]
fn contracts_find_what_it_made() {
    let reply = Reply::always().write("a", "x\n");
    let project = prepared(&Script::new().reply(reply), &step("a"));
    let run = project.signoff(["run", "plan.md", "--approve"]);
    run.assert_success().assert_stderr_contains("proved");
    // It is the run's, and not the checkout's.
    assert!(!project.exists("node_modules"));
}

#[track_caller]
fn check_changed_lockfile(place: &Path) {
    let reply = Reply::always()
        .write("a", "x\n")
        .write("package-lock.json", "2\n");
    let project = prepared_in(place, &Script::new().reply(reply), &step("a"));
    let run = project.signoff(["run", "plan.md", "--approve"]);
    run.assert_success().assert_stderr_contains("proved");
    assert!(!project.exists("node_modules"));
}

#[test]
fn a_step_that_changes_a_lockfile_is_judged_with_what_it_says() {
    check_changed_lockfile(&std::env::temp_dir());
}

#[test]
fn so_it_is_in_shared_memory_where_each_command_has_mounts_of_its_own() {
    check_changed_lockfile(Path::new("/dev/shm"));
}
