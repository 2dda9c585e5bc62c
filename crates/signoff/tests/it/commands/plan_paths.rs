//! What `verify` and its siblings find under the paths they are given, with the real binary.

use signoff_testkit::Project;

use crate::support::{BINARY, write_thread};

/// A plan of one check.
fn good() -> String {
    plan("")
}

fn plan(frontmatter: &str) -> String {
    format!(
        "---\ntype: plan\nstatus: draft\nowner: me\n{frontmatter}---\n\n# A plan\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```sh\ntest -e x\n```\n"
    )
}

/// A record of one step.
const RECORD: &str =
    "id: a\ntask: Do it\nsteps:\n  - index: 0\n    description: First\n    dependsOn: []\n";

fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new(BINARY);
    for (name, text) in files {
        project.write(name, text);
    }
    project
}

#[test]
fn a_file_is_checked_once_however_it_is_named() {
    let text = plan("id: nightly\n");
    let project = project(&[("plans/a.md", &text)]);
    project.bash("ln -s plans/a.md link.md", &project.path());
    let output = project.signoff(["verify", "plans/a.md", "./plans/a.md", "link.md", "plans"]);
    output
        .assert_success()
        .assert_stderr_contains("verified: plans/a.md");
    assert_eq!(output.stderr.lines().count(), 1, "{output}");
}

#[test]
fn a_slip_does_not_hide_a_plan_in_a_directory() {
    let typed = |kind: &str| good().replace("type: plan", kind);
    for (name, text) in [
        ("x.md", typed("typ: plan")),
        ("x.md", typed("type: Plan")),
        ("x.md", typed("type: plna")),
        ("x.md", good().replacen("---\n", "", 1)),
        ("x.md", good().replacen("---\n", "--\n", 1)),
        ("x.yaml", RECORD.replace("    dependsOn", "\tdependsOn")),
        ("plan.md", typed("typ: plan")),
        (
            "t/tasks/01-a.md",
            "---\nid: a\nagent: b\n---\n\nDo it.\n".to_owned(),
        ),
    ] {
        let project = project(&[("plans/good.md", &good())]);
        project.write(format!("plans/{name}"), &text);
        let output = project.signoff(["verify", "plans"]);
        output
            .assert_code(1)
            .assert_stderr_contains("verified: plans/good.md")
            .assert_stderr_contains("invalid: plans/")
            .assert_stdout_contains(&format!("--> plans/{name}"));
        let formatted = project.signoff(["fmt", "plans"]);
        formatted.assert_stdout_lacks("plans/");
        assert_eq!(project.read(format!("plans/{name}")), text);
    }
}

#[test]
fn endings_are_known_in_capitals_too() {
    for name in ["x.MD", "x.markdown", "x.Md"] {
        let project = project(&[]);
        project.write(format!("plans/{name}"), &good());
        project
            .signoff(["verify", "plans"])
            .assert_success()
            .assert_stderr_contains(&format!("verified: plans/{name}"));
    }
    let project = project(&[("plans/x.YAML", RECORD)]);
    project
        .signoff(["verify", "plans"])
        .assert_stderr_contains("plans/x.YAML");
}

#[test]
fn a_directory_without_plans_leads_to_a_command() {
    let project = project(&[("notes/README.md", "# Only prose\n")]);
    project
        .signoff(["verify", "notes"])
        .assert_code(2)
        .assert_stderr_contains("there is no plan in notes")
        .assert_stderr_contains("`signoff new --list`");
}

#[test]
fn a_file_of_a_thread_leads_to_its_directory() {
    let project = project(&[]);
    write_thread(&project, "a b/t", "---\nid: two\n---\n\nDo it.\n");
    for file in ["a b/t/plan.md", "a b/t/tasks/01-one.md"] {
        for args in [
            &["verify"][..],
            &["show"],
            &["graph"],
            &["convert", "--to", "workunit"],
            &["diff", "a b/t"],
            &["fmt"],
        ] {
            let output = project.signoff([args, &[file]].concat());
            output
                .assert_code(2)
                .assert_stderr_contains(&format!("{file} belongs to the thread `a b/t`"))
                .assert_stderr_contains("`signoff verify 'a b/t'`");
            assert_eq!(output.stderr.lines().count(), 2, "{output}");
        }
    }
    // A plan of its own may lie there all the same.
    project.write("a b/t/tasks/own.md", &good());
    project
        .signoff(["verify", "a b/t/tasks/own.md"])
        .assert_success();
}

#[test]
fn stdin_is_read_by_every_command_and_once() {
    let project = project(&[("plan.md", &good())]);
    for args in [
        &["verify", "-"][..],
        &["show", "-"],
        &["graph", "-"],
        &["convert", "-", "--to", "record"],
        &["diff", "-", "plan.md"],
        &["diff", "plan.md", "-"],
        &["fmt", "-"],
        &["new", "--from", "-"],
    ] {
        project.signoff_with_input(args, &good()).assert_success();
    }
    for args in [["verify", "-", "-"], ["diff", "-", "-"], ["fmt", "-", "-"]] {
        project
            .signoff_with_input(args, &good())
            .assert_code(2)
            .assert_stderr_contains("stdin can be read only once");
    }
    project
        .signoff_with_input(["show", "-"], &good().replace("owner: me\n", ""))
        .assert_stderr_contains("`signoff verify -`");
}

#[test]
fn a_pipe_that_nobody_writes_into_is_refused() {
    let project = project(&[("plan.md", &good())]);
    project.bash("mkfifo pipe.md", &project.path());
    for command in ["verify", "show", "graph"] {
        project
            .signoff([command, "pipe.md"])
            .assert_code(2)
            .assert_stderr_contains("pipe.md: this is not a file");
    }
    let line = format!("{BINARY} diff <(cat plan.md) plan.md");
    project.bash(&line, &project.path()).assert_success();
}

#[test]
fn hints_can_be_typed_as_they_are() {
    let broken = good().replace("**contract:**", "**depends_on:** 7\n**contract:**");
    let project = project(&[("with space.md", &broken)]);
    project.signoff(["init"]).assert_success();
    for command in ["show", "graph", "approve"] {
        project
            .signoff([command, "with space.md"])
            .assert_stderr_contains("`signoff verify 'with space.md'`");
    }
}

#[test]
fn every_dialect_is_found_in_a_directory() {
    let project = project(&[
        ("plans/a.md", &good()),
        ("plans/notes.md", "# Only prose\n"),
        ("plans/package.json", "{\"name\": \"x\"}"),
        ("plans/settings.yaml", "a: 1\n"),
        (
            "plans/b.json",
            r#"{"steps": [{"id": "step_1", "tool": "read_file", "args": {"path": "a.md"}, "dependsOn": []}], "estimatedDuration": 1000}"#,
        ),
    ]);
    write_thread(&project, "plans/t", "---\nid: two\n---\n\nDo it.\n");
    let output = project.signoff(["verify", "plans"]);
    for name in ["plans/a.md", "plans/b.json", "plans/t"] {
        output.assert_stderr_contains(&format!(": {name}: "));
    }
    output.assert_stderr_contains("3 plans:");
}

#[test]
fn a_name_that_no_plan_has_leads_to_one_that_is_like_it() {
    let project = project(&[]);
    project.signoff(["init"]).assert_success();
    project.write("plan.md", &good());
    project.signoff(["propose", "plan.md"]).assert_success();
    for command in ["verify", "show", "graph", "fmt", "propose"] {
        project
            .signoff([command, "plam.md"])
            .assert_code(2)
            .assert_stderr_contains("plan `plam.md` not found")
            .assert_stderr_contains("did you mean `plan.md`?");
    }
}
