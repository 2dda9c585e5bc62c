//! `[contract] cache = "warm"`: contracts find what earlier ones built, and prove nothing before they hold without it.

use serde_json::Value;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{events, plan, project};

const REASON: &str = "its contract reused what an earlier run of it had built";

/// A step whose contract builds, unless it finds that somebody did, and then wants a file.
fn step(file: &str, build: &str) -> String {
    format!(
        "**target:** coder\n**task:**\nWrite {file}.\n\n**contract:**\n```shell\n{build}\ntest -s {file}\n```\nexit_code == 0\n**on_fail:** abort\n"
    )
}

/// An agent that writes the file it is asked for, and plants something where builds are.
fn writes(files: &[&str]) -> Script {
    let reply = |file: &&str| {
        let asked = Reply::when([format!("Write {file}.")]);
        asked.write(file, "x\n").write("target/planted", "x\n")
    };
    files.iter().map(reply).fold(Script::new(), Script::reply)
}

fn warm(script: &Script, steps: &[String]) -> Project {
    signed(configured(script, steps))
}

fn signed(project: Project) -> Project {
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

fn configured(script: &Script, steps: &[String]) -> Project {
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let text = plan(&steps);
    let project = project(script, &text).on_trees();
    let ledger = project.outside("ledger").display().to_string();
    let config = project.read(".signoff/config.toml");
    project
        .write(
            ".signoff/config.toml",
            &format!("{config}\n[contract]\ncache = \"warm\"\n"),
        )
        .write("plan.md", &text.replace("LEDGER", &ledger))
        .write(".gitignore", "target/\ndist/\n");
    project
}

fn evidence(project: &Project) -> Vec<Value> {
    let status = project.json(["status"]);
    let steps = status["steps"].as_array().expect("a run has steps");
    steps.iter().map(|step| step["evidence"].clone()).collect()
}

/// Builds once if it can, and finds nothing but what contracts built: neither what agents put there, nor what an
/// earlier contract wrote elsewhere.
const BUILD: &str = "test ! -e target/planted || exit 9\ntest ! -e stray || exit 9\necho x > stray\nmkdir -p target\ntest -s target/built || { echo x >> LEDGER.builds; echo x > target/built; }";

#[test]
fn contracts_reuse_builds_and_are_proved_when_they_hold_cold_at_the_end() {
    let files = ["a", "b", "c"];
    let steps = files.map(|file| step(file, BUILD));
    let project = warm(&writes(&files), &steps);
    let run = project.signoff(["run", "plan.md"]);
    run.assert_success()
        .assert_stderr_contains("nothing lands or is `proved` before");
    assert_eq!(evidence(&project), ["proved"; 3]);
    // Six contracts before and after the work built once; three built at the end, each for itself.
    let builds = std::fs::read_to_string(project.outside("ledger.builds"));
    assert_eq!(builds.expect("somebody built").lines().count(), 4);
    let completed = events(&project, "step_completed");
    for event in &completed {
        assert_eq!(event["evidence"], "held", "{event:#}");
        assert_eq!(event["facts"]["not_proved"][0], REASON, "{event:#}");
    }
    let confirmed = events(&project, "step_confirmed");
    assert_eq!((completed.len(), confirmed.len()), (3, 3));
    for event in confirmed {
        assert_eq!(event["evidence"], "proved", "{event:#}");
        assert!(event["facts"].get("not_proved").is_none(), "{event:#}");
    }
    assert!(files.iter().all(|file| project.exists(file)));
    assert!(!project.exists("target") && !project.exists("stray"));
}

#[test]
fn what_passes_only_with_what_it_left_itself_does_not_land() {
    let counts =
        "mkdir -p target; echo x >> target/runs\ntest \"$(wc -l < target/runs)\" -ge 2 || exit 1";
    let files = ["a", "b", "c"];
    let steps = files.map(|file| step(file, counts));
    let project = warm(&writes(&files), &steps);
    let run = project.signoff(["run", "plan.md"]);
    run.assert_code(1)
        .assert_stderr_contains("green warm, red cold");
    assert_eq!(events(&project, "step_completed").len(), 3);
    assert_eq!(events(&project, "step_confirmed").len(), 0);
    assert!(!files.iter().any(|file| project.exists(file)));
    // What lied is gone: whoever tries again begins without it.
    project.signoff(["land"]).assert_code(5);
}

#[test]
fn what_a_step_produced_is_not_hidden_by_what_contracts_built() {
    let built = "grep -q junk dist/out && exit 9\nmkdir -p dist; echo junk >> dist/out; echo junk > dist/more";
    let made = format!("{}**produces:** dist/out\n", step("a", built));
    let later = step("b", &format!("{built}\ngrep -q v1 dist/out"));
    let script = Script::new()
        .reply(
            Reply::when(["Write a."])
                .write("a", "x\n")
                .write("dist/out", "v1\n"),
        )
        .reply(Reply::when(["Write b."]).write("b", "x\n"));
    let project = warm(&script, &[made, later]);
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(evidence(&project), ["proved"; 2]);
    assert_eq!(project.read("dist/out"), "v1\n");
    assert!(!project.exists("dist/more"));
}

/// What the checkout has is there again without the builds. The kernel marks in them what is gone, as no ordinary user
/// can.
#[test]
fn what_a_contract_removed_stays_so_until_the_end() {
    let removes = "test ! -e target/old || echo x >> LEDGER.found\nrm -rf target/old target/sub; mkdir -p target/sub; echo x > target/sub/new\ntest ! -e target/sub/old || exit 9";
    let files = ["a", "b"];
    let project = configured(&writes(&files), &files.map(|file| step(file, removes)));
    project
        .write("target/old", "x\n")
        .write("target/sub/old", "x\n");
    let project = signed(project.of_ordinary_user());
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(evidence(&project), ["proved"; 2]);
    // By the first contract, and by the last two.
    let found = std::fs::read_to_string(project.outside("ledger.found"));
    assert_eq!(found.expect("it was there").lines().count(), 3);
    assert_eq!(project.read("target/sub/old"), "x\n");
}

#[test]
fn side_by_side_one_of_them_has_the_builds() {
    let files = ["a", "b", "c"];
    let steps = files.map(|file| format!("**depends_on:** none\n{}", step(file, BUILD)));
    let project = warm(&writes(&files), &steps);
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(evidence(&project), ["proved"; 3]);
}

#[test]
fn a_harness_that_is_killed_proves_and_lands_all_the_same() {
    let files = ["a", "b"];
    // After a warm contract, while the last ones run, and when one of them has confirmed its step.
    for point in ["contract.ended:2", "contract.ended:6", "verdict.after:5"] {
        let steps = files.map(|file| step(file, BUILD));
        let project = warm(&writes(&files), &steps);
        let killed = project.signoff_with(&[("SIGNOFF_FAILPOINT", point)], ["run", "plan.md"]);
        assert_eq!(killed.code, None, "{point}: {killed:?}");
        assert!(!project.exists("a") && !project.exists("b"), "{point}");
        project.signoff(["resume"]).assert_success();
        assert_eq!(evidence(&project), ["proved"; 2], "{point}");
        assert!(project.exists("a") && project.exists("b"), "{point}");
    }
}
