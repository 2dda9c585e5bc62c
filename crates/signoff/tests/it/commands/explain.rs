//! `explain`, `man` and the pages in docs/checks, which are made from the same text.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_plan::diagnostic::Code;
use signoff_testkit::Project;

use crate::support::BINARY;

#[test]
fn a_page_says_what_why_and_what_instead() {
    let project = Project::new(BINARY);
    let output = project.signoff(["explain", "contract-vacuous"]);
    output
        .assert_success()
        .assert_stdout_contains("contract-vacuous\n")
        .assert_stdout_contains("warning\n")
        .assert_stdout_contains("Why\n")
        .assert_stdout_contains("Instead\n")
        .assert_stdout_lacks("```");
    for typed in [
        "error[contract-vacuous]:",
        "CONTRACT_VACUOUS",
        "[contract-vacuous]",
    ] {
        assert_eq!(project.signoff(["explain", typed]).stdout, output.stdout);
    }
    project
        .signoff(["explain", "contract-vacous"])
        .assert_code(2)
        .assert_stderr_contains("did you mean `contract-vacuous`?");
    project
        .signoff(["explain", "nonsense-of-mine"])
        .assert_code(2);
}

#[test]
fn all_codes_are_listed() {
    let project = Project::new(BINARY);
    let list = project.signoff(["explain"]);
    list.assert_success();
    let shape = project.json(["explain"]);
    assert_eq!(shape["schema"], "signoff.checks/1");
    let checks = shape["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), Code::ALL.len());
    for (check, code) in checks.iter().zip(Code::ALL) {
        assert_eq!(check["code"], code.as_str());
        list.assert_stdout_contains(code.as_str());
    }
    let one = project.json(["explain", "unknown-field"]);
    assert_eq!(one["checks"][0]["severity"]["thread"], "error");
    assert_eq!(one["checks"][0]["severity"]["workunit"], "warning");
}

fn docs() -> PathBuf {
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    Path::new(&package).join("../../docs/checks")
}

// That the pages print what they say is tested with all other pages, in `docs.rs`.
#[test]
fn every_code_has_a_page_with_a_plan_that_shows_it() {
    let mut missing = Vec::new();
    for code in Code::ALL {
        let path = docs().join(format!("{code}.md"));
        let Ok(page) = fs::read_to_string(&path) else {
            missing.push(format!("{code}: no page"));
            continue;
        };
        for part in [
            &format!("# {code}\n"),
            "## Why\n",
            "## Example\n",
            "## Instead\n",
            "## Shown\n",
        ] {
            if !page.contains(part) {
                missing.push(format!("{code}: no `{}`", part.trim_end()));
            }
        }
        let shown = page.split("## Shown\n").nth(1).unwrap_or_default();
        if !shown.contains(&format!("[{code}]")) {
            missing.push(format!("{code}: its plan does not show it"));
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let project = Project::new(BINARY);
    let page = project.signoff(["man"]);
    page.assert_success()
        .assert_stdout_contains(".TH SIGNOFF 1  \"signoff ")
        .assert_stdout_contains("signoff\\-verify(1)");
    project
        .signoff(["man", "verify"])
        .assert_success()
        .assert_stdout_contains("\\-\\-deny")
        .assert_stdout_contains(".TH SIGNOFF-VERIFY 1  \"signoff ")
        .assert_stdout_contains("[OPTIONS] <PATH>...");
    project
        .signoff(["man", "--dir", "man1"])
        .assert_success()
        .assert_stderr_contains("man1");
    for name in ["signoff", "signoff-graph", "signoff-convert"] {
        assert!(
            project
                .read(format!("man1/{name}.1"))
                .contains(".SH SYNOPSIS")
        );
    }
    assert!(!project.exists("man1/signoff-scripted-agent.1"));
    project
        .signoff(["man", "nonsense"])
        .assert_code(2)
        .assert_stderr_contains("signoff --help");
}

#[test]
fn completions_know_the_new_commands() {
    let project = Project::new(BINARY);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = project.signoff(["completions", shell]);
        for command in ["convert", "explain", "fmt", "graph", "diff", "new", "man"] {
            output.assert_stdout_contains(command);
        }
    }
}
