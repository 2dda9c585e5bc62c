//! `doctor agents --probe`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use signoff_testkit::Project;

use crate::support::BINARY;
use crate::support::test_agents::{SYSTEM_PATH, agents, installed};

/// A project whose default role is this agent, of this directory.
fn project(agent: &str, programs: &Path) -> Project {
    let path = format!("{}:{SYSTEM_PATH}", programs.display());
    let project = Project::new(BINARY).confined().env("PATH", path);
    let role = format!("[agents.default]\ndriver = '{agent}'\n");
    project.write(".signoff/config.toml", &role);
    project
}

#[test]
fn an_agent_that_works_passes_without_a_login() {
    for agent in agents(&["claude", "pi"]) {
        let project = project(agent, &installed(agent).expect("it is installed"));
        let found = project.json(["doctor", "agents", "--probe", agent]);
        let probe = &found["probe"][0];
        for seen in [
            "started",
            "stream_read",
            "inside_written",
            "outside_refused",
            "usage_seen",
        ] {
            assert_eq!(probe[seen], true, "{agent}: {probe}");
        }
        assert_eq!(probe["tokens"], 3300, "{agent}: {probe}");
        // Neither in the home nor where temporary files are.
        for place in [project.home(), project.temp()] {
            let names = fs::read_dir(place).expect("it is there").flatten();
            let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
            assert!(!names.any(|name| name.contains("probe")), "{agent}");
        }
    }
}

/// It needs no real agent: this one only knows its version.
#[test]
fn an_agent_of_a_role_that_does_not_work_is_named() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let program = place.path().join("claude");
    fs::write(
        &program,
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit\necho broken >&2; exit 3\n",
    )
    .expect("the folder is ours");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let project = project("claude", place.path());
    let told = project.signoff(["doctor", "agents", "--probe"]);
    told.assert_code(6)
        .assert_stderr_contains("the agent of role `default` did not do its probe");
    assert!(told.stdout.contains("✗ claude   did not start"), "{told}");
    assert!(
        told.stdout
            .contains("exit code 3 (the agent failed: broken)"),
        "{told}"
    );
    // One that no role uses is only reported, unless it was asked about.
    fs::remove_file(project.path().join(".signoff/config.toml")).expect("it was written");
    project
        .signoff(["doctor", "agents", "--probe"])
        .assert_success();
    project
        .signoff(["doctor", "agents", "--probe", "claude"])
        .assert_code(6)
        .assert_stderr_contains("`claude` did not do its probe: ");
    project
        .signoff(["doctor", "agents", "--probe", "codex"])
        .assert_code(6)
        .assert_stderr_contains("`codex` did not do its probe: not installed; `npm install -g");
}
