//! What `verify` takes and how it says what it found, with the real binary.

use serde_json::Value;
use signoff_testkit::{Output, Project};

const BINARY: &str = env!("CARGO_BIN_EXE_signoff");

/// A plan of one check with this contract.
fn plan(frontmatter: &str, contract: &str) -> String {
    format!(
        "---\ntype: plan\nstatus: draft\nowner: me\n{frontmatter}---\n\n# A plan\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```sh\n{contract}\n```\n"
    )
}

fn good() -> String {
    plan("", "test -e x")
}

/// A contract that cannot fail: a warning.
fn vacuous() -> String {
    plan("", "true")
}

fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new(BINARY);
    for (name, text) in files {
        project.write(name, text);
    }
    project
}

#[test]
fn denied_warnings_are_not_called_verified() {
    let project = project(&[("plan.md", &vacuous())]);
    let check = |args: &[&str], code: i32, word: &str| {
        let output = project.signoff([&["verify", "plan.md"], args].concat());
        output.assert_code(code).assert_stderr_contains(word);
        output
    };
    check(&[], 0, "verified: plan.md: 1 step, 1 warning");
    for deny in [&["--deny", "warnings"][..], &["--deny-warnings"]] {
        let output = check(deny, 1, "denied: plan.md: 1 step, 1 warning");
        assert!(!output.stderr.contains("verified"), "{output}");
    }
    project
        .signoff(["verify", "plan.md", "--deny", "warning"])
        .assert_code(2)
        .assert_stderr_contains("warnings");
}

#[test]
fn github_gets_annotations() {
    let project = project(&[(
        "a,b.md",
        &vacuous().replace("**contract:**", "**contarct:** 100%"),
    )]);
    let output = project.signoff(["verify", "a,b.md", "--format", "github"]);
    output.assert_stdout_contains("::warning file=a%2Cb.md,line=13,col=");
    output.assert_stdout_contains("title=unknown-field::");
    for line in output.stdout.lines() {
        assert!(
            line.starts_with("::error ") || line.starts_with("::warning "),
            "{line}"
        );
    }
}

#[test]
fn sarif_names_rules_places_and_fixes() {
    let project = project(&[(
        "my plans/a b.md",
        &vacuous().replace("**contract:**", "**contarct:**"),
    )]);
    let output = project.signoff(["verify", "my plans", "--format", "sarif"]);
    let log: Value = output.json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let results = run["results"].as_array().expect("results");
    let found = results
        .iter()
        .find(|one| one["ruleId"] == "unknown-field")
        .expect("a slip");
    let place = &found["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20plans/a%20b.md");
    assert_eq!(place["region"]["startLine"], 13);
    let index = usize::try_from(found["ruleIndex"].as_u64().expect("a number")).expect("small");
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "unknown-field");
    let text =
        &found["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"];
    assert_eq!(text, "contract");
}

#[test]
fn one_path_that_cannot_be_read_keeps_no_other_from_being_checked() {
    let project = project(&[("good.md", &good()), ("bad.md", &plan("", "if"))]);
    let output = project.signoff(["verify", "gone.md", "bad.md", "good.md"]);
    output
        .assert_code(2)
        .assert_stderr_contains("gone.md")
        .assert_stderr_contains("verified: good.md")
        .assert_stderr_contains("2 plans: 1 verified, 1 invalid")
        .assert_stdout_contains("contract-syntax");
    let output = project.signoff(["verify", "gone.md", "good.md", "--format", "json"]);
    output.assert_code(2);
    assert_eq!(output.json()["errors"], 0);
    assert_eq!(output.error_json()["code"], "unreadable");
}

#[test]
fn two_plans_of_one_id_are_a_problem_of_the_second() {
    let text = plan("id: nightly\n", "test -e x");
    let project = project(&[("a.md", &text), ("b.md", &text)]);
    let output = project.signoff(["verify", "a.md", "b.md", "--format", "concise"]);
    output.assert_code(1).assert_stdout_contains(
        "b.md:5:5: error[duplicate-id]: plan id `nightly` is taken: a.md has it too",
    );
    assert_eq!(output.stdout.lines().count(), 1, "{output}");
}

#[test]
fn a_file_is_checked_once_however_it_is_named() {
    let text = plan("id: nightly\n", "test -e x");
    let project = project(&[("plans/a.md", &text)]);
    project.bash("ln -s plans/a.md link.md", &project.path());
    let output = project.signoff(["verify", "plans/a.md", "./plans/a.md", "link.md", "plans"]);
    output
        .assert_success()
        .assert_stderr_contains("verified: plans/a.md");
    assert_eq!(output.stderr.lines().count(), 1, "{output}");
}

/// A record of one step.
const RECORD: &str =
    "id: a\ntask: Do it\nsteps:\n  - index: 0\n    description: First\n    dependsOn: []\n";

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
    thread(&project, "a b/t", "---\nid: two\n---\n\nDo it.\n");
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
            .assert_stderr_contains("stdin can be read once");
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
            .assert_stderr_contains("pipe.md: this is no file");
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
fn a_dialect_can_be_forced() {
    let project = project(&[("plan.md", &good())]);
    project
        .signoff(["verify", "plan.md", "--dialect", "workunit"])
        .assert_success();
    project
        .signoff(["verify", "plan.md", "--dialect", "toolplan"])
        .assert_code(1);
    project
        .signoff(["verify", "plan.md", "--dialect", "wrkunit"])
        .assert_code(2)
        .assert_stderr_contains("workunit");
    for args in [
        &["show", "plan.md"][..],
        &["graph", "plan.md"],
        &["diff", "plan.md", "plan.md"],
        &["convert", "plan.md", "--to", "record"],
        &["fmt", "--check", "plan.md"],
    ] {
        project
            .signoff([args, &["--dialect", "workunit"]].concat())
            .assert_success();
        let output = project.signoff([args, &["--dialect", "toolplan"]].concat());
        let plain = project.signoff(args);
        assert_ne!(
            (&output.stdout, &output.stderr),
            (&plain.stdout, &plain.stderr),
            "{args:?}"
        );
    }
}

fn thread(project: &Project, directory: &str, second: &str) {
    project
        .write(
            format!("{directory}/plan.md"),
            "---\ntitle: A thread\n---\n\nWhy.\n",
        )
        .write(
            format!("{directory}/tasks/01-one.md"),
            "---\nid: one\n---\n\nDo one thing.\n",
        )
        .write(format!("{directory}/tasks/02-two.md"), second);
}

#[test]
fn a_thread_is_one_plan_and_its_problems_name_their_file() {
    let project = project(&[]);
    thread(
        &project,
        "plans/t",
        "---\nid: two\ndepends_on: [oen]\n---\n\nDo it.\n",
    );
    for path in ["plans/t", "plans"] {
        let output = project.signoff(["verify", path, "--format", "concise"]);
        output
            .assert_code(1)
            .assert_stdout_contains("plans/t/tasks/02-two.md:3:14: error[unknown-dependency]");
    }
    let human = project.signoff(["verify", "plans/t"]);
    human
        .assert_stdout_contains("--> plans/t/tasks/02-two.md:3:14")
        .assert_stdout_contains("did you mean `one`?");
    let json = project
        .signoff(["verify", "plans/t", "--format", "json"])
        .json();
    let files: Vec<&Value> = json["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .filter(|one| one["code"] == "unknown-dependency")
        .map(|one| &one["file"])
        .collect();
    assert_eq!(files, ["plans/t/tasks/02-two.md"]);
}

#[test]
fn what_a_problem_refers_to_in_another_file_is_shown_there() {
    let project = project(&[]);
    thread(&project, "t", "---\nid: one\n---\n\nDo it again.\n");
    let output = project.signoff(["verify", "t"]);
    output
        .assert_code(1)
        .assert_stdout_contains("error[duplicate-id]")
        .assert_stdout_contains("--> t/tasks/02-two.md:2:5")
        .assert_stdout_contains("::: t/tasks/01-one.md:2:5");
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
    thread(&project, "plans/t", "---\nid: two\n---\n\nDo it.\n");
    let output = project.signoff(["verify", "plans"]);
    for name in ["plans/a.md", "plans/b.json", "plans/t"] {
        output.assert_stderr_contains(&format!(": {name}: "));
    }
    output.assert_stderr_contains("3 plans:");
}

#[test]
fn columns_and_lines_are_those_of_an_editor() {
    let faulty = plan("", "test -e x").replace("### 1. Look", "### 1. Löök\n**depends_on:** 7");
    let crlf = format!("\u{feff}{}", faulty.replace('\n', "\r\n"));
    let project = project(&[("plan.md", &faulty), ("crlf.md", &crlf)]);
    let place = |output: &Output| {
        let first = output.stdout.lines().next().unwrap_or_default();
        first
            .split_once(": error")
            .map(|(place, _)| place.to_owned())
    };
    for name in ["plan.md", "crlf.md"] {
        let output = project.signoff(["verify", name, "--format", "concise"]);
        assert_eq!(place(&output), Some(format!("{name}:12:17")), "{output}");
        project
            .signoff(["verify", name])
            .assert_stdout_contains(&format!("--> {name}:12:17"));
    }
}

#[test]
fn a_very_long_line_is_shown_in_part_only() {
    let long = "x".repeat(200_000);
    let text = good().replace(
        "### 1. Look",
        &format!("### 1. Look\n**depends_on:** {long}, 7"),
    );
    let project = project(&[("plan.md", &text)]);
    let output = project.signoff(["verify", "plan.md"]);
    output
        .assert_code(1)
        .assert_stdout_contains("plan.md:12:200019");
    assert!(output.stdout.len() < 50_000, "{}", output.stdout.len());
}
