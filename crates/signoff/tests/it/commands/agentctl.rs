//! The flows of `agentctl` with the real binary, called by that name: one thread, several, remove, clear,
//! commit with every error at once; and what is left when it is killed on the way.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use signoff_store::plan_log;
use signoff_store::root::discover;
use signoff_testkit::{Output, Project, Reply, Script};

use crate::support::{BINARY, agent, plan, signed};

const SESSION: &str = "01950f64-7c1a";

/// A project with a store, and a session; `agentctl` is a link to the binary.
fn project() -> Project {
    project_of(SESSION)
}

fn project_of(session: &str) -> Project {
    let project = Project::new(BINARY).env("AGENTCTL_SESSION_ID", session);
    project.signoff(["init"]).assert_success();
    with_link(project)
}

fn with_link(project: Project) -> Project {
    // The testkit makes the link `signoff` beside it.
    symlink(
        BINARY,
        project.path().with_file_name("bin").join("agentctl"),
    )
    .expect("the folder is ours");
    project
}

/// What a shell prints for these lines, as `agentctl`'s specification writes them.
fn shell(project: &Project, lines: &str) -> Output {
    let script = format!("set -eu\nCURRENT_PLAN_DIR=$(agentctl plan dir)\n{lines}");
    project.bash(&script, &project.path())
}

fn current(project: &Project) -> PathBuf {
    project.home().join(".agentflow/plans").join(SESSION)
}

/// The example of `agentctl`'s specification.
const AUTH: &str = r#"
mkdir -p "$CURRENT_PLAN_DIR/tasks"
cat > "$CURRENT_PLAN_DIR/plan.md" <<'END'
---
title: "Add user authentication"
---

We need to add JWT-based authentication to the API.
END
cat > "$CURRENT_PLAN_DIR/tasks/01-create-schema.md" <<'END'
---
id: create-schema
depends_on: []
---

Create the `users` table migration.
END
cat > "$CURRENT_PLAN_DIR/tasks/02-implement-service.md" <<'END'
---
id: implement-service
depends_on: [create-schema]
agent: claude-code
subtasks:
  - Define service interface
  - Implement SQLite store
---

Implement `auth_service.go` following the feature pattern.
Service should support `Register`, `Login`, `ValidateToken`.
END
"#;

/// Requests another directory, as the specification does.
const REQUEST: &str = r#"
REQ="$(agentctl plan request-thread-dir)"
THREAD_ID="$(sed 's/.*"thread_id":"\([^"]*\)".*/\1/' <<< "$REQ")"
EXTRA_DIR="$(sed 's/.*"plan_dir":"\([^"]*\)".*/\1/' <<< "$REQ")"
mkdir -p "$EXTRA_DIR/tasks"
printf -- '---\ntitle: Write the docs\n---\n' > "$EXTRA_DIR/plan.md"
printf -- '---\nid: docs\n---\nWrite them.\n' > "$EXTRA_DIR/tasks/01-docs.md"
echo "$THREAD_ID"
"#;

fn state(project: &Project, plan: &str) -> String {
    let shown = project.json(["show", plan]);
    shown["status"].as_str().unwrap_or_default().to_owned()
}

/// Types of what happened to a plan.
fn log(project: &Project, thread: &str) -> Vec<String> {
    let path = format!(".signoff/log/%2Esignoff%2Fplans%2F{thread}.jsonl");
    let events = project.read(path);
    let kind = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        event["type"].as_str().unwrap_or_default().to_owned()
    };
    events.lines().map(kind).collect()
}

/// Every file and directory below, hidden ones too.
fn tree(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(directory).expect("below");
            found.push(name.display().to_string());
            if path.is_dir() {
                left.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn one_thread() {
    let project = project();
    let output = shell(&project, &format!("{AUTH}\nagentctl plan commit"));
    output.assert_success();
    assert_eq!(
        output.stdout,
        format!(
            "committed {SESSION}: Add user authentication (2 tasks): verified\n\
             next: a person reads them (`signoff show {SESSION}`) and signs them (`signoff approve {SESSION}`)\n"
        )
    );
    assert_eq!(
        tree(&project.path().join(".signoff/plans")),
        [
            SESSION.to_owned(),
            format!("{SESSION}/plan.md"),
            format!("{SESSION}/tasks"),
            format!("{SESSION}/tasks/01-create-schema.md"),
            format!("{SESSION}/tasks/02-implement-service.md"),
        ]
    );
    assert_eq!(state(&project, SESSION), "verified");
    assert_eq!(log(&project, SESSION), ["plan_proposed"]);
    // Once more, without a change: nothing happens.
    let again = shell(&project, "agentctl plan commit");
    again.assert_stdout_contains("verified, unchanged");
    assert_eq!(log(&project, SESSION), ["plan_proposed"]);
}

#[test]
fn the_payload_is_that_of_the_seed() {
    let project = project();
    let output = shell(
        &project,
        &format!("{AUTH}\nagentctl plan commit --format json"),
    );
    let expected = json!({
        "version": 1,
        "plans": [{
            "thread_id": SESSION,
            "plan_dir": current(&project),
            "plan": {
                "title": "Add user authentication",
                "body": "We need to add JWT-based authentication to the API.",
            },
            "tasks": [
                {
                    "filename": "01-create-schema.md",
                    "id": "create-schema",
                    "depends_on": [],
                    "agent": null,
                    "subtasks": [],
                    "description": "Create the `users` table migration.",
                },
                {
                    "filename": "02-implement-service.md",
                    "id": "implement-service",
                    "depends_on": ["create-schema"],
                    "agent": "claude-code",
                    "subtasks": ["Define service interface", "Implement SQLite store"],
                    "description": "Implement `auth_service.go` following the feature pattern.\n\
                                    Service should support `Register`, `Login`, `ValidateToken`.",
                },
            ],
        }],
    });
    assert_eq!(output.assert_success().json(), expected);
}

#[test]
fn several_threads_and_one_removed() {
    let project = project();
    let thread = shell(&project, REQUEST)
        .assert_success()
        .stdout
        .trim()
        .to_owned();
    assert!(thread.starts_with("thread_"), "{thread}");
    let extra = project.home().join(".agentflow/plans").join(&thread);
    let both = shell(&project, &format!("{AUTH}\nagentctl plan commit"));
    both.assert_success()
        .assert_stdout_contains(&format!("committed {SESSION}: Add user"))
        .assert_stdout_contains(&format!(
            "committed {thread}: Write the docs (1 task): verified"
        ));
    both.assert_stdout_contains(&format!(
        "next: a person reads them (`signoff show {SESSION}`, `signoff show {thread}`)"
    ));
    assert_eq!(state(&project, &thread), "verified");
    let removed = shell(
        &project,
        &format!("agentctl plan remove-thread --thread-id \"{thread}\""),
    );
    removed
        .assert_success()
        .assert_stderr_contains(&format!("cancelled plan .signoff/plans/{thread}"));
    assert!(!extra.exists());
    assert_eq!(state(&project, &thread), "cancelled");
    let rest = shell(&project, "agentctl plan commit --format json").json();
    assert_eq!(rest["plans"].as_array().map(Vec::len), Some(1));
    assert_eq!(rest["plans"][0]["thread_id"], SESSION);
    assert_eq!(state(&project, &thread), "cancelled");
}

#[test]
fn a_thread_that_was_never_committed_is_just_removed() {
    let project = project();
    let lines = format!(
        "{AUTH}{REQUEST}\nagentctl plan remove-thread --thread-id \"$THREAD_ID\"\nagentctl plan commit"
    );
    let output = shell(&project, &lines);
    output
        .assert_success()
        .assert_stdout_lacks("Write the docs");
    assert!(!output.stderr.contains("cancelled"), "{output}");
}

#[test]
fn clear_then_commit() {
    let project = project();
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_success();
    let cleared = shell(
        &project,
        "agentctl plan clear-current\nagentctl plan commit",
    );
    cleared
        .assert_success()
        .assert_stderr_contains(&format!("cancelled plan .signoff/plans/{SESSION}"))
        .assert_stdout_contains("committed no plan");
    assert_eq!(state(&project, SESSION), "cancelled");
    assert!(current(&project).is_dir());
    let payload = shell(&project, "agentctl plan commit --format json").json();
    assert_eq!(payload, json!({"version": 1, "plans": []}));
    // The same plan once more is a new proposal.
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_stdout_contains("verified");
    assert_eq!(
        log(&project, SESSION),
        ["plan_proposed", "plan_cancelled", "plan_proposed"]
    );
    // Emptied by hand.
    shell(
        &project,
        "rm -r \"$CURRENT_PLAN_DIR\"/*\nagentctl plan commit",
    )
    .assert_success()
    .assert_stderr_contains("cancelled plan");
    assert_eq!(state(&project, SESSION), "cancelled");
}

#[test]
fn after_a_clear_another_plan_takes_the_place_but_not_that_of_a_person() {
    let project = project();
    let other = r#"
mkdir -p "$CURRENT_PLAN_DIR/tasks"
printf -- '---\ntitle: Another\n---\n' > "$CURRENT_PLAN_DIR/plan.md"
printf -- '---\nid: a\n---\nDo it.\n' > "$CURRENT_PLAN_DIR/tasks/01-a.md"
agentctl plan commit"#;
    let lines = format!("{AUTH}\nagentctl plan commit\nagentctl plan clear-current\n{other}");
    shell(&project, &lines)
        .assert_success()
        .assert_stdout_contains(&format!("committed {SESSION}: Another (1 task): verified"));
    // What a person makes of a plan that was given up is theirs.
    shell(&project, "agentctl plan clear-current").assert_success();
    let kept = format!(".signoff/plans/{SESSION}/plan.md");
    project.write(&kept, "---\ntitle: Mine now\n---\n");
    shell(&project, "agentctl plan commit").assert_success();
    assert_eq!(state(&project, SESSION), "verified");
    shell(&project, other)
        .assert_code(5)
        .assert_stderr_contains("was edited since it was committed");
    assert_eq!(project.read(&kept), "---\ntitle: Mine now\n---\n");
}

#[test]
fn every_error_of_every_directory_at_once() {
    let project = project();
    let broken = r#"
    printf -- '---\ntitle: ""\n---\n' > "$EXTRA_DIR/plan.md"
    printf -- '---\nid: docs\ndepends_on: [dosc]\nagnet: x\n---\nWrite.\n' > "$EXTRA_DIR/tasks/01-docs.md"
    printf -- '---\nid: two\n---\n\n' > "$EXTRA_DIR/tasks/01-two.md"
    printf -- '---\nid: Three\n---\nThree.\n' > "$CURRENT_PLAN_DIR/tasks/three.md"
    "#;
    let lines = format!("{AUTH}{REQUEST}{broken}\nagentctl plan commit");
    let output = shell(&project, &lines);
    output.assert_code(1);
    let codes = [
        "missing-title",
        "unknown-dependency",
        "unknown-field",
        "duplicate-index",
        "empty-task",
        "bad-filename",
        "bad-id",
    ];
    for code in codes {
        output.assert_stderr_contains(&format!("error[{code}]"));
    }
    output
        .assert_stderr_contains("did you mean `agent`?")
        .assert_stderr_contains(&format!(
            "{}/tasks/three.md:2:5",
            current(&project).display()
        ))
        .assert_stderr_contains("nothing was committed: 7 errors in 2 plans");
    assert_eq!(tree(&project.path().join(".signoff/plans")), [""; 0]);
    let json = shell(&project, "agentctl plan commit --format json");
    let problems = json.assert_code(1).error_json();
    assert_eq!(problems["schema"], "signoff.diagnostics/1");
    assert_eq!(problems["errors"], 7);
    assert_eq!(json.stdout, "");
}

#[test]
fn an_additional_thread_without_a_plan_is_an_error() {
    let project = project();
    shell(
        &project,
        "agentctl plan request-thread-dir\nagentctl plan commit",
    )
    .assert_code(1)
    .assert_stderr_contains("error[missing-field]");
}

#[test]
fn the_conformance_cases_are_judged_by_commit() {
    let fixtures =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../signoff-plan/tests/fixtures/thread");
    let cases = fs::read_to_string(fixtures.join("cases.json")).expect("the cases");
    let cases: Value = serde_json::from_str(&cases).expect("JSON");
    for (name, case) in cases.as_object().expect("cases") {
        let project = project();
        let from = fixtures.join(name);
        let lines = format!(
            "cp -r '{}'/* \"$CURRENT_PLAN_DIR\"\nagentctl plan commit",
            from.display()
        );
        let output = shell(&project, &lines);
        match case["code"].as_str() {
            Some(code) => output
                .assert_code(1)
                .assert_stderr_contains(&format!("error[{code}]")),
            None => output.assert_success().assert_stdout_contains("verified"),
        };
        assert_eq!(case["valid"], Value::from(output.code == Some(0)));
    }
}

#[test]
fn an_error_outside_the_format_s_rules_stops_a_signature_but_no_commit() {
    let project = project();
    let contract = r#"sed -i 's/^depends_on: \[\]/contract: "if"/' "$CURRENT_PLAN_DIR/tasks/01-create-schema.md""#;
    let output = shell(&project, &format!("{AUTH}{contract}\nagentctl plan commit"));
    output
        .assert_success()
        .assert_stderr_contains("error[contract-syntax]")
        .assert_stderr_contains("cannot be signed: it has 1 error")
        .assert_stdout_contains("(2 tasks): draft");
    project.signoff(["approve", SESSION]).assert_code(1);
}

#[test]
fn a_changed_thread_is_unsigned_and_an_unchanged_one_is_not() {
    let project = project();
    let config = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n\n[agents.claude-code]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    project.write(".signoff/config.toml", config);
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_success();
    project.signoff(["approve", SESSION]).assert_success();
    assert_eq!(state(&project, SESSION), "approved");
    shell(&project, "agentctl plan commit")
        .assert_stdout_contains("approved, unchanged")
        .assert_stdout_contains(&format!(
            "next: signed plans can run (`signoff run {SESSION}`)"
        ))
        .assert_stdout_lacks("signoff approve");
    let edit = "echo 'And tests.' >> \"$CURRENT_PLAN_DIR/tasks/01-create-schema.md\"\nagentctl plan commit";
    shell(&project, edit)
        .assert_success()
        .assert_stdout_contains("verified");
    assert_eq!(state(&project, SESSION), "verified");
    assert_eq!(
        log(&project, SESSION),
        ["plan_proposed", "plan_approved", "plan_proposed"]
    );
}

#[test]
fn a_person_s_word_is_not_undone_by_committing_again() {
    for (word, state_then) in [("cancel", "cancelled"), ("reject", "rejected")] {
        let project = project();
        shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_success();
        project.signoff([word, SESSION]).assert_success();
        let again = shell(&project, "agentctl plan commit");
        again
            .assert_success()
            .assert_stdout_contains(&format!("{state_then}, unchanged"))
            .assert_stdout_contains("next: a rejected or cancelled plan stays so")
            .assert_stdout_lacks("signoff approve");
        assert_eq!(state(&project, SESSION), state_then);
    }
}

#[test]
fn what_a_person_edited_in_the_store_is_not_overwritten() {
    let project = project();
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_success();
    let kept = format!(".signoff/plans/{SESSION}/plan.md");
    let edited = project.read(&kept).replace("JWT", "cookie");
    project.write(&kept, &edited);
    let ours = "echo more >> \"$CURRENT_PLAN_DIR/plan.md\"\nagentctl plan commit";
    shell(&project, ours)
        .assert_code(5)
        .assert_stderr_contains("was edited since it was committed");
    assert_eq!(project.read(&kept), edited);
    // Once the thread has the edit, it goes on from there.
    let take = format!(
        "cp '{}' \"$CURRENT_PLAN_DIR/plan.md\"\nagentctl plan commit",
        project.path().join(&kept).display()
    );
    shell(&project, &take).assert_success();
    shell(&project, ours).assert_success();
    assert!(project.read(&kept).ends_with("more\n"));
}

#[test]
fn directories_of_others_in_the_store_stay() {
    let project = project();
    project.write(format!(".signoff/plans/{SESSION}/mine.md"), "mine");
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_code(5);
    assert_eq!(
        project.read(format!(".signoff/plans/{SESSION}/mine.md")),
        "mine"
    );
}

#[test]
fn a_plan_whose_run_is_not_over_is_left_alone() {
    let script = Script::new().reply(Reply::when(["Make one"]).say("done"));
    let project = signed(&script, &plan(&[&agent("Make one.", "out-1")]));
    let project = with_link(project.env("AGENTCTL_SESSION_ID", SESSION));
    project.signoff(["run", "plan.md"]).assert_code(3);
    shell(&project, &format!("{AUTH}\nagentctl plan commit")).assert_success();
    // Threads cannot be run yet: the run of another plan, which waits on a person, stands for one.
    let store = discover(&project.path())
        .expect("one store")
        .expect("a store");
    let key = format!(".signoff/plans/{SESSION}");
    let event = json!({
        "type": "plan_executing",
        "path": key,
        "digest": project.json(["show", SESSION])["digest"],
        "run": project.json(["status"])["run"],
    });
    let held = plan_log::lock(&store, &key).expect("a lock");
    let events = [event.as_object().expect("an object").clone()];
    plan_log::append(&store, &key, &held, "2026-11-15T09:30:12.345Z", &events).expect("appended");
    drop(held);
    assert_eq!(state(&project, SESSION), "executing");
    let before = tree(&current(&project));
    shell(&project, "agentctl plan clear-current")
        .assert_code(5)
        .assert_stderr_contains("its plan is executing");
    assert_eq!(tree(&current(&project)), before);
    shell(&project, "agentctl plan commit").assert_stdout_contains("executing, unchanged");
    let edit = "echo more >> \"$CURRENT_PLAN_DIR/plan.md\"\nagentctl plan commit";
    shell(&project, edit).assert_code(5);
    assert_eq!(state(&project, SESSION), "executing");
}

#[test]
fn without_a_store_there_is_nothing_to_commit_to() {
    let project = project();
    fs::remove_dir_all(project.path().join(".signoff")).expect("it is there");
    shell(&project, &format!("{AUTH}\nagentctl plan commit"))
        .assert_code(6)
        .assert_stderr_contains("no `.signoff`");
    shell(&project, "agentctl plan request-thread-dir").assert_success();
}

#[test]
fn only_known_additional_threads_can_be_removed() {
    let project = project();
    let thread = shell(&project, REQUEST).stdout.trim().to_owned();
    for (given, said) in [
        (SESSION, "clear-current"),
        ("thread_nobody", thread.as_str()),
        ("../../home", thread.as_str()),
        ("/etc", thread.as_str()),
        ("", thread.as_str()),
    ] {
        project
            .signoff(["agentctl", "plan", "remove-thread", "--thread-id", given])
            .assert_code(2)
            .assert_stderr_contains(said);
    }
    assert!(
        project
            .home()
            .join(".agentflow/plans")
            .join(&thread)
            .exists()
    );
}

#[test]
fn no_session_leads_out_of_the_root() {
    for session in [
        "",
        "..",
        "../x",
        "/etc",
        "a/b",
        "a.b",
        "é",
        "-x",
        &"x".repeat(129),
    ] {
        let project = project_of(session);
        for command in [
            "agentctl plan dir",
            "agentctl plan commit",
            "agentctl set-topic x",
        ] {
            project.bash(command, &project.path()).assert_code(2);
        }
        project.signoff(["prompt", "overseer"]).assert_code(2);
        assert_eq!(
            tree(&project.home()),
            tree(&project_of("..").home()),
            "{session}"
        );
    }
    let unset = Project::new(BINARY).signoff(["agentctl", "plan", "dir"]);
    unset
        .assert_code(2)
        .assert_stderr_contains("AGENTCTL_SESSION_ID is not set");
}

#[test]
fn a_planted_link_is_not_followed() {
    let project = project();
    let root = project.home().join(".agentflow/plans");
    fs::create_dir_all(&root).expect("a folder");
    symlink(project.path(), root.join(SESSION)).expect("a link");
    project
        .signoff(["agentctl", "plan", "dir"])
        .assert_code(6)
        .assert_stderr_contains("not a directory");
    fs::remove_file(root.join(SESSION)).expect("a link");
    // A link inside leads no foreign file into the plan.
    let secret = project.outside("secret");
    fs::write(&secret, "---\nid: a\n---\nsecret\n").expect("a file");
    let lines = format!(
        "{AUTH}\nln -s '{}' \"$CURRENT_PLAN_DIR/tasks/03-x.md\"\nagentctl plan commit",
        secret.display()
    );
    shell(&project, &lines)
        .assert_code(6)
        .assert_stderr_contains("is not followed")
        .assert_stderr_contains("nothing was committed: 1 unreadable plan");
    assert!(!project.exists(format!(".signoff/plans/{SESSION}")));
}

#[test]
fn what_is_no_file_cannot_be_committed() {
    let project = project();
    let lines = format!("{AUTH}\nmkfifo \"$CURRENT_PLAN_DIR/tasks/03-x.md\"\nagentctl plan commit");
    shell(&project, &lines)
        .assert_code(6)
        .assert_stderr_contains("tasks/03-x.md: this is not a file");
}

#[test]
fn a_damaged_file_of_sessions_says_what_to_type() {
    let project = project();
    shell(&project, "").assert_success();
    let file = project.home().join(".agentflow/plans/sessions.json");
    fs::write(&file, "{").expect("a file");
    let refused = project.signoff(["agentctl", "plan", "dir"]);
    let typed = format!("mv {0} {0}.damaged", file.display());
    refused.assert_code(6).assert_stderr_contains(&typed);
    project.bash(&typed, &project.path()).assert_success();
    shell(&project, "").assert_success();
}

#[test]
fn removing_a_thread_takes_a_planted_link_and_nothing_behind_it() {
    let project = project();
    let foreign = project.outside("foreign");
    fs::create_dir(&foreign).expect("a folder");
    fs::write(foreign.join("plan.md"), "mine").expect("a file");
    let lines = format!(
        "{REQUEST}\nrm -r \"$EXTRA_DIR\"\nln -s '{}' \"$EXTRA_DIR\"\n\
         agentctl plan remove-thread --thread-id \"$THREAD_ID\"\ntest ! -L \"$EXTRA_DIR\"",
        foreign.display()
    );
    shell(&project, &lines).assert_success();
    assert_eq!(tree(&foreign), ["plan.md"]);
}

#[test]
fn directories_are_private_and_their_root_can_be_chosen() {
    let project = Project::new(BINARY).env("AGENTCTL_SESSION_ID", "s1");
    let root = project.outside("elsewhere/plans");
    let project = project.env("AGENTFLOW_PLANS_DIR", root.display().to_string());
    let dir = project.json(["agentctl", "plan", "dir"]);
    assert_eq!(dir, json!({"thread_id": "s1", "plan_dir": root.join("s1")}));
    let extra = project.json(["agentctl", "plan", "request-thread-dir"]);
    let extra = Path::new(extra["plan_dir"].as_str().expect("a path"));
    for path in [root.as_path(), &root.join("s1"), extra] {
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", path.display());
    }
    for relative in ["plans", "~/plans"] {
        let project = Project::new(BINARY).env("AGENTCTL_SESSION_ID", "s1");
        let project = project.env("AGENTFLOW_PLANS_DIR", relative);
        project.signoff(["agentctl", "plan", "dir"]).assert_code(2);
    }
}

#[test]
fn a_topic_is_counted_in_characters() {
    let project = project();
    let root = project.home().join(".agentflow/plans/sessions.json");
    let topic = || {
        let text = fs::read_to_string(&root).unwrap_or_default();
        let state: Value = serde_json::from_str(&text).unwrap_or_default();
        state["sessions"][SESSION]["topic"].clone()
    };
    let set = |text: &str| project.signoff(["agentctl", "set-topic", text, "--format", "json"]);
    let kept = set("  Añadir autenticación \n").assert_success().json();
    assert_eq!(kept["topic"], "Añadir autenticación");
    assert_eq!(kept["session_id"], SESSION);
    assert_eq!(topic(), "Añadir autenticación");
    set(&format!(" {} ", "ü".repeat(100))).assert_success();
    assert_eq!(topic(), "ü".repeat(100));
    for bad in ["", " \t\n", &"ü".repeat(101)] {
        assert_eq!(set(bad).assert_code(2).error_json()["code"], "bad-topic");
        assert_eq!(topic(), "ü".repeat(100));
    }
}

#[test]
fn the_overseer_is_told_its_directories() {
    let project = project();
    let alone = project.signoff(["prompt", "overseer"]);
    alone
        .assert_success()
        .assert_stdout_contains("You are the Flowgentic overseer agent in plan mode.")
        .assert_stdout_contains(&format!(
            "CURRENT_PLAN_DIR: {}\n",
            current(&project).display()
        ))
        .assert_stdout_contains("ADDITIONAL_PLAN_DIRS: none\n");
    assert!(current(&project).is_dir());
    let thread = shell(&project, REQUEST).stdout.trim().to_owned();
    let resumed = project.json(["prompt", "overseer"]);
    assert_eq!(resumed["additional_plan_dirs"][0]["thread_id"], thread);
    let text = resumed["text"].as_str().expect("a text");
    let dir = project.home().join(".agentflow/plans").join(&thread);
    assert!(
        text.ends_with(&format!(
            "ADDITIONAL_PLAN_DIRS:\n- {thread}: {}\n",
            dir.display()
        )),
        "{text}"
    );
}

#[test]
fn processes_that_ask_at_once_get_directories_of_their_own() {
    let project = project();
    let asking: Vec<_> = (0..8)
        .map(|_| project.spawn(["agentctl", "plan", "request-thread-dir"]))
        .collect();
    let mut given: Vec<String> = asking
        .into_iter()
        .map(|one| one.wait().assert_success().json()["thread_id"].to_string())
        .collect();
    given.sort();
    given.dedup();
    assert_eq!(given.len(), 8);
    let known = project.json(["prompt", "overseer"]);
    assert_eq!(
        known["additional_plan_dirs"].as_array().map(Vec::len),
        Some(8)
    );
}

#[test]
fn the_link_has_its_own_help() {
    let project = project();
    let help = project.bash(
        "agentctl --help; agentctl plan; agentctl plan comit",
        &project.path(),
    );
    help.assert_code(2)
        .assert_stdout_contains("Usage: agentctl [OPTIONS] <COMMAND>")
        .assert_stderr_contains("Usage: agentctl plan [OPTIONS] <COMMAND>")
        .assert_stderr_contains("commit");
}

/// Where a commit can be killed, and how often it comes there with two threads.
const POINTS: [(&str, usize); 8] = [
    ("sessions.before", 2),
    ("sessions.after", 2),
    ("commit.announced", 1),
    ("thread.staged", 2),
    ("thread.replaced", 2),
    ("append.torn", 2),
    ("commit.recorded", 2),
    ("commit.remembered", 1),
];

/// Both threads with these words in their narratives.
fn plans(word: &str) -> String {
    format!(
        "{AUTH}\necho {word} >> \"$CURRENT_PLAN_DIR/plan.md\"\n\
         EXTRA_DIR=$(ls -d \"$(dirname \"$CURRENT_PLAN_DIR\")\"/thread_*)\n\
         echo {word} >> \"$EXTRA_DIR/plan.md\"\n"
    )
}

#[test]
fn killed_anywhere_a_commit_leaves_the_old_or_the_new_and_is_finished_by_the_next() {
    for (point, times) in POINTS {
        for time in 1..=times {
            killed_at(&format!("{point}:{time}"));
        }
    }
}

fn killed_at(point: &str) {
    let project = project();
    let thread = shell(&project, REQUEST)
        .assert_success()
        .stdout
        .trim()
        .to_owned();
    shell(&project, &format!("{}agentctl plan commit", plans("first"))).assert_success();
    let killed = shell(
        &project,
        &format!(
            "{}SIGNOFF_FAILPOINT={point} agentctl plan commit",
            plans("second")
        ),
    );
    // The shell became the program, its last command.
    assert_eq!(killed.code, None, "{point}: {killed}");
    for id in [SESSION, &thread] {
        let plan = project.read(format!(".signoff/plans/{id}/plan.md"));
        let word = plan.lines().last();
        assert!(matches!(word, Some("first" | "second")), "{point}: {plan}");
        assert_eq!(state(&project, id), "verified", "{point}");
    }
    // Edited once more before the command is repeated: what we wrote ourselves is no conflict.
    let again = shell(&project, &format!("{}agentctl plan commit", plans("third")));
    again.assert_success();
    for id in [SESSION, &thread] {
        let plan = project.read(format!(".signoff/plans/{id}/plan.md"));
        assert!(plan.ends_with("third\n"), "{point}: {plan}");
        assert_eq!(state(&project, id), "verified", "{point}");
    }
    let mut left = tree(&project.path().join(".signoff/plans"));
    left.extend(tree(&project.home().join(".agentflow/plans")));
    left.retain(|name| name.contains("signoff-"));
    assert_eq!(left, [""; 0], "{point}");
}
