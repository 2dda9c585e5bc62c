//! What `verify` takes and how it says what it found, with the real binary.

use serde_json::Value;
use signoff_testkit::{Output, Project};

use crate::support::{BINARY, write_thread};

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
fn agents_that_could_overlap_without_trees_are_no_problem_and_said() {
    let agent = |number: u32| {
        format!(
            "### {number}. Make it\n\n**depends_on:** none\n**target:** coder\n**task:** x\n\n**contract:**\n```sh\ntest -e {number}\n```\n\n"
        )
    };
    let text = good().replace("## Steps", "**Budget:** 1h\n\n## Steps");
    let (head, _) = text.split_once("### 1.").unwrap();
    let config = "[agents.coder]\ndriver = \"command\"\ncommand = [\"cat\"]\n";
    let project = project(&[
        ("plan.md", &format!("{head}{}{}", agent(1), agent(2))),
        (".signoff/config.toml", config),
    ]);
    let said = |format: &str, expected: &str| {
        let line = [
            "verify", "plan.md", "--deny", "warnings", "--format", format,
        ];
        let output = project.signoff(line);
        output.assert_success().assert_stdout_contains(expected);
        output
    };
    let output = said("human", "note[agents-one-by-one]: agent steps, like");
    output.assert_stderr_contains("verified: plan.md: 2 steps, no problems, 1 note");
    said("concise", "plan.md:24:8: note[agents-one-by-one]");
    said("github", "::notice file=plan.md,line=24,col=8");
    said("sarif", r#""level":"note""#);
    let output = said("json", r#""severity":"note""#);
    assert_eq!(output.json()["warnings"], 0);
    project
        .signoff(["explain", "note[agents-one-by-one]:"])
        .assert_stdout_contains("agents-one-by-one\nnote\n");
    // No repository is needed, only what the sandbox can mount.
    std::fs::write(project.home().join(".config/signoff/config.toml"), "")
        .expect("the folder is ours");
    let output = said("concise", "");
    assert!(!output.stdout.contains("note"), "{output}");
}

#[test]
fn github_gets_annotations() {
    let project = project(&[(
        "a,b.md",
        &vacuous().replace("**contract:**", "**contarct:** 100%"),
    )]);
    let output = project.signoff(["verify", "a,b.md", "--format", "github"]);
    output.assert_stdout_contains("::error file=a%2Cb.md,line=13,col=");
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
    let location = &found["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "my%20plans/a%20b.md");
    assert_eq!(location["region"]["startLine"], 13);
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
        "b.md:5:5: error[duplicate-id]: plan id `nightly` is not unique: a.md has it too",
    );
    assert_eq!(output.stdout.lines().count(), 1, "{output}");
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

#[test]
fn a_thread_is_one_plan_and_its_problems_name_their_file() {
    let project = project(&[]);
    write_thread(
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
    write_thread(&project, "t", "---\nid: one\n---\n\nDo it again.\n");
    let output = project.signoff(["verify", "t"]);
    output
        .assert_code(1)
        .assert_stdout_contains("error[duplicate-id]")
        .assert_stdout_contains("--> t/tasks/02-two.md:2:5")
        .assert_stdout_contains("::: t/tasks/01-one.md:2:5");
}

#[test]
fn columns_and_lines_are_those_of_an_editor() {
    let faulty = plan("", "test -e x").replace("### 1. Look", "### 1. Löök\n**depends_on:** 7");
    let crlf = format!("\u{feff}{}", faulty.replace('\n', "\r\n"));
    let project = project(&[("plan.md", &faulty), ("crlf.md", &crlf)]);
    let location = |output: &Output| {
        let first = output.stdout.lines().next().unwrap_or_default();
        first
            .split_once(": error")
            .map(|(location, _)| location.to_owned())
    };
    for name in ["plan.md", "crlf.md"] {
        let output = project.signoff(["verify", name, "--format", "concise"]);
        assert_eq!(location(&output), Some(format!("{name}:12:17")), "{output}");
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
