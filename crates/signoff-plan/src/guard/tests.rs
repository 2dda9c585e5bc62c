//! Calls of every agent, and what becomes of them.

use serde_json::{Value, json};

use super::*;

#[derive(Debug)]
struct Plans;

impl SessionFiles for Plans {
    fn is_plan_file(&self, path: &str) -> bool {
        path.starts_with("/plans/s1/")
    }

    fn bare_repository(&self, directories: &[String]) -> Option<String> {
        directories
            .iter()
            .find(|path| path.contains(".git"))
            .cloned()
    }
}

fn rules(plan_mode: bool, mode: GuardMode, guarded: &[String]) -> GuardRules<'_> {
    GuardRules {
        plan_mode,
        mode,
        guarded,
        files: &Plans,
    }
}

fn call<'a>(agent: Agent, tool: &'a str, input: &'a Value) -> ToolCall<'a> {
    ToolCall {
        agent,
        tool,
        input,
        server: None,
    }
}

#[track_caller]
fn check_plan_mode(agent: Agent, tool: &str, input: Value, passes: bool) {
    let call = call(agent, tool, &input);
    let denied = decide(&call, &rules(true, GuardMode::Off, &[]));
    assert_eq!(
        denied.is_none(),
        passes,
        "{agent:?} {tool} {input}: {denied:?}"
    );
    if let Some(denied) = denied {
        assert!(denied.blocks && !denied.reason.is_empty());
    }
}

#[test]
fn git_runs_in_no_repository_that_came_with_a_clone() {
    for (command, passes) in [
        ("git -C sub status", true),
        ("git -C vendor/evil.git status", false),
        ("cd vendor/evil.git && git status", false),
        ("cd vendor/evil.git && ls", true),
        ("git -C \"$X\" status", false),
    ] {
        check_plan_mode(Agent::Claude, "Bash", json!({"command": command}), passes);
    }
    let input = json!({"command": ["git", "status"], "workdir": "/x/evil.git"});
    check_plan_mode(Agent::Codex, "shell", input, false);
}

#[test]
fn plan_mode_reads_and_plans() {
    use Agent::{Claude, Codex, Gemini, Opencode, Pi};
    let file = |path: &str| json!({"file_path": path});
    let none = || json!({});
    for (agent, tool, input) in [
        (Claude, "Read", file("/etc/hosts")),
        (Claude, "Grep", json!({"pattern": "x"})),
        (Claude, "WebFetch", json!({"url": "https://example.com"})),
        (Claude, "TodoWrite", none()),
        (Claude, "ExitPlanMode", json!({"plan": "# x"})),
        (Claude, "Agent", json!({"prompt": "look"})),
        (Claude, "Write", file("/plans/s1/plan.md")),
        (Claude, "MultiEdit", file("/plans/s1/tasks/01-a.md")),
        (Claude, "mcp__signoff__plan_propose", none()),
        (Claude, "Skill", json!({"skill": "signoff:plan"})),
        (Claude, "Bash", json!({"command": "signoff propose x.md"})),
        (Claude, "Bash", json!({"command": "agentctl plan dir"})),
        (Codex, "update_plan", none()),
        (
            Codex,
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: /plans/s1/a.md\n+x\n*** End Patch"}),
        ),
        (Gemini, "read_many_files", none()),
        (Gemini, "mcp_signoff_plan_list", none()),
        (Gemini, "write_file", file("/plans/s1/x.md")),
        (Opencode, "glob", none()),
        (Opencode, "write", json!({"filePath": "/plans/s1/x.md"})),
        (Pi, "find", none()),
        (Pi, "plan_propose", none()),
    ] {
        check_plan_mode(agent, tool, input, true);
    }
}

#[test]
fn plan_mode_changes_nothing() {
    use Agent::{Claude, Codex, Gemini, Opencode, Pi};
    let file = |path: &str| json!({"file_path": path});
    let none = || json!({});
    for (agent, tool, input) in [
        (Claude, "Write", file("/work/a.rs")),
        (Claude, "Write", file("/plans/s2/plan.md")),
        (Claude, "Write", file("/plans/s1/../s2/plan.md")),
        (Claude, "Write", file("plans/s1/plan.md")),
        (Claude, "Write", file("~/plans/s1/plan.md")),
        (Claude, "Write", file("@/plans/s1/plan.md")),
        (Claude, "Write", file("/plans/s1/a\u{a0}b.md")),
        (
            Claude,
            "Write",
            json!({"file_path": "/plans/s1/a", "path": "/etc/x"}),
        ),
        (Claude, "Write", none()),
        (Claude, "Edit", file("/work/a.rs")),
        (
            Claude,
            "NotebookEdit",
            json!({"notebook_path": "/work/a.ipynb"}),
        ),
        (Claude, "Bash", json!({"command": "rm -rf x"})),
        (Claude, "Bash", json!({"command": "signoff approve x"})),
        (Claude, "Bash", json!({"command": "signoff run x"})),
        (
            Claude,
            "Bash",
            json!({"command": "signoff propose x; rm y"}),
        ),
        (
            Claude,
            "Bash",
            json!({"command": "signoff show x", "env": {"PATH": "."}}),
        ),
        (Claude, "Bash", none()),
        (Claude, "Bash", json!({"command": ["rm", "x"]})),
        (
            Claude,
            "Agent",
            json!({"prompt": "x", "mode": "acceptEdits"}),
        ),
        (
            Claude,
            "Agent",
            json!({"prompt": "x", "isolation": "worktree"}),
        ),
        (Claude, "CronCreate", none()),
        (Claude, "Workflow", none()),
        (Claude, "EnterWorktree", none()),
        (Claude, "Skill", json!({"skill": "deploy"})),
        (Claude, "Skill", json!({"skill": "signoffx"})),
        (Claude, "mcp__github__create_issue", none()),
        (Claude, "mcp__github__plan_propose", none()),
        (Claude, "bash", json!({"command": "signoff show x"})),
        (Claude, "SomethingNew", none()),
        (Codex, "write_stdin", json!({"chars": "rm x\n"})),
        (
            Codex,
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: /plans/s1/a\n+x\n*** Delete File: /b\n*** End Patch"}),
        ),
        (Codex, "spawn_agent", none()),
        (Gemini, "save_memory", none()),
        (Gemini, "invoke_agent", none()),
        (Gemini, "replace", file("/work/a")),
        (Gemini, "mcp_odoo_create", none()),
        (Opencode, "task", none()),
        (Opencode, "patch", json!({"patchText": "x"})),
        (Opencode, "odoo_create", none()),
        (Pi, "write", json!({"path": "/work/a"})),
        (Pi, "subagent", none()),
    ] {
        check_plan_mode(agent, tool, input, false);
    }
}

#[test]
fn outside_plan_mode_only_what_is_guarded_and_peoples_commands() {
    let guarded = vec!["odoo_*".to_owned(), "gmail_send".to_owned()];
    let null = Value::Null;
    let edit = json!({"file_path": "/work/a"});
    let approve = json!({"command": "signoff approve x"});
    let decide_in = |mode, tool, input| {
        let denied = decide(
            &call(Agent::Claude, tool, input),
            &rules(false, mode, &guarded),
        );
        denied.map(|denied| (denied.rule, denied.blocks))
    };
    for mode in [GuardMode::Off, GuardMode::Log, GuardMode::Block] {
        assert_eq!(decide_in(mode, "Edit", &edit), None);
        assert_eq!(decide_in(mode, "mcp__signoff__plan_propose", &null), None);
    }
    assert_eq!(
        decide_in(GuardMode::Off, "mcp__odoo__odoo_write", &null),
        None
    );
    assert_eq!(decide_in(GuardMode::Off, "Bash", &approve), None);
    let logged = |rule| Some((rule, false));
    let blocked = |rule| Some((rule, true));
    let tool = "mcp__odoo__odoo_write";
    assert_eq!(
        decide_in(GuardMode::Log, tool, &null),
        logged(GuardRule::Guarded)
    );
    assert_eq!(
        decide_in(GuardMode::Block, tool, &null),
        blocked(GuardRule::Guarded)
    );
    assert_eq!(
        decide_in(GuardMode::Log, "Bash", &approve),
        logged(GuardRule::PersonOnly)
    );
    assert_eq!(
        decide_in(GuardMode::Block, "Bash", &approve),
        blocked(GuardRule::PersonOnly)
    );
    let in_plan_mode = decide(
        &call(Agent::Claude, "Bash", &approve),
        &rules(true, GuardMode::Log, &[]),
    );
    let denied = in_plan_mode.expect("it is denied");
    assert!(
        denied.blocks && denied.rule == GuardRule::PersonOnly,
        "a looser mode does not loosen plan mode"
    );
}

#[test]
fn inside_a_run_the_scope_decides() {
    let servers = ["odoo", "my_mail"].map(str::to_owned);
    let check = |tools: &[&str], agent, tool: &str, passes: bool| {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let scope = StepScope {
            tools: Some(&tools),
            servers: &servers,
        };
        let denied = decide_in_run(&call(agent, tool, &Value::Null), &scope);
        assert_eq!(denied.is_none(), passes, "{tools:?} {tool} {denied:?}");
    };
    check(&["read_file"], Agent::Claude, "Read", true);
    check(&["read_file"], Agent::Claude, "TodoWrite", true);
    check(&["read_file"], Agent::Claude, "Bash", false);
    check(&["read_file"], Agent::Claude, "BashOutput", false);
    check(&["run_command"], Agent::Claude, "Bash", true);
    check(&["run_command"], Agent::Claude, "BashOutput", true);
    check(&["write_file"], Agent::Codex, "apply_patch", true);
    check(&[], Agent::Claude, "Read", false);
    check(&["read_file"], Agent::Claude, "Agent", false);
    check(&["Agent"], Agent::Claude, "Agent", true);
    check(&["task"], Agent::Opencode, "task", false);
    check(&["odoo"], Agent::Claude, "mcp__odoo__read", true);
    check(&["odoo.read"], Agent::Claude, "mcp__odoo__read", true);
    check(&["odoo.read"], Agent::Claude, "mcp__odoo__write", false);
    check(&["odoo.re*"], Agent::Claude, "mcp__odoo__read", true);
    check(&["mcp__odoo__read"], Agent::Claude, "mcp__odoo__read", true);
    check(&["github"], Agent::Claude, "mcp__github__read", false);
    check(&["my_mail"], Agent::Gemini, "mcp_my_mail_send", true);
    check(&["my_mail.send"], Agent::Opencode, "my_mail_send", true);
    check(&["odoo"], Agent::Gemini, "mcp_my_mail_send", false);
    check(&["plan_check"], Agent::Pi, "plan_check", true);
    check(
        &["read_file"],
        Agent::Claude,
        "mcp__signoff__plan_propose",
        false,
    );
    let all = StepScope {
        tools: None,
        servers: &[],
    };
    assert_eq!(
        decide_in_run(&call(Agent::Claude, "Anything", &Value::Null), &all),
        None
    );
}

#[test]
fn a_refusal_says_what_is_possible() {
    let tools = ["read_file", "odoo.read"].map(str::to_owned);
    let scope = StepScope {
        tools: Some(&tools),
        servers: &[],
    };
    let denied = decide_in_run(&call(Agent::Claude, "Bash", &Value::Null), &scope);
    assert_eq!(
        denied.expect("it is denied").reason,
        "Tool not available in plan scope. Only [read_file, odoo.read] are available."
    );
}
