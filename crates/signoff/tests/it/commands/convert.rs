//! `convert` and `fmt` with the real binary.

use signoff_testkit::Project;

use crate::support::BINARY;

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Tidy up\n\n## Steps\n\n### 1. Write\n\n**id:** write\n**target:** coder\n**task:** Write notes.txt.\n**contract:**\n```shell\ntest -s notes.txt\n```\nexit_code == 0\n\n### 2. Look\n\n**id:** look\n**target:** coder\n**task:** Read it again.\n**contract:**\n```shell\ngrep -q done notes.txt\n```\nexit_code == 0\n";

const TOOLS: &str = r#"{"steps": [
  {"id": "list", "tool": "list_files", "args": {"path": "."}},
  {"id": "show", "tool": "read_file", "args": {"path": "notes.txt"}, "dependsOn": ["list"]}
]}
"#;

fn project() -> Project {
    let project = Project::new(BINARY);
    project.write("plan.md", PLAN).write("tools.json", TOOLS);
    project.write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = \"command\"\ncommand = [\"cat\"]\n",
    );
    project
}

#[test]
fn a_plan_says_the_same_in_every_dialect_that_can_hold_it() {
    let project = project();
    for (dialect, target) in [("workunit", "w.md"), ("thread", "t"), ("record", "r.yaml")] {
        // Only the native dialect has an owner.
        let args = [
            "convert", "plan.md", "--to", dialect, "-o", target, "--lossy",
        ];
        let output = project.signoff(args);
        output
            .assert_success()
            .assert_stderr_contains("its digest is the same");
        project
            .signoff(["diff", "plan.md", target])
            .assert_success();
        project.signoff(["fmt", "--check", target]).assert_success();
        // And back again.
        let back = format!("from-{dialect}.md");
        project
            .signoff([
                "convert", target, "--to", "workunit", "-o", &back, "--lossy",
            ])
            .assert_success();
        project.signoff(["diff", "plan.md", &back]).assert_success();
    }
}

#[test]
fn what_a_dialect_cannot_hold_is_listed_and_refused() {
    let project = project();
    let output = project.signoff(["convert", "plan.md", "--to", "toolplan"]);
    output
        .assert_code(1)
        .assert_stderr_contains("`toolplan` cannot hold everything in plan.md")
        .assert_stderr_contains("step `write`")
        .assert_stderr_contains("step `look`")
        .assert_stderr_contains("--lossy");
    assert_eq!(output.stdout, "");
    // Without its agent, and without a contract, nothing is left of a step.
    let step = "### 3. More\n\n**target:** coder\n**task:** More.\n";
    project.write("more.md", &format!("{PLAN}\n{step}"));
    for (plan, dialect, target, worth) in [
        ("plan.md", "toolplan", "x.json", "it must be signed again"),
        ("plan.md", "proposal", "x.md", "it must be signed again"),
        ("more.md", "toolplan", "y.json", "nobody can sign it"),
    ] {
        project
            .signoff(["convert", plan, "--to", dialect, "--lossy", "-o", target])
            .assert_success()
            .assert_stderr_contains("left out:")
            .assert_stderr_contains(worth);
        project.signoff(["fmt", "--check", target]).assert_success();
    }
    let shape = project
        .signoff([
            "convert", "plan.md", "--to", "toolplan", "--lossy", "--format", "json",
        ])
        .assert_success()
        .json();
    assert_eq!(shape["schema"], "signoff.convert/1");
    assert_ne!(shape["losses"], serde_json::json!([]));
    assert_ne!(shape["digest"], shape["new_digest"]);
}

#[test]
fn what_agents_are_told_is_kept_and_a_missing_title_filled_in() {
    let project = project();
    let record = "id: deploy\ntitle: Deploy\ntask: Deploy it\nstatus: draft\nversion: 1\n\
        metadata: {constraints: [No new dependency]}\nsteps:\n- {index: 0, title: A, description: Do it, \
        suggestedAgent: coder, contract: test -s a}\n";
    project.write("r.yaml", record);
    project.write("untitled.yaml", &record.replace("title: Deploy\n", ""));
    project
        .signoff(["convert", "r.yaml", "--to", "workunit", "-o", "w.md"])
        .assert_success()
        .assert_stderr_contains("its digest is the same");
    assert!(project.read("w.md").contains("\nbriefing: record\n"));
    project
        .signoff(["convert", "untitled.yaml", "--to", "workunit", "-o", "u.md"])
        .assert_success()
        .assert_stderr_contains("filled in: `title` of the plan")
        .assert_stderr_contains("it must be signed again");
    project.signoff(["verify", "u.md"]).assert_success();
}

#[test]
fn a_field_that_was_not_understood_would_be_lost() {
    let project = project();
    project.write(
        "plan.md",
        &PLAN.replace("**id:** write\n", "**id:** write\n**colour:** red\n"),
    );
    project
        .signoff(["convert", "plan.md", "--to", "record"])
        .assert_code(1)
        .assert_stderr_contains("colour");
}

#[test]
fn an_uncertain_plan_is_not_converted() {
    let project = project();
    project.write("plan.md", &PLAN.replace("exit_code == 0", "exit_code = 0"));
    project
        .signoff(["convert", "plan.md", "--to", "record"])
        .assert_code(1)
        .assert_stderr_contains("cannot be converted")
        .assert_stderr_contains("signoff verify plan.md");
}

#[test]
fn it_is_printed_or_written_and_nothing_is_replaced() {
    let project = project();
    let printed = project.signoff(["convert", "tools.json", "--to", "workunit"]);
    printed.assert_success();
    project
        .signoff([
            "convert",
            "tools.json",
            "--to",
            "workunit",
            "-o",
            "out/r.md",
        ])
        .assert_success();
    assert_eq!(project.read("out/r.md"), printed.stdout);
    project.write("out/r.md", "mine\n");
    let again = [
        "convert",
        "tools.json",
        "--to",
        "workunit",
        "-o",
        "out/r.md",
    ];
    project
        .signoff(again)
        .assert_code(5)
        .assert_stderr_contains("--force");
    assert_eq!(project.read("out/r.md"), "mine\n");
    project
        .signoff([&again[..], &["--force"]].concat())
        .assert_success();
    assert_eq!(project.read("out/r.md"), printed.stdout);
}

#[test]
fn a_thread_needs_a_directory_of_its_own() {
    let project = project();
    project
        .signoff(["convert", "plan.md", "--to", "thread", "--lossy"])
        .assert_code(2)
        .assert_stderr_contains("-o DIRECTORY");
    let args = ["convert", "plan.md", "--to", "thread", "-o", "t", "--lossy"];
    project.signoff(args).assert_success();
    project.signoff(args).assert_code(5);
    project.write("t/tasks/99-mine.md", "---\nid: mine\n---\n\nKeep.\n");
    project
        .signoff([&args[..], &["--force"]].concat())
        .assert_code(5)
        .assert_stderr_contains("t/tasks/99-mine.md");
    let shape = project.json(["convert", "plan.md", "--to", "thread", "--lossy"]);
    assert_eq!(shape["files"][0]["path"], "plan.md");
}

#[test]
fn formatting_changes_the_form_and_nothing_else() {
    let project = project();
    let untidy = PLAN
        .replace("## Steps\n\n", "## Steps\n\n\n\n")
        .replace("**id:** write\n", "**id:**   write\n");
    project
        .write("plans/a.md", &untidy)
        .write("plans/b.md", PLAN);
    project
        .signoff(["fmt", "plans", "--check"])
        .assert_code(1)
        .assert_stdout_contains("would change plans/a.md");
    assert_eq!(project.read("plans/a.md"), untidy);
    let before = project.json(["show", "plans/a.md"])["digest"].clone();
    project
        .signoff(["fmt", "plans"])
        .assert_success()
        .assert_stdout_contains("changed plans/a.md");
    assert_eq!(project.json(["show", "plans/a.md"])["digest"], before);
    project
        .signoff(["fmt", "plans", "--check"])
        .assert_success();
    let shape = project.json(["fmt", "plans", "--check"]);
    assert_eq!(shape["schema"], "signoff.fmt/1");
    assert_eq!(shape["changed"], serde_json::json!([]));
    assert_eq!(
        shape["unchanged"],
        serde_json::json!(["plans/a.md", "plans/b.md"])
    );
    let printed = project.signoff_with_input(["fmt", "-"], &untidy);
    assert_eq!(printed.assert_success().stdout, project.read("plans/a.md"));
}

#[test]
fn the_files_of_a_thread_are_formatted_each_on_its_own() {
    let project = project();
    project
        .write("t/plan.md", "---\ntitle: Tidy up\n---\n\nWhy.\n")
        .write("t/tasks/01-a.md", "---\nid: a\n---\n\nDo it.   \n");
    project
        .signoff(["fmt", "t"])
        .assert_success()
        .assert_stdout_contains("changed t/tasks/01-a.md")
        .assert_stdout_lacks("t/plan.md");
    assert_eq!(
        project.read("t/tasks/01-a.md"),
        "---\nid: a\n---\n\nDo it.\n"
    );
    project.signoff(["fmt", "t", "--check"]).assert_success();
}

#[test]
fn what_cannot_be_formatted_is_left_alone_and_the_rest_is_not() {
    let project = project();
    let broken = "---\ntype: plan\nowner: [me\n---\n\n# A\n";
    project.write("plans/a.md", broken).write(
        "plans/b.md",
        &PLAN.replace("## Steps\n\n", "## Steps\n\n\n\n"),
    );
    project
        .signoff(["fmt", "plans/a.md", "plans/b.md", "gone.md"])
        .assert_code(2)
        .assert_stderr_contains("skipped plans/a.md")
        .assert_stderr_contains("gone.md")
        .assert_stdout_contains("changed plans/b.md");
    assert_eq!(project.read("plans/a.md"), broken);
}
