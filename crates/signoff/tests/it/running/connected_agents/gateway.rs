//! A gateway, as `docs/gateway.md` describes it, with a real agent as its planner: a process for each request, which reads,
//! proposes and exits.

use std::fs::File;
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use signoff_stub::Script;
use signoff_testkit::{Output, Project};

use super::planning::plan_tool;
use super::{Connected, PLAN, command, say, write};
use crate::support::test_agents::agents;

/// The card that a person is shown.
fn card(project: &Project) -> Value {
    project.json(["show", "made"])
}

fn digest(project: &Project) -> String {
    let card = card(project);
    card["digest"].as_str().expect("a digest").to_owned()
}

/// A button that somebody pressed: under the digest that was shown.
fn approve(project: &Project, digest: &str) -> Output {
    project.signoff(["approve", "made", "--expect-digest", digest])
}

/// A plan that nobody looked at for a year expires when the next session begins.
fn leave_an_old_plan(project: &Project) {
    let first_use = File::options()
        .write(true)
        .open(project.path().join(".signoff/project.json"));
    first_use
        .and_then(|file| file.set_modified(UNIX_EPOCH))
        .expect("it is ours");
    let old = "---\nid: PLAN-0a0a0a0a\ntitle: Old\nstatus: proposed\nversion: 1\nupdated_at: 2025-01-01T00:00:00Z\ntools_required: []\n---\n\n## Steps\n1. Look (read: all)\n";
    project.write(".signoff/plans/PLAN-0a0a0a0a.md", old);
}

#[test]
fn planners_come_and_go_a_person_decides_and_events_tell_of_the_run() {
    for agent in agents(&["claude", "gemini"]) {
        let tool = |name: &str, arguments: Value| plan_tool(agent, name, arguments);
        let first = PLAN.replace("owner: o", "id: made\nowner: o");
        let second = first.replace("# Make it", "# Make it well");
        let script = |project: &Project| {
            let target = project.path().join("made.txt").display().to_string();
            Script::new([
                write(target),
                tool("plan_propose", json!({"text": first})),
                say("It is proposed."),
            ])
        };
        let config = "guard.plan_mode = true\nsandbox.mode = 'off'\n";
        let mut connected = Connected::new(agent, "--user", config, script);
        let project = &connected.project;
        let talked = project.bash(command(agent), &project.path());
        talked.assert_success();
        assert!(!project.exists("made.txt"), "{agent}: {talked}");
        let shown = digest(project);

        // The planner is gone. A person wants something else, and nobody says that in an agent's name.
        let reject = ["reject", "made", "--feedback", "Make it well"];
        let by_agent = project.signoff_with(&[("CLAUDECODE", "1")], reject);
        by_agent.assert_code(4);
        project.signoff(reject).assert_success();

        leave_an_old_plan(project);

        // The next one knows nothing but what the plan says.
        let script = Script::new([
            tool("plan_get", json!({"plan": "made"})),
            tool("plan_revise", json!({"plan": "made", "text": second})),
            say("It is revised."),
        ]);
        let model = connected.next_model(agent, script);
        let project = &connected.project;
        let talked = project.bash(&(model + command(agent)), &project.path());
        talked.assert_success();
        let sent = connected.sent();
        // What is said to the person, too, is said to the agent.
        assert!(sent.contains("has expired"), "{agent}: {talked}\n{sent}");
        let told = sent.matches("Make it well").count() > sent.matches("# Make it well").count();
        assert!(told, "{agent}: {talked}\n{sent}");

        // Two press at once, one of them under the old card.
        approve(project, &shown).assert_code(5);
        let card = card(project);
        assert_eq!(
            (&card["title"], &card["status"]),
            (&json!("Make it well"), &json!("verified"))
        );
        approve(project, &digest(project)).assert_success();
        approve(project, &digest(project)).assert_code(5);

        let ran = project.signoff(["run", "made", "--format", "json"]);
        ran.assert_success();
        let events: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("an event"))
            .collect();
        let position = |name: &str| {
            let found = events.iter().position(|event| event["type"] == name);
            found.unwrap_or_else(|| panic!("{agent}: no {name} in {ran}"))
        };
        let order = [
            "run_started",
            "step_started",
            "step_completed",
            "run_finished",
        ]
        .map(position);
        assert!(order.is_sorted(), "{agent}: {ran}");
        assert_eq!(order[3], events.len() - 1, "{agent}: {ran}");
        // Whoever missed some asks again.
        let log = project.signoff(["log", "made", "--format", "json"]);
        assert_eq!(log.stdout.lines().count(), events.len(), "{agent}: {log}");
        assert_eq!(project.read("made.txt"), "made\n", "{agent}");
    }
}
