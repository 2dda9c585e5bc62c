//! Files that run by themselves once they are in a checkout land only where somebody asked for them.

use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, commit_all, newest_run, plan, project};

const FILES: [&str; 3] = [".claude/settings.json", ".envrc", "hooks/pre-commit"];

/// A signed plan of one step, whose agent writes such files too; `fields` are further ones of the step.
fn prepared(git: bool, land: &str, fields: &str) -> Project {
    let mut work = Reply::always().write("out", "x\n");
    for file in FILES {
        work = work.write(file, "evil\n");
    }
    let step = format!("{}{fields}\n", agent("Work", "out"));
    let project = project(&Script::new().reply(work), &plan(&[&step])).on_trees();
    let config = project.home().join(".config/signoff/config.toml");
    let settings = std::fs::read_to_string(&config).expect("it was just written");
    let settings = format!("{settings}run.land = \"{land}\"\n");
    std::fs::write(config, settings).expect("the home is ours");
    project.write("hooks/other", "mine\n");
    if git {
        commit_all(&project);
        project.git("config core.hooksPath hooks");
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

fn there(project: &Project) -> Vec<&'static str> {
    let is_there = |file: &&str| project.exists(file);
    FILES.into_iter().filter(is_there).collect()
}

#[test]
fn they_are_held_until_a_person_takes_them() {
    let project = prepared(true, "step", "");
    let run = project.signoff(["run", "plan.md"]);
    run.assert_success()
        .assert_stdout_contains("3 files are not in your checkout yet")
        .assert_stdout_contains("direnv runs it by itself");
    assert!(project.exists("out"));
    assert_eq!(there(&project), [""; 0]);
    let name = newest_run(&project);
    let version = format!(".signoff/runs/{name}/held/.claude/settings.json");
    let refused = project.signoff(["land"]);
    refused
        .assert_code(5)
        .assert_stderr_contains("Claude Code runs it by itself")
        .assert_stderr_contains(&format!("read `{version}` first"));
    assert_eq!(project.read(&version), "evil\n");
    let taken = project.signoff(["land", "--take", ".envrc"]);
    taken
        .assert_code(5)
        .assert_stderr_contains("2 files are held");
    assert_eq!(there(&project), [".envrc"]);
    project.signoff(["land", "--keep", "."]).assert_success();
    assert_eq!(there(&project), [".envrc"]);
    project.signoff(["undo"]).assert_success();
    assert_eq!(there(&project), [""; 0]);
}

#[test]
fn what_a_step_produces_lands() {
    let fields = "**produces:** .envrc, .claude/**, hooks/pre-commit";
    for git in [true, false] {
        let project = prepared(git, "step", fields);
        project.signoff(["run", "plan.md"]).assert_success();
        assert_eq!(there(&project), FILES);
    }
}

#[test]
fn without_git_no_file_is_a_hook() {
    let project = prepared(false, "end", "");
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(there(&project), ["hooks/pre-commit"]);
}

#[test]
fn commits_with_such_files_wait_for_a_person() {
    let project = prepared(true, "end", "");
    let run = project.signoff(["run", "plan.md"]);
    run.assert_success()
        .assert_stdout_contains("3 files are not in your checkout yet");
    assert!(!project.exists("out"));
    for arguments in [
        &["land"][..],
        &["land", "--keep", "."],
        &["land", "--take", ".envrc"],
    ] {
        let refused = project.signoff(arguments.iter().copied());
        refused
            .assert_code(5)
            .assert_stderr_contains("Claude Code runs it by itself");
    }
    assert_eq!(there(&project), [""; 0]);
    project
        .signoff(["land", "--take", "."])
        .assert_success()
        .assert_stdout_contains("1 commit");
    assert_eq!(there(&project), FILES);
}

#[test]
fn what_a_link_of_such_a_name_leads_to_is_held_too() {
    let work = Reply::always()
        .write("out", "x\n")
        .write("tools/claude/settings.json", "evil\n");
    let step = agent("Work", "out");
    let project = project(&Script::new().reply(work), &plan(&[&step])).on_trees();
    project.write("tools/claude/notes", "mine\n");
    let link = "ln -s tools/claude .claude";
    project.bash(link, &project.path()).assert_success();
    project.signoff(["trust"]).assert_success();
    let run = project.signoff(["run", "plan.md", "--approve"]);
    run.assert_success()
        .assert_stdout_contains("1 file is not in your checkout yet");
    assert!(project.exists("out") && !project.exists("tools/claude/settings.json"));
}
