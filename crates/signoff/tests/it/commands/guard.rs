//! `guard`, as agents call it and as people ask it.

use std::fs;

use serde_json::{Value, json};
use signoff_testkit::{Output, Project};

use crate::support::BINARY;

fn project(config: &str) -> Project {
    let project = Project::new(BINARY);
    project.write(".signoff/config.toml", config);
    project
}

/// What Claude Code hands over before a call.
fn call(tool: &str, input: &Value) -> String {
    json!({
        "session_id": "s1",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
    })
    .to_string()
}

fn hook(project: &Project, payload: &str) -> Output {
    project.signoff_with_input(["guard", "--agent", "claude"], payload)
}

/// A refusal that every agent understands: exit code 2, nothing on stdout, a reason on stderr.
#[track_caller]
fn assert_denied(output: &Output, reason: &str) {
    output.assert_code(2).assert_stderr_contains(reason);
    assert_eq!(output.stdout, "", "{output}");
}

#[track_caller]
fn assert_passes(output: &Output) {
    output.assert_success();
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        ("", ""),
        "{output}"
    );
}

#[test]
fn nothing_is_denied_until_somebody_asks_for_it() {
    let project = project("");
    for tool in ["Write", "mcp__odoo__create", "Anything"] {
        assert_passes(&hook(&project, &call(tool, &json!({"file_path": "/x"}))));
    }
    assert_passes(&hook(
        &project,
        &call("Bash", &json!({"command": "signoff approve x"})),
    ));
    let report = project.json(["guard", "report"]);
    assert_eq!(
        (&report["denied"], &report["would_deny"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn it_fails_closed() {
    let project = project("");
    for (payload, reason) in [
        ("", "did not say"),
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ("{\"hook_event_name\": \"PreToolUse\"}", "which tool"),
        ("{\"tool_name\": 3}", "which tool"),
        ("\u{0}", "not JSON"),
    ] {
        assert_denied(&hook(&project, payload), reason);
    }
    let large = format!("\"{}\"", "x".repeat(17 * 1024 * 1024));
    assert_denied(&hook(&project, &large), "larger than 16 MiB");
    let ls = call("Bash", &json!({"command": "ls"}));
    project.write(".signoff/config.toml", "[guard]\nmod = 'block'\n");
    assert_denied(&hook(&project, &ls), "signoff guard denies this call");
    project.write(".signoff/config.toml", "");
    // An option that this version does not know is a refusal too.
    project
        .signoff_with_input(["guard", "--agent", "nobody"], &ls)
        .assert_code(2);
    project
        .signoff_with_input(["guard", "--whatever"], &ls)
        .assert_code(2);
    assert_passes(&project.signoff_with_input(["guard", "--project"], &ls));
    fs::remove_dir_all(project.path().join(".signoff")).expect("it was written");
    assert_denied(
        &project.signoff_with_input(["guard", "--project"], &ls),
        "no",
    );
    assert_passes(&hook(&project, &ls));
}

#[test]
fn plan_mode_is_a_sessions_and_a_person_ends_it() {
    let project = project("");
    let edit = call("Edit", &json!({"file_path": "/x"}));
    let switch = |what: &str| project.signoff(["guard", "plan-mode", what, "--session", "s1"]);
    switch("show").assert_stdout_contains("plan mode is off for session s1");
    switch("on").assert_stdout_contains("plan mode is on for session s1");
    assert_denied(
        &hook(&project, &edit),
        "Propose the change with `plan_propose`",
    );
    assert_passes(&hook(&project, &edit.replace("\"s1\"", "\"s2\"")));
    // Whose call it is not known may be that of the session.
    assert_denied(
        &hook(&project, &edit.replace("session_id", "x")),
        "Plan mode",
    );
    for passes in [
        call("Read", &json!({"file_path": "/x"})),
        call("mcp__signoff__plan_propose", &json!({})),
        call("Bash", &json!({"command": "signoff list"})),
        edit.replace("PreToolUse", "PostToolUse"),
        edit.replace("PreToolUse", "SessionStart"),
    ] {
        assert_passes(&hook(&project, &passes));
    }
    // A store that is gone ends nothing, and neither does an agent.
    fs::remove_dir_all(project.path().join(".signoff")).expect("it was written");
    assert_denied(&hook(&project, &edit), "Plan mode");
    let off = ["guard", "plan-mode", "off", "--session", "s1"];
    project
        .signoff_with(&[("CLAUDECODE", "1")], off)
        .assert_code(4)
        .assert_stderr_contains("only a person can end plan mode");
    assert_denied(&hook(&project, &edit), "Plan mode");
    assert_eq!(
        project.json(off),
        json!({"schema": "signoff.guard_plan_mode/1", "session": "s1", "on": false})
    );
    assert_passes(&hook(&project, &edit));
}

#[test]
fn an_agents_own_plan_mode_and_the_configuration_count_too() {
    let project = project("");
    let edit = call("Edit", &json!({"file_path": "/x"}));
    let planning = edit.replace("\"default\"", "\"plan\"");
    assert_denied(&hook(&project, &planning), "Plan mode");
    project.write(".signoff/config.toml", "guard.plan_mode = true\n");
    assert_denied(&hook(&project, &edit), "Plan mode");
    // Also for an agent that went elsewhere: it says where its project is.
    let place = project.path().display().to_string();
    let claude = project.env("CLAUDE_PROJECT_DIR", place);
    claude.write("call.json", &edit);
    let line = format!("cd /; '{BINARY}' guard < \"$CLAUDE_PROJECT_DIR\"/call.json");
    assert_denied(&claude.bash(&line, &claude.path()), "Plan mode");
    let off = ["guard", "plan-mode", "off", "--session", "s1"];
    claude.signoff(off).assert_success();
    assert_passes(&hook(&claude, &edit));
    assert_denied(&hook(&claude, &planning), "Plan mode");
}

/// The definition of a sub-agent in Claude Code may give it a mode of its own.
#[test]
fn sub_agents_are_in_the_plan_mode_of_the_agent_that_started_them() {
    let project = project("");
    let edit = call("Edit", &json!({"file_path": "/x"}));
    let planning = |call: &str| call.replace("\"default\"", "\"plan\"");
    let by_sub_agent = edit.replace(
        "\"default\"",
        "\"bypassPermissions\",\"agent_id\":\"a1\",\"agent_type\":\"fixer\"",
    );
    assert_passes(&hook(&project, &by_sub_agent));
    let start = call("Agent", &json!({"subagent_type": "fixer", "prompt": "x"}));
    assert_passes(&hook(&project, &planning(&start)));
    assert_denied(&hook(&project, &by_sub_agent), "Plan mode");
    let of_another = by_sub_agent.replace("\"s1\"", "\"s2\"");
    assert_passes(&hook(&project, &of_another));
    // The agent has left its plan mode.
    assert_passes(&hook(&project, &edit));
    assert_passes(&hook(&project, &by_sub_agent));
}

/// A home that cannot be written to keeps nobody from reading, and a sub-agent that nothing is known of is in plan mode.
#[test]
fn what_cannot_be_remembered_is_strict_with_sub_agents_only() {
    let project = project("");
    let state = project.home().join(".local/state/signoff");
    fs::create_dir_all(&state).expect("the home is ours");
    std::os::unix::fs::symlink("nowhere", state.join("guard")).expect("it is ours");
    let read = call("Read", &json!({"file_path": "/x"}));
    let edit = call("Edit", &json!({"file_path": "/x"}));
    let planning = |payload: &str| payload.replace("default", "plan");
    let of_sub_agent = |payload: &str| payload.replace("\"cwd\"", "\"agent_id\":\"a\",\"cwd\"");
    for passes in [&read, &edit, &planning(&read), &of_sub_agent(&read)] {
        assert_passes(&hook(&project, passes));
    }
    assert_denied(&hook(&project, &planning(&edit)), "Plan mode");
    let denied = hook(&project, &of_sub_agent(&edit));
    assert_denied(&denied, "Sub-agents are always in plan mode while");
    assert_denied(&denied, "`chmod u+rwx` makes it writable");
    // What cannot even be read is no leave.
    fs::remove_file(state.join("guard")).expect("it is ours");
    fs::write(state.join("guard"), "").expect("it is ours");
    assert_denied(&hook(&project, &read), "`chmod u+rwx` makes it writable");
}

#[test]
fn plans_of_the_session_can_be_written() {
    let project = project("guard.plan_mode = true\n").env("AGENTCTL_SESSION_ID", "s1");
    let write = |path: &str| call("Write", &json!({"file_path": path, "content": "x"}));
    let home = project.home();
    let plan = home
        .join(".agentflow/plans/s1/plan.md")
        .display()
        .to_string();
    assert_denied(&hook(&project, &write(&plan)), "not a plan of this session");
    project
        .signoff(["agentctl", "plan", "dir"])
        .assert_success();
    assert_passes(&hook(&project, &write(&plan)));
    assert_denied(
        &hook(&project, &write(&plan.replace("/s1/", "/s2/"))),
        "not a plan",
    );
    assert_denied(
        &hook(&project, &write(&plan.replace("plan.md", "../x"))),
        "not a plan",
    );
    std::os::unix::fs::symlink("/", home.join(".agentflow/plans/s1/root")).expect("it is ours");
    assert_denied(
        &hook(&project, &write(&plan.replace("plan.md", "root/x"))),
        "not a plan",
    );
    let own = home.join(".claude/plans/a.md").display().to_string();
    assert_passes(&hook(&project, &write(&own)));
}

#[test]
fn guarded_tools_and_peoples_commands_are_logged_or_blocked() {
    let project = project("guard.mode = 'log'\nguard.tools = ['odoo_*']\n")
        .env("MY_API_KEY", "hunter2hunter2");
    let guarded = call(
        "mcp__odoo__odoo_create",
        &json!({"command": "x hunter2hunter2"}),
    );
    let approve = call("Bash", &json!({"command": "env signoff approve plan.md"}));
    assert_passes(&hook(&project, &guarded));
    assert_passes(&hook(&project, &approve));
    project.write(
        ".signoff/config.toml",
        "guard.mode = 'block'\nguard.tools = ['odoo_*']\n",
    );
    assert_denied(&hook(&project, &guarded), "is guarded");
    assert_denied(&hook(&project, &guarded), "`plan_propose`");
    assert_denied(&hook(&project, &approve), "`signoff approve` is for people");
    assert_passes(&hook(&project, &call("Edit", &json!({"file_path": "/x"}))));
    let report = project.json(["guard", "report"]);
    assert_eq!(
        (&report["denied"], &report["would_deny"]),
        (&json!(3), &json!(2))
    );
    let row = &report["rows"][0];
    assert_eq!(
        (&row["tool"], &row["rule"], &row["count"]),
        (
            &json!("mcp__odoo__odoo_create"),
            &json!("guarded"),
            &json!(2)
        )
    );
    let log = fs::read_to_string(
        project
            .home()
            .join(".local/state/signoff/guard/decisions.jsonl"),
    );
    assert!(!log.expect("it was written").contains("hunter2"));
    let told = project.signoff(["guard", "report"]);
    told.assert_stdout_contains("3 calls denied, 2 calls would have been denied")
        .assert_stdout_contains("1 × would have blocked Bash of claude (person-only)");
}

#[test]
fn a_log_that_cannot_be_written_blocks_nothing_and_lets_nothing_pass() {
    let project = project("guard.mode = 'log'\nguard.tools = ['odoo']\n");
    let guarded = call("mcp__odoo__create", &json!({}));
    let log = project
        .home()
        .join(".local/state/signoff/guard/decisions.jsonl");
    fs::create_dir_all(&log).expect("the home is ours");
    hook(&project, &guarded)
        .assert_success()
        .assert_stderr_contains("cannot log what it would have blocked");
    project.write(
        ".signoff/config.toml",
        "guard.mode = 'block'\nguard.tools = ['odoo']\n",
    );
    assert_denied(&hook(&project, &guarded), "is guarded");
}

#[test]
fn inside_a_run_only_the_scope_counts() {
    // What the project says does not matter there.
    let project = project("guard.nonsense = 1\n").env("SIGNOFF_INSIDE", "r/s/1");
    let bash = call("Bash", &json!({"command": "rm x"}));
    assert_denied(&hook(&project, &bash), "SIGNOFF_SCOPE does not say");
    let file = project.outside("scope.json");
    let project = project.env("SIGNOFF_SCOPE", file.display().to_string());
    assert_denied(&hook(&project, &bash), "scope cannot be read");
    let scope = |tools: &Value| {
        let scope = json!({"schema": "signoff.guard_scope/1", "run": "r", "step": "s", "attempt": 1, "tools": tools, "servers": ["odoo"]});
        fs::write(&file, scope.to_string()).expect("it is ours");
    };
    scope(&json!(["read_file", "odoo.read"]));
    assert_denied(
        &hook(&project, &bash),
        "Tool not available in plan scope. Only [read_file, odoo.read] are available.",
    );
    assert_passes(&hook(&project, &call("Read", &json!({}))));
    assert_passes(&hook(&project, &call("mcp__odoo__read", &json!({}))));
    assert_denied(
        &hook(&project, &call("mcp__odoo__write", &json!({}))),
        "Tool not available",
    );
    scope(&Value::Null);
    assert_passes(&hook(&project, &bash));
    for broken in [
        "",
        "{}",
        r#"{"schema":"signoff.guard_scope/1","run":"r","step":"s","attempt":1,"servers":[]}"#,
        r#"{"schema":"signoff.guard_scope/2","run":"r","step":"s","attempt":1,"tools":null,"servers":[]}"#,
        r#"{"schema":"signoff.guard_scope/1","run":"r","step":"s","attempt":1,"tools":"all","servers":[]}"#,
    ] {
        fs::write(&file, broken).expect("it is ours");
        assert_denied(&hook(&project, &bash), "scope cannot be read");
    }
}

#[test]
fn the_hooks_command_line_denies_whatever_is_not_an_answer() {
    let project = project("");
    let program = project.outside("a 'signoff'");
    let ls = call("Bash", &json!({"command": "ls"}));
    let run = |text: &str| {
        let line = signoff_runtime::guard::hook_command(
            &program,
            signoff_plan::guard::Agent::Claude,
            signoff_runtime::guard::HookStore::Optional,
        );
        fs::remove_file(&program).ok();
        if !text.is_empty() {
            fs::write(&program, text).expect("it is ours");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&program, mode).expect("it is ours");
        }
        fs::write(project.path().join("call.json"), &ls).expect("it is ours");
        project.bash(&format!("{line} < call.json"), &project.path())
    };
    for broken in [
        "",
        "#!/bin/sh\nexit 1\n",
        "#!/bin/sh\nexit 126\n",
        "#!/bin/sh\nkill -9 $$\n",
        "#!/no/such/program\n",
        "#!/bin/sh\nexit 2\n",
    ] {
        let output = run(broken);
        output.assert_code(2);
        assert!(
            output.stdout.is_empty() && output.stderr.contains("signoff guard"),
            "{output}"
        );
    }
    let real = format!("#!/bin/sh\nexec '{BINARY}' \"$@\"\n");
    run(&real).assert_success();
    assert_eq!(
        run("#!/bin/sh\necho \"$@\"\n").stdout,
        "guard --agent claude\n"
    );
}

#[test]
fn check_tells_what_passes() {
    let project = project("");
    project
        .signoff(["guard", "check", "signoff propose plan.md"])
        .assert_success()
        .assert_stdout_contains("passes in plan mode");
    let told = project.signoff(["guard", "check", "rm -rf x"]);
    told.assert_code(4)
        .assert_stdout_contains("denied in plan mode: ");
    let json = project.signoff(["guard", "check", "rm x", "--format", "json"]);
    assert_eq!(json.json()["passes"], false);
}

/// An agent takes a hook that does not come back for leave, so it must come back whatever happens.
#[test]
fn a_call_that_never_ends_is_denied() {
    let project = project("");
    let mut guard = std::process::Command::new(BINARY)
        .args(["guard", "--agent", "claude"])
        .current_dir(project.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Held open until it has ended.
    let stdin = guard.stdin.take();
    let ended = guard.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(ended.stdout, b"");
    let reason = String::from_utf8(ended.stderr).unwrap();
    assert!(
        reason.contains("took too long, so this call is denied"),
        "{reason}"
    );
}
