//! An agent that people have plans over MCP: it proposes, corrects, asks for a signature, and has the plan carried out.

use serde_json::{Value, json};
use signoff_stub::{Reply, Script, Stub};
use signoff_testkit::Project;

use crate::support::test_agents::{agents, installed};
use crate::support::{BINARY, agent, makes_out, plan, project};

fn calls(tool: &str, arguments: Value) -> Reply {
    Reply::Tool {
        name: tool.to_owned(),
        arguments,
    }
}

/// A project whose plans are carried out by a script, and Claude Code in it with this model. Returns what the model was told.
fn talk(project: &Project, replies: Vec<Reply>) -> String {
    let stub = Stub::start(Script::new(replies)).expect("a port on loopback");
    let settings = stub.client_settings("claude").expect("a known agent");
    let programs = installed("claude").expect("it is installed");
    let servers = json!({"mcpServers": {"signoff": {"command": BINARY, "args": ["mcp"]}}});
    project.write("mcp.json", &servers.to_string());
    // By its path: that of programs is part of what is signed.
    let claude = programs.join("claude");
    let variables = settings.variables.iter();
    let variables = variables.map(|(name, value)| format!("{name}='{value}'"));
    let line = format!(
        "{} exec {} -p 'plan this' --mcp-config mcp.json --strict-mcp-config \
         --allowedTools mcp__signoff --output-format stream-json --verbose </dev/null",
        variables.collect::<Vec<_>>().join(" "),
        claude.display()
    );
    let talked = project.bash(&line, &project.path());
    talked.assert_success();
    let prompts = stub.requests().into_iter();
    let bodies = prompts.map(|request| request.body.to_string());
    bodies.collect::<Vec<_>>().join("\n")
}

/// What the tools answered, for messages.
fn results(told: &str) -> String {
    let parts = told.split("tool_result").skip(1);
    let parts = parts.map(|part| part.chars().take(300).collect::<String>());
    parts.collect::<Vec<_>>().join("\n")
}

#[test]
fn claude_plans_over_mcp() {
    if !agents(&["claude"]).contains(&"claude") {
        return;
    }
    let project = project(&makes_out(), "");
    project.signoff(["trust"]).assert_success();
    let good = plan(&[&agent("Make it.", "out")]).replace("owner: o", "id: made\nowner: o");
    let broken = good.replace("**task:**", "**depends_on:** nothing\n**task:**");
    let told = talk(
        &project,
        vec![
            calls("plan_propose", json!({"text": broken})),
            calls("plan_propose", json!({"text": good})),
            calls("plan_approve", json!({"plan": "made"})),
            calls("plan_run", json!({"plan": "made"})),
            Reply::Text("It waits for you.".to_owned()),
        ],
    );
    for words in [
        "mcp__signoff__plan_propose",
        "error[unknown-dependency]",
        r#"\"id\":\"made\",\"status\":\"verified\""#,
        // Without a person at it, it closes every dialog.
        "error[unanswered]",
        "`signoff approve made`",
        "error[not-signed]",
    ] {
        assert!(told.contains(words), "{words}: {}", results(&told));
    }
    project.signoff(["approve", "made"]).assert_success();
    let told = talk(
        &project,
        vec![
            calls("plan_run", json!({"plan": "made"})),
            calls("plan_status", json!({"plan": "made", "wait": true})),
            Reply::Text("It is done.".to_owned()),
        ],
    );
    for words in [
        r#"\"schema\":\"signoff.run/1\""#,
        r#"\"status\":\"completed\""#,
    ] {
        assert!(told.contains(words), "{words}: {}", results(&told));
    }
    assert!(project.exists("out"));
}
