//! `workunit`: contracts decide; two retries, then a person.

use super::*;
use crate::support::kill_points;

const TIMEOUT: &str =
    include_str!("../../../../../signoff-plan/tests/fixtures/fix-auth-timeout.md");
const EXTRACT: &str =
    include_str!("../../../../../signoff-plan/tests/fixtures/extract-config-module.md");
const MIGRATE: &str =
    include_str!("../../../../../signoff-plan/tests/fixtures/migrate-to-httpx.md");

/// The files of the plan that mends a timeout.
pub(crate) const TIMEOUT_FILES: [(&str, &str); 5] = [
    ("plan.md", TIMEOUT),
    ("src/auth/handler.py", "timeout = 30\n"),
    ("src/auth/middleware.py", "pass\n"),
    ("tests/auth/test_login.py", "pass\n"),
    (".signoff/topics/fix-auth-timeout.md", "Slow connections.\n"),
];

/// The files of the plan that ends with a review.
pub(crate) const EXTRACT_FILES: [(&str, &str); 3] = [
    ("plan.md", EXTRACT),
    ("src/app.py", "x\n"),
    ("tests/test_app.py", "x\n"),
];

/// `uv run pytest` and its like pass if the file that stands for their reason to is there.
pub(crate) const PROGRAMS: [(&str, &str); 2] = [
    (
        "uv",
        "case \"$*\" in\n\
        *pytest*) test -f fixed && echo '3 passed in 0.01s' || { echo '1 failed in 0.01s'; exit 1; } ;;\n\
        *ruff*) test -f fixed ;;\n*pyright*) test -f typed ;;\n*httpx*) test -f httpx ;;\nesac",
    ),
    ("gh", "test -f pr && echo OPEN"),
];

fn with_programs(example: Example) -> Example {
    PROGRAMS
        .into_iter()
        .fold(example, |example, (name, script)| {
            example.program(name, script)
        })
}

fn timeout(script: &Script) -> Example {
    with_programs(Example::new("plan.md", &TIMEOUT_FILES, script)).signed()
}

pub(crate) fn script() -> Script {
    let when = |text: &str| Reply::when([text]);
    Script::new()
        .reply(when("open a PR").write("pr", "x\n").say("opened"))
        .reply(when("lint or type errors").write("typed", "x\n"))
        .reply(
            when("implement the fix")
                .write("src/auth/handler.py", "timeout = None\n")
                .write("fixed", "x\n"),
        )
        .reply(when("Trace the timeout path").write("docs/analysis-423.md", &"line\n".repeat(12)))
}

fn done(example: &Example, steps: usize) {
    all_done(example, steps, "proved");
    let text = example.text();
    assert_eq!(text.matches("✅").count(), steps, "{text}");
    assert!(text.contains("\nstatus: done\n"), "{text}");
}

#[test]
fn runs_to_its_end() {
    let example = timeout(&script());
    let streamed = example
        .project
        .signoff(["run", "plan.md", "--format", "json"]);
    let streamed = streamed.assert_success().json_lines();
    done(&example, 4);
    let events = example.events();
    assert_eq!(streamed, events, "what was streamed is what is kept");
    for kind in [
        "baseline_finished",
        "attempt_started",
        "work_item",
        "process_started",
        "work_finished",
        "step_completed",
    ] {
        assert_eq!(count(&events, kind), 4, "{kind}");
    }
    // Three trees were changed after their verdicts, so three contracts are evaluated once more.
    let again = |event: &&Value| event["again"] == true;
    let started = || {
        events
            .iter()
            .filter(|event| event["type"] == "contract_started")
    };
    assert_eq!((started().count(), started().filter(again).count()), (7, 3));
    // Each context file was put into the prompt, and the topic.
    let item = events
        .iter()
        .find(|event| event["type"] == "work_item")
        .expect("an agent was started");
    let prompt = item["item"]["input"]["prompt"].as_str().unwrap_or_default();
    assert!(
        prompt.contains("timeout = 30") && prompt.contains("Slow connections."),
        "{prompt}"
    );
}

#[test]
fn killed_and_resumed() {
    for point in kill_points(&[
        "append.after:9",
        "spawn.held:2",
        "spawn.released:4",
        "contract.ended:3",
        "verdict.after:4",
        "mark.after:1",
    ]) {
        let example = timeout(&script());
        example.killed_at(point);
        let output = example.resume();
        assert_eq!(output.code, Some(0), "{point}: {output}");
        done(&example, 4);
    }
}

#[test]
fn two_retries_then_a_person() {
    let script = Script::new()
        .reply(
            Reply::when(["implement the fix", "the timeout is in the handler"])
                .write("fixed", "x\n"),
        )
        .reply(Reply::when(["implement the fix"]).say("all tests pass"));
    let example = timeout(&self::script().after(script));
    example.run().assert_code(3);
    assert_eq!(
        example.ledger().starts_of("step-2"),
        3,
        "retry(2), then escalate"
    );
    assert_eq!(count(&example.events(), "retry_scheduled"), 2);
    let text = example.text();
    assert!(
        text.contains("### 1. ✅ Analyze") && text.contains("status: in-progress"),
        "{text}"
    );
    let hint = ["--note", "the timeout is in the handler"];
    example
        .answer("escalation", "retry", &hint)
        .assert_success();
    done(&example, 4);
    assert_eq!(example.ledger().starts_of("step-2"), 4);
}

pub(crate) fn extract_script() -> Script {
    Script::new()
        .reply(
            Reply::when(["clean module boundary"])
                .write("docs/review-config-extract.md", "APPROVED\n"),
        )
        .reply(
            Reply::when(["Move config code"])
                .write("src/config.py", "x\n")
                .write("fixed", "x\n"),
        )
        .reply(Reply::when(["dependency map"]).write("docs/config-deps.md", "x\n"))
}

#[test]
fn the_review_is_a_review() {
    let example = Example::new("plan.md", &EXTRACT_FILES, &extract_script());
    let example = with_programs(example).signed();
    example.run().assert_success();
    done(&example, 3);
    let events = example.events();
    let items = events.iter().filter(|event| event["type"] == "work_item");
    let kinds: Vec<_> = items.map(|event| event["item"]["type"].clone()).collect();
    assert_eq!(kinds, ["CODE", "CODE", "REVIEW"]);
}

#[test]
fn unexpanded_steps_run_once_they_are_expanded() {
    let script = Script::new()
        .reply(
            Reply::when(["Remove `requests`"])
                .write("pyproject.toml", "httpx\n")
                .write("src/a.py", "import httpx\n"),
        )
        .reply(Reply::when(["Migrate files"]).write("fixed", "x\n"))
        .reply(Reply::when(["Add httpx"]).write("httpx", "x\n"))
        .reply(Reply::when(["Categorize by"]).write("docs/requests-inventory.md", "- src/a.py\n"));
    let files = [
        ("plan.md", MIGRATE),
        ("requirements.txt", "requests\n"),
        ("src/a.py", "import requests\n"),
        ("tests/test_a.py", "x\n"),
    ];
    let example = with_programs(Example::new("plan.md", &files, &script));
    example
        .project
        .signoff(["approve", "plan.md"])
        .assert_success()
        .assert_stderr_contains("unexpanded-step");
    let expanded = MIGRATE
        .replace(
            "### 3–N. Migrate file batch (one step per batch of ~5 files)",
            "### 3. Migrate file batch",
        )
        .replace("### N+1. Remove", "### 4. Remove")
        // The task names the file, but only `produces` allows to change what configures pytest.
        .replace(
            "Remove `requests` from pyproject.toml. Run uv sync. Verify no remaining imports.\n",
            "Remove `requests` from pyproject.toml. Run uv sync. Verify no remaining imports.\n\n**produces:** pyproject.toml\n",
        );
    example.project.write("plan.md", &expanded);
    let example = example.signed();
    example.run().assert_success();
    done(&example, 4);
}
