//! `toolplan`: the harness calls the tools itself; a reference implies the dependency; what
//! destroys needs leave.

use super::*;

pub(crate) const REFERENCES: &str = include_str!("../../../fixtures/seeds/001-references.json");
const REVIEW: &str = include_str!("../../../fixtures/seeds/001-review.json");
pub(crate) const REVIEW_FILES: [(&str, &str); 2] = [
    ("plan.json", REVIEW),
    ("config.json", "{\"version\": \"1.0.0\"}\n"),
];

fn references(text: &str) -> Example {
    let files = [("plan.json", text), ("data.json", "{\"a\": 1}\n")];
    Example::new("plan.json", &files, &Script::new()).signed()
}

fn review() -> Example {
    Example::new("plan.json", &REVIEW_FILES, &Script::new()).signed()
}

fn processed(example: &Example) {
    all_done(example, 2, "observed");
    assert_eq!(example.project.read("processed.json"), "{\"a\": 1}\n");
    let text = example.text();
    assert_eq!(
        text.matches("\"status\": \"completed\"").count(),
        2,
        "{text}"
    );
}

#[test]
fn a_reference_is_resolved_and_waited_for() {
    let example = references(REFERENCES);
    example.run().assert_success();
    processed(&example);
    let events = example.events();
    let called: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "call_started")
        .collect();
    assert_eq!(called[1]["call"]["args"]["content"], "{\"a\": 1}\n");
    assert_eq!(count(&events, "call_finished"), 2);
}

#[test]
fn killed_while_it_reads_it_reads_again() {
    for point in [
        "effect.before:1",
        "effect.after:1",
        "call.before:1",
        "call.after:1",
    ] {
        let example = references(REFERENCES);
        example.killed_at(point);
        example.resume().assert_success();
        processed(&example);
    }
}

#[test]
fn killed_while_it_writes_a_person_finds_out() {
    // It took place: the result is entered.
    let example = references(REFERENCES);
    example.killed_at("effect.after:2").resume().assert_code(3);
    // In the run's tree: nothing lands before the step has passed.
    assert!(!example.project.exists("processed.json"));
    let item = example.item("unknown_call");
    assert_eq!(
        item["choices"],
        json!(["happened", "retry", "skip", "abort"])
    );
    let result = ["--note", "{\"path\": \"processed.json\", \"bytes\": 9}"];
    example
        .answer("unknown_call", "happened", &result)
        .assert_success();
    let steps = example.steps();
    assert_eq!(steps[1], ("completed".to_owned(), "accepted".to_owned()));
    assert_eq!(count(&example.events(), "call_started"), 2);

    // It did not: it is called again. What it had put nowhere yet is gone.
    let example = references(REFERENCES);
    example.killed_at("effect.before:2");
    let runs = std::fs::read_dir(example.project.path().join(".signoff/runs")).unwrap();
    let run = runs.flatten().next().unwrap().path();
    std::fs::create_dir_all(run.join("staging")).unwrap();
    std::fs::write(run.join("staging/.signoff-1-0.tmp"), "half").unwrap();
    example.resume().assert_code(3);
    assert!(!run.join("staging").exists());
    assert!(!example.project.exists("processed.json"));
    example
        .answer("unknown_call", "retry", &[])
        .assert_success();
    processed(&example);
    assert_eq!(count(&example.events(), "call_started"), 3);
}

#[test]
fn the_seeds_own_reference_is_of_the_wrong_type_and_is_refused() {
    let text = REFERENCES.replace("$step_1.content", "$step_1");
    let files = [("plan.json", text.as_str()), ("data.json", "{\"a\": 1}\n")];
    let example = Example::new("plan.json", &files, &Script::new());
    let refused = example.project.signoff(["approve", "plan.json"]);
    refused
        .assert_code(1)
        .assert_stderr_contains("`$step_1.content` would fit");
}

#[test]
fn a_failure_that_stays_asks_at_once() {
    let example = references(REFERENCES);
    let data = example.project.path().join("data.json");
    std::fs::remove_file(&data).expect("it is there");
    example.run().assert_code(3);
    assert_eq!(
        count(&example.events(), "retry_scheduled"),
        0,
        "it is not transient"
    );
    std::fs::write(&data, "{\"a\": 1}\n").expect("the project is writable");
    example.answer("escalation", "retry", &[]).assert_success();
    processed(&example);
}

#[test]
fn overwriting_needs_leave_and_may_be_changed() {
    let example = review();
    example
        .run()
        .assert_code(3)
        .assert_stderr_contains("step_2");
    // Beside it, the backup was made: of the file as it was.
    assert_eq!(
        example.project.read("config.backup.json"),
        "{\"version\": \"1.0.0\"}\n"
    );
    let changed =
        "{\"path\": \"config.json\", \"content\": \"{\\\"version\\\": \\\"2.0.1\\\"}\\n\"}";
    example
        .answer("approval", "approve", &["--note", changed])
        .assert_success();
    all_done(&example, 4, "observed");
    assert_eq!(
        example.project.read("config.json"),
        "{\"version\": \"2.0.1\"}\n"
    );
    let events = example.events();
    let call = events
        .iter()
        .find(|event| event["type"] == "call_started" && event["step"] == "step_2");
    let content = call.map(|event| event["call"]["args"]["content"].clone());
    assert_eq!(content, Some("{\"version\": \"2.0.1\"}\n".into()));
}

#[test]
fn denied_is_skipped_in_the_seeds_words() {
    let example = review();
    example.run().assert_code(3);
    example
        .answer("approval", "deny", &[])
        .assert_code(1)
        .assert_stdout_contains("User denied approval");
    let words: Vec<String> = example
        .steps()
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    assert_eq!(words, ["completed", "skipped", "completed", "blocked"]);
    assert!(
        example.text().contains("\"status\": \"skipped\""),
        "{}",
        example.text()
    );
    ended(&example.events(), "failed");
}
