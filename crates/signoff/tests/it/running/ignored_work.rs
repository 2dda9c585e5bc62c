//! `[contract] ignored`: whether a contract finds what agents left in directories that git ignores.

use serde_json::Value;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{plan, project};

const REASON: &str = "its contract found what agents had left in ignored directories";

/// A step whose contract needs what its agent installs where git ignores it.
fn step(file: &str, needs: &str) -> String {
    format!(
        "**target:** coder\n**task:**\nWrite {file}.\n\n**contract:**\n```shell\ntest -s {file} && grep -q {file} {needs}\n```\nexit_code == 0\n**on_fail:** abort\n"
    )
}

/// An agent that writes the file it is asked for, and installs something under the same name.
fn installs(files: &[&str]) -> Script {
    let reply = |file: &&str| {
        let installed = format!("deps/{file}.so");
        let asked = Reply::when([format!("Write {file}.")]);
        asked.write(file, "x\n").write(&installed, file)
    };
    let replies = files.iter().map(reply);
    replies.fold(Script::new(), Script::reply)
}

fn ignoring(script: &Script, steps: &[&str], setting: &str) -> Project {
    let project = project(script, &plan(steps)).on_trees();
    let config = project.read(".signoff/config.toml");
    project
        .write(".signoff/config.toml", &format!("{config}\n{setting}"))
        .write(".gitignore", "deps/\n");
    project.signoff(["trust"]).assert_success();
    project
}

fn steps(project: &Project) -> Vec<Value> {
    let status = project.json(["status"]);
    let steps = status["steps"].as_array();
    steps.expect("a run has steps").clone()
}

/// opencode installs thousands of files beside a plugin of the project, and asks git to ignore them in a file that no tree has.
#[test]
fn what_an_agents_program_installs_for_itself_does_not_land() {
    let works = Reply::when(["Write a."])
        .write("a", "x\n")
        .write(".opencode/agents/mine.md", "work\n")
        .write(".opencode/.gitignore", "node_modules\n")
        .write(".opencode/package.json", "{}\n")
        .write(".opencode/node_modules/x/index.js", "x\n");
    let plan = plan(&[&step("a", "a").replace("grep -q a a", "true")]);
    let project = project(&Script::new().reply(works), &plan).on_trees();
    project.signoff(["trust"]).assert_success();
    let run = project.signoff(["run", "plan.md", "--approve"]);
    // What opencode would run by itself waits for a person.
    run.assert_success()
        .assert_stderr_contains("landed a")
        .assert_stdout_contains("`.opencode/agents/mine.md`: opencode runs it by itself");
    for installed in ["node_modules", "package.json", ".gitignore"] {
        assert!(!project.exists(format!(".opencode/{installed}")), "{run}");
    }
}

const ATTEMPT: &str = "[contract]\nignored = \"attempt\"\n";

#[test]
fn a_contract_misses_what_the_agent_installed_and_says_how_to_find_it() {
    let project = ignoring(&installs(&["a"]), &[&step("a", "deps/a.so")], "");
    let run = project.signoff(["run", "plan.md", "--approve"]);
    run.assert_code(1)
        .assert_stderr_contains("the attempt changed `deps`, which is not versioned")
        .assert_stderr_contains("`[contract] ignored = \"attempt\"`");
}

#[test]
fn with_the_attempts_ignored_files_it_holds_and_is_never_proved() {
    // The second contract needs what both agents installed.
    let both = step("b", "deps/b.so").replace("grep -q", "test -s deps/a.so && grep -q");
    let project = ignoring(
        &installs(&["a", "b"]),
        &[&step("a", "deps/a.so"), &both],
        ATTEMPT,
    );
    let run = project.signoff(["run", "plan.md", "--approve"]);
    run.assert_success();
    for step in steps(&project) {
        assert_eq!(step["evidence"], "held", "{step:#}");
        let reasons = step["facts"]["not_proved"].as_array();
        assert!(
            reasons.is_some_and(|reasons| reasons.iter().any(|reason| reason == REASON)),
            "{step:#}"
        );
    }
    // It is the run's, and not the checkout's.
    assert!(project.exists("a") && project.exists("b") && !project.exists("deps"));
}

#[test]
fn what_another_attempt_left_meanwhile_is_not_found() {
    let alone = step("a", "deps/a.so").replace("grep -q", "test ! -e deps/b.so && grep -q");
    let beside = format!("**depends_on:** none\n{}", step("b", "deps/b.so"));
    let script = Script::new().reply(
        Reply::when(["Write a."])
            .append("LEDGER.begun", "x")
            .wait_for("LEDGER.go")
            .write("a", "x\n")
            .write("deps/a.so", "a"),
    );
    let project = ignoring(&installs(&["b"]).after(script), &[&alone, &beside], ATTEMPT);
    project.signoff(["approve", "plan.md"]).assert_success();
    let mut run = project.spawn(["run", "plan.md"]);
    let begun = project.outside("ledger.begun");
    assert!(run.wait_until(|| begun.exists()));
    let is_done = || steps(&project)[1]["status"] == "completed";
    assert!(run.wait_until(is_done));
    std::fs::write(project.outside("ledger.go"), "").expect("the folder is ours");
    run.wait().assert_success();
}

#[test]
fn it_is_part_of_the_terms() {
    let project = ignoring(&installs(&["a"]), &[&step("a", "deps/a.so")], "");
    project.signoff(["approve", "plan.md"]).assert_success();
    let config = project.read(".signoff/config.toml");
    project.write(".signoff/config.toml", &format!("{config}{ATTEMPT}"));
    project.signoff(["trust"]).assert_success();
    let run = project.signoff(["run", "plan.md"]);
    run.assert_code(4)
        .assert_stderr_contains("plan.md is not what was signed")
        .assert_stderr_contains("ignored");
}

/// The harness dies after the work is recorded and before its ignored files are kept.
#[test]
fn what_an_attempt_installed_survives_the_end_of_the_harness() {
    let project = ignoring(&installs(&["a"]), &[&step("a", "deps/a.so")], ATTEMPT);
    project.signoff(["approve", "plan.md"]).assert_success();
    let armed = [("SIGNOFF_FAILPOINT", "layer.recorded:1")];
    let killed = project.signoff_with(&armed, ["run", "plan.md"]);
    assert_eq!(killed.code, None, "{killed:?}");
    project.signoff(["resume"]).assert_success();
    let step = &steps(&project)[0];
    assert_eq!(
        (&step["evidence"], &step["attempts"]),
        (&"held".into(), &1.into())
    );
}
