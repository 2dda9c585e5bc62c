//! `record`: five agents, no contracts, so that a person accepts at the end; a failure is
//! planned anew, which without a planner asks a person.

use super::*;
use crate::support::kill_points;

pub(crate) const TEXT: &str = include_str!("../../../fixtures/seeds/000-auth-feature.yaml");

pub(crate) fn script() -> Script {
    let when = |text: &str| Reply::when([text]);
    Script::new()
        .reply(when("Review and validate").say("looks good"))
        .reply(when("Write integration tests").write("tests/auth.test.ts", "test\n"))
        .reply(when("Implement login endpoint").write("src/auth/login.ts", "login\n"))
        .reply(when("Implement authentication middleware").write("src/auth/middleware.ts", "jwt\n"))
        .reply(when("Analyze existing codebase").say("Found existing auth utilities in src/auth/"))
}

fn example(script: &Script) -> Example {
    Example::new("auth.yaml", &[("auth.yaml", TEXT)], script).signed()
}

fn accepted(example: &Example) {
    assert_eq!(
        example.item("acceptance")["steps"].as_array().map(Vec::len),
        Some(5)
    );
    assert_eq!(count(&example.events(), "step_provisional"), 5);
    example.answer("acceptance", "accept", &[]).assert_success();
    all_done(example, 5, "accepted");
    let text = example.text();
    assert!(text.contains("\nstatus: complete\n"), "{text}");
    assert_eq!(
        text.matches("\n    status: complete\n").count(),
        5,
        "{text}"
    );
}

#[test]
fn runs_to_its_end() {
    let example = example(&script());
    example.run().assert_code(3);
    accepted(&example);
    // What the file claims to be complete is done again: no contract proves the claim.
    assert_eq!(example.ledger().started().len(), 5);
}

#[test]
fn killed_and_resumed() {
    for point in kill_points(&["spawn.released:2", "finished.after:3", "work.ended:1"]) {
        let example = example(&script());
        example.killed_at(point);
        example.resume().assert_code(3);
        accepted(&example);
        example.ledger();
    }
}

#[test]
fn a_failure_asks_a_person() {
    // Later steps are told of the earlier ones.
    let script = Script::new()
        .reply(Reply::when(["Review and validate"]).say("looks good"))
        .reply(Reply::when(["Write integration tests"]).write("tests/auth.test.ts", "test\n"))
        .reply(
            Reply::when(["Implement login endpoint", "the store is in memory"])
                .write("src/auth/login.ts", "login\n"),
        )
        .reply(
            Reply::when(["Implement login endpoint"])
                .say("no user store")
                .exit(1),
        );
    let example = example(&self::script().after(script));
    example.run().assert_code(3);
    // Its default is `replan`: no attempt more than the first.
    assert_eq!(example.ledger().starts_of("step-3"), 1);
    assert!(example.text().contains("status: in_progress"));
    let hint = ["--note", "the store is in memory"];
    example.answer("escalation", "retry", &hint).assert_code(3);
    accepted(&example);
    assert_eq!(example.ledger().starts_of("step-3"), 2);
}
