//! `land` and `undo` with the real binary.

use signoff_testkit::Project;

const BINARY: &str = env!("CARGO_BIN_EXE_signoff");

#[test]
fn a_run_that_there_is_not_is_wrong_use() {
    let project = Project::new(BINARY);
    project.signoff(["init"]).assert_success();
    for command in ["land", "undo"] {
        project
            .signoff([command])
            .assert_code(2)
            .assert_stderr_contains("nothing has run here yet");
        let output = project.signoff([command, "20261115-093012-k3f9", "--format", "json"]);
        output.assert_code(2);
        assert_eq!(output.error_json()["code"], "no-run");
    }
}

#[test]
fn an_agent_neither_lands_nor_takes_back() {
    let project = Project::new(BINARY).env("SIGNOFF_INSIDE", "r/s/1");
    project.write(".signoff/config.toml", "");
    for command in ["land", "undo"] {
        project.signoff([command]).assert_code(4);
    }
}
