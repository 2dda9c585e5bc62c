//! A person repairs what an agent left, in the directory that the inbox names or in the checkout, and works on other
//! things meanwhile.

use std::fs;
use std::path::PathBuf;

use signoff_testkit::{Project, Reply, Script};

use crate::support::{plan, project};

const STEP: &str = "**target:** coder\n**task:**\nWrite `a.txt`.\n\n**on_fail:** escalate\n**contract:**\n```shell\ngrep -q good a.txt\n```\nexit_code == 0\n";

/// A project with a signed plan and two files of the person's. `GO` and `BEGAN` lie beside it.
fn to_repair(script: &Script) -> Project {
    let project = project(script, &plan(&[STEP])).on_trees();
    set_script(&project, script);
    project.write("user.txt", "u\n");
    project.write("shared.txt", "1\n");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

fn set_script(project: &Project, script: &Script) {
    let at = |name: &str| project.outside(name).to_string_lossy().into_owned();
    let text = script.to_string().replace("BEGAN", &at("began"));
    let path = project.outside("script.json");
    fs::write(path, text.replace("\"GO\"", &format!("\"{}\"", at("go"))))
        .expect("the folder is ours");
}

/// Where the step is repaired, and what the question is called.
fn question(project: &Project) -> (PathBuf, String) {
    let inbox = project.json(["inbox"]);
    let item = &inbox["items"][0];
    let worktree = item["worktree"].as_str().expect("an agent worked there");
    let id = item["id"].as_str().expect("it has a name");
    (PathBuf::from(worktree), id.to_owned())
}

fn text(project: &Project, name: &str) -> Option<String> {
    fs::read_to_string(project.path().join(name)).ok()
}

#[test]
fn what_a_person_did_elsewhere_is_no_part_of_the_repair() {
    let reply = Reply::always().write("a.txt", "bad\n");
    let project = to_repair(&Script::new().reply(reply.append("BEGAN", "x").wait_for("GO")));
    let mut run = project.spawn(["run", "plan.md"]);
    assert!(run.wait_until(|| project.outside("began").exists()));
    project.write("user.txt", "mine\n");
    project.write("new.txt", "new\n");
    fs::remove_file(project.path().join("shared.txt")).unwrap();
    fs::write(project.outside("go"), "").unwrap();
    run.wait().assert_code(3);
    // It joined before the work was judged. Now the person takes all of it back.
    project.write("user.txt", "u\n");
    project.write("shared.txt", "1\n");
    fs::remove_file(project.path().join("new.txt")).unwrap();
    let (worktree, item) = question(&project);
    fs::write(worktree.join("a.txt"), "good\n").unwrap();
    project
        .signoff(["answer", &item, "fixed", "--resume"])
        .assert_success();
    assert_eq!(text(&project, "a.txt").as_deref(), Some("good\n"));
    assert_eq!(text(&project, "user.txt").as_deref(), Some("u\n"));
    assert_eq!(text(&project, "shared.txt").as_deref(), Some("1\n"));
    assert_eq!(text(&project, "new.txt"), None);
}

#[test]
fn after_a_repair_that_did_not_help_the_agents_own_work_counts() {
    let project = to_repair(&Script::new().reply(Reply::always().write("a.txt", "bad\n")));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let (worktree, item) = question(&project);
    fs::write(worktree.join("a.txt"), "still bad\n").unwrap();
    project
        .signoff(["answer", &item, "fixed", "--resume"])
        .assert_code(3);
    let (_, item) = question(&project);
    let better = Reply::always().write("a.txt", "good, of the agent\n");
    set_script(&project, &Script::new().reply(better));
    let done = project.signoff(["answer", &item, "retry", "--resume"]);
    done.assert_success();
    assert!(!done.stderr.contains("repaired by"), "{}", done.stderr);
    let now = text(&project, "a.txt");
    assert_eq!(now.as_deref(), Some("good, of the agent\n"));
}

#[test]
fn a_file_of_the_agents_can_be_repaired_in_the_checkout() {
    let reply = Reply::always()
        .write("a.txt", "bad\n")
        .write("b.txt", "b\n");
    let project = to_repair(&Script::new().reply(reply));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project.write("a.txt", "good\n");
    let (_, item) = question(&project);
    project
        .signoff(["answer", &item, "fixed", "--resume"])
        .assert_success();
    assert_eq!(text(&project, "a.txt").as_deref(), Some("good\n"));
    assert_eq!(text(&project, "b.txt").as_deref(), Some("b\n"));
}
