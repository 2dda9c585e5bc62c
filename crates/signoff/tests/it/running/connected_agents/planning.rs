//! "Plan this change" in an agent that people have, from the request to the work.

use serde_json::{Value, json};
use signoff_stub::{Reply, Script, Turn};

use super::{Connected, PLAN, call, command, say, write};
use crate::support::test_agents::agents;

/// Calls a tool of Signoff's server.
pub(super) fn plan_tool(agent: &str, name: &str, arguments: Value) -> Turn {
    // Codex declares such tools only after a search.
    match agent {
        "codex" => call(&format!("mcp__signoff__{name}"), arguments),
        _ => call(name, arguments),
    }
}

/// The tools that a plan is handed in and followed with.
fn turns(agent: &str, project: &signoff_testkit::Project) -> Vec<Turn> {
    let tool = |name: &str, arguments: Value| plan_tool(agent, name, arguments);
    let good = PLAN.replace("owner: o", "id: made\nowner: o");
    let broken = good.replace("**task:**", "**depends_on:** nothing\n**task:**");
    let target = project.path().join("made.txt").display().to_string();
    vec![
        write(target),
        Reply::Shell {
            command: "rm -r data".to_owned(),
        }
        .into(),
        tool("plan_propose", json!({"text": broken})),
        tool("plan_propose", json!({"text": good})),
        tool("plan_approve", json!({"plan": "made"})),
        tool("plan_run", json!({"plan": "made"})),
        say("I wait."),
    ]
}

/// A delegated planner: it reads and proposes, and exits. It cannot change or sign anything. A person signs elsewhere, and
/// what was signed is carried out by a run.
#[test]
fn an_agent_plans_a_person_signs_and_a_run_does_the_work() {
    for agent in agents(&["claude", "gemini", "pi"]) {
        let script = |project: &signoff_testkit::Project| Script::new(turns(agent, project));
        let config = "guard.plan_mode = true\nsandbox.mode = 'off'\n";
        let mut connected = Connected::new(agent, "--user", config, script);
        let project = &connected.project;
        project.write("data/kept.txt", "kept\n");
        let talked = project.bash(command(agent), &project.path());
        talked.assert_success();
        let sent = connected.sent();
        for words in [
            // The skill is there, and says when it is meant.
            "Write plans that a person signs off",
            "Plan mode: `",
            "unknown-dependency",
            // A client that cannot ask a person is told what the person types.
            "signoff approve made",
            "not signed",
        ] {
            assert!(sent.contains(words), "{agent}: {words}: {talked}");
        }
        assert!(!project.exists("made.txt"), "{agent}: {talked}");
        assert_eq!(project.read("data/kept.txt"), "kept\n", "{agent}");
        assert_eq!(state(&connected), "verified", "{agent}: {talked}");

        project.signoff(["approve", "made"]).assert_success();
        let script = Script::new([
            plan_tool(agent, "plan_run", json!({"plan": "made"})),
            plan_tool(agent, "plan_status", json!({"plan": "made"})),
            say("It runs."),
        ]);
        let model = connected.next_model(agent, script);
        let project = &connected.project;
        let talked = project.bash(&(model + command(agent)), &project.path());
        talked.assert_success();
        let sent = connected.sent();
        let status = project.signoff(["status", "--format", "json"]);
        assert_eq!(status.stderr, "", "{agent}: {talked}\n{sent}");
        let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
        let run = status["run"].as_str().expect("a name");
        assert!(sent.contains(run), "{agent}: {talked}");
        // It goes on without the agent.
        project.signoff(["log", "made", "--follow"]);
        assert_eq!(state(&connected), "completed", "{agent}: {talked}");
        assert_eq!(project.read("made.txt"), "made\n", "{agent}");
    }
}

fn state(connected: &Connected) -> Value {
    let plans = connected.plans();
    assert_eq!(plans.len(), 1, "{plans:?}");
    plans[0]["status"].clone()
}
