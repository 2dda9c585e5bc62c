//! `doctor guard`: does a call that the guard denies really not happen?

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use signoff_testkit::Project;

use crate::support::BINARY;
use crate::support::test_agents::{SYSTEM_PATH, agents, installed};

fn project(programs: &Path) -> Project {
    let path = format!("{}:{SYSTEM_PATH}", programs.display());
    Project::new(BINARY).env("PATH", path)
}

#[test]
fn a_denied_call_is_not_made() {
    for agent in agents(&["claude", "pi"]) {
        let project = project(&installed(agent).expect("it is installed"));
        let found = project.json(["doctor", "guard", "--agent", agent]);
        let probe = &found["guard"][0];
        let canaries = probe["canaries"].as_array().expect("it was tried");
        let ours: Vec<&Value> = canaries.iter().filter(|one| one["ours"] == true).collect();
        assert_eq!(ours.len(), 5, "{agent}: {probe}");
        for canary in ours {
            assert_eq!(canary["ran"], canary["should_run"], "{agent}: {canary}");
            // The model is told why.
            let is_denied = canary["should_run"] == false;
            assert_eq!(canary["told"], is_denied, "{agent}: {canary}");
        }
        assert_eq!(probe["holes"], json!([]), "{agent}");
        let around = probe["ways_around"].to_string();
        assert_eq!(around.contains("--bare"), agent == "claude", "{around}");
    }
}

/// A program in the place of an agent.
fn fake(place: &Path, agent: &str, script: &str) {
    let program = place.join(agent);
    fs::write(
        &program,
        format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit\n{script}"),
    )
    .expect("the folder is ours");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn an_agent_that_calls_no_hook_is_a_hole_and_so_is_one_that_does_not_start() {
    let place = tempfile::tempdir().expect("a temporary folder");
    fake(place.path(), "claude", "echo ran > canary.txt\n");
    let told = project(place.path()).signoff(["doctor", "guard"]);
    told.assert_code(6)
        .assert_stdout_contains("HOLE: the call was made although the guard denies it")
        .assert_stderr_contains("the guard does not hold in front of claude");
    fake(place.path(), "claude", "echo broken >&2; exit 3\n");
    let told = project(place.path()).signoff(["doctor", "guard"]);
    told.assert_code(6)
        .assert_stdout_contains("nothing is known of the case that the guard denies it")
        .assert_stdout_contains("broken");
}

#[test]
fn a_hook_that_codex_skips_is_a_hole() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let hooks = json!({"id": 2, "result": {"data": [{"hooks": [
        {"eventName": "preToolUse", "command": "x guard --agent codex", "enabled": true, "trustStatus": "untrusted"},
    ]}]}});
    let script =
        format!("[ \"$1\" = app-server ] && echo '{hooks}' && exit\necho broken >&2; exit 3\n");
    fake(place.path(), "codex", &script);
    let project = project(place.path());
    let settings = project.home().join(".codex");
    fs::create_dir(&settings).expect("the home is ours");
    fs::write(settings.join("hooks.json"), "signoff guard --agent codex").expect("it is ours");
    let told = project.signoff(["doctor", "guard"]);
    told.assert_code(6)
        .assert_stdout_contains("HOLE: Codex skips the guard (preToolUse): the hook is untrusted")
        .assert_stdout_contains("start `codex`, type `/hooks`, and trust those of Signoff");
}
