//! What somebody at pi's screen has: commands, the widget, and events for other extensions.

use serde_json::{Value, json};

use super::{Connected, PLAN, call, say, write};
use crate::support::BINARY;
use crate::support::test_agents::agents;

const CLIENT: &str = include_str!("pi_client.mjs");

/// An extension of somebody else. Its first subscribers fail, each in its own way.
const LISTENER: &str = r#"import { appendFileSync } from "node:fs";
export default function (pi: any) {
  for (const state of ["proposed", "approved", "executing", "completed", "failed"]) {
    pi.events.on(`plans:${state}`, () => { throw new Error("a subscriber throws"); });
    pi.events.on(`plans:${state}`, async () => { throw new Error("a subscriber rejects"); });
    pi.events.on(`plans:${state}`, (plan: any) => appendFileSync("events.txt", `${state} ${plan.id}\n`));
  }
}
"#;

/// Has pi do what the scenario says, and returns everything that it said.
fn played(connected: &Connected, scenario: &Value) -> String {
    let project = &connected.project;
    let client = project.outside("client.mjs");
    std::fs::write(&client, CLIENT).expect("it is ours");
    let file = project.outside("scenario.json");
    std::fs::write(&file, scenario.to_string()).expect("it is ours");
    let line = format!("node {} {}", client.display(), file.display());
    let played = project.bash(&line, &project.path());
    played.assert_success();
    played.stdout
}

/// The plan is chosen in the list, and then this is done with it.
fn with_plan(choice: &str) -> [Value; 3] {
    [
        json!({"type": "/plans"}),
        json!({"choose": "Make it"}),
        json!({"choose": choice}),
    ]
}

#[test]
fn a_plan_is_made_reviewed_and_run_at_pis_screen() {
    if !agents(&["pi"]).contains(&"pi") {
        return;
    }
    let script = |project: &signoff_testkit::Project| {
        let target = project.path().join("made.txt").display().to_string();
        signoff_stub::Script::new([
            write(target),
            call(
                "plan_propose",
                json!({"text": PLAN.replace("default", "nobody\n**depends_on:** x")}),
            ),
            call("plan_propose", json!({"text": PLAN})),
            // What a person is asked to type is one command, whatever the model says.
            call("plan_approve", json!({"plan": "it; rm -r x"})),
            say("I wait."),
        ])
    };
    let config = "sandbox.mode = 'off'\n";
    let connected = Connected::new("pi", "--project", config, script);
    let project = &connected.project;
    project.write(".pi/extensions/listener.ts", LISTENER);
    let scenario: Vec<Value> = [
        json!({"type": "/plan"}),
        json!({"shown": ["setStatus", "plan mode"]}),
        json!({"shown": ["notify", "Plan mode is on"]}),
        json!({"type": "/plan-simulate PLAN-00000000"}),
        json!({"shown": ["notify", "PLAN-00000000"]}),
        json!({"type": "/plans"}),
        json!({"shown": ["notify", "No plans yet"]}),
        // Whoever says what to plan stays in plan mode.
        json!({"type": "/plan make made.txt"}),
        json!({"shown": ["notify", "Plan mode is on"]}),
        json!({"shown": ["notify", "signoff approve 'it; rm -r x'"]}),
        json!({"ended": 1}),
    ]
    .into_iter()
    .chain(with_plan("Run"))
    .chain([json!({"shown": ["notify", "signoff approve"]})])
    .chain(with_plan("Reject"))
    .chain([
        json!({"answer": "it's late"}),
        json!({"shown": ["notify", r"signoff reject ID --feedback 'it'\''s late'"]}),
    ])
    .chain(with_plan("Approve"))
    .chain([
        json!({"shown": ["notify", "signoff approve ID"]}),
        json!({"type": "/plan-simulate ID"}),
        json!({"shown": ["notify", "Make"]}),
        json!({"type": "/plan-stats"}),
        json!({"shown": ["notify", "plan"]}),
        json!({"type": "/plan off"}),
        json!({"shown": ["notify", "Plan mode is off"]}),
        json!({"run": [BINARY, "approve", "ID"]}),
        // What is done in a terminal is told, too.
        json!({"run": ["timeout", "120", "sh", "-c", "until grep -q approved events.txt; do sleep 0.05; done"]}),
    ])
    .chain(with_plan("Run"))
    .chain([
        json!({"shown": ["setWidget", "Make it: completed, 1 of 1 steps\n  ✓ Make"]}),
        json!({"shown": ["notify", "Make it: completed"]}),
    ])
    .collect();
    let said = played(&connected, &json!(scenario));
    let sent = connected.sent();
    assert!(sent.contains("Plan mode: `"), "{said}");
    assert!(sent.contains("unknown-dependency"), "{said}");
    assert!(sent.contains("Only a person can do that"), "{said}");
    assert!(said.contains("Plans (1 pending)"), "{said}");
    assert_eq!(project.read("made.txt"), "made\n");
    let plans = connected.plans();
    let [plan] = plans.as_slice() else {
        panic!("{plans:?}: {said}");
    };
    assert_eq!(plan["status"], "completed");
    // Each state once, in order, and whoever fails keeps nobody from hearing of it.
    let id = plan["id"].as_str().expect("an id");
    let events = project.read("events.txt");
    let mut lines: Vec<&str> = events.lines().collect();
    assert_eq!(lines.remove(0), format!("proposed {id}"));
    assert_eq!(lines.remove(0), format!("approved {id}"));
    assert_eq!(lines.pop(), Some(format!("completed {id}").as_str()));
    // A run this short may be over before anybody looks.
    let between = format!("executing {id}");
    assert!(
        lines.iter().all(|line| *line == between) && lines.len() < 2,
        "{events}"
    );
}
