//! The example of each seed, made runnable: carried out in one go, killed and resumed, escalated and
//! answered. What the run reported is checked against the catalogue of events, and the marks against
//! the seed's own words.

#[expect(dead_code, reason = "the other tests use the rest of it")]
mod common;
mod seeds;

use seeds::catalogue::ended;
use seeds::{Example, count};
use serde_json::{Value, json};
use signoff_testkit::{Reply, Script};

/// Every step completed with this grade.
#[track_caller]
fn all_done(example: &Example, steps: usize, evidence: &str) {
    let done = ("completed".to_owned(), evidence.to_owned());
    assert_eq!(example.steps(), vec![done; steps]);
    let ends = ended(&example.events(), "completed");
    assert_eq!(ends.len(), steps);
    for (id, (status, grade)) in ends {
        assert_eq!(
            (status, grade),
            ("completed".to_owned(), Some(evidence.to_owned())),
            "{id}"
        );
    }
    let processes = example.project.processes();
    assert!(processes.is_empty(), "{processes:#?}");
}

mod record {
    //! Seed 000: five agents, no contracts, so that a person accepts at the end; a failure is
    //! planned anew, which without a planner asks a person.

    use super::*;

    fn script() -> Script {
        let when = |text: &str| Reply::when([text]);
        Script::new()
            .reply(when("Review and validate").say("looks good"))
            .reply(when("Write integration tests").write("tests/auth.test.ts", "test\n"))
            .reply(when("Implement login endpoint").write("src/auth/login.ts", "login\n"))
            .reply(
                when("Implement authentication middleware")
                    .write("src/auth/middleware.ts", "jwt\n"),
            )
            .reply(
                when("Analyze existing codebase").say("Found existing auth utilities in src/auth/"),
            )
    }

    fn example(script: &Script) -> Example {
        let text = include_str!("fixtures/seeds/000-auth-feature.yaml");
        Example::new("auth.yaml", &[("auth.yaml", text)], script).signed()
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
        for point in ["spawn.released:2", "finished.after:3", "work.ended:1"] {
            let example = example(&script());
            example.killed_at(point);
            example.resume().assert_code(3);
            accepted(&example);
            example.ledger();
        }
    }

    #[test]
    fn a_failure_asks_a_person() {
        let script = Script::new()
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
}

mod toolplan {
    //! Seed 001: the harness calls the tools itself; a reference implies the dependency; what
    //! destroys needs leave.

    use super::*;

    const REFERENCES: &str = include_str!("fixtures/seeds/001-references.json");
    const REVIEW: &str = include_str!("fixtures/seeds/001-review.json");

    fn references(text: &str) -> Example {
        let files = [("plan.json", text), ("data.json", "{\"a\": 1}\n")];
        Example::new("plan.json", &files, &Script::new()).signed()
    }

    fn review() -> Example {
        let files = [
            ("plan.json", REVIEW),
            ("config.json", "{\"version\": \"1.0.0\"}\n"),
        ];
        Example::new("plan.json", &files, &Script::new()).signed()
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
        assert!(example.project.exists("processed.json"));
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

        // It did not: it is called again.
        let example = references(REFERENCES);
        example.killed_at("effect.before:2").resume().assert_code(3);
        assert!(!example.project.exists("processed.json"));
        example
            .answer("unknown_call", "retry", &[])
            .assert_success();
        processed(&example);
        assert_eq!(count(&example.events(), "call_started"), 3);
    }

    #[test]
    fn the_seeds_own_reference_is_of_the_wrong_type_and_asks() {
        let example = references(&REFERENCES.replace("$step_1.content", "$step_1"));
        example
            .run()
            .assert_code(3)
            .assert_stderr_contains("content");
        assert_eq!(
            count(&example.events(), "call_started"),
            1,
            "it is not called"
        );
        example.answer("escalation", "skip", &[]).assert_success();
        let words: Vec<String> = example
            .steps()
            .into_iter()
            .map(|(status, _)| status)
            .collect();
        assert_eq!(words, ["completed", "skipped"]);
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
}

mod workunit {
    //! Seed 002: contracts decide; two retries, then a person.

    use super::*;

    const TIMEOUT: &str = include_str!("../../signoff-plan/tests/fixtures/fix-auth-timeout.md");
    const EXTRACT: &str =
        include_str!("../../signoff-plan/tests/fixtures/extract-config-module.md");
    const MIGRATE: &str = include_str!("../../signoff-plan/tests/fixtures/migrate-to-httpx.md");

    /// `uv run pytest` and its like pass if the file that stands for their reason to is there.
    fn with_programs(example: Example) -> Example {
        let uv = "case \"$*\" in\n\
            *pytest*) test -f fixed && echo '3 passed in 0.01s' || { echo '1 failed in 0.01s'; exit 1; } ;;\n\
            *ruff*) test -f fixed ;;\n*pyright*) test -f typed ;;\n*httpx*) test -f httpx ;;\nesac";
        example
            .program("uv", uv)
            .program("gh", "test -f pr && echo OPEN")
    }

    fn timeout(script: &Script) -> Example {
        let files = [
            ("plan.md", TIMEOUT),
            ("src/auth/handler.py", "timeout = 30\n"),
            ("src/auth/middleware.py", "pass\n"),
            ("tests/auth/test_login.py", "pass\n"),
            (".signoff/topics/fix-auth-timeout.md", "Slow connections.\n"),
        ];
        with_programs(Example::new("plan.md", &files, script)).signed()
    }

    fn script() -> Script {
        let when = |text: &str| Reply::when([text]);
        Script::new()
            .reply(when("open a PR").write("pr", "x\n").say("opened"))
            .reply(when("lint or type errors").write("typed", "x\n"))
            .reply(
                when("implement the fix")
                    .write("src/auth/handler.py", "timeout = None\n")
                    .write("fixed", "x\n"),
            )
            .reply(
                when("Trace the timeout path").write("docs/analysis-423.md", &"line\n".repeat(12)),
            )
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
        for point in [
            "append.after:9",
            "spawn.held:2",
            "spawn.released:4",
            "contract.ended:3",
            "verdict.after:4",
            "mark.after:1",
        ] {
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

    #[test]
    fn the_review_is_a_review() {
        let script = Script::new()
            .reply(
                Reply::when(["clean module boundary"])
                    .write("docs/review-config-extract.md", "APPROVED\n"),
            )
            .reply(
                Reply::when(["Move config code"])
                    .write("src/config.py", "x\n")
                    .write("fixed", "x\n"),
            )
            .reply(Reply::when(["dependency map"]).write("docs/config-deps.md", "x\n"));
        let files = [
            ("plan.md", EXTRACT),
            ("src/app.py", "x\n"),
            ("tests/test_app.py", "x\n"),
        ];
        let example = with_programs(Example::new("plan.md", &files, &script)).signed();
        example.run().assert_success();
        done(&example, 3);
        let events = example.events();
        let items = events.iter().filter(|event| event["type"] == "work_item");
        let kinds: Vec<_> = items.map(|event| event["item"]["type"].clone()).collect();
        assert_eq!(kinds, ["CODE", "CODE", "REVIEW"]);
    }

    #[test]
    fn unexpanded_steps_are_signed_once_they_are_expanded() {
        let script = Script::new()
            .reply(
                Reply::when(["Remove `requests`"])
                    .write("pyproject.toml", "httpx\n")
                    .write("src/a.py", "import httpx\n"),
            )
            .reply(Reply::when(["Migrate files"]).write("fixed", "x\n"))
            .reply(Reply::when(["Add httpx"]).write("httpx", "x\n"))
            .reply(
                Reply::when(["Categorize by"]).write("docs/requests-inventory.md", "- src/a.py\n"),
            );
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
            .assert_code(1)
            .assert_stderr_contains("unexpanded-step");
        let expanded = MIGRATE
            .replace(
                "### 3–N. Migrate file batch (one step per batch of ~5 files)",
                "### 3. Migrate file batch",
            )
            .replace("### N+1. Remove", "### 4. Remove");
        example.project.write("plan.md", &expanded);
        let example = example.signed();
        example.run().assert_success();
        done(&example, 4);
    }
}

mod proposal {
    //! Seed 003: an executor with the tools that are named, the model that is named, and the rule to
    //! stop and report.

    use super::*;

    const TEXT: &str =
        include_str!("../../signoff-plan/tests/fixtures/proposal/invoice-reminder.md");
    const ID: &str = "PLAN-a1b2c3d4";
    const FILE: &str = ".pi/plans/PLAN-a1b2c3d4.md";

    fn script() -> Script {
        let when = |text: &str| Reply::when([text]);
        Script::new()
            .reply(when("Update invoice status").say("Status updated"))
            .reply(when("Send payment reminder").say("Reminder sent"))
            .reply(when("Fetch invoice").say("Invoice found"))
    }

    fn example(script: &Script) -> Example {
        let artifact = ".pi/plans/artifacts/PLAN-abc123/invoice-2024-0847.pdf";
        // Today it would have expired.
        let text = TEXT.replace("2026-02-11", "2099-02-11");
        Example::new(ID, &[(FILE, &text), (artifact, "pdf\n")], script).signed()
    }

    fn field(example: &Example, name: &str) -> String {
        let text = example.project.read(FILE);
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.unwrap_or("none").trim().to_owned()
    }

    /// The executor's log, in the seed's own shape.
    fn session(example: &Example) -> Vec<Value> {
        let text = example
            .project
            .read(format!(".pi/plans/sessions/{ID}.jsonl"));
        let lines = text.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("each line is JSON")).collect()
    }

    fn accepted(example: &Example) {
        example.answer("acceptance", "accept", &[]).assert_success();
        all_done(example, 3, "accepted");
        assert_eq!(
            field(example, "status").split(' ').next(),
            Some("completed")
        );
        assert!(field(example, "result_summary").contains("3 of 3 steps done"));
        assert!(field(example, "execution_ended_at").starts_with("20"));
        assert_eq!(
            session(example),
            [
                json!({"step": 1, "tool": "odoo-toolbox", "op": "read", "status": "success", "result_summary": "Invoice found"}),
                json!({"step": 2, "tool": "go-easy", "op": "gmail send", "status": "success", "result_summary": "Reminder sent"}),
                json!({"step": 3, "tool": "odoo-toolbox", "op": "write", "status": "success", "result_summary": "Status updated"}),
            ]
        );
        let model = "claude-haiku-4-5 claude-haiku-4-5";
        assert!(
            example.models().iter().all(|line| line == model),
            "{:?}",
            example.models()
        );
    }

    #[test]
    fn runs_to_its_end() {
        let example = example(&script());
        example.run().assert_code(3);
        assert_eq!(example.models().len(), 3);
        accepted(&example);
        let events = example.events();
        let prompts = events.iter().filter(|event| event["type"] == "work_item");
        for event in prompts {
            let prompt = event["item"]["input"]["prompt"]
                .as_str()
                .unwrap_or_default();
            for part in [
                "You ONLY have [odoo-toolbox, go-easy].",
                "STOP immediately",
                "bank account XYZ",
                "might bounce",
            ] {
                assert!(prompt.contains(part), "{part}: {prompt}");
            }
        }
    }

    #[test]
    fn killed_and_resumed() {
        for point in ["spawn.released:2", "finished.after:2", "mark.after:1"] {
            let example = example(&script());
            example.killed_at(point);
            assert_eq!(
                field(&example, "status").split(' ').next(),
                Some("executing")
            );
            assert_eq!(example.project.json(["show", ID])["status"], "stalled");
            example.resume().assert_code(3);
            accepted(&example);
            example.ledger();
        }
    }

    #[test]
    fn a_failure_stops_and_is_reported() {
        let refused = Reply::when(["Send payment reminder"])
            .say("Recipient not found")
            .exit(1);
        let found = Reply::when(["Fetch invoice"]).say("Invoice found");
        let first = Script::new()
            .reply(Reply::when(["Update invoice status"]))
            .reply(refused)
            .reply(found);
        let example = example(&first);
        example.run().assert_code(1);
        ended(&example.events(), "failed");
        let words: Vec<String> = example
            .steps()
            .into_iter()
            .map(|(status, _)| status)
            .collect();
        assert_eq!(words[1..], ["failed", "blocked"]);
        assert_eq!(field(&example, "status").split(' ').next(), Some("failed"));
        assert!(field(&example, "result_summary").contains("`step-2` failed"));
        let lines = session(&example);
        assert_eq!(
            lines.last().map(|line| &line["status"]),
            Some(&json!("failed"))
        );

        // Its executor is repaired, and the run goes on from where it stopped.
        let path = example.project.outside("script.json");
        let ledger = example.project.outside("ledger");
        std::fs::write(&path, script().ledger(ledger).to_string()).expect("the folder is ours");
        example.resume().assert_code(3);
        accepted(&example);
        let ledger = example.ledger();
        ledger
            .assert_starts("step-1", 1)
            .assert_starts("step-2", 2)
            .assert_starts("step-3", 1);
    }
}

mod thread {
    //! Seed 004: a directory whose files stay as they are.

    use super::*;

    const PLAN: &str =
        include_str!("../../signoff-plan/tests/fixtures/thread/add-user-authentication/plan.md");
    const SCHEMA: &str = include_str!(
        "../../signoff-plan/tests/fixtures/thread/add-user-authentication/tasks/01-create-schema.md"
    );
    const SERVICE: &str = include_str!(
        "../../signoff-plan/tests/fixtures/thread/add-user-authentication/tasks/02-implement-service.md"
    );
    /// The seed names the file and leaves out its text.
    const HANDLER: &str =
        "---\nid: wire-handler\ndepends_on: [implement-service]\n---\n\nWire the handler.\n";

    const FILES: [(&str, &str); 4] = [
        ("auth/plan.md", PLAN),
        ("auth/tasks/01-create-schema.md", SCHEMA),
        ("auth/tasks/02-implement-service.md", SERVICE),
        ("auth/tasks/03-wire-handler.md", HANDLER),
    ];

    fn script() -> Script {
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
        for point in ["append.torn:5", "started.after:2", "spawn.released:3"] {
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
}
