//! A project with a plan, a scripted agent and a ledger outside the run.

pub(crate) mod busy_checkout;
pub(crate) mod chaos;
pub(crate) mod person;
pub(crate) mod seeds;

use std::fmt::Write as _;

use signoff_testkit::{Project, Script};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_signoff");

/// A project whose roles `coder` and `writer` follow this script. Not yet trusted. A script whose
/// ledger is `LEDGER` writes it to the file of that name beside the project.
pub(crate) fn project(script: &Script, plan: &str) -> Project {
    let project = Project::new(BINARY);
    let ledger = project.outside("ledger");
    let script = script
        .to_string()
        .replace("LEDGER", &ledger.to_string_lossy());
    let path = project.outside("script.json");
    std::fs::write(&path, script).expect("the test's folder is writable");
    let command = serde_json::json!([BINARY, "scripted-agent", path]);
    let role = |name: &str| format!("[agents.{name}]\ndriver = \"command\"\ncommand = {command}\n");
    let config = format!(
        "[run]\nbackoff = \"5ms\"\n\n{}\n{}",
        role("coder"),
        role("writer")
    );
    project
        .write(".signoff/config.toml", &config)
        .write("plan.md", plan);
    project
}

/// The same, trusted and with its plan signed.
pub(crate) fn signed(script: &Script, plan: &str) -> Project {
    let project = project(script, plan);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// A plan of these steps, each a body under its heading.
pub(crate) fn plan(steps: &[&str]) -> String {
    let mut text = "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n# Test plan\n\n**Budget:** 1h\n\n## Steps\n".to_owned();
    for (at, body) in steps.iter().enumerate() {
        let number = at + 1;
        write!(text, "\n### {number}. Step {number}\n\n{body}\n")
            .expect("a string takes everything");
    }
    text
}

/// An agent step whose contract wants a file.
pub(crate) fn agent(task: &str, file: &str) -> String {
    format!(
        "**target:** coder\n**task:**\n{task}\n\n**contract:**\n```shell\ntest -s {file} || {{ echo \"{file} is missing\" >&2; exit 1; }}\n```\nexit_code == 0\n"
    )
}
