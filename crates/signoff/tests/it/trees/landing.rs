//! `land`, `undo` and `prune`, and runs beside each other, with the real binary.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_testkit::{Output, Project, Reply, Running, Script};

use crate::support::{BINARY, agent, newest_run, plan, project};

/// Agents that write `en` and `de`; the first goes on only once `go` is there, beside the project.
fn agents(go: bool) -> Script {
    agents_also(go, |reply| reply)
}

/// The first of them does something else too.
fn agents_also(go: bool, also: fn(Reply) -> Reply) -> Script {
    let first = also(Reply::when(["English"]));
    let first = if go {
        first.append("BEGAN", "x").wait_for("GO")
    } else {
        first
    };
    Script::new()
        .reply(first.write("en", "hello\n").say("done"))
        .reply(Reply::when(["German"]).write("de", "hallo\n"))
}

/// A repository with a signed plan of two agents that can overlap.
fn repository(go: bool) -> Project {
    repository_with(&agents(go), &[])
}

/// The same with other agents, and with these files in it.
fn repository_with(script: &Script, files: &[(&str, &str)]) -> Project {
    let steps = [
        agent("English", "en"),
        format!("**depends_on:** none\n{}", agent("German", "de")),
    ];
    let text = plan(&[&steps[0], &steps[1]]);
    let project = project(script, &text).on_trees();
    let script = project.outside("script.json");
    let at = |name: &str| project.outside(name).to_string_lossy().into_owned();
    let text = fs::read_to_string(&script).expect("it was just written");
    let text = text.replace("BEGAN", &at("began"));
    fs::write(
        &script,
        text.replace("\"GO\"", &format!("\"{}\"", at("go"))),
    )
    .expect("the folder is ours");
    project.write("kept", "mine\n");
    for (name, text) in files {
        project.write(name, text);
    }
    project.git("init -q -b main");
    project.git("config user.name p");
    project.git("config user.email p@x");
    project.git("add -A");
    project.git("commit -qm base");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// Starts a run, and waits until its first agent stands before its gate.
#[track_caller]
fn held_back(project: &Project) -> Running {
    let mut running = project.spawn(["run", "plan.md", "--format", "json"]);
    assert!(running.wait_until(|| project.outside("began").exists()));
    running
}

/// Lets the agents of a run go on, and returns the last line of what it printed.
#[track_caller]
fn let_go(project: &Project, running: Running) -> Value {
    fs::write(project.outside("go"), "").expect("the folder is ours");
    let output = running.wait();
    last_event(output.assert_success())
}

#[track_caller]
fn last_event(output: &Output) -> Value {
    let line = output.stdout.lines().last().expect("it prints events");
    let event: Value = serde_json::from_str(line).expect("a JSON object");
    assert_eq!(event["type"], "run_finished", "{output}");
    event
}

fn worktrees(project: &Project) -> PathBuf {
    project.home().join(".local/share/signoff/worktrees")
}

/// Names of runs that the repository knows.
fn refs(project: &Project) -> String {
    project.git("for-each-ref --format='%(refname)' refs/heads/signoff refs/signoff")
}

fn left_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a run was here");
    entries
        .map(|entry| entry.expect("it can be read").path())
        .collect()
}

#[track_caller]
fn assert_nothing_left(project: &Project) {
    assert_eq!(refs(project), "");
    assert_eq!(left_in(&worktrees(project)), Vec::<PathBuf>::new());
}

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

#[test]
fn an_unchanged_checkout_gets_the_commits_and_nothing_is_left() {
    let project = repository(false);
    project.write("kept", "changed\n").write("new", "x\n");
    let output = project.signoff(["run", "plan.md", "--format", "json"]);
    let last = last_event(output.assert_success());
    assert_eq!(last["landing"]["landed"], true, "{last}");
    assert_eq!(last["landing"]["commits"], 2);
    assert_eq!(
        (project.read("en"), project.read("de")),
        ("hello\n".to_owned(), "hallo\n".to_owned())
    );
    assert_eq!(project.git("diff --name-only -- kept"), "kept");
    assert_eq!(project.git("ls-files --others -- new"), "new");
    assert_nothing_left(&project);
    let status = project.json(["status"]);
    assert_eq!(status["landed"], project.git("rev-parse HEAD"));
    assert_eq!(status["isolation"], "worktree");
    assert_eq!(status["worktree"], Value::Null);
    assert!(status["steps"][0]["commit"].is_string(), "{status}");
    let graph = project.signoff(["graph", "--run"]);
    graph
        .assert_success()
        .assert_stdout_contains("coder · proved · merged as");
    project.signoff(["land"]).assert_success();
    let undo = project.signoff(["undo"]);
    undo.assert_code(5)
        .assert_stderr_contains("`git revert --no-edit ");
    assert!(!undo.stderr.contains('→'), "{undo}");
}

#[test]
fn what_the_harness_tells_other_tools_is_no_change_of_the_checkout() {
    let project = repository(false);
    let task = ".rawko/current-task.yaml";
    project.write(".rawko/plans/.keep", "");
    project.write(task, "planId: plan.md\nstatus: pending\n");
    let output = project.signoff(["run", "plan.md", "--approve", "--format", "json"]);
    let last = last_event(output.assert_success());
    assert!(
        !project.read(task).contains("pending"),
        "the run is told of there"
    );
    assert_eq!(last["landing"]["landed"], true, "{last}");
}

#[test]
fn while_it_runs_one_sees_which_step_sits_where() {
    let project = repository(true);
    let mut running = held_back(&project);
    let both_are_there = || {
        let status = project.json(["status"]);
        status["steps"][0]["seat"].is_string() && status["steps"][1]["commit"].is_string()
    };
    assert!(running.wait_until(both_are_there));
    let status = project.json(["status"]);
    let first = &status["steps"][0];
    assert_eq!(first["seat"], "worktree", "{status}");
    // It finds its tree where the checkout is, and nobody else sees that.
    assert_eq!(first["worktree"], Value::Null);
    assert_eq!(status["steps"][1]["seat"], Value::Null);
    assert_eq!(status["steps"][1]["worktree"], Value::Null);
    project
        .signoff(["graph", "--run"])
        .assert_success()
        .assert_stdout_contains("1. Step 1  coder · running · in its own worktree")
        .assert_stdout_contains("2. Step 2  coder · proved · merged as");
    project
        .signoff(["status"])
        .assert_success()
        .assert_stdout_contains("in its own worktree");
    assert!(!project.exists("de"), "the checkout is not touched");
    let_go(&project, running);
}

/// What somebody does to the checkout while a run goes on, a part of why it does not land by itself, and what then
/// makes `land` possible; nothing, if it is at once.
#[track_caller]
fn not_by_itself(meanwhile: &str, refused: &str, remedy: Option<&str>) -> Project {
    let project = repository(true);
    let running = held_back(&project);
    let bash = |line: &str| {
        project.bash(line, &project.path()).assert_success();
    };
    bash(meanwhile);
    let seen = |project: &Project| {
        let line = "git rev-parse HEAD; git status --porcelain -- . ':!plan.md' ':!.signoff'; cat en kept 2>&1";
        project.bash(line, &project.path()).stdout
    };
    let before = seen(&project);
    let last = let_go(&project, running);
    let landing = &last["landing"];
    assert_eq!(landing["landed"], false, "{meanwhile}: {last}");
    assert!(
        landing["refused"].to_string().contains(refused),
        "{meanwhile}: {landing}"
    );
    assert_eq!(seen(&project), before, "{meanwhile}");
    let run = newest_run(&project);
    project
        .signoff(["runs"])
        .assert_stdout_contains("not landed");
    assert_eq!(project.json(["status"])["branch"], format!("signoff/{run}"));
    if let Some(remedy) = remedy {
        let output = project.signoff(["land"]);
        output.assert_code(5).assert_stderr_contains("en");
        assert_eq!(seen(&project), before, "{meanwhile}");
        bash(remedy);
    }
    project.signoff(["land", &run]).assert_success();
    assert_eq!(
        (project.read("en"), project.read("de")),
        ("hello\n".to_owned(), "hallo\n".to_owned())
    );
    assert_nothing_left(&project);
    project
}

/// No attempt fails because of it: the run keeps what the agent wrote, and the checkout what the person did.
#[test]
fn a_file_in_the_way_stays() {
    not_by_itself("echo mine > en", "en", Some("rm en"));
}

#[test]
fn a_staged_file_in_the_way_stays() {
    let remedy = Some("git rm -qf en");
    not_by_itself("echo mine > en; git add en", "en", remedy);
}

#[test]
fn a_commit_in_the_way_stays() {
    let remedy = Some("git rm -q en; git commit -qm 'not mine'");
    let commit = "echo mine > en; git add en; git commit -qm mine";
    let project = not_by_itself(commit, "en", remedy);
    assert_eq!(project.git("show HEAD~3:en"), "mine");
}

#[test]
fn a_commit_that_goes_with_the_run_is_a_persons_to_decide() {
    not_by_itself(
        "echo more > more; git add more; git commit -qm more",
        "HEAD",
        None,
    );
}

const NINE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// A run that changes the last line of a file in which somebody committed this meanwhile: its name, and what its landing
/// came to.
fn changing_the_last_line(meanwhile: &str) -> (Project, String, Value) {
    let last = |reply: Reply| reply.write("lines", &NINE.replace('9', "nine"));
    let project = repository_with(&agents_also(true, last), &[("lines", NINE)]);
    let running = held_back(&project);
    project.write("lines", meanwhile);
    project.git("commit -qam mine");
    let landing = let_go(&project, running)["landing"].clone();
    let run = newest_run(&project);
    (project, run, landing)
}

#[test]
fn a_commit_to_another_part_of_the_same_file_goes_with_the_run() {
    let (project, run, landing) = changing_the_last_line(&NINE.replace('1', "one"));
    let command = format!("signoff land {run}");
    assert_eq!(landing["by_hand"], serde_json::json!([command]));
    project.signoff(["land"]).assert_success();
    let both = NINE.replace('1', "one").replace('9', "nine");
    assert_eq!(project.read("lines"), both);
    assert_eq!(project.git("status --short -- lines en de"), "");
    assert_nothing_left(&project);
}

#[test]
fn a_conflict_is_settled_by_hand_and_the_run_has_landed_then() {
    let (project, run, _) = changing_the_last_line(&NINE.replace('1', "one"));
    // What is committed while it runs joins it; this is committed afterwards.
    project.write("lines", &NINE.replace('1', "one").replace('9', "mine"));
    project.git("commit -qam again");
    let output = project.signoff(["land", "--format", "json"]);
    output
        .assert_code(5)
        .assert_stderr_contains("conflict with what is committed now in `lines`");
    let landing: Value = serde_json::from_str(&output.stdout).expect("a JSON object");
    let pick = landing["by_hand"][0].as_str().expect("a command");
    assert!(pick.starts_with("git cherry-pick "), "{landing}");
    project.git(&pick.replace("git cherry-pick", "cherry-pick -X ours"));
    let before = project.git("rev-parse HEAD");
    // What is not committed by now is nothing to the run.
    project.write("lines", "more\n");
    project.signoff(["land", &run]).assert_success();
    assert_eq!(project.git("rev-parse HEAD"), before);
    assert_eq!(project.read("lines"), "more\n");
    assert_nothing_left(&project);
}

#[test]
fn another_branch_is_a_persons_to_decide() {
    let project = repository(true);
    let running = held_back(&project);
    project.git("checkout -q -b other");
    let last = let_go(&project, running);
    let said = "the checkout was on `main` when the run began, and is on `other` now";
    assert_eq!(last["landing"]["refused"][0], said, "{last}");
    project
        .signoff(["land"])
        .assert_success()
        .assert_stdout_contains("on `other`");
    assert_eq!(project.git("rev-list --count main"), "1");
    assert_nothing_left(&project);
}

#[test]
fn a_branch_that_is_checked_out_is_not_moved() {
    let project = repository(true);
    held_back(&project).kill();
    let run = newest_run(&project);
    project.git(&format!("switch -q -f signoff/{run}"));
    let before = refs(&project);
    fs::write(project.outside("go"), "").expect("the folder is ours");
    project
        .signoff(["resume"])
        .assert_code(5)
        .assert_stderr_contains("is checked out in")
        .assert_stderr_contains("`git checkout main`");
    assert_eq!(refs(&project), before);
    assert_eq!(project.git("status --short -- en de kept"), "");
    project.git("checkout -q main");
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.read("en"), "hello\n");
}

#[test]
fn any_change_is_a_persons_to_decide() {
    not_by_itself("echo other > kept", "kept", None);
}

#[test]
fn without_a_branch_or_a_commit_it_lands_too() {
    let project = repository(false);
    project.git("switch -q --detach");
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.git("rev-list --count HEAD"), "3");
    assert_nothing_left(&project);

    let project = repository(false);
    project.git("update-ref -d HEAD");
    project.git("rm -q -rf --cached .");
    project.signoff(["run", "plan.md"]).assert_success();
    assert!(project.exists("en") && project.exists("de"));
    assert_nothing_left(&project);
}

#[test]
fn a_run_in_worktrees_is_undone() {
    let project = repository(true);
    let running = held_back(&project);
    project.write("kept", "other\n");
    let_go(&project, running);
    let run = newest_run(&project);
    let linked = project.outside("linked").display().to_string();
    project.git(&format!("worktree add -q {linked} signoff/{run}"));
    project
        .signoff(["undo"])
        .assert_code(5)
        .assert_stderr_contains("is checked out in");
    project.git(&format!("worktree remove {linked}"));
    project
        .signoff(["undo"])
        .assert_success()
        .assert_stdout_contains(&format!("removed signoff/{run}"));
    assert_nothing_left(&project);
    assert!(!project.exists("en"));
    assert_eq!(project.read("kept"), "other\n");
    let land = project.signoff(["land"]);
    land.assert_code(5).assert_stderr_contains("it was undone");
    assert!(!land.stderr.contains('→'), "{land}");
    project.signoff(["runs"]).assert_stdout_contains("undone");
}

#[test]
fn a_run_in_the_checkout_itself_neither_lands_nor_is_taken_back() {
    let project = repository(false);
    let run = ["run", "plan.md", "--isolation", "shared"];
    project.signoff(run).assert_success();
    assert!(project.exists("en") && project.exists("de"));
    for (command, said) in [
        ("land", "there is nothing to bring in"),
        ("undo", "nothing recorded what that was before"),
    ] {
        let output = project.signoff([command]);
        output.assert_code(5).assert_stderr_contains(said);
        assert!(!output.stderr.contains('→'), "{output}");
    }
    assert!(project.exists("en") && project.exists("de"));
    assert_eq!(project.read("kept"), "mine\n");
}

#[test]
fn two_runs_work_side_by_side() {
    let project = repository(true);
    let second = plan(&[&agent("German", "de")]).replace("Test plan", "Second");
    project.write("second.md", &second);
    project.signoff(["approve", "second.md"]).assert_success();
    let run = ["run", "plan.md", "--isolation", "shared"];
    let mut first = project.spawn(run);
    assert!(first.wait_until(|| project.outside("began").exists()));
    let there = ["run", "second.md", "--isolation", "shared"];
    project
        .signoff(there)
        .assert_code(5)
        .assert_stderr_contains("another run is using this checkout");
    let rehearsed = project.signoff([&there[..], &["--dry-run"]].concat());
    rehearsed.assert_code(5);
    let output = project.signoff(["run", "second.md", "--format", "json"]);
    let last = last_event(output.assert_success());
    assert_eq!(last["outcome"], "completed");
    let refused = last["landing"]["refused"].to_string();
    assert!(
        refused.contains("another run works in the checkout"),
        "{last}"
    );
    assert!(!project.exists("de"), "somebody else works there");
    let run = last["run"].as_str().unwrap().to_owned();
    fs::write(project.outside("go"), "").unwrap();
    first.wait().assert_success();
    assert_eq!(project.read("en"), "hello\n");
    project.git("add en de");
    project.git("commit -qm first");
    project.signoff(["land", &run]).assert_success();
}

/// A run that has completed and not landed.
fn not_landed() -> (Project, String) {
    let project = repository(true);
    let running = held_back(&project);
    project.write("kept", "other\n");
    let_go(&project, running);
    let run = newest_run(&project);
    (project, run)
}

#[test]
fn what_a_lost_run_left_is_pruned_and_only_that() {
    let (project, run) = not_landed();
    let theirs = worktrees(&project).join("20261115-093012-k3f9");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("project"), "/somewhere/else\n").unwrap();
    let nobodys = worktrees(&project).join("20261115-093012-k3f8");
    fs::create_dir_all(&nobodys).unwrap();
    project.git("branch signoff/20261115-093012-k3f7");
    project.signoff(["prune"]).assert_success();
    assert!(worktrees(&project).join(&run).exists());
    fs::remove_dir_all(project.path().join(".signoff/runs").join(&run)).unwrap();
    // Its commits may be nowhere else.
    project
        .signoff(["prune", "--older-than", "0"])
        .assert_code(6)
        .assert_stderr_contains(&format!("`signoff prune {run} --force`"));
    assert!(worktrees(&project).join(&run).exists() && refs(&project).contains(&run));
    let dry = project.json(["prune", &run, "--force", "--dry-run"]);
    let kinds = |pruned: &Value| -> Vec<String> {
        let removed = pruned["removed"].as_array().unwrap().iter();
        removed
            .map(|one| one["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(kinds(&dry), ["worktrees", "refs", "refs"], "{dry}");
    assert!(worktrees(&project).join(&run).exists());
    let pruned = project.json(["prune", &run, "--force"]);
    assert_eq!(pruned["removed"], dry["removed"]);
    assert!(!worktrees(&project).join(&run).exists());
    assert!(theirs.exists() && nobodys.exists());
    assert_eq!(refs(&project), "refs/heads/signoff/20261115-093012-k3f7");
}

#[test]
fn a_run_whose_journal_is_lost_is_shown_and_kept() {
    let (project, run) = not_landed();
    let directory = project.path().join(".signoff/runs").join(&run);
    let journal = directory.join("journal.jsonl");
    project.write("other.md", &plan(&["**contract:**\n```shell\ntrue\n```\n"]));
    let whole = fs::read_to_string(&journal).unwrap();
    let deeds: [&dyn Fn(); 5] = [
        // The plan's log knows that it was completed.
        &|| {
            let end = whole.find("\"type\":\"run_finished\"").unwrap();
            let end = whole[..end].rfind('\n').unwrap();
            fs::write(&journal, &whole[..=end]).unwrap();
            fs::remove_file(directory.join("head.json")).unwrap();
        },
        &|| fs::remove_file(&journal).unwrap(),
        &|| fs::write(&journal, "").unwrap(),
        &|| fs::write(&journal, "no journal\n").unwrap(),
        // Together with what tells how long it was.
        &|| {
            fs::write(&journal, "").unwrap();
            fs::remove_file(directory.join("head.json")).ok();
        },
    ];
    for deed in deeds {
        deed();
        project.signoff(["run", "other.md", "--approve"]);
        project.signoff(["status", &run]).assert_code(6);
        let prune = project.signoff(["prune", "--older-than", "0"]);
        prune.assert_code(6).assert_stderr_contains(&run);
        project
            .signoff(["prune", &run])
            .assert_code(6)
            .assert_stderr_contains(&format!("`signoff prune {run} --force`"));
        assert!(directory.exists() && worktrees(&project).join(&run).exists());
        assert!(refs(&project).contains(&format!("refs/heads/signoff/{run}")));
        project.write(format!(".signoff/runs/{run}/journal.jsonl"), "");
    }
    project.signoff(["prune", &run, "--force"]).assert_success();
    assert!(!directory.exists() && !refs(&project).contains(&run));
}

#[test]
fn a_plan_whose_run_is_gone_does_not_start_over_by_itself() {
    let project = repository(true);
    held_back(&project).kill();
    let run = newest_run(&project);
    let state = || project.json(["show", "plan.md"])["status"].clone();
    fs::remove_dir_all(project.path().join(".signoff/runs").join(&run)).unwrap();
    assert_eq!(state(), "stalled");
    project
        .signoff(["run", "plan.md"])
        .assert_code(5)
        .assert_stderr_contains("`signoff retry plan.md`");
    project.signoff(["retry", "plan.md"]).assert_success();
    assert_eq!(state(), "approved");
    // A run whose end the log tells has ended.
    let (project, run) = not_landed();
    fs::remove_dir_all(project.path().join(".signoff/runs").join(&run)).unwrap();
    assert_eq!(project.json(["show", "plan.md"])["status"], "completed");
}

#[test]
fn another_checkout_of_the_repository_keeps_its_runs() {
    let (project, run) = not_landed();
    let linked = project.outside("linked");
    project.git(&format!("worktree add -q --detach {}", linked.display()));
    let pruned = project.bash("signoff init > /dev/null && signoff prune", &linked);
    pruned.assert_success();
    assert!(refs(&project).contains(&run), "{pruned}");
    assert!(worktrees(&project).join(&run).exists());
}

#[test]
fn work_that_has_not_landed_is_not_pruned_with_its_plan() {
    let (project, run) = not_landed();
    fs::remove_file(project.path().join("plan.md")).unwrap();
    let prune = ["prune", "--older-than", "0"];
    project
        .signoff(prune)
        .assert_code(6)
        .assert_stderr_contains(&format!("signoff land {run}"));
    assert!(worktrees(&project).join(&run).exists());
    project.signoff(["undo", &run]).assert_success();
    project.signoff(prune).assert_success();
    assert!(!project.exists(format!(".signoff/runs/{run}")));
    assert_nothing_left(&project);
}

#[test]
fn a_run_that_was_given_up_goes_with_its_plan() {
    let project = repository(true);
    let running = held_back(&project);
    running.kill();
    let run = newest_run(&project);
    project
        .signoff(["cancel", "plan.md"])
        .assert_success()
        .assert_stderr_contains(&format!("`signoff undo {run}`"));
    assert!(worktrees(&project).join(&run).exists());
    project
        .signoff(["status"])
        .assert_stdout_contains("stay until");
    let prune = || {
        let words = ["prune", "--older-than", "0", "--records"];
        project.signoff(words).assert_success();
    };
    // While its file is there the run stays, and with it what it takes to read it.
    project.signoff(["delete", "plan.md"]).assert_success();
    prune();
    project.signoff(["status"]).assert_success();
    fs::remove_file(project.path().join("plan.md")).unwrap();
    prune();
    assert!(!project.exists(format!(".signoff/runs/{run}")));
    assert_nothing_left(&project);
}

#[test]
fn a_branch_that_a_person_removed_or_uses_breaks_nothing() {
    let (project, run) = not_landed();
    project.git(&format!("switch -q -f signoff/{run}"));
    fs::remove_dir_all(project.path().join(".signoff/runs").join(&run)).unwrap();
    project
        .signoff(["prune"])
        .assert_code(6)
        .assert_stderr_contains("is checked out in");
    project.git("switch -q main");
    project.git(&format!("branch -q -D signoff/{run}"));
    project.signoff(["prune"]).assert_success();
    assert_nothing_left(&project);

    let (project, run) = not_landed();
    project.git(&format!("switch -q -f signoff/{run}"));
    project.signoff(["land"]).assert_success();
    let branch = format!("refs/heads/signoff/{run}");
    assert_eq!(project.git("symbolic-ref HEAD"), branch);
    // The first commit, what was changed meanwhile, and the two steps.
    assert_eq!(project.git("rev-list --count HEAD"), "4");
    project.git("switch -q main");
    project.signoff(["prune"]).assert_success();
    assert_nothing_left(&project);

    let (project, run) = not_landed();
    project.git(&format!("branch -q -D signoff/{run}"));
    project.signoff(["status"]).assert_success();
    project.signoff(["land"]).assert_success();
    assert_eq!(project.read("en"), "hello\n");
    assert_nothing_left(&project);
}

/// The place in which the question about this step says that it is to be repaired, if not in the checkout, and its name.
#[track_caller]
fn to_repair(project: &Project, step: &str) -> (Option<PathBuf>, String) {
    let inbox = project.json(["inbox"]);
    let mut items = inbox["items"].as_array().into_iter().flatten();
    let item = items.find(|item| item["step"] == step).expect("it waits");
    let worktree = item["worktree"].as_str().map(PathBuf::from);
    let id = item["id"].as_str().expect("it has a name");
    (worktree, id.to_owned())
}

#[test]
fn a_step_is_repaired_where_it_was_done_and_nothing_else_comes_with_it() {
    let never = agent("Nothing", "never").replace("test -s never", "test -s fixed");
    let steps = [
        format!("{never}**on_fail:** escalate\n"),
        "**depends_on:** none\n**on_fail:** escalate\n**contract:**\n```shell\ntest -e looked\n```\n"
            .to_owned(),
    ];
    let script = Script::new().reply(Reply::always().write("never", "x\n"));
    let project = project(&script, &plan(&[&steps[0], &steps[1]])).on_trees();
    project.git("init -q -b main");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let run = ["run", "plan.md", "--isolation", "worktree"];
    project.signoff(run).assert_code(3);
    // A step without an agent has no place of its own: it is repaired in the checkout.
    let (worktree, item) = to_repair(&project, "step-2");
    assert_eq!(worktree, None);
    project.write("looked", "");
    let fixed = |item: &str| project.signoff(["answer", item, "fixed", "--resume"]);
    fixed(&item).assert_code(3);
    let branch = format!("signoff/{}", newest_run(&project));
    let files = format!("show --format= --name-only {branch}");
    // What the other step did is not done yet.
    assert_eq!(project.git(&files), "looked");
    let (worktree, item) = to_repair(&project, "step-1");
    let worktree = worktree.expect("an agent worked there");
    assert!(worktree.ends_with("steps/step-1") && worktree.join("never").exists());
    fs::write(worktree.join("fixed"), "x\n").unwrap();
    fixed(&item).assert_success();
    assert!(
        ["looked", "never", "fixed"]
            .iter()
            .all(|file| project.exists(file))
    );
    // What `undo` needs stays in the repository.
    assert_eq!(left_in(&worktrees(&project)), Vec::<PathBuf>::new());
}

#[test]
fn one_is_told_whether_worktrees_are_possible() {
    let project = repository(false);
    let possible = |project: &Project| project.json(["doctor"])["worktrees"].clone();
    assert_eq!(possible(&project)["possible"], true);
    project
        .signoff(["doctor"])
        .assert_stdout_contains("trees for agents: available");
    project.git("sparse-checkout set --cone .");
    // Their work is recorded elsewhere then.
    assert_eq!(possible(&project)["possible"], true);
    for command in ["doctor", "init"] {
        project
            .signoff([command])
            .assert_success()
            .assert_stdout_contains("trees for agents: available")
            .assert_stdout_contains("recorded outside your repository")
            .assert_stdout_contains("sparse");
    }
    let bare = Project::new(BINARY).on_trees();
    assert_eq!(possible(&bare), Value::Null);
    bare.signoff(["init"])
        .assert_success()
        .assert_stdout_contains("`signoff undo` works");
    assert_eq!(possible(&bare)["possible"], true);
    assert_eq!(possible(&bare)["private"][0], "there is no git repository");
    let unconfined = Project::new(BINARY);
    unconfined.signoff(["init"]).assert_success();
    assert_eq!(possible(&unconfined)["possible"], false);
    unconfined.signoff(["doctor"]).assert_stdout_contains(
        "trees for agents: not available, so agents work one after another",
    );
}

#[test]
fn a_run_that_failed_does_not_land_and_stays_as_it_is() {
    let steps = [
        agent("English", "en"),
        format!(
            "**depends_on:** none\n**on_fail:** abort\n{}",
            agent("Nothing", "missing")
        ),
    ];
    let project = repository(false);
    project.write("plan.md", &plan(&[&steps[0], &steps[1]]));
    let script = project.outside("script.json");
    let idle = agents(false).reply(Reply::always().say("done"));
    fs::write(script, idle.to_string()).expect("the folder is ours");
    project
        .signoff(["run", "plan.md", "--approve", "--jobs", "1"])
        .assert_code(1);
    let before = (project.git("rev-parse HEAD"), refs(&project));
    project
        .signoff(["land"])
        .assert_code(5)
        .assert_stderr_contains("it has failed")
        .assert_stderr_contains("git cherry-pick");
    assert_eq!((project.git("rev-parse HEAD"), refs(&project)), before);
    assert!(!project.exists("en"));
}

#[test]
fn marks_in_other_plans_do_not_keep_a_run_from_landing() {
    let project = repository(true);
    let mut running = held_back(&project);
    // Until it is signed, the other plan is a person's file like any other.
    let is_merged = || project.json(["status"])["steps"][1]["commit"].is_string();
    assert!(running.wait_until(is_merged));
    project.write("other.md", &plan(&["**contract:**\n```shell\ntrue\n```\n"]));
    project.git("status --short");
    project
        .signoff(["run", "other.md", "--approve", "--isolation", "worktree"])
        .assert_success();
    let event = let_go(&project, running);
    assert_eq!(event["landing"]["landed"], true, "{event:#}");
    // They joined the run all the same, and nobody is told of what the harness wrote.
    let log = project.signoff(["log", &run_of(&project, "plan.md"), "--format", "json"]);
    assert!(log.stdout.contains("checkout_joined"), "{log}");
    let log = project.signoff(["log", &run_of(&project, "plan.md")]);
    assert!(!log.stdout.contains("other.md"), "{log}");
    assert!(!log.stdout.contains("your changes joined"), "{log}");
}

/// The name of the run of a plan.
#[track_caller]
fn run_of(project: &Project, plan: &str) -> String {
    let runs = project.json(["runs"]);
    let runs = runs["runs"].as_array().expect("something ran");
    let run = runs.iter().find(|run| run["plan"] == plan);
    let run = run.and_then(|run| run["run"].as_str());
    run.expect("it ran").to_owned()
}

#[test]
fn what_joined_is_not_counted_as_landed() {
    let project = repository(true);
    let running = held_back(&project);
    project.write("kept", "mine, changed\n");
    let event = let_go(&project, running);
    assert_eq!(event["landing"]["landed"], false, "{event:#}");
    let log = project.signoff(["log"]);
    log.assert_stdout_contains("your changes joined: kept");
    let landed = project.signoff(["land"]);
    landed
        .assert_success()
        .assert_stdout_contains(": 2 commits on");
    assert_eq!(project.git("rev-list --count HEAD"), "3");
}

#[test]
fn a_landing_that_was_cut_off_is_finished_and_not_undone() {
    for point in ["land.files:1", "land.index:1", "land.ref:1"] {
        let project = repository(false);
        let variables = [("SIGNOFF_FAILPOINT", point)];
        let output = project.signoff_with(&variables, ["run", "plan.md"]);
        assert_eq!(output.code, None, "{point}: {output}");
        let undo = project.signoff(["undo"]);
        undo.assert_code(5)
            .assert_stderr_contains("its landing was begun and cut off");
        assert!(!undo.stderr.contains("once more"), "{undo}");
        project
            .signoff(["status"])
            .assert_stdout_contains("its landing was interrupted");
        project.write("en", "mine\n");
        project
            .signoff(["land"])
            .assert_code(5)
            .assert_stderr_contains("the checkout may hold a part of it")
            .assert_stderr_contains("`en` changed since the run began");
        fs::remove_file(project.path().join("en")).unwrap();
        project.signoff(["land"]).assert_success();
        assert_eq!(project.read("en"), "hello\n");
        assert_nothing_left(&project);
    }
}

#[test]
fn what_prepares_worktrees_is_shown_to_whoever_trusts_it() {
    let project = Project::new(BINARY);
    project.write(
        ".signoff/config.toml",
        "[run]\nprepare = [\"npm ci --offline\"]\n",
    );
    project
        .signoff(["trust"])
        .assert_success()
        .assert_stderr_contains("once for each run, before its agents: npm ci --offline");
}

/// What `undo` advises, without the words around it.
#[track_caller]
fn advised_revert(project: &Project) -> String {
    let undo = project.signoff(["undo"]);
    let mut advice = undo.assert_code(5).stderr.split('`');
    let revert = advice.find(|part| part.starts_with("git revert"));
    revert.expect("it says what to type").to_owned()
}

#[test]
fn the_advised_revert_takes_all_commits_back() {
    let project = repository(false);
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.git("rev-list --count HEAD"), "3");
    assert!(project.exists("en") && project.exists("de"));
    // What a person does afterwards stays.
    project.write("later", "mine\n");
    project.git("add later");
    project.git("commit -qm later");
    let revert = advised_revert(&project);
    assert!(revert.contains(".."), "{revert}");
    project.bash(&revert, &project.path()).assert_success();
    assert!(!project.exists("en") && !project.exists("de"));
    assert_eq!(
        project.read("later") + &project.read("kept"),
        "mine\nmine\n"
    );
}

#[test]
fn commits_that_came_in_one_by_one_are_all_named() {
    let project = repository(true);
    let running = held_back(&project);
    project.write("between", "mine\n");
    fs::write(project.outside("go"), "").expect("the folder is ours");
    running.wait().assert_success();
    // The first by hand, then something else, and the rest by `land`.
    let first =
        project.git("rev-list --reverse --grep=Signoff-Attempt main..signoff/$(ls .signoff/runs)");
    let first = first.lines().next().expect("it has commits").to_owned();
    project.git(&format!("cherry-pick {first}"));
    project.git("add between");
    project.git("commit -qm between");
    project.signoff(["land"]).assert_success();
    assert!(project.exists("en") && project.exists("de"));
    let revert = advised_revert(&project);
    project.bash(&revert, &project.path()).assert_success();
    assert!(!project.exists("en") && !project.exists("de"));
    assert_eq!(project.read("between"), "mine\n");
}
