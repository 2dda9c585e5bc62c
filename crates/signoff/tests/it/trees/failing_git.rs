//! Git fails while the harness uses it, as it does on a full disk: that is no step's failure, and a call with effects
//! outside is not made again because of it.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use signoff_testkit::{Project, Reply, Script};

use crate::support::busy_checkout::{repository, shell};
use crate::support::{agent, plan};

/// A step whose call has an effect outside of the project, and leaves what the rest of the line says.
fn call(project: &Project, and: &str) -> String {
    let ledger = project.outside("calls");
    let command = format!("echo made >> {}; echo x > made; {and}", ledger.display());
    let args = json!({"command": command});
    format!(
        "**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{args}\n```\n\
         **contract:**\n```shell\ntest -s made\n```\n**on_fail:** retry(2), then escalate\n"
    )
}

fn project() -> Project {
    let first = plan(&["**contract:**\n```shell\ntrue\n```\n"]);
    repository(&Script::new(), &first, &[("mine.txt", "mine\n")])
}

/// Signs a plan of this one step and runs it.
fn run(project: &Project, step: &str) -> signoff_testkit::Output {
    project.write("plan.md", &plan(&[step]));
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md", "--isolation", "worktree"])
}

fn calls(project: &Project) -> usize {
    let made = std::fs::read_to_string(project.outside("calls")).unwrap_or_default();
    made.lines().count()
}

/// From now on git fails at what the file `fails` beside the project names.
fn break_git(project: &Project) {
    let git = shell(project, "command -v git");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = \"$(cat {} 2>&-)\" ]; then\n  echo 'fatal: No space left on device' >&2; exit 128\nfi\nexec {} \"$@\"\n",
        project.outside("fails").display(),
        git.trim(),
    );
    let program = project.home().with_file_name("bin").join("git");
    std::fs::write(&program, text).expect("the folder is ours");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
        .expect("the folder is ours");
}

/// The events of a run that stopped because git failed.
pub(crate) fn stopped() -> Vec<Value> {
    let project = project();
    break_git(&project);
    let broken = project.outside("fails");
    let step = call(&project, &format!("echo add > {}", broken.display()));
    run(&project, &step).assert_code(6);
    project.signoff(["log", "--format", "json"]).json_lines()
}

#[test]
fn git_that_fails_after_a_call_stops_the_run_and_the_call_is_made_once() {
    for fails in [
        "add",
        "write-tree",
        "commit-tree",
        "update-ref",
        "read-tree",
    ] {
        let project = project();
        break_git(&project);
        let broken = project.outside("fails");
        let step = call(&project, &format!("echo {fails} > {}", broken.display()));
        let output = run(&project, &step);
        assert_eq!(calls(&project), 1, "{fails}: {}", output.stderr);
        if output.code != Some(0) {
            output
                .assert_code(6)
                .assert_stderr_contains("No space left on device")
                .assert_stderr_contains("no attempt was used")
                .assert_stderr_contains("`signoff resume");
            std::fs::remove_file(&broken).expect("git was broken");
            project.signoff(["resume"]).assert_success();
        }
        assert_eq!(calls(&project), 1, "{fails}");
        let status = project.json(["status"]);
        assert_eq!(status["steps"][0]["attempts"], 1, "{fails}: {status:#}");
    }
}

#[test]
fn a_file_that_git_cannot_store_as_its_attributes_say_is_the_works_fault() {
    let project = project();
    project.write(".gitattributes", "two.txt working-tree-encoding=UTF-16\n");
    project.git("add .gitattributes");
    project.git("commit --quiet --message attributes");
    // What an agent wrote is told to its next attempt, and nothing stands still for ever.
    let said = "echo two > two.txt; test -s made || echo one > made";
    let step = format!(
        "**tool:** run_command\n**tools:** run_command\n**args:** {}\n**on_fail:** abort\n",
        json!({"command": said})
    );
    run(&project, &step).assert_code(1);
    let error = project.json(["status"])["steps"][0]["reason"].to_string();
    assert!(
        error.contains("working-tree-encoding") && error.contains("two.txt"),
        "{error}"
    );
    // A call with effects outside is not made again because of it.
    let step = call(&project, "echo two > two.txt");
    run(&project, &step).assert_code(3);
    assert_eq!(calls(&project), 1);
    let question = project.json(["inbox"])["items"][0]["question"].to_string();
    assert!(
        question.contains("BOM is required in 'two.txt'"),
        "{question}"
    );
}

#[test]
fn an_agents_file_that_git_cannot_store_fails_its_attempt() {
    let script = Script::new().reply(Reply::always().write("two.txt", "two\n"));
    let step = format!("{}**on_fail:** abort\n", agent("Do it.", "two.txt"));
    let attributes = "*.txt working-tree-encoding=UTF-16\n";
    let project = repository(&script, &plan(&[&step]), &[(".gitattributes", attributes)]);
    let output = project.signoff(["run", "plan.md", "--isolation", "worktree"]);
    output
        .assert_code(1)
        .assert_stderr_contains("BOM is required in 'two.txt'");
}

#[test]
fn a_call_whose_work_needs_a_filter_is_made_once_and_a_person_is_asked() {
    let project = project();
    project.git("config filter.lfs.clean cat");
    let step = call(
        &project,
        "echo 'a.bin filter=lfs' > .gitattributes; echo b > a.bin",
    );
    run(&project, &step).assert_code(3);
    assert_eq!(calls(&project), 1);
    let question = project.json(["inbox"])["items"][0]["question"].clone();
    let question = question.as_str().expect("somebody is asked");
    assert!(question.contains("`a.bin` (filter `lfs`)"), "{question}");
    assert!(
        question.contains("only `retry` makes it again"),
        "{question}"
    );
}
