//! Runs on their own trees where something is odd: filters, ignored products, a branch that is gone.

use signoff_testkit::{Ledger, Project, Reply, Script};

use crate::support::{agent, commit_all, newest_run, plan, project};

const RUN: [&str; 4] = ["run", "plan.md", "--isolation", "worktree"];

/// A repository with these files and a signed plan of one step.
fn repository(script: &Script, step: &str, files: &[(&str, &str)]) -> Project {
    let project = project(script, &plan(&[step])).on_trees();
    for (path, text) in files {
        project.write(path, text);
    }
    for words in [
        "init -q -b main",
        "config user.name p",
        "config user.email p@x",
        "config filter.crypt.clean 'tr a-z b-za'",
        "add -A",
        "commit -qm base",
    ] {
        project.git(words);
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

#[test]
fn what_a_filter_would_change_is_not_committed_as_it_is() {
    let pattern = "*.key filter=crypt\n*.plain filter=nobody\n";
    let known = Script::new().reply(Reply::always().write("x.key", "secret\n"));
    let brought = Reply::always().write("x.key", "secret\n");
    let brought = Script::new().reply(brought.write(".gitattributes", pattern));
    for (script, files) in [
        (&known, &[(".gitattributes", pattern)][..]),
        (&brought, &[]),
    ] {
        let step = format!("{}**on_fail:** abort\n", agent("Work", "x.key"));
        let project = repository(script, &step, files);
        let output = project.signoff(RUN);
        output
            .assert_code(1)
            .assert_stdout_contains("`x.key` (filter `crypt`)");
        assert!(!project.exists("x.key"));
        let log = format!("log --oneline signoff/{} -- x.key", newest_run(&project));
        assert_eq!(project.git(&log), "");
    }
    // A filter that nobody has does nothing.
    let script = Script::new().reply(Reply::always().write("x.plain", "open\n"));
    let project = repository(
        &script,
        &agent("Work", "x.plain"),
        &[(".gitattributes", pattern)],
    );
    project.signoff(RUN).assert_success();
    assert_eq!(project.read("x.plain"), "open\n");
}

#[test]
fn a_contract_that_misses_what_git_ignores_is_explained() {
    let script = Script::new()
        .reply(Reply::when(["the attempt changed `out`"]).write("app", "x\n"))
        .reply(Reply::always().write("out/app", "x\n").write("made", "x\n"));
    let step =
        agent("Work", "out/app").replace("test -s out/app", "test -s out/app || test -s app");
    let step = format!("{step}**on_fail:** retry(1), then abort\n");
    let project = repository(&script, &step, &[(".gitignore", "out/\n.env\n")]);
    // What the run's tree is made usable with is nobody's work.
    let config = project.read(".signoff/config.toml");
    let config = config.replace("[run]\n", "[run]\ncopy = [\".env\"]\n");
    project
        .write(".env", "mine\n")
        .write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let output = project.signoff(RUN);
    let said = "the attempt changed `out`, which is not versioned";
    output.assert_success().assert_stderr_contains(said);
    assert!(project.exists("app") && !project.exists("out"));
}

#[test]
fn without_its_branch_a_run_does_not_go_on() {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["again"]).write("y", "y\n"))
        .reply(Reply::always().say("no"));
    let step = format!("{}**on_fail:** escalate\n", agent("Work", "y"));
    let project = repository(&script, &step, &[]);
    assert_ne!(project.signoff(RUN).code, Some(0));
    let run = newest_run(&project);
    let starts = || Ledger::read(project.outside("ledger")).started().len();
    let before = starts();
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("something waits");
    let answer = ["answer", item, "retry", "--note", "again"];
    project.signoff(answer).assert_success();
    let head = project.git(&format!("rev-parse signoff/{run}"));
    project.git(&format!("branch -qD signoff/{run}"));
    let repair = format!("branch signoff/{run} {head}");
    project
        .signoff(["resume"])
        .assert_code(5)
        .assert_stderr_contains(&format!("`git {repair}` restores it"));
    assert_eq!(starts(), before);
    project.git(&repair);
    project.signoff(["resume"]).assert_success();
    assert!(project.exists("y"));
}

/// As an editable install does it: an ignored file names the checkout by its absolute path. A contract follows it to the
/// tree that it judges; it would hold on the checkout, which the second step has not changed.
#[test]
fn an_absolute_path_to_the_checkout_leads_to_the_tree_that_is_judged() {
    let script = Script::new()
        .reply(Reply::when(["Make it two"]).write("lib.txt", "two\n"))
        .reply(Reply::when(["Break it"]).write("lib.txt", "broken\n"));
    let contract = |line: &str| {
        format!(
            "**target:** coder\n**contract:**\n```shell\n{line} \"$(cat .venv/where)/lib.txt\"\n```\nexit_code == 0\n**on_fail:** abort\n"
        )
    };
    let two = contract("grep two") + "**task:**\nMake it two.\n";
    let broken = contract("! grep broken") + "**task:**\nBreak it.\n**depends_on:** 1\n";
    let project = project(&script, &plan(&[&two, &broken])).on_trees();
    project.write("lib.txt", "one\n");
    project.write(".venv/where", &project.path().to_string_lossy());
    project.write(".gitignore", ".venv\n");
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
        .signoff(["run", "plan.md", "--isolation", "worktree"])
        .assert_code(1);
    let status = project.json(["status"]);
    assert_eq!(status["steps"][0]["evidence"], "proved", "{status:#}");
    assert_eq!(status["steps"][1]["status"], "failed", "{status:#}");
}

/// As `python -m venv` makes it. That of the checkout is there for contracts although no tree knows its rules; that of an
/// agent is there for later work, and for nothing else.
#[test]
fn a_directory_that_ignores_itself_is_no_work() {
    let script = Script::new()
        .reply(
            Reply::when(["Make it"])
                .write("env/.gitignore", "# made by a tool\n*\n")
                .write("env/tool", "theirs\n")
                .write("one.txt", "one\n"),
        )
        .reply(
            Reply::when(["Use it"])
                .wait_for("env/tool")
                .wait_for(".venv/tool")
                .remove("env/.gitignore")
                .write("env/more", "more\n")
                .write("two.txt", "two\n"),
        );
    let contract = |line: &str| {
        format!(
            "**target:** coder\n**contract:**\n```shell\n{line} && test -f .venv/tool && test ! -e env\n```\n**on_fail:** abort\n"
        )
    };
    let one = contract("test -f one.txt") + "**task:**\nMake it.\n";
    let two = contract("test -f two.txt") + "**task:**\nUse it.\n**depends_on:** 1\n";
    let files = [(".venv/.gitignore", "*\n"), (".venv/tool", "mine\n")];
    let project = project(&script, &plan(&[&one, &two])).on_trees();
    for (path, text) in files {
        project.write(path, text);
    }
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(RUN).assert_success();
    let status = project.json(["status"]);
    for step in 0..2 {
        assert_eq!(status["steps"][step]["evidence"], "proved", "{status:#}");
    }
    assert!(project.exists("two.txt"));
    assert!(!project.exists("env"));
    assert_eq!(project.read(".venv/tool"), "mine\n");
}
