//! `thread`: a directory whose files stay as they are.

use super::*;
use crate::support::kill_points;

const PLAN: &str = include_str!(
    "../../../../../signoff-plan/tests/fixtures/thread/add-user-authentication/plan.md"
);
const SCHEMA: &str = include_str!(
    "../../../../../signoff-plan/tests/fixtures/thread/add-user-authentication/tasks/01-create-schema.md"
);
const SERVICE: &str = include_str!(
    "../../../../../signoff-plan/tests/fixtures/thread/add-user-authentication/tasks/02-implement-service.md"
);
/// The seed names the file and leaves out its text.
const HANDLER: &str =
    "---\nid: wire-handler\ndepends_on: [implement-service]\n---\n\nWire the handler.\n";

pub(crate) const FILES: [(&str, &str); 4] = [
    ("auth/plan.md", PLAN),
    ("auth/tasks/01-create-schema.md", SCHEMA),
    ("auth/tasks/02-implement-service.md", SERVICE),
    ("auth/tasks/03-wire-handler.md", HANDLER),
];

pub(crate) fn script() -> Script {
    let when = |text: &str| Reply::when([text]);
    Script::new()
        .reply(when("Wire the handler").write("handler.go", "x\n"))
        .reply(when("auth_service.go").write("auth_service.go", "x\n"))
        .reply(when("`users` table").write("users.sql", "x\n"))
}

fn example(script: &Script) -> Example {
    Example::new("auth", &FILES, script).signed()
}

fn accepted(example: &Example) {
    example.answer("acceptance", "accept", &[]).assert_success();
    all_done(example, 3, "accepted");
    for (file, text) in FILES {
        assert_eq!(example.project.read(file), text, "{file} stays as it is");
    }
}

#[test]
fn runs_to_its_end() {
    let example = example(&script());
    example.run().assert_code(3);
    accepted(&example);
    let events = example.events();
    let items = events.iter().filter(|event| event["type"] == "work_item");
    let agents: Vec<_> = items
        .clone()
        .map(|event| event["item"]["agent_id"].clone())
        .collect();
    assert_eq!(agents, ["default", "claude-code", "default"]);
    for event in items {
        let prompt = event["item"]["input"]["prompt"]
            .as_str()
            .unwrap_or_default();
        assert!(
            prompt.contains("Keep existing public endpoints unchanged."),
            "{prompt}"
        );
    }
}

#[test]
fn killed_and_resumed() {
    for point in kill_points(&["append.torn:5", "started.after:2", "spawn.released:3"]) {
        let example = example(&script());
        example.killed_at(point);
        example.resume().assert_code(3);
        accepted(&example);
        example.ledger();
    }
}

#[test]
fn two_retries_then_a_person() {
    let script = Script::new()
        .reply(
            Reply::when(["auth_service.go", "use the feature pattern of users"])
                .write("auth_service.go", "x\n"),
        )
        .reply(
            Reply::when(["auth_service.go"])
                .complain("no pattern found")
                .exit(1),
        );
    let example = example(&self::script().after(script));
    example.run().assert_code(3);
    assert_eq!(example.ledger().starts_of("implement-service"), 3);
    let hint = ["--note", "use the feature pattern of users"];
    example.answer("escalation", "retry", &hint).assert_code(3);
    accepted(&example);
}
