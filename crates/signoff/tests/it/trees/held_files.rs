//! Files that a person and a run changed, each in their own way: they are held, one is told so everywhere, and there is a
//! way forward with and without git.

use std::fs;

use serde_json::Value;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, commit_all, plan, project};

/// A run whose step changed two files while a person changed them too; and whether there is git.
pub(crate) fn held(git: bool) -> (Project, String) {
    let work = Reply::when(["Work"])
        .write("conf.txt", "run\n")
        .write("d/b.txt", "run\n")
        .write("new.txt", "run\n");
    let project = project(&Script::new().reply(work), "").on_trees();
    // What a person does before the contract runs joins the run; what they do while it runs cannot any more.
    let at = |name: &str| project.outside(name).to_string_lossy().into_owned();
    let wait = format!(
        "test -s new.txt || exit 1; touch {}; until test -e {}; do sleep 0.02; done; test -s new.txt",
        at("began"),
        at("go")
    );
    let step = agent("Work", "new.txt").replace("test -s new.txt", &wait);
    project.write("plan.md", &plan(&[&step]));
    project.write("conf.txt", "one\n").write("d/b.txt", "one\n");
    if git {
        commit_all(&project);
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.outside("began").exists()));
    project
        .write("conf.txt", "mine\n")
        .write("d/b.txt", "mine\n");
    fs::write(project.outside("go"), "").expect("the folder is ours");
    let output = running.wait();
    let runs = project.json(["runs"]);
    let run = runs["runs"][0]["run"].as_str().expect("something ran");
    output
        .assert_success()
        .assert_stdout_contains("2 files are not in your checkout yet")
        .assert_stdout_contains(&format!("signoff land {run} --take conf.txt"));
    assert_eq!(project.read("new.txt"), "run\n");
    assert_eq!(project.read("conf.txt"), "mine\n");
    let run = run.to_owned();
    (project, run)
}

/// What is held is told wherever one looks.
#[track_caller]
fn assert_held(project: &Project, run: &str, count: usize) {
    let inbox = project.json(["inbox"]);
    let files = inbox["held"][0]["files"].as_array().map_or(0, Vec::len);
    assert_eq!(files, count, "{inbox}");
    let status = project.json(["status"]);
    assert_eq!(status["held"].as_array().map_or(0, Vec::len), count);
    assert_eq!(
        project.json(["runs"])["runs"][0]["held"],
        Value::from(count)
    );
    let settle = format!("signoff land {run}");
    for command in ["inbox", "status"] {
        let output = project.signoff([command]);
        assert_eq!(output.stdout.contains(&settle), count > 0, "{output}");
    }
    let listed = project.signoff(["runs"]);
    assert_eq!(listed.stdout.contains("held"), count > 0, "{listed}");
}

#[track_caller]
fn check(git: bool) {
    let (project, run) = held(git);
    assert_held(&project, &run, 2);
    let refused = project.signoff(["land"]);
    let diff = format!("diff conf.txt .signoff/runs/{run}/held/conf.txt");
    refused
        .assert_code(5)
        .assert_stderr_contains("2 files are held")
        .assert_stderr_contains("`conf.txt`: it was changed here too")
        .assert_stderr_contains(&format!("`{diff}` compares"))
        .assert_stderr_contains(&format!("`signoff land {run} --keep conf.txt`"));
    let shown = project.bash(&diff, &project.path());
    assert_eq!(shown.stdout, "1c1\n< mine\n---\n> run\n");
    let wrong = project.signoff(["land", "--keep", "new.txt"]);
    wrong
        .assert_code(2)
        .assert_stderr_contains("held files: conf.txt d/b.txt");
    // Also where a directory means it.
    let twice = project.signoff(["land", "--take", "d/b.txt", "--keep", "d"]);
    twice
        .assert_code(2)
        .assert_stderr_contains("both `--take` and `--keep` name `d/b.txt`");
    assert_eq!(project.read("conf.txt"), "mine\n");
    project
        .signoff(["land", &run, "--take", "conf.txt"])
        .assert_code(5)
        .assert_stderr_contains("1 file is held");
    assert_eq!(project.read("conf.txt"), "run\n");
    assert_eq!(project.read("d/b.txt"), "mine\n");
    assert_held(&project, &run, 1);
    project.write("d/b.txt", "mine and run\n");
    let landed = project.bash("signoff land --keep b.txt", &project.path().join("d"));
    landed
        .assert_success()
        .assert_stdout_contains("landed run")
        .assert_stdout_contains("settled");
    assert_eq!(project.read("d/b.txt"), "mine and run\n");
    assert_held(&project, &run, 0);
    assert!(!project.exists(format!(".signoff/runs/{run}/held")));
    let again = project.signoff(["land"]);
    again
        .assert_success()
        .assert_stdout_contains("landed already");
    // What was taken is given back, what was kept stays.
    project.signoff(["undo"]).assert_success();
    assert_eq!(project.read("conf.txt"), "mine\n");
    assert_eq!(project.read("d/b.txt"), "mine and run\n");
    assert!(!project.exists("new.txt"));
}

#[test]
fn a_person_settles_them_in_a_repository() {
    check(true);
}

#[test]
fn a_person_settles_them_without_git() {
    check(false);
}

#[test]
fn a_file_that_a_person_made_as_the_run_has_it_is_settled() {
    let (project, run) = held(true);
    project.write("conf.txt", "run\n").write("d/b.txt", "run\n");
    let landed = project.signoff(["land"]);
    landed.assert_success().assert_stdout_contains("settled");
    assert_held(&project, &run, 0);
}

#[test]
fn all_are_settled_at_once() {
    let (project, run) = held(false);
    let landed = project.signoff(["land", "--take", "."]);
    landed.assert_success().assert_stdout_contains("2 files");
    assert_eq!(
        project.read("conf.txt") + &project.read("d/b.txt"),
        "run\nrun\n"
    );
    assert_held(&project, &run, 0);
}
