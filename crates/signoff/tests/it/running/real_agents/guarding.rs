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
        // Every way around it that is named is one in this version.
        let bypassed = canaries.iter().filter(|one| {
            let situation = one["situation"].as_str().unwrap_or_default();
            situation.contains("the agent is started with")
        });
        let bypassed: Vec<&Value> = bypassed.collect();
        assert!(!bypassed.is_empty(), "{agent}: {probe}");
        for canary in bypassed {
            assert_eq!(canary["ran"], true, "{agent}: {canary}");
        }
        let around = probe["ways_around"].to_string();
        for (option, of) in [
            ("--bare", "claude"),
            ("--safe-mode", "claude"),
            ("--setting-sources", "claude"),
            ("disableAllHooks", "claude"),
            ("--disable hooks", "codex"),
            ("--skip-trust", "gemini"),
            ("`-e`", "gemini"),
            ("--pure", "opencode"),
            ("--no-extensions", "pi"),
        ] {
            assert_eq!(around.contains(option), agent == of, "{option}: {around}");
        }
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

/// As `/hooks` records it, with what Codex itself says of the hooks.
fn trust_hooks_of_codex(project: &Project) {
    let list = r#"(printf '%s\n' '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x","version":"1"}}}' '{"method":"initialized"}' \
        "{\"id\":2,\"method\":\"hooks/list\",\"params\":{\"cwds\":[\"$PWD\"]}}"; cat fifo) | codex app-server > said &
        until grep -q '"id":2' said; do sleep 0.05; done; : > fifo; wait"#;
    let made = format!("mkfifo fifo; touch said; {list}");
    project.bash(&made, &project.path()).assert_success();
    let said = project.read("said");
    let line = said.lines().find(|line| line.contains("\"id\":2"));
    let line: Value = serde_json::from_str(line.expect("an answer")).expect("JSON");
    let hooks = line["result"]["data"][0]["hooks"]
        .as_array()
        .expect("a list");
    let state = hooks.iter().map(|hook| {
        let (key, hash) = (&hook["key"], &hook["currentHash"]);
        format!("\n[hooks.state.{key}]\ntrusted_hash = {hash}\n")
    });
    let path = project.home().join(".codex/config.toml");
    let config = fs::read_to_string(&path).expect("it is connected");
    fs::write(&path, config + &state.collect::<String>()).expect("it is ours");
}

#[test]
fn codex_is_a_hole_until_its_person_has_trusted_the_hooks() {
    if !agents(&[]).contains(&"codex") {
        return;
    }
    let project = project(&installed("codex").expect("it is installed"));
    project.write(".signoff/.keep", "");
    project.signoff(["connect", "codex"]).assert_success();
    let doctor = || project.signoff(["doctor", "guard", "--agent", "codex"]);
    doctor()
        .assert_code(6)
        .assert_stdout_contains("HOLE: Codex skips the guard (preToolUse): the hook is untrusted");
    trust_hooks_of_codex(&project);
    doctor().assert_success();
}

/// What `doctor guard` says of an agent that makes every call.
fn told_of(project: &Project) -> String {
    let told = project.signoff(["doctor", "guard"]);
    told.assert_code(6);
    told.stdout
}

const GEMINI_HOLE: &str = "HOLE: the guard stands in this project's settings only";

/// Connected for the project alone, Gemini CLI with `--skip-trust` calls no guard in a folder that nobody trusts.
#[test]
fn a_guard_in_a_project_that_gemini_does_not_trust_is_a_hole() {
    let place = tempfile::tempdir().expect("a temporary folder");
    fake(place.path(), "gemini", "echo ran > canary.txt\n");
    let project = project(place.path());
    project.write(".signoff/.keep", "");
    assert!(!told_of(&project).contains(GEMINI_HOLE));
    let connect = |words: &[&str]| {
        project
            .signoff(["connect", "gemini"].iter().chain(words).copied())
            .assert_success();
    };
    connect(&["--project"]);
    let told = told_of(&project);
    assert!(told.contains(GEMINI_HOLE), "{told}");
    assert!(told.contains("signoff connect gemini --user"), "{told}");
    let rules = project.home().join(".gemini/trustedFolders.json");
    fs::create_dir_all(rules.parent().expect("it is in the home")).expect("it is ours");
    let folder = project.path();
    let inner = folder.join("x");
    let above = folder.parent().expect("it is in a folder");
    for (rule, is_hole) in [
        (json!({&*folder.to_string_lossy(): "TRUST_FOLDER"}), false),
        (json!({&*above.to_string_lossy(): "TRUST_FOLDER"}), false),
        (json!({&*folder.to_string_lossy(): "TRUST_PARENT"}), false),
        (json!({&*inner.to_string_lossy(): "TRUST_FOLDER"}), true),
        (json!({&*folder.to_string_lossy(): "DO_NOT_TRUST"}), true),
        (
            json!({&*above.to_string_lossy(): "TRUST_FOLDER", &*folder.to_string_lossy(): "DO_NOT_TRUST"}),
            true,
        ),
    ] {
        fs::write(&rules, rule.to_string()).expect("it is ours");
        assert_eq!(told_of(&project).contains(GEMINI_HOLE), is_hole, "{rule}");
    }
    connect(&["--user"]);
    assert!(!told_of(&project).contains(GEMINI_HOLE));
}

#[test]
fn hooks_that_a_setting_switches_off_are_a_hole() {
    let place = tempfile::tempdir().expect("a temporary folder");
    fake(place.path(), "claude", "echo ran > canary.txt\n");
    fake(place.path(), "gemini", "echo ran > canary.txt\n");
    let project = project(place.path());
    project.write(".signoff/.keep", "");
    for agent in ["claude", "gemini"] {
        project.signoff(["connect", agent]).assert_success();
    }
    let told = told_of(&project);
    assert!(!told.contains("switches"), "{told}");
    // Where the guard stands does not matter: a project can switch off the person's.
    project
        .write(
            ".claude/settings.local.json",
            r#"{"disableAllHooks": true}"#,
        )
        .write(
            ".gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#,
        );
    let told = told_of(&project);
    for words in [
        ".claude/settings.local.json switches every hook off",
        "take `disableAllHooks` out of it",
        ".gemini/settings.json switches every hook off",
        "take `hooksConfig.enabled` out of it",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    project.write(
        ".gemini/settings.json",
        r#"{"hooksConfig": {"disabled": ["signoff"]}}"#,
    );
    let told = told_of(&project);
    assert!(told.contains("switches the guard's hook off"), "{told}");
}

/// Codex does not even list the hooks of a project that it does not trust.
#[test]
fn hooks_that_codex_does_not_read_are_a_hole() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let hooks = json!({"id": 2, "result": {"data": [{"hooks": []}]}});
    let script =
        format!("[ \"$1\" = app-server ] && echo '{hooks}' && exit\necho broken >&2; exit 3\n");
    fake(place.path(), "codex", &script);
    let project = project(place.path());
    project.write(".codex/hooks.json", "signoff guard --agent codex");
    project.write(".signoff/.keep", "");
    let told = told_of(&project);
    assert!(
        told.contains("HOLE: Codex does not read the hooks"),
        "{told}"
    );
    assert!(told.contains("trust the directory"), "{told}");
}
