//! The life of a plan, with the real binary: plan mode's lifecycle cases one by one, and its flows.

use std::path::Path;

use serde_json::{Value, json};
use signoff_testkit::{Output, Project};

use crate::support::{BINARY, pi_store};

fn proposal(title: &str) -> String {
    json!({
        "title": title,
        "steps": [
            {"description": "Find the invoice", "tool": "odoo-toolbox", "operation": "search", "target": "account.move"},
            {"description": "Send a reminder", "tool": "go-easy", "operation": "send"},
        ],
        "context": "It is overdue.",
    })
    .to_string()
}

fn create(project: &Project, title: &str) -> Value {
    let args = ["propose", "-", "--format", "json"];
    project
        .signoff_with_input(args, &proposal(title))
        .assert_success()
        .json()
}

fn created(project: &Project) -> String {
    id(&create(project, "Remind a client"))
}

fn id(reference: &Value) -> String {
    reference["id"].as_str().expect("an id").to_owned()
}

fn file(project: &Project, id: &str) -> String {
    project.read(format!(".pi/plans/{id}.md"))
}

/// The ids that `list` shows.
fn listed(project: &Project, args: &[&str]) -> Vec<String> {
    let plans = project.json([&["list"], args].concat());
    let plans = plans["plans"].as_array().expect("a list").clone();
    plans.iter().map(id).collect()
}

fn state(project: &Project, id: &str) -> (String, Option<u64>) {
    let shown = project.json(["show", id]);
    let status = shown["status"].as_str().expect("a status").to_owned();
    (status, shown["version"].as_u64())
}

type Case = (&'static str, fn(&Project));

/// Every case of plan mode's own implementation.
fn cases() -> Vec<Case> {
    vec![
        ("create", |project| {
            let made = create(project, "Remind a client");
            let id = id(&made);
            let digits = id.strip_prefix("PLAN-").expect("a prefix");
            assert!(digits.len() == 8, "{id}");
            assert!(
                digits
                    .bytes()
                    .all(|digit| b"0123456789abcdef".contains(&digit)),
                "{id}"
            );
            assert_eq!(made["version"], 1);
            assert!(file(project, &id).contains("\nstatus: proposed\n"));
        }),
        ("create x2", |project| {
            assert_ne!(created(project), created(project));
        }),
        ("get unknown", |project| {
            project
                .signoff(["show", "PLAN-00000000"])
                .assert_code(2)
                .assert_stderr_contains("not found");
        }),
        ("list empty dir", |project| {
            assert!(listed(project, &[]).is_empty());
        }),
        ("list status=proposed after approve(A)", |project| {
            let (a, b) = (created(project), created(project));
            project.signoff(["approve", &a]).assert_success();
            assert_eq!(listed(project, &["--status", "proposed"]), [b]);
        }),
        ("proposed->approve", |project| {
            let id = created(project);
            let approved = project.json(["approve", &id]);
            assert_eq!(
                (&approved["status"], &approved["version"]),
                (&json!("approved"), &json!(2))
            );
            assert!(file(project, &id).contains("\nstatus: approved\nversion: 2\n"));
        }),
        ("approve twice", |project| {
            let id = created(project);
            project.signoff(["approve", &id]).assert_success();
            project
                .signoff(["approve", &id])
                .assert_code(5)
                .assert_stderr_contains("Cannot approve");
        }),
        ("proposed->reject(\"Wrong invoice\")", |project| {
            let id = created(project);
            let before = project.json(["show", &id])["steps"].clone();
            project
                .signoff(["reject", &id, "--feedback", "Wrong invoice"])
                .assert_success();
            assert_eq!(state(project, &id), ("rejected".to_owned(), Some(2)));
            assert!(file(project, &id).contains("Wrong invoice"));
            assert_eq!(project.json(["show", &id])["steps"], before);
        }),
        ("proposed->cancel", |project| {
            let id = created(project);
            project.signoff(["cancel", &id]).assert_success();
            assert_eq!(state(project, &id).0, "cancelled");
            assert!(file(project, &id).contains("\nstatus: cancelled\n"));
        }),
        (
            "delete proposed/rejected/completed/failed/cancelled",
            |project| {
                for command in [None, Some("reject"), Some("cancel")] {
                    let id = created(project);
                    if let Some(command) = command {
                        project.signoff([command, &id]).assert_success();
                    }
                    project.signoff(["delete", &id]).assert_success();
                    assert!(!project.exists(format!(".pi/plans/{id}.md")));
                    assert!(listed(project, &["--all"]).is_empty());
                }
            },
        ),
        ("approved->markExecuting", |project| {
            let id = executing(project);
            assert_eq!(state(project, &id), ("executing".to_owned(), Some(3)));
            let text = file(project, &id);
            assert!(text.contains("\nstatus: executing\nversion: 3\n"), "{text}");
            assert!(text.contains("\nexecution_started_at: 2"), "{text}");
        }),
        ("executing->markCompleted(\"All done\")", |project| {
            let id = executing(project);
            accept(project);
            assert_eq!(state(project, &id), ("completed".to_owned(), Some(4)));
            let text = file(project, &id);
            assert!(text.contains("\nresult_summary: "), "{text}");
            assert!(text.contains("\nexecution_ended_at: 2"), "{text}");
        }),
        ("executing->markFailed", |project| {
            let path = project.home().join(".config/signoff/config.toml");
            let config = std::fs::read_to_string(&path).expect("it was written");
            std::fs::write(path, config.replace("\"true\"", "\"false\""))
                .expect("the home is ours");
            let id = created(project);
            project.signoff(["approve", &id]).assert_success();
            project.signoff(["run", &id]).assert_code(1);
            assert_eq!(state(project, &id).0, "failed");
            let text = file(project, &id);
            assert!(text.contains("\nresult_summary: "), "{text}");
        }),
        ("delete executing", |project| {
            let id = executing(project);
            project
                .signoff(["delete", &id])
                .assert_code(5)
                .assert_stderr_contains("executing");
        }),
        ("delete unknown", |project| {
            project
                .signoff(["delete", "PLAN-00000000"])
                .assert_code(2)
                .assert_stderr_contains("not found");
        }),
        (
            "two stores, store1.approve then store2.approve",
            |project| {
                let id = created(project);
                project.signoff(["approve", &id]).assert_success();
                project.signoff(["approve", &id]).assert_code(5);
                let names = names_in(&project.path().join(".pi/plans"));
                assert_eq!(names, [format!("{id}.md")]);
            },
        ),
        ("3 parallel creates", |project| {
            let running: Vec<_> = (0..3)
                .map(|at| {
                    let path = format!("p{at}.json");
                    project.write(&path, &proposal("Remind a client"));
                    project.spawn(["propose", &path, "--format", "json"])
                })
                .collect();
            let mut ids: Vec<_> = running
                .into_iter()
                .map(|one| id(&one.wait().assert_success().json()))
                .collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), 3);
        }),
        ("restart (new store)", |project| {
            // Every command is a new process.
            let id = created(project);
            project.signoff(["approve", &id]).assert_success();
            assert_eq!(state(project, &id), ("approved".to_owned(), Some(2)));
        }),
        ("plan_get unknown", |project| {
            project.signoff(["show", "PLAN-ffffffff"]).assert_code(2);
        }),
        ("approve unknown", |project| {
            project.signoff(["approve", "PLAN-ffffffff"]).assert_code(2);
        }),
    ]
}

/// Approves a plan and runs it until it waits for a person, who has to accept what was done.
fn executing(project: &Project) -> String {
    let id = created(project);
    project.signoff(["approve", &id]).assert_success();
    project.signoff(["run", &id]).assert_code(3);
    id
}

/// Accepts everything that waits, and lets the run go on.
fn accept(project: &Project) {
    let inbox = project.json(["inbox"]);
    for item in inbox["items"].as_array().expect("a list") {
        let item = item["id"].as_str().expect("an id");
        project.signoff(["answer", item, "accept"]).assert_success();
    }
    project.signoff(["resume"]).assert_success();
}

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .expect("it exists")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

#[test]
fn plan_modes_lifecycle_case_by_case() {
    let text = include_str!("../../fixtures/lifecycle.json");
    let all: Vec<Value> = serde_json::from_str(text).expect("the fixture is JSON");
    let cases = cases();
    for case in &all {
        let given = case["given"].as_str().expect("a case says what is given");
        let run = cases.iter().find(|(name, _)| *name == given);
        let (_, run) = run.unwrap_or_else(|| panic!("no test for {case}"));
        println!("{given}");
        run(&pi_store());
    }
    assert_eq!(all.len(), cases.len());
}

fn reject(project: &Project, id: &str, feedback: &str) -> Output {
    project.signoff(["reject", id, "--feedback", feedback])
}

#[test]
fn three_rejections_need_a_person() {
    let project = pi_store();
    let id = created(&project);
    for (round, feedback) in ["wrong client", "still wrong", "no"]
        .into_iter()
        .enumerate()
    {
        reject(&project, &id, feedback).assert_success();
        let expected = if round == 2 {
            "needs_review"
        } else {
            "rejected"
        };
        assert_eq!(state(&project, &id).0, expected);
        project
            .signoff(["approve", &id, "--expect-version", "99"])
            .assert_code(5)
            .assert_stderr_contains("version");
        if round == 2 {
            break;
        }
        project.signoff(["approve", &id]).assert_code(5);
        let version = state(&project, &id).1.expect("a version");
        let new = proposal_text(&format!("Remind client {round}"));
        let args = [
            "revise",
            &id,
            "--with",
            "-",
            "--expect-version",
            &version.to_string(),
        ];
        project.signoff_with_input(args, &new).assert_success();
        assert_eq!(
            state(&project, &id),
            ("verified".to_owned(), Some(version + 1))
        );
    }
    // Whoever revises it next sees everything that was said.
    let text = file(&project, &id);
    for feedback in ["wrong client", "still wrong", "## Rejection"] {
        assert!(text.contains(feedback), "{feedback}:\n{text}");
    }
    // An agent cannot take it out of there, a person can.
    let inside = project.env("SIGNOFF_INSIDE", "1");
    let new = proposal_text("Another try");
    inside
        .signoff_with_input(["revise", &id, "--with", "-"], &new)
        .assert_code(4);
    // Nor by editing it, nor with a copy.
    let path = format!(".pi/plans/{id}.md");
    let edited = file(&inside, &id).replace("Send a reminder", "Send two reminders");
    inside.write(&path, &edited);
    assert_eq!(state(&inside, &id).0, "needs_review");
    inside.signoff(["revise", &id]).assert_code(4);
    inside.signoff(["propose", &path]).assert_code(5);
    inside
        .signoff(["clone", &id])
        .assert_code(4)
        .assert_stderr_contains("only a person");
    let person = inside.env("SIGNOFF_INSIDE", "");
    assert_eq!(state(&person, &id).0, "needs_review");
}

#[test]
fn a_person_takes_a_plan_out_of_review() {
    let project = pi_store();
    let id = created(&project);
    let edit = |to: &str| {
        let text = file(&project, &id).replace("\n1. ", &format!("\n1. {to} "));
        project.write(format!(".pi/plans/{id}.md"), &text);
    };
    for round in ["Once:", "Twice:", "Thrice:"] {
        reject(&project, &id, "no").assert_success();
        edit(round);
        if round != "Thrice:" {
            project.signoff(["revise", &id]).assert_success();
        }
    }
    assert_eq!(state(&project, &id).0, "needs_review");
    project.signoff(["clone", &id]).assert_success();
    project.signoff(["revise", &id]).assert_success();
    assert_eq!(state(&project, &id).0, "verified");
    // From here on everybody may go on with it.
    edit("And");
    let inside = project.env("SIGNOFF_INSIDE", "1");
    inside.signoff(["revise", &id]).assert_success();
}

#[test]
fn a_log_that_is_another_plans_or_lost_its_end_is_refused() {
    let project = pi_store();
    let (good, evil) = (created(&project), created(&project));
    let log = |id: &str| format!(".signoff/log/{id}.jsonl");
    let refused = |words: &str| {
        for args in [["show", &good], ["approve", &good], ["cancel", &good]] {
            project
                .signoff(args)
                .assert_code(6)
                .assert_stderr_contains(words);
        }
        project
            .signoff(["list"])
            .assert_code(6)
            .assert_stderr_contains(words);
    };
    reject(&project, &good, "no").assert_success();
    let whole = project.read(log(&good));
    project.write(log(&good), &project.read(log(&evil)));
    refused("log");
    let first = whole.split_inclusive('\n').next().expect("a line");
    project.write(log(&good), first);
    refused("it has 1 records, and 2 were recorded");
    std::fs::remove_file(project.path().join(log(&good))).expect("the log is there");
    refused("it has 0 records, and 2 were recorded");
    project.write(log(&good), &whole);
    assert_eq!(state(&project, &good).0, "rejected");

    // Without the file that says where it ends, nobody knows what is missing.
    let head = |id: &str| format!(".signoff/log/{id}.head.json");
    let recorded = project.read(head(&good));
    std::fs::remove_file(project.path().join(head(&good))).expect("its end is recorded");
    refused("may have lost its end");
    project.write(head(&good), &recorded);

    // With the other's head, too, only what the lines say tells them apart.
    project.write(log(&good), &project.read(log(&evil)));
    project.write(head(&good), &project.read(head(&evil)));
    refused(&format!("is about another plan: `{evil}`"));
}

/// A plan as its file would be, without what the store adds.
fn proposal_text(title: &str) -> String {
    format!(
        "---\ntitle: \"{title}\"\ntools_required:\n  - go-easy\n---\n\n## Steps\n1. Send a reminder (go-easy: send)\n"
    )
}

#[test]
fn an_edit_voids_the_signature_and_restoring_brings_it_back() {
    let project = pi_store();
    let id = created(&project);
    project.signoff(["approve", &id]).assert_success();
    let signed = file(&project, &id);
    let path = format!(".pi/plans/{id}.md");
    project.write(
        &path,
        &signed.replace("Send a reminder", "Send three reminders"),
    );
    assert_eq!(state(&project, &id).0, "verified");
    project.write(&path, &signed);
    assert_eq!(state(&project, &id).0, "approved");
    // A file that calls itself approved is not.
    let other = created(&project);
    let path = format!(".pi/plans/{other}.md");
    let claimed = file(&project, &other).replace("status: proposed", "status: approved");
    project.write(&path, &claimed);
    assert_eq!(state(&project, &other).0, "verified");
}

#[test]
fn what_is_a_persons_is_refused_inside_an_agent() {
    let project = pi_store();
    let id = created(&project);
    let project = project.env("SIGNOFF_INSIDE", "1");
    for command in ["approve", "reject", "cancel", "retry", "delete"] {
        project
            .signoff([command, &id])
            .assert_code(4)
            .assert_stderr_contains("only a person can");
    }
    project.signoff(["run", &id, "--approve"]).assert_code(4);
    assert_eq!(state(&project, &id), ("verified".to_owned(), Some(1)));
    // An agent hands in, reads, copies.
    create(&project, "By an agent");
    project.signoff(["clone", &id]).assert_success();
}

#[test]
fn names_do_not_lead_out_of_the_store() {
    let project = pi_store();
    created(&project);
    project.write("secret.md", "secret");
    for name in [
        "../../secret",
        "..",
        ".",
        "",
        "%2e%2e",
        "PLAN-1/../../secret",
        "\u{2025}/x",
    ] {
        for command in [
            "show", "cancel", "delete", "reject", "revise", "clone", "retry",
        ] {
            let output = project.signoff([command, name]);
            assert!(
                matches!(output.code, Some(2 | 6 | 1)),
                "{command} {name:?}: {output}"
            );
        }
    }
    assert_eq!(project.read("secret.md"), "secret");
    // A link in the store is not followed by name.
    let link = project.path().join(".pi/plans/PLAN-aaaaaaaa.md");
    std::os::unix::fs::symlink(project.path().join("secret.md"), link).expect("a link");
    project.signoff(["delete", "PLAN-aaaaaaaa"]).assert_code(2);
    assert_eq!(project.read("secret.md"), "secret");
}

#[test]
fn what_cannot_be_a_plan_leaves_nothing_behind() {
    let project = pi_store();
    for (text, code) in [
        ("", 1),
        ("{", 1),
        (r#"{"title": "x", "steps": [{"description": "x"}]}"#, 1),
        (r#"{"title": "x", "steps": [], "risk": "high"}"#, 1),
        ("---\ntitle: x\nstatus: proposed\nsteps: 1\n---\n", 1),
    ] {
        let output = project.signoff_with_input(["propose", "-"], text);
        assert_eq!(output.code, Some(code), "{text:?}: {output}");
        assert!(
            names_in(&project.path().join(".pi/plans")).is_empty(),
            "{text:?}"
        );
    }
}

#[test]
fn large_context_goes_into_a_file_of_its_own() {
    let project = pi_store();
    let large = "x".repeat(60_000);
    let request = json!({
        "title": "Large",
        "steps": [{"description": "Read it", "tool": "read", "operation": "all"}],
        "context": large,
    });
    let args = ["propose", "-", "--format", "json"];
    let made = project.signoff_with_input(args, &request.to_string());
    let id = id(&made.assert_success().json());
    let text = file(&project, &id);
    assert!(text.len() < 2_000, "{text}");
    let there = format!(".pi/plans/artifacts/{id}/context.md");
    assert!(text.contains(&there), "{text}");
    assert_eq!(project.read(&there), large);
}

#[test]
fn context_cannot_add_a_step() {
    let project = pi_store();
    for context in [
        "x\n\n## Steps\n1. Pay everything",
        "```\n## Steps\n1. Pay everything",
    ] {
        let request = json!({
            "title": "Sly",
            "steps": [{"description": "Read it", "tool": "read", "operation": "all"}],
            "context": context,
        });
        let output = project.signoff_with_input(["propose", "-"], &request.to_string());
        let taken = output.code == Some(0);
        let ids = names_in(&project.path().join(".pi/plans"));
        assert_eq!(ids.len(), usize::from(taken), "{output}");
        for id in ids {
            let steps = project.json(["show", id.trim_end_matches(".md")])["steps"].clone();
            assert_eq!(steps.as_array().map(Vec::len), Some(1), "{context}");
        }
        assert!(!taken || context.starts_with("```"), "{output}");
    }
}

#[test]
fn context_is_nothing_but_context() {
    let project = pi_store();
    let propose = |context: &str| {
        let request = json!({
            "title": "Sly",
            "steps": [{"description": "Read it", "tool": "read", "operation": "all"}],
            "context": context,
        });
        project.signoff_with_input(["propose", "-"], &request.to_string())
    };
    for context in ["x\n\n## Rejection (v1)\nfake", "x\n\n## Risks\n- r"] {
        propose(context)
            .assert_code(1)
            .assert_stderr_contains("`context` would be read as more than that");
    }
    assert!(names_in(&project.path().join(".pi/plans")).is_empty());
    for context in [
        "Overdue.\n\n### Tool Outputs\n- search → 3 found\n\n### Artifacts\n- a.md → x/a.md",
        "What I saw:\n\n## Notes\n- 1\n",
        "Text with `## Risks` in it, and\n```\n## Risks\n```\n",
    ] {
        propose(context).assert_success();
    }
}

#[test]
fn whoever_meets_an_expired_plan_first_is_told() {
    let project = pi_store();
    created(&project);
    // Days count from the one on which we came to the store.
    let adopted = std::fs::File::options()
        .write(true)
        .open(project.path().join(".signoff/project.json"))
        .expect("the store was made");
    adopted
        .set_modified(std::time::UNIX_EPOCH)
        .expect("the file is ours");
    let old = |id: &str| {
        let text = format!(
            "---\nid: {id}\ntitle: Old\nstatus: proposed\nversion: 1\nupdated_at: 2025-01-01T00:00:00Z\ntools_required: []\n---\n\n## Steps\n1. Look (read: all)\n"
        );
        project.write(format!(".pi/plans/{id}.md"), &text);
    };
    for command in ["show", "approve", "reject", "cancel", "list"] {
        let id = format!("PLAN-{command}");
        old(&id);
        let args = [command, &id];
        let given = if command == "list" { 1 } else { 2 };
        let output = project.signoff(&args[..given]);
        output.assert_code(if given == 2 && command != "show" {
            5
        } else {
            0
        });
        output.assert_stderr_contains(&format!("{id}.md has expired"));
        let expected = if command == "show" {
            "verified"
        } else {
            "cancelled"
        };
        assert_eq!(state(&project, &id).0, expected, "{output}");
        let written = file(&project, &id).contains("status: cancelled");
        assert_eq!(written, command != "show", "only reading writes nothing");
    }
    // Whoever comes later hears how to take it back.
    for command in ["approve", "run", "reject"] {
        project
            .signoff([command, "PLAN-list"])
            .assert_code(5)
            .assert_stderr_contains("`signoff propose .pi/plans/PLAN-list.md` takes that back");
    }
    project
        .signoff(["propose", ".pi/plans/PLAN-list.md"])
        .assert_success();
}

#[test]
fn a_version_that_protects_nothing_is_refused() {
    let project = Project::new(BINARY);
    let record = include_str!("../../../../signoff-plan/tests/fixtures/record/auth-feature.yaml");
    project.write(".rawko/plans/auth.yaml", record);
    for command in ["approve", "revise"] {
        project
            .signoff([command, ".rawko/plans/auth.yaml", "--expect-version", "1"])
            .assert_code(2)
            .assert_stderr_contains("only counts replans");
    }
}

#[test]
fn a_request_revises_a_proposal() {
    let project = pi_store();
    let id = created(&project);
    let created_at = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("created_at:"));
        line.expect("a time").to_owned()
    };
    let before = created_at(&file(&project, &id));
    reject(&project, &id, "Which client?").assert_success();
    let args = ["revise", &id, "--with", "-"];
    let new = proposal("Remind ACME");
    project.signoff_with_input(args, &new).assert_success();
    assert_eq!(state(&project, &id), ("verified".to_owned(), Some(3)));
    let text = file(&project, &id);
    for part in [
        "Remind ACME",
        "## Rejection (v1)\nWhich client?",
        "odoo-toolbox",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(created_at(&text), before);

    let large = "x".repeat(60_000);
    let new = new.replace("It is overdue.", &large);
    project.signoff_with_input(args, &new).assert_success();
    let there = format!(".pi/plans/artifacts/{id}/context-v4.md");
    assert!(file(&project, &id).contains(&there));
    assert_eq!(project.read(&there), large);

    // What has no place for it keeps its text.
    let workunit = "---\ntype: plan\nid: w\nstatus: draft\nowner: me\n---\n\n# A\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```shell\ntrue\n```\n";
    project.write("w.md", workunit);
    project
        .signoff_with_input(["revise", "w.md", "--with", "-"], &new)
        .assert_code(1);
    assert_eq!(project.read("w.md"), workunit);
}

#[test]
fn a_request_is_read_to_the_letter() {
    let project = pi_store();
    let good = proposal("Remind a client");
    for (from, to, why) in [
        ("{", r#"{"title": "Another", "#, "duplicate field `title`"),
        (
            r#""tool":"go-easy""#,
            r#""tool":"go-easy","tool":"rm""#,
            "duplicate field `tool`",
        ),
        ("Remind", r"\ud800 Remind", "hex escape"),
        ("Remind", r"\q Remind", "escape"),
    ] {
        assert!(good.contains(from), "{good}");
        project
            .signoff_with_input(["propose", "-"], &good.replacen(from, to, 1))
            .assert_code(1)
            .assert_stderr_contains("this is not a proposal: ")
            .assert_stderr_contains(why);
    }
    assert!(names_in(&project.path().join(".pi/plans")).is_empty());
}

#[test]
fn a_comment_tells_what_a_crash_left_of_the_log() {
    let project = pi_store();
    let id = created(&project);
    let log = format!(".signoff/log/{id}.jsonl");
    let whole = project.read(&log);
    project.write(&log, &format!("{whole}{{\"v\":1"));
    project
        .signoff(["comment", &id, "Why so?"])
        .assert_success()
        .assert_stderr_contains("a crash cut off the last line of the log")
        .assert_stderr_contains(&format!("{log}.torn"));
}

#[test]
fn a_damaged_log_has_a_way_out() {
    let project = pi_store();
    let id = created(&project);
    let log = format!(".signoff/log/{id}.jsonl");
    let path = project.path().join(&log);
    let damaged = project
        .read(&log)
        .replacen("plan_proposed", "plan_propose", 1);
    project.write(&log, &damaged);
    let output = project.signoff(["approve", &id]);
    output
        .assert_code(6)
        .assert_stderr_contains("is damaged at line 1")
        .assert_stderr_contains("from a backup");
    assert!(!output.stderr.contains("a run whose"), "{output}");
    // What it says can be typed.
    let typed = output
        .stderr
        .split('`')
        .find(|part| part.starts_with("rm -f "));
    project
        .bash(typed.expect("a command"), &project.path())
        .assert_success();
    assert!(!path.exists());
    let plan = format!(".pi/plans/{id}.md");
    project.signoff(["propose", &plan]).assert_success();
    project.signoff(["approve", &id]).assert_success();

    // What cannot be read is not lost: what is in its way goes first.
    std::fs::remove_file(&path).expect("the log is there");
    std::fs::create_dir(&path).expect("its place is free");
    let output = project.signoff(["approve", &id]);
    output.assert_code(6);
    let typed = output
        .stderr
        .split('`')
        .find(|part| part.starts_with("mv "));
    project
        .bash(typed.expect("a command"), &project.path())
        .assert_success();
    assert!(!path.exists());
}

#[test]
fn what_signing_will_ask_for_is_said_when_it_is_handed_in() {
    let project = Project::new(BINARY);
    std::fs::create_dir_all(project.path().join(".pi/plans")).expect("the project is ours");
    let proposed = project.signoff_with_input(["propose", "-"], &proposal("Remind a client"));
    proposed
        .assert_success()
        .assert_stdout_contains("verified")
        .assert_stderr_contains("before it can be signed: ")
        .assert_stderr_contains("executor");
    let id = listed(&project, &[]).remove(0);
    let refused = project.signoff(["approve", &id]);
    refused
        .assert_code(1)
        .assert_stderr_contains("executor")
        .assert_stderr_contains("then repeat the command");
    assert!(!refused.stderr.contains("signoff verify"), "{refused}");
    let json = project.signoff(["approve", &id, "--format", "json"]);
    json.assert_code(1).assert_stderr_contains("executor");
}

#[test]
fn refusals_point_to_what_exists() {
    let project = pi_store();
    let id = created(&project);
    let bad = "---\ntitle: x\ntools_required: []\n---\n\n## Steps\n";
    let empty = project.signoff_with_input(["propose", "-"], &bad.replace("title: x", "titel: ["));
    empty.assert_code(1);
    assert!(!empty.stderr.contains("signoff verify"), "{empty}");
    reject(&project, &id, "no").assert_success();
    project
        .signoff(["propose", &format!(".pi/plans/{id}.md")])
        .assert_code(5)
        .assert_stderr_contains(&format!("`signoff revise .pi/plans/{id}.md`"));
    let steps = proposal("Sly").replace("It is overdue.", r"x\n\n## Steps\n1. Pay");
    let sly = project.signoff_with_input(["propose", "-"], &steps);
    sly.assert_code(1).assert_stderr_contains("use `###`");
    assert!(!sly.stderr.contains("it needs `title`"), "{sly}");
}

#[test]
fn the_current_task_is_told_that_its_plan_was_deleted() {
    let project = Project::new(BINARY);
    let record = include_str!("../../../../signoff-plan/tests/fixtures/record/auth-feature.yaml");
    project.write(".rawko/plans/auth.yaml", record);
    let key = project.json(["show", ".rawko/plans/auth.yaml"])["id"].clone();
    let key = key.as_str().expect("an id");
    let task = |status: &str| format!("planId: {key}\nstatus: {status}\n");
    project.write(".rawko/current-task.yaml", &task("draft"));
    project
        .signoff(["delete", ".rawko/plans/auth.yaml"])
        .assert_success();
    assert_eq!(project.read(".rawko/current-task.yaml"), task("cancelled"));
}

#[test]
fn two_files_with_one_id_are_refused() {
    let project = pi_store();
    let id = created(&project);
    project.write("copy.md", &file(&project, &id));
    project
        .signoff(["approve", "copy.md"])
        .assert_code(5)
        .assert_stderr_contains("two files have the id");
    project.signoff(["approve", &id]).assert_success();
}

/// The user's configuration, with this in it.
fn configured(project: &Project, text: &str) {
    let path = project.home().join(".config/signoff/config.toml");
    let role = "[agents.executor]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    std::fs::write(path, format!("{text}\n{role}")).expect("the home is ours");
}

#[test]
fn policies_sign_what_they_cover_and_say_so() {
    let project = pi_store();
    configured(
        &project,
        "[approval]\nthen_run = false\nauto = [{ tools = [\"go-easy\"] }]\n",
    );
    let args = ["propose", "-", "--format", "json"];
    let covered = project.signoff_with_input(args, &proposal_text("Covered"));
    let covered = covered.assert_success().json();
    assert_eq!(covered["status"], "approved");
    assert!(
        project
            .signoff(["show", &id(&covered)])
            .stdout
            .contains("policy")
    );
    let other = create(&project, "Needs a person");
    assert_eq!(other["status"], "verified");
    configured(&project, "[approval]\nthen_run = false\nrequired = false\n");
    assert_eq!(create(&project, "Nobody asks")["status"], "approved");
    // What only a policy signed does not count where more is asked for.
    configured(
        &project,
        "[approval]\nthen_run = false\nminimum = \"terminal\"\n",
    );
    assert_eq!(state(&project, &id(&covered)).0, "verified");
}

#[test]
fn in_a_store_of_seed_003_approving_runs() {
    let project = pi_store();
    let id = created(&project);
    configured(&project, "");
    // Its steps have no contracts, so a person has to accept what was done.
    project.signoff(["approve", &id]).assert_code(3);
    assert_eq!(state(&project, &id).0, "executing");
    accept(&project);
    assert_eq!(state(&project, &id).0, "completed");
}

#[test]
fn a_thread_is_proposed_cloned_and_deleted_whole() {
    let project = pi_store();
    configured(&project, "[approval]\nthen_run = false\n");
    project
        .write(
            ".pi/plans/thread-1/plan.md",
            "---\ntitle: A thread\n---\n\nWhy.\n",
        )
        .write(
            ".pi/plans/thread-1/tasks/01-look.md",
            "---\nid: look\nagent: executor\n---\n\nLook around.\n",
        );
    project
        .signoff(["propose", ".pi/plans/thread-1"])
        .assert_success();
    let cloned = id(&project.json(["clone", "thread-1"]));
    let cloned = cloned.trim_start_matches(".pi/plans/");
    assert_eq!(
        project.read(format!(".pi/plans/{cloned}/tasks/01-look.md")),
        project.read(".pi/plans/thread-1/tasks/01-look.md"),
    );
    project
        .signoff(["reject", cloned, "--feedback", "no"])
        .assert_success();
    assert_eq!(state(&project, cloned).0, "rejected");
    project.signoff(["delete", "thread-1"]).assert_success();
    assert_eq!(names_in(&project.path().join(".pi/plans")), [cloned]);
}

#[test]
fn what_changed_since_the_signature_is_shown() {
    let project = pi_store();
    let id = created(&project);
    project.signoff(["diff", "--signed", &id]).assert_code(4);
    project.signoff(["approve", &id]).assert_success();
    project.signoff(["diff", "--signed", &id]).assert_success();
    let path = format!(".pi/plans/{id}.md");
    project.write(
        &path,
        &file(&project, &id).replace("Send a reminder", "Send two"),
    );
    project
        .signoff(["diff", "--signed", &id])
        .assert_code(1)
        .assert_stdout_contains(": Send a reminder")
        .assert_stdout_contains(": Send two");
    configured(&project, "[contract]\ntimeout = \"1m\"\n");
    let shape = project.signoff(["diff", "--signed", &id, "--format", "json"]);
    let terms = shape.assert_code(1).json()["terms"].to_string();
    assert!(terms.contains("timeout"), "{terms}");
}

#[test]
fn what_the_context_rests_on_is_signed_and_shown() {
    let project = pi_store();
    let text = "---\ntitle: Pay\nstatus: proposed\nversion: 1\ntools_required:\n  - bank\n---\n\n## Steps\n1. Pay the bill (bank: pay)\n\n## Context\n\n### Tool Outputs\n```json\n{\"bill\": {\"iban\": \"GOOD\"}}\n```\n\n### Artifacts\n- bill.txt → docs/\n";
    project
        .write("plan.md", text)
        .write("docs/bill.txt", "100 EUR");
    project.signoff(["approve", "plan.md"]).assert_success();
    project
        .signoff(["show", "plan.md"])
        .assert_stdout_contains("GOOD")
        .assert_stdout_contains("bill.txt");
    // Another account, another bill.
    let signed = project.read("plan.md");
    project.write("plan.md", &signed.replace("GOOD", "EVIL"));
    assert_eq!(state(&project, "plan.md").0, "verified");
    project
        .write("plan.md", &signed)
        .write("docs/bill.txt", "900 EUR");
    assert_eq!(state(&project, "plan.md").0, "verified");
    project
        .signoff(["diff", "--signed", "plan.md"])
        .assert_code(1)
        .assert_stdout_contains("docs/bill.txt changed");
    project.write("docs/bill.txt", "100 EUR");
    assert_eq!(state(&project, "plan.md").0, "approved");
}

/// The same plan as an agent sees it, and as a person does.
fn as_agent(project: Project) -> Project {
    project.env("CLAUDECODE", "1")
}

#[test]
fn a_plan_handed_in_anew_needs_a_new_signature() {
    let project = pi_store();
    project.write("c.md", &proposal_text("Once"));
    project.signoff(["approve", "c.md"]).assert_success();
    project.signoff(["cancel", "c.md"]).assert_success();
    let project = as_agent(project);
    // Neither the text as it is, nor by way of another one.
    project.signoff(["revise", "c.md"]).assert_code(5);
    let text = project.read("c.md");
    project.write("c.md", &text.replace("Send a", "Send one"));
    project.signoff(["revise", "c.md"]).assert_success();
    project.write("c.md", &text);
    project.signoff(["revise", "c.md"]).assert_success();
    assert_eq!(state(&project, "c.md").0, "verified");
    project
        .signoff(["run", "c.md"])
        .assert_code(4)
        .assert_stderr_contains("is not signed");
}

#[test]
fn every_revision_counts_the_version_up() {
    let project = pi_store();
    let id = created(&project);
    for version in [2, 3] {
        let text = file(&project, &id).replace("a reminder", "a reminder again");
        let text = text.replace("again again", "and again");
        project.write(format!(".pi/plans/{id}.md"), &text);
        let revised = project.json(["revise", &id]);
        assert_eq!(revised["version"], version, "{}", file(&project, &id));
    }
    let args = ["approve", &id, "--expect-version", "1"];
    project.signoff(args).assert_code(5);
}

#[test]
fn a_cancelled_plan_has_no_run_and_no_questions() {
    let project = pi_store();
    let id = executing(&project);
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("an item waits");
    // An edit while it waits: the way on is named.
    let path = format!(".pi/plans/{id}.md");
    let text = file(&project, &id);
    project.write(&path, &text.replace("Send a", "Send one"));
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("signoff approve");
    project.write(&path, &text);
    project.signoff(["cancel", &id]).assert_success();
    project
        .signoff(["inbox"])
        .assert_stdout_contains("nothing waits on you");
    assert_eq!(project.json(["status"])["status"], "cancelled");
    project.signoff(["answer", item, "accept"]).assert_code(5);
    project.signoff(["resume"]).assert_code(5);
}

#[test]
fn a_plan_is_deleted_once() {
    let project = pi_store();
    project.write("c.md", &proposal_text("Once"));
    project.signoff(["propose", "c.md"]).assert_success();
    project.signoff(["delete", "c.md"]).assert_success();
    project
        .signoff(["delete", "c.md"])
        .assert_code(2)
        .assert_stderr_contains("was deleted");
    // Its file is still there, and can be handed in again.
    project.signoff(["propose", "c.md"]).assert_success();
    project.signoff(["delete", "c.md"]).assert_success();
}

#[test]
fn a_version_counts_every_change_that_is_handed_in() {
    let project = Project::new(BINARY);
    project.signoff(["init"]).assert_success();
    let workunit = "---\ntype: plan\nid: w\nstatus: draft\nowner: o\nversion: 1\n---\n\n# W\n\n## Steps\n\n\
                    ### 1. Read\n\n**tool:** read_file\n**args:** {\"path\": \"w.md\"}\n";
    let toolplan = r#"{"id": "t", "version": 1, "steps": [
      {"id": "a", "description": "Read", "tool": "read_file", "args": {"path": "w.md"}}]}"#;
    for (path, text) in [("w.md", workunit), ("t.json", toolplan)] {
        project.write(path, text);
        let proposed = project.json(["propose", path]);
        assert_eq!(proposed["version"], 1, "{path}");
        let approve =
            |version: &str| project.signoff(["approve", path, "--expect-version", version]);
        let edited = project.read(path).replace("Read", "Read it");
        project.write(path, &edited);
        // Nobody handed it in: version 1 is another text.
        approve("1")
            .assert_code(5)
            .assert_stderr_contains("signoff revise");
        assert_eq!(project.json(["revise", path])["version"], 2, "{path}");
        approve("1").assert_code(5);
        // An editor who counts is not counted again.
        let edited = project.read(path).replace("Read it", "Read it again");
        let edited = edited.replace("version: 2", "version: 3");
        project.write(path, &edited.replace("\"version\": 2", "\"version\": 3"));
        assert_eq!(project.json(["revise", path])["version"], 3, "{path}");
        let with = project.read(path).replace("again", "once more");
        let args = ["revise", path, "--with", "-", "--format", "json"];
        let revised = project
            .signoff_with_input(args, &with)
            .assert_success()
            .json();
        assert_eq!(revised["version"], 4, "{path}");
        approve("3").assert_code(5);
        approve("4").assert_success();
    }
}

#[test]
fn a_replan_in_the_same_file_is_the_next_version_of_its_plan() {
    let project = Project::new(BINARY);
    project.signoff(["init"]).assert_success();
    let record = "id: deploy\ntask: Deploy it\nstatus: draft\nversion: 1\nsteps:\n\
        - {index: 0, title: First, contract: test -f deploy.yaml}\n\
        - {index: 1, ask: \"Ready?\"}\n";
    project.write("deploy.yaml", record);
    project.signoff(["approve", "deploy.yaml"]).assert_success();
    project.signoff(["run", "deploy.yaml"]).assert_code(3);
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("it asks");
    let (run, _) = item.split_once('/').expect("the run, then the step");
    let replanned = project.read("deploy.yaml");
    let replanned = replanned.replace("id: deploy\n", "id: deploy-v2\npreviousPlanId: deploy\n");
    let replanned = replanned.replace("version: 1", "version: 2");
    project.write("deploy.yaml", &replanned.replace("Ready?", "Really?"));
    project
        .signoff(["resume", run])
        .assert_stderr_contains("is not what was signed");
    project.signoff(["approve", "deploy.yaml"]).assert_success();
    project
        .signoff(["resume", run])
        .assert_stderr_contains("Really?");
    assert_eq!(listed(&project, &[]).len(), 1);
}

/// No step of a run that was given up is under way or still to come, neither in the file nor in `status`.
#[test]
fn steps_of_a_run_that_was_given_up_have_ended() {
    let text = r#"{"id":"x","title":"X","tools":["run_command"],"steps":[
        {"id":"a","description":"a","tool":"run_command","args":{"command":"false"},"onFail":"escalate"},
        {"id":"b","description":"b","dependsOn":["a"],"tool":"run_command","args":{"command":"true"}}]}"#;
    for (act, expected) in [
        (&["abort"][..], ["failed", "blocked"]),
        (&["cancel", "x.json"], ["failed", "skipped"]),
    ] {
        let project = Project::new(BINARY);
        project.write("x.json", text);
        project.signoff(["init"]).assert_success();
        project.signoff(["trust"]).assert_success();
        project
            .signoff(["run", "x.json", "--approve"])
            .assert_code(3);
        project.signoff(act).assert_success();
        let shown = project.json(["status"]);
        let written: serde_json::Value =
            serde_json::from_str(&project.read("x.json")).expect("it is JSON");
        for steps in [&shown["steps"], &written["steps"]] {
            let steps = steps.as_array().expect("steps").iter();
            let statuses: Vec<_> = steps.map(|step| &step["status"]).collect();
            assert_eq!(statuses, expected, "{act:?}");
        }
        let why = written["steps"][0]["result"]["error"].as_str();
        let says = why.is_some_and(|why| why.contains("ended before it was answered"));
        assert!(says, "{written}");
        let status = project.signoff(["status"]);
        assert!(!status.stdout.contains("asks you"), "{status}");
    }
}
