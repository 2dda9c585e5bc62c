//! `undo` of runs whose steps landed one by one, with the real binary: what they changed goes, what a person changed
//! stays.

use std::fs;
use std::path::PathBuf;

use signoff_testkit::{Project, Reply, Running, Script};

use crate::support::{agent, commit_all, plan, project};

const RUN: [&str; 2] = ["run", "plan.md"];

/// A repository with `a` and `b`, and a signed plan of these steps.
fn repository(script: &Script, steps: &[&str]) -> Project {
    let project = project(script, &plan(steps)).on_trees();
    let script = project.outside("script.json");
    let text = fs::read_to_string(&script).expect("it was just written");
    let at = |name: &str| project.outside(name).to_string_lossy().into_owned();
    let text = text
        .replace("BEGAN", &at("began"))
        .replace("\"GO\"", &format!("\"{}\"", at("go")));
    fs::write(&script, text).expect("the folder is ours");
    project.write("a", "one\n").write("b", "keep\n");
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// What the run's commits have at a path.
#[track_caller]
fn taken_back(project: &Project, path: &str) -> String {
    let name = project.git("for-each-ref --format='%(refname)' refs/heads/signoff");
    project.git(&format!("show {name}:{path}"))
}

/// What waits on a person, and the place in which they can repair it.
#[track_caller]
fn waiting(project: &Project) -> (String, PathBuf) {
    let inbox = project.json(["inbox"]);
    let text = |name: &str| inbox["items"][0][name].as_str().map(str::to_owned);
    let worktree = text("worktree").expect("an agent worked there");
    (
        text("id").expect("something waits"),
        PathBuf::from(worktree),
    )
}

/// Starts the run, and waits until its agent stands before its gate.
#[track_caller]
fn held_back(project: &Project) -> Running {
    let mut running = project.spawn(RUN);
    assert!(running.wait_until(|| project.outside("began").exists()));
    running
}

/// One step that never holds by itself.
fn to_repair() -> Project {
    let script = Script::new()
        .reply(
            Reply::when(["Work"])
                .append("a", "agent\n")
                .write("y", "y\n"),
        )
        .reply(
            Reply::when(["Then"])
                .append("b", "agent\n")
                .write("z", "z\n"),
        );
    let step = agent("Work", "y").replace("test -s y", "grep -qs FIX a fix");
    let step = format!("{step}**on_fail:** escalate\n");
    repository(&script, &[&step, &agent("Then", "z")])
}

#[test]
fn what_a_person_changed_while_it_waited_stays() {
    let project = to_repair();
    assert_ne!(project.signoff(RUN).code, Some(0));
    assert_eq!(project.read("a"), "one\n", "it has not passed");
    let (item, worktree) = waiting(&project);
    project.write("mine", "mine\n").write("b", "keep\nmine\n");
    fs::write(worktree.join("a"), "one\nFIX\n").expect("it is a person's to change");
    project
        .signoff(["answer", &item, "fixed", "--resume"])
        .assert_success();
    assert_eq!(project.read("a"), "one\nFIX\n");
    assert_eq!(project.read("b"), "keep\nmine\nagent\n");
    let undone = project.signoff(["undo"]);
    undone
        .assert_success()
        .assert_stdout_contains("restored a\nrestored b\nremoved y\nremoved z\n")
        .assert_stdout_contains("2 files restored, 2 files removed")
        .assert_stdout_contains("the run's commits stay");
    assert_eq!(project.read("mine"), "mine\n");
    assert_eq!(project.read("b"), "keep\nmine\n");
    assert_eq!(project.read("a"), "one\n");
    assert!(!project.exists("y") && !project.exists("z"));
    assert_eq!(taken_back(&project, "a"), "one\nFIX");
    // Once is enough.
    project.write("a", "again\n").write("y", "again\n");
    let again = project.signoff(["undo"]);
    again
        .assert_success()
        .assert_stdout_contains("undone already: run");
    assert_eq!(project.read("a") + &project.read("y"), "again\nagain\n");
    assert_eq!(taken_back(&project, "a"), "one\nFIX");
}

#[test]
fn what_a_person_repaired_in_the_checkout_stays() {
    let project = to_repair();
    assert_ne!(project.signoff(RUN).code, Some(0));
    project.write("fix", "FIX\n");
    let (item, _) = waiting(&project);
    project
        .signoff(["answer", &item, "fixed", "--resume"])
        .assert_success();
    assert_eq!(project.read("a"), "one\nagent\n");
    project.signoff(["undo"]).assert_success();
    assert_eq!(project.read("a") + &project.read("fix"), "one\nFIX\n");
    assert!(!project.exists("y") && !project.exists("z"));
}

#[test]
fn only_files_of_the_run_are_taken_back_and_only_as_it_left_them() {
    let script = Script::new().reply(Reply::always().write("a", "agent\n").write("y", "y\n"));
    let project = repository(&script, &[&agent("Work", "y")]);
    project.signoff(RUN).assert_success();
    project.write("mine", "m\n").write("b", "m\n");
    project.write("y", "mine now\n");
    let shape = project.json(["undo"]);
    assert_eq!(shape["undone"], true, "{shape}");
    assert_eq!(shape["restored"], serde_json::json!(["a"]));
    assert_eq!(shape["deleted"], serde_json::json!([]));
    let left = shape["left"][0].as_str().expect("one stays");
    assert!(left.starts_with("`y`: "), "{shape}");
    assert_eq!(project.read("a"), "one\n");
    assert_eq!(project.read("y"), "mine now\n");
    project.write("y", "y\n");
    let shape = project.json(["undo"]);
    assert_eq!(shape["restored"], serde_json::json!([]));
    assert_eq!(shape["deleted"], serde_json::json!(["y"]));
    assert_eq!(project.read("mine") + &project.read("b"), "m\nm\n");
}

#[test]
fn what_a_person_changed_while_an_agent_worked_stays() {
    let work = Reply::always().append("a", "agent\n").append("BEGAN", "x");
    let script = Script::new().reply(work.wait_for("GO").write("y", "y\n"));
    let project = repository(&script, &[&agent("Work", "y")]);
    let running = held_back(&project);
    project.write("mine", "mine\n").write("a", "mine\none\n");
    fs::write(project.outside("go"), "").expect("the folder is ours");
    running.wait().assert_success();
    assert_eq!(project.read("a"), "mine\none\nagent\n");
    project.signoff(["undo"]).assert_success();
    assert_eq!(project.read("a"), "mine\none\n");
    assert_eq!(project.read("mine"), "mine\n");
    assert_eq!(taken_back(&project, "a"), "mine\none\nagent");
}

#[test]
fn what_steps_did_before_one_was_killed_is_taken_back() {
    let first = Reply::when(["First"]).append("a", "agent\n");
    let work = Reply::when(["Work"]).append("b", "agent\n");
    let work = work.append("BEGAN", "x").wait_for("GO");
    let script = Script::new()
        .reply(first.write("x", "x\n"))
        .reply(work.write("y", "y\n"));
    let project = repository(&script, &[&agent("First", "x"), &agent("Work", "y")]);
    project.write("b", "mine\n");
    held_back(&project).kill();
    project.signoff(["abort"]).assert_success();
    assert_eq!(project.read("a") + &project.read("b"), "one\nagent\nmine\n");
    let undone = project.signoff(["undo"]);
    undone
        .assert_success()
        .assert_stdout_contains("restored a\nremoved x\n");
    assert_eq!(project.read("a") + &project.read("b"), "one\nmine\n");
    assert!(!project.exists("x") && !project.exists("y"));
}

#[test]
fn an_undo_that_was_killed_is_finished_and_keeps_what_was_there() {
    let script = Script::new().reply(Reply::always().write("a", "agent\n").write("y", "y\n"));
    let project = repository(&script, &[&agent("Work", "y")]);
    project.signoff(RUN).assert_success();
    let armed = [("SIGNOFF_FAILPOINT", "undo.recorded:1")];
    assert_eq!(project.signoff_with(&armed, ["undo"]).code, None);
    // As if it had come half way.
    project.write("a", "one\n");
    project.signoff(["undo"]).assert_success();
    assert!(!project.exists("y"));
    assert_eq!(taken_back(&project, "a"), "agent");
}

/// An agent that changes what is ignored makes files show that were there all the time.
#[test]
fn what_was_ignored_before_the_run_stays() {
    let script = Script::new().reply(
        Reply::when(["Work"])
            .write(".gitignore", "/.signoff/\n")
            .write("y", "y\n"),
    );
    let project = repository(&script, &[&agent("Work.", "y")]);
    let ignored = "/.signoff/\n.env\n/deps/\n";
    project
        .write(".gitignore", ignored)
        .write(".env", "SECRET\n")
        .write("deps/x/y", "theirs\n");
    project.signoff(RUN).assert_success();
    assert_eq!(project.read(".gitignore"), "/.signoff/\n");
    project.signoff(["undo"]).assert_success();
    assert_eq!(project.read(".gitignore"), ignored);
    assert_eq!(project.read(".env"), "SECRET\n");
    assert_eq!(project.read("deps/x/y"), "theirs\n");
    assert!(!project.exists("y"));
}

/// Signatures are files that a person commits, stashes, and does not have on another branch.
#[test]
fn a_run_needs_no_file_but_its_own_to_be_read_and_undone() {
    let script = Script::new().reply(Reply::always().append("a", "agent\n").write("y", "y\n"));
    let project = repository(&script, &[&agent("Work", "y")]);
    project.signoff(RUN).assert_success();
    let signed = project.signoff(["status"]);
    project
        .bash(
            "mv .signoff/log .signoff/signatures ../outside",
            &project.path(),
        )
        .assert_success();
    project
        .signoff(["runs"])
        .assert_success()
        .assert_stdout_contains("completed");
    let status = project.signoff(["status"]);
    assert_eq!(status.assert_success().stdout, signed.stdout);
    assert!(status.stdout.contains("signed by"), "{status}");
    project.signoff(["log"]).assert_success();
    project
        .signoff(["land"])
        .assert_success()
        .assert_stdout_contains("landed already");
    let undone = project.signoff(["undo"]);
    undone.assert_success().assert_stdout_contains("restored a");
    assert_eq!(project.read("a"), "one\n");
    // One of an older version has no copy. Nobody has to sign anything for it.
    project
        .bash("rm -r .signoff/runs/*/signatures", &project.path())
        .assert_success();
    let unreadable = project.signoff(["undo"]);
    unreadable
        .assert_code(6)
        .assert_stderr_contains("on another branch, or in a stash");
    assert!(!unreadable.stderr.contains("approve"), "{unreadable}");
    project
        .bash(
            "rm -rf .signoff/log; mv ../outside/log ../outside/signatures .signoff",
            &project.path(),
        )
        .assert_success();
    project.signoff(["status"]).assert_success();
}

#[test]
fn what_a_person_writes_after_an_undo_is_theirs() {
    let script = Script::new().reply(
        Reply::always()
            .write("a", "agent\n")
            .write("b", "agent\n")
            .write("y", "y\n"),
    );
    let project = repository(&script, &[&agent("Work", "y")]);
    project.signoff(RUN).assert_success();
    project.write("b", "mine\n");
    project
        .signoff(["undo"])
        .assert_success()
        .assert_stdout_contains("restored a\nremoved y\nleft as it is: `b`: ")
        .assert_stdout_contains("1 file restored, 1 file removed");
    // Exactly what the run had written. What was left is tried again, and nothing else.
    project.write("a", "agent\n").write("y", "y\n");
    let again = project.signoff(["undo"]);
    again
        .assert_success()
        .assert_stdout_contains("left as it is: `b`: ")
        .assert_stdout_contains("nothing could be undone without");
    assert_eq!(project.read("a") + &project.read("b"), "agent\nmine\n");
    project.write("b", "agent\n");
    let again = project.signoff(["undo"]);
    again
        .assert_success()
        .assert_stdout_contains("restored b\n");
    project.write("b", "agent\n");
    let again = project.signoff(["undo"]);
    let run = project.json(["status"])["run"].to_string();
    let expected = format!("undone already: run {}\n", run.trim_matches('"'));
    assert_eq!(again.assert_success().stdout, expected);
    assert_eq!(project.read("a") + &project.read("b"), "agent\nagent\n");
    assert_eq!(project.read("y"), "y\n");
}

#[test]
fn where_nothing_can_be_taken_back_nothing_else_is_said() {
    let script = Script::new().reply(Reply::always().write("a", "agent\n"));
    let step = agent("Work", "a").replace("test -s a", "grep -q agent a");
    let project = repository(&script, &[&step]);
    project.signoff(RUN).assert_success();
    project.write("a", "mine\n");
    let undone = project.signoff(["undo"]);
    undone
        .assert_success()
        .assert_stdout_contains("left as it is: `a`: ")
        .assert_stdout_contains("nothing could be undone");
    assert!(!undone.stdout.contains("left nothing"), "{undone}");
    assert_eq!(project.read("a"), "mine\n");
}

/// Without a repository of the person's, what a run did is in one of the harness's own: one is told where, and it goes.
#[test]
fn without_git_one_is_told_where_the_commits_are() {
    let script = Script::new().reply(Reply::always().write("a", "agent\n").write("y", "y\n"));
    let project = project(&script, &plan(&[&agent("Work", "y")])).on_trees();
    project.write("a", "one\n");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(RUN).assert_success();
    let undone = project.signoff(["undo"]);
    let mut parts = undone.assert_success().stdout.split('`');
    let log = parts.find(|part| part.starts_with("git --git-dir"));
    let log = log.expect("it says what to type");
    project
        .bash(log, &project.path())
        .assert_success()
        .assert_stdout_contains("+agent");
    project.signoff(["prune"]).assert_success();
    assert_ne!(project.bash(log, &project.path()).code, Some(0));
}

/// A commit that a person made is not the run's to take back.
#[test]
fn a_run_that_changed_nothing_names_no_commit_of_a_person() {
    let script = Script::new().reply(Reply::when(["Make a"]).write("out", "x").say("done"));
    let project = repository(&script, &[&agent("Make a", "out")]);
    let at_end = [("SIGNOFF_RUN_LAND", "end")];
    project.signoff_with(&at_end, RUN).assert_success();
    project.write("mine", "mine\n");
    commit_all(&project);
    let mine = project.git("rev-parse HEAD");
    let again = ["run", "plan.md", "--again"];
    project.signoff_with(&at_end, again).assert_success();
    let undone = project.signoff(["undo"]);
    let said = format!("{}{}", undone.stdout, undone.stderr);
    assert!(said.contains("it changed no files"), "{said}");
    assert!(!said.contains(mine.trim()), "{said}");
}
