//! What a session of a coding agent is told, and what becomes of the plans that it shows, through the hook as agents call it.

use std::fs;

use serde_json::{Value, json};
use signoff_testkit::{Output, Project, Reply, Script};

use crate::support::{BINARY, agent, makes_out, plan, project, signed};

fn hook(project: &Project, payload: &Value) -> Output {
    project.signoff_with_input(["guard", "--agent", "claude"], &payload.to_string())
}

/// What the hook answers when a session begins.
fn begun(project: &Project, mode: &str) -> Value {
    let payload = json!({
        "session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup",
        "cwd": project.path(), "permission_mode": mode,
    });
    let answered = hook(project, &payload);
    answered.assert_success();
    if answered.stdout.is_empty() {
        return Value::Null;
    }
    answered.json()
}

/// What the session is told when it begins.
fn told(project: &Project, mode: &str) -> String {
    let output = begun(project, mode)["hookSpecificOutput"].take();
    if output.is_null() {
        return String::new();
    }
    assert_eq!(output["hookEventName"], "SessionStart");
    output["additionalContext"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// The decision about a plan: its behaviour and what is said.
fn shown(project: &Project, text: &str) -> (String, String) {
    let payload = json!({
        "session_id": "s-1", "hook_event_name": "PermissionRequest", "tool_name": "ExitPlanMode",
        "cwd": project.path(), "permission_mode": "plan", "tool_input": {"plan": text},
    });
    let answered = hook(project, &payload);
    let decision = answered.assert_success().json()["hookSpecificOutput"]["decision"].take();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let said = text(&decision["message"]) + &text(&decision["updatedInput"]["plan"]);
    (text(&decision["behavior"]), said)
}

#[track_caller]
fn assert_says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
}

#[test]
fn a_session_is_told_its_directories_the_tools_and_what_waits() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["propose", "plan.md"]).assert_success();
    let text = told(&project, "default");
    let directory = project.home().join(".agentflow/plans/s-1");
    assert_says(
        &text,
        &[
            "AGENTCTL_SESSION_ID: s-1",
            &format!("CURRENT_PLAN_DIR: {}", directory.display()),
            "ADDITIONAL_PLAN_DIRS: none",
            "Available executor tools:\n- built-in: read_file, ",
            "1 plan waits for a person",
        ],
    );
    assert!(directory.is_dir());
    assert!(!text.contains("overseer"), "{text}");
    assert_says(
        &told(&project, "plan"),
        &[
            "You are the Flowgentic overseer agent in plan mode.",
            // Codex and Gemini CLI set no variables for their commands.
            "`AGENTCTL_SESSION_ID=s-1 signoff agentctl …`",
        ],
    );
    assert!(begun(&project, "plan")["systemMessage"].is_null());
}

/// What an earlier process of the session was given is there again, and the line that names the session passes.
#[test]
fn a_resumed_session_has_its_directories_in_every_mode() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    told(&project, "plan");
    let session = [("AGENTCTL_SESSION_ID", "s-1")];
    let request = ["agentctl", "plan", "request-thread-dir", "--format", "json"];
    let requested = project.signoff_with(&session, request);
    let thread = requested.assert_success().json();
    let text = |name: &str| thread[name].as_str().expect("a text").to_owned();
    let (id, directory) = (text("thread_id"), text("plan_dir"));
    for mode in ["default", "plan"] {
        let told = told(&project, mode);
        assert_says(&told, &[&format!("{id}: {directory}")]);
        assert!(!told.contains("ADDITIONAL_PLAN_DIRS: none"), "{told}");
    }
    for (tool, input) in [
        (
            "Bash",
            json!({"command": "AGENTCTL_SESSION_ID=s-1 signoff agentctl plan dir"}),
        ),
        (
            "Write",
            json!({"file_path": format!("{directory}/plan.md"), "content": "x"}),
        ),
    ] {
        let payload = json!({
            "session_id": "s-1", "hook_event_name": "PreToolUse", "tool_name": tool,
            "permission_mode": "plan", "cwd": project.path(), "tool_input": input,
        });
        hook(&project, &payload).assert_success();
    }
}

/// What the project's tool servers offered when they were last asked.
#[test]
fn the_tools_of_servers_are_told_by_name() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let config = ".signoff/config.toml";
    let odoo = "\n[mcp.servers.odoo]\ncommand = ['false']\n";
    project.write(config, &(project.read(config) + odoo));
    project.signoff(["trust"]).assert_success();
    assert_says(
        &told(&project, "default"),
        &["- odoo: not asked yet (`signoff tools` asks it)"],
    );
}

#[test]
fn a_directory_without_a_store_is_none_of_our_affair() {
    let project = Project::new(BINARY);
    assert_eq!(told(&project, "plan"), "");
    assert!(!project.home().join(".agentflow").exists());
    let payload = json!({
        "session_id": "s-1", "hook_event_name": "PermissionRequest", "tool_name": "ExitPlanMode",
        "tool_input": {"plan": "x"},
    });
    let answered = hook(&project, &payload);
    assert_eq!(answered.assert_success().stdout, "");
}

#[test]
fn the_variable_of_the_session_is_set_where_claude_reads_it() {
    let file = tempfile();
    let project = Project::new(BINARY).env("CLAUDE_ENV_FILE", file.display().to_string());
    project.write(".signoff/.keep", "");
    told(&project, "default");
    let text = fs::read_to_string(&file).expect("it was written");
    fs::remove_file(&file).expect("it is ours");
    assert_eq!(text, "export AGENTCTL_SESSION_ID=s-1\n");
}

fn tempfile() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("claude-env-{}", std::process::id()))
}

#[test]
fn a_stuck_plan_is_told_with_what_can_be_done() {
    let script = Script::new().reply(Reply::when(["Make"]).write("begun", "x").pause_ms(30_000));
    let project = signed(&script, &plan(&[&agent("Make it", "out")]));
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    running.kill();
    let stuck = [
        "Plan plan.md is stuck in executing (started ",
        "steps 0/1 completed",
        "`signoff resume plan.md` (resume), `signoff abort plan.md` (mark failed) or `signoff cancel plan.md` (cancel)",
    ];
    assert_says(&told(&project, "default"), &stuck);
    // The person can do something about it, so the person is told.
    let message = begun(&project, "default")["systemMessage"].take();
    assert_says(message.as_str().expect("a text"), &stuck);
}

#[test]
fn a_plan_that_expires_is_told_when_the_next_session_begins() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["propose", "plan.md"]).assert_success();
    project.write(
        ".signoff/plans/PLAN-0a0a0a0a.md",
        "---\nid: PLAN-0a0a0a0a\ntitle: Old\nstatus: proposed\nversion: 1\nupdated_at: 2025-01-01T00:00:00Z\ntools_required: []\n---\n\n## Steps\n1. Look (read: all)\n",
    );
    // The days count from when the store was first used.
    let first_use = fs::File::options()
        .write(true)
        .open(project.path().join(".signoff/project.json"));
    first_use
        .and_then(|file| file.set_modified(std::time::UNIX_EPOCH))
        .expect("it is ours");
    let begun = begun(&project, "default");
    let expired =
        [".signoff/plans/PLAN-0a0a0a0a.md has expired: nothing happened to it for 30 days"];
    let context = &begun["hookSpecificOutput"]["additionalContext"];
    assert_says(context.as_str().expect("a text"), &expired);
    assert_says(begun["systemMessage"].as_str().expect("a text"), &expired);
    assert_eq!(
        project.json(["show", "PLAN-0a0a0a0a"])["status"],
        "cancelled"
    );
}

#[test]
fn what_is_not_a_plan_is_sent_back_three_times_and_then_kept() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    for _ in 0..3 {
        let (behavior, said) = shown(&project, "1. I make it.\n");
        assert_eq!(behavior, "deny");
        assert_says(
            &said,
            &["This text is not a plan", "type: plan", "**contract:**"],
        );
    }
    let (behavior, said) = shown(&project, "1. I make it.\n");
    assert_eq!(behavior, "deny");
    assert_says(&said, &["kept as a draft in "]);
    let drafts: Vec<_> = fs::read_dir(project.path().join(".signoff/plans"))
        .expect("it is there")
        .flatten()
        .collect();
    assert_eq!(drafts.len(), 1);
    let text = fs::read_to_string(drafts[0].path()).expect("it is there");
    assert_says(&text, &["status: draft", "1. I make it."]);
    assert_says(&shown(&project, "again").1, &["This text is not a plan"]);
}

#[test]
fn a_plan_waits_is_revised_and_is_let_through_once_signed() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let text = plan(&[&agent("Make it.", "out")]);
    let bad = text.replace("**contract:**", "**depends_on:** nothing\n**contract:**");
    assert_says(&shown(&project, &bad).1, &["error[unknown-dependency]"]);
    assert_says(
        &shown(&project, &text).1,
        &["waiting for sign-off: the plan is kept as PLAN-"],
    );
    // The same text is the same plan, and another one its next version.
    shown(&project, &text);
    shown(&project, &text.replace("Make it.", "Make it well."));
    let plans = project.json(["list"])["plans"].take();
    let plans: Vec<&Value> = plans
        .as_array()
        .expect("a list")
        .iter()
        .filter(|plan| {
            plan["id"]
                .as_str()
                .is_some_and(|id| id.starts_with("PLAN-"))
        })
        .collect();
    let [kept] = plans.as_slice() else {
        panic!("{plans:?}");
    };
    let id = kept["id"].as_str().expect("an id");
    project.signoff(["approve", id]).assert_success();
    let (behavior, said) = shown(&project, &text.replace("Make it.", "Make it well."));
    assert_eq!(behavior, "allow", "{said}");
    assert_says(
        &said,
        &[
            "A person has signed this plan",
            &format!("call `plan_run` with {id}"),
        ],
    );
    // The agent's own plan mode is over, ours is not.
    let write = json!({
        "session_id": "s-1", "hook_event_name": "PreToolUse", "tool_name": "Write",
        "permission_mode": "default", "cwd": project.path(), "tool_input": {"file_path": "/x"},
    });
    hook(&project, &write).assert_code(2);
}
