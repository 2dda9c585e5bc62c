//! The stored form of every event. A change here is a new version of the format, with its own
//! sample beside this one.

use signoff_api::event::Event;
use signoff_engine as engine;

/// A report with all its members.
fn report() -> engine::AgentReport {
    let text = |text: &str| Some(text.to_owned());
    engine::AgentReport {
        driver: "claude".to_owned(),
        version: text("2.1.0"),
        model: text("opus"),
        session: text("s1"),
        own_sandbox: true,
        problem: text("log in with `claude login`"),
        denied: vec!["Bash".to_owned()],
        usage: vec![
            engine::ModelUsage {
                model: text("claude-opus"),
                input_tokens: 1,
                cached_tokens: 2,
                cache_write_tokens: 3,
                output_tokens: 4,
                usd_e6: Some(90_000),
                priced_by: Some(engine::PricedBy::Table),
            },
            engine::ModelUsage::default(),
        ],
    }
}

fn every_event() -> Vec<engine::Event> {
    let step = || "build".to_owned();
    let seen = |ended| engine::Observation {
        ended,
        stdout: "out".to_owned(),
        stderr: "err".to_owned(),
        cut: false,
        duration_ms: 12,
        wrote: vec!["a.tmp".to_owned()],
        tests: Some(engine::TestsRun {
            run: 3,
            failed: 1,
            skipped: 2,
            runner: "pytest".to_owned(),
            names: vec!["test_a".to_owned()],
        }),
        tree: Some("ab".to_owned()),
        changes: None,
        overlay_mode: None,
        machine: None,
        warm: false,
        ignored_work: false,
        void: None,
        left_out: Vec::new(),
    };
    vec![
        engine::Event::RunStarted {
            run: "20261115-093012-k3f9".to_owned(),
            plan: "plan.md".to_owned(),
            path: "plan.md".to_owned(),
            digest: "sha256:aa".to_owned(),
            terms: "sha256:bb".to_owned(),
            settings: engine::Settings {
                backoff: 1000,
                baseline: true,
                green: engine::OnGreenBaseline::Ask,
                accept: engine::AcceptAt::End,
                jobs: 4,
                sandbox: "none".to_owned(),
                isolation: engine::Isolation::Worktree,
                land: engine::LandAt::Step,
                cache: engine::ContractCache::Warm,
                max_replans: 2,
                roles: vec!["coder".to_owned(), "tester".to_owned()],
                has_planner: false,
            },
        },
        engine::Event::RunResumed {
            reopened: true,
            by: "ann".to_owned(),
            elsewhere: vec!["a".to_owned()],
        },
        engine::Event::PlanReplanned {
            digest: "sha256:cc".to_owned(),
            terms: "sha256:dd".to_owned(),
            snapshot: "plan-2.md".to_owned(),
            settings: engine::Settings {
                backoff: 1000,
                baseline: true,
                green: engine::OnGreenBaseline::Run,
                accept: engine::AcceptAt::Step,
                jobs: 4,
                sandbox: "none".to_owned(),
                isolation: engine::Isolation::Worktree,
                land: engine::LandAt::Step,
                cache: engine::ContractCache::Cold,
                max_replans: 3,
                roles: Vec::new(),
                has_planner: true,
            },
            kept: vec![step()],
            reset: vec!["test".to_owned()],
            plan: Some("plan-v2".to_owned()),
            path: Some("plan-v2.md".to_owned()),
        },
        engine::Event::ReplanRequested {
            step: step(),
            because: "b".to_owned(),
            discoveries: vec!["d".to_owned()],
            by: "policy".to_owned(),
            holds: true,
            expands: true,
        },
        engine::Event::ModelAsked {
            step: step(),
            task: engine::ModelTask::Replan,
        },
        answered(
            engine::ModelTask::Replan,
            engine::ModelAnswer::Draft(engine::PlanDraft {
                plan: "plan-v2".to_owned(),
                path: "plan-v2.md".to_owned(),
                snapshot: "draft-1.md".to_owned(),
                digest: "sha256:cc".to_owned(),
                changes: vec!["c".to_owned()],
                reasoning: Some("r".to_owned()),
                narrows: true,
                actor: None,
            }),
        ),
        answered(
            engine::ModelTask::Replan,
            engine::ModelAnswer::Nothing("n".to_owned()),
        ),
        engine::Event::PlanningSpent {
            planning: vec![engine::PlanningUsage {
                by: "planner".to_owned(),
                usage: vec![engine::ModelUsage {
                    model: Some("m".to_owned()),
                    input_tokens: 2000,
                    output_tokens: 100,
                    usd_e6: Some(9000),
                    ..engine::ModelUsage::default()
                }],
            }],
        },
        engine::Event::VersionHandedIn {
            step: step(),
            draft: Box::new(engine::PlanDraft {
                plan: "plan-v3".to_owned(),
                path: "plan-v3.md".to_owned(),
                snapshot: "handed-in-00.md".to_owned(),
                digest: "sha256:ee".to_owned(),
                changes: vec!["c".to_owned()],
                reasoning: None,
                narrows: false,
                actor: Some("agent".to_owned()),
            }),
            because: "b".to_owned(),
            by: "agent".to_owned(),
        },
        engine::Event::ReplanDropped {
            step: step(),
            reason: "r".to_owned(),
        },
        engine::Event::RecoveryRequested {
            step: step(),
            because: "b".to_owned(),
        },
        answered(
            engine::ModelTask::Recovery,
            engine::ModelAnswer::Recovery(engine::RecoveryDecision::Retry {
                args: Some(serde_json::json!({"path": "a"})),
                reason: "r".to_owned(),
            }),
        ),
        answered(
            engine::ModelTask::Recovery,
            engine::ModelAnswer::Recovery(engine::RecoveryDecision::InsertSteps {
                reason: "r".to_owned(),
            }),
        ),
        answered(
            engine::ModelTask::Role,
            engine::ModelAnswer::Role(engine::RoleDecision::Select {
                role: "coder".to_owned(),
                reason: "r".to_owned(),
            }),
        ),
        answered(
            engine::ModelTask::Role,
            engine::ModelAnswer::Role(engine::RoleDecision::Continue { reason: None }),
        ),
        answered(
            engine::ModelTask::Review,
            engine::ModelAnswer::Review(vec![remark()]),
        ),
        engine::Event::EarlierStep {
            step: step(),
            earlier: Box::new(engine::EarlierStep {
                run: "20261101-120000-abcd".to_owned(),
                ended: engine::EarlierEnd::Completed {
                    evidence: engine::Grade::Observed,
                    facts: Box::default(),
                },
                again: Some(engine::RedoReason::NotInCheckout),
                output: Some(serde_json::json!({"n": 1})),
                stdout: Some("out".to_owned()),
                said: Some("said".to_owned()),
                item: Some(engine::EarlierItem {
                    value: serde_json::json!("a"),
                    request: "sha256:ee".to_owned(),
                }),
                call: Some(engine::ToolCall {
                    tool: "run_command".to_owned(),
                    args: serde_json::json!({"command": "publish"}),
                    repeatable: false,
                    changes_tree: true,
                }),
                is_other_work: false,
            }),
        },
        engine::Event::StepStarted { step: step() },
        engine::Event::ConditionHeld { step: step() },
        engine::Event::Expanded {
            step: step(),
            items: vec![serde_json::json!("a"), serde_json::json!({"b": 1})],
        },
        engine::Event::TreePrepared {
            tree: engine::RunTree {
                base: Some("a0".to_owned()),
                start: "a1".to_owned(),
                branch: Some("refs/heads/signoff/20261115-093012-k3f9".to_owned()),
                checkout: Some("refs/heads/main".to_owned()),
                private: true,
                layers: true,
            },
        },
        engine::Event::CheckoutJoined {
            commit: "a2".to_owned(),
            tree: "ab".to_owned(),
            files: vec!["notes.md".to_owned()],
            conflicts: vec!["b.rs".to_owned()],
            deleted: vec!["notes.md".to_owned()],
        },
        engine::Event::FilesLanded {
            commit: "a3".to_owned(),
            files: vec!["a.rs".to_owned()],
            held: vec!["`b.rs` was changed in the checkout".to_owned()],
        },
        engine::Event::BaselineStarted {
            step: step(),
            base: Some("a1".to_owned()),
        },
        engine::Event::BaselineFinished {
            step: step(),
            verdict: engine::Verdict::Fail,
            observed: seen(engine::ProcessEnd::Exited(1)),
        },
        engine::Event::AttemptStarted {
            step: step(),
            attempt: 1,
            base: Some("a1".to_owned()),
        },
        engine::Event::WorkItem {
            step: step(),
            attempt: 1,
            item: engine::WorkItem {
                agent_id: "coder".to_owned(),
                kind: engine::WorkKind::Code,
                input: engine::WorkInput {
                    prompt: "Do it.".to_owned(),
                    prompt_sha256: "cc".to_owned(),
                },
                payload: engine::WorkPayload {
                    subscriptions: vec!["file:a.md".to_owned()],
                    plan_id: "plan.md".to_owned(),
                    step: 1,
                },
            },
        },
        engine::Event::ProcessStarted {
            step: step(),
            attempt: 1,
            process: engine::ProcessIdentity {
                pid: 42,
                starttime: 7,
                boot_id: "dd".to_owned(),
            },
        },
        engine::Event::WorkFinished {
            step: step(),
            attempt: 1,
            ended: engine::ProcessEnd::Signaled(9),
            output: engine::AgentOutput {
                text: "all tests pass".to_owned(),
            },
            changes: engine::Changes {
                files: Some(vec!["a.rs".to_owned()]),
                protected: vec!["Cargo.lock".to_owned()],
                details: Box::new(engine::ChangeDetails {
                    links_out: vec!["out".to_owned()],
                    ..engine::ChangeDetails::default()
                }),
            },
            report: Some(Box::new(report())),
        },
        engine::Event::WorkFinished {
            step: step(),
            attempt: 2,
            ended: engine::ProcessEnd::OverBudget,
            output: engine::AgentOutput::default(),
            changes: engine::Changes::default(),
            report: Some(Box::new(engine::AgentReport {
                driver: "pi".to_owned(),
                ..engine::AgentReport::default()
            })),
        },
        engine::Event::CallStarted {
            step: step(),
            attempt: 1,
            call: engine::ToolCall {
                tool: "read_file".to_owned(),
                args: serde_json::json!({"path": "a"}),
                repeatable: true,
                changes_tree: false,
            },
        },
        engine::Event::CallFinished {
            step: step(),
            attempt: 1,
            end: engine::CallEnd::Done(serde_json::json!({"content": "x"})),
        },
        engine::Event::CallFinished {
            step: step(),
            attempt: 2,
            end: engine::CallEnd::Failed {
                message: "no connection".to_owned(),
                transient: true,
                unknown: true,
            },
        },
        engine::Event::CandidateStarted {
            step: step(),
            attempt: 1,
        },
        engine::Event::CandidateBuilt {
            step: step(),
            attempt: 1,
            candidate: engine::Candidate {
                commit: "a2".to_owned(),
                tree: "b2".to_owned(),
                onto: "a1".to_owned(),
                files: vec!["a.rs".to_owned()],
                details: Box::new(engine::ChangeDetails {
                    links_out: vec!["out".to_owned()],
                    hides: vec!["x/__init__.py".to_owned()],
                    new_modules: vec!["app/unittest.py".to_owned()],
                    loose_modules: vec!["app/unittest.py".to_owned()],
                    links: vec![engine::LinkEnd {
                        link: ".cargo".to_owned(),
                        end: "cfg".to_owned(),
                    }],
                    added: vec!["docs/Makefile".to_owned()],
                    apart: vec!["docs/Makefile".to_owned()],
                    created: vec!["helper".to_owned()],
                    displaces: vec![engine::Displaced {
                        file: "helper".to_owned(),
                        hides: "helper.js".to_owned(),
                        maybe: true,
                    }],
                    called: vec!["scripts/test.sh".to_owned()],
                    selects: vec!["Cargo.toml".to_owned()],
                    named: vec![engine::NamedFile {
                        file: "expected".to_owned(),
                        by: "tools/check".to_owned(),
                    }],
                    searched: vec![engine::SearchedFile {
                        file: "lib.zip".to_owned(),
                        by: "tools/check".to_owned(),
                    }],
                    settings: vec![engine::NamedSettings {
                        file: "docker.conf".to_owned(),
                        program: "docker".to_owned(),
                    }],
                }),
            },
        },
        engine::Event::MergeConflicted {
            step: step(),
            attempt: 1,
            onto: "a1".to_owned(),
            files: vec!["a.rs".to_owned()],
            text: "<<<<<<<".to_owned(),
        },
        engine::Event::MergeStarted {
            step: step(),
            attempt: 1,
            commit: "a2".to_owned(),
        },
        engine::Event::Merged {
            step: step(),
            attempt: 1,
            commit: "a2".to_owned(),
            tree: "b2".to_owned(),
        },
        engine::Event::LandingStarted {
            commit: "a2".to_owned(),
            by: "ann".to_owned(),
        },
        engine::Event::RunLanded {
            commit: "a2".to_owned(),
            by: "ann".to_owned(),
        },
        engine::Event::RunUndone {
            by: "ann".to_owned(),
        },
        engine::Event::LockAwaited {
            step: step(),
            lock: "db".to_owned(),
            held_by: "run 20261115-093012-k3f9".to_owned(),
        },
        engine::Event::LockFreed {
            lock: "db".to_owned(),
        },
        engine::Event::DayLimitReached {
            spent_usd_e6: 10_020_000,
            limit_usd_e6: 10_000_000,
            until_ms: 1_794_787_200_000,
        },
        engine::Event::AgentCallStarted {
            step: step(),
            attempt: 1,
            number: 1,
            call: engine::ToolCall {
                tool: "shop.order".to_owned(),
                args: serde_json::json!({"item": "tea"}),
                repeatable: false,
                changes_tree: true,
            },
        },
        engine::Event::AgentCallFinished {
            step: step(),
            attempt: 1,
            number: 1,
            end: engine::CallEnd::Done(serde_json::json!("ordered")),
        },
        engine::Event::BudgetReserved {
            step: step(),
            attempt: 1,
            agents: 1,
            wall_ms: Some(60_000),
            tokens: Some(33_000),
            usd_e6: Some(500_000),
        },
        engine::Event::BudgetSpent {
            step: step(),
            attempt: 1,
            wall_ms: 1200,
            tokens: Some(14_000),
            usd_e6: Some(90_000),
        },
        engine::Event::BudgetExceeded {
            step: step(),
            question: "q".to_owned(),
            limit: Some(engine::BudgetLimit::UnknownCost),
        },
        engine::Event::StepRetried {
            step: step(),
            hint: Some("look".to_owned()),
            by: "ann".to_owned(),
        },
        engine::Event::PauseRequested {
            reason: engine::PauseReason::Requested,
            by: "ann".to_owned(),
        },
        engine::Event::AttemptInterrupted {
            step: step(),
            attempt: 1,
            stopped: false,
            report: Some(Box::new(report())),
        },
        engine::Event::ContractStarted {
            step: step(),
            attempt: 1,
            again: true,
        },
        engine::Event::ContractFinished {
            step: step(),
            attempt: 1,
            verdict: engine::Verdict::Inconclusive,
            unmet: vec!["time limit reached".to_owned()],
            observed: engine::Observation {
                overlay_mode: Some("overlay".to_owned()),
                machine: Some("w1 (ed25519:ab), terms cd".into()),
                warm: true,
                ignored_work: true,
                void: Some("`a` changed".to_owned()),
                left_out: vec![".venv".to_owned()],
                changes: Some(Box::new(engine::Changes {
                    files: Some(vec!["a".to_owned(), "b".to_owned()]),
                    protected: vec!["b".to_owned()],
                    ..engine::Changes::default()
                })),
                ..seen(engine::ProcessEnd::TimedOut)
            },
        },
        engine::Event::RetryScheduled {
            step: step(),
            not_before: 5,
            counted: true,
            reason: "r".to_owned(),
        },
        engine::Event::StepCompleted {
            step: step(),
            attempts: 2,
            evidence: engine::Grade::Proved,
            facts: engine::EvidenceFacts {
                sandbox: "none".to_owned(),
                claimed: false,
                interrupted: true,
                agent_failed: false,
                repaired_by: None,
                accepted_by: Some("ann".to_owned()),
                args_by: Some("bob".to_owned()),
                changed_inputs: vec!["conftest.py".to_owned()],
                no_change: true,
                tests: Some(engine::TestTotals {
                    before: Some(2),
                    after: Some(3),
                }),
                contract_writes: vec!["a.tmp".to_owned()],
                tree: Some("b2".to_owned()),
                commit: Some("a2".to_owned()),
                not_proved: vec!["no summary of pytest was seen".to_owned()],
                kept_from: Some("20261101-120000-abcd".to_owned()),
                overlay_mode: Some("overlay".to_owned()),
                judged_on: Some("w1 (ed25519:ab), terms cd".into()),
                own_sandbox: true,
                spent: Some(engine::AgentSpending {
                    tokens: 14_000,
                    usd_e6: Some(90_000),
                    is_partial: true,
                }),
                advice: Some(engine::ReviewAdvice {
                    by: "reviewer".to_owned(),
                    remarks: vec![remark()],
                    none: None,
                }),
            },
        },
        engine::Event::StepConfirmed {
            step: step(),
            evidence: engine::Grade::Proved,
            facts: engine::EvidenceFacts {
                sandbox: "none".to_owned(),
                overlay_mode: Some("overlay".to_owned()),
                ..engine::EvidenceFacts::default()
            },
        },
        engine::Event::StepProvisional {
            step: step(),
            attempts: 1,
        },
        engine::Event::StepFailed {
            step: step(),
            attempts: 3,
            reason: "r".to_owned(),
        },
        engine::Event::StepSkipped {
            step: step(),
            reason: "r".to_owned(),
            satisfies: true,
        },
        engine::Event::StepBlocked {
            step: step(),
            by: "test".to_owned(),
        },
        engine::Event::StepWaiting {
            step: step(),
            item: "build-1".to_owned(),
        },
        engine::Event::InboxOpened {
            item: "build-1".to_owned(),
            kind: engine::InboxKind::Escalation,
            step: step(),
            steps: Vec::new(),
            question: "q".to_owned(),
            choices: engine::Choice::ALL.to_vec(),
            options: Vec::new(),
        },
        engine::Event::InboxAnswered {
            item: "build-1".to_owned(),
            step: step(),
            steps: Vec::new(),
            choice: engine::Choice::Retry,
            note: None,
            by: "ann".to_owned(),
        },
        engine::Event::InboxOpened {
            item: "acceptance-2".to_owned(),
            kind: engine::InboxKind::Acceptance,
            step: step(),
            steps: vec![step(), "test".to_owned()],
            question: "q".to_owned(),
            choices: vec![engine::Choice::Accept, engine::Choice::Refuse],
            options: Vec::new(),
        },
        engine::Event::InboxOpened {
            item: "build-3".to_owned(),
            kind: engine::InboxKind::Question,
            step: step(),
            steps: Vec::new(),
            question: "q".to_owned(),
            choices: vec![engine::Choice::Reply],
            options: vec!["yes".to_owned(), "no".to_owned()],
        },
        engine::Event::InboxOpened {
            item: "build-4".to_owned(),
            kind: engine::InboxKind::Permission,
            step: step(),
            steps: Vec::new(),
            question: "q".to_owned(),
            choices: vec![engine::Choice::Allow, engine::Choice::Deny],
            options: Vec::new(),
        },
        engine::Event::InboxOpened {
            item: "build-5".to_owned(),
            kind: engine::InboxKind::NewVersion,
            step: step(),
            steps: vec![step()],
            question: "q".to_owned(),
            choices: vec![engine::Choice::Refuse],
            options: Vec::new(),
        },
        engine::Event::RunPaused {
            reason: engine::PauseReason::Replanned,
            trouble: None,
        },
        engine::Event::InboxAnswered {
            item: "acceptance-2".to_owned(),
            step: "test".to_owned(),
            steps: vec!["test".to_owned()],
            choice: engine::Choice::Refuse,
            note: Some("n".to_owned()),
            by: "ann".to_owned(),
        },
        engine::Event::RunPaused {
            reason: engine::PauseReason::Waiting,
            trouble: None,
        },
        engine::Event::RunPaused {
            reason: engine::PauseReason::Trouble,
            trouble: Some("step `build`: no space left".to_owned()),
        },
        engine::Event::RunFinished {
            outcome: engine::Outcome::Partial,
        },
    ]
}

/// What a model said, and what became of it.
fn remark() -> engine::Remark {
    engine::Remark {
        file: Some("src/a.py".to_owned()),
        severity: engine::RemarkSeverity::Major,
        text: "t".to_owned(),
    }
}

fn answered(task: engine::ModelTask, answer: engine::ModelAnswer) -> engine::Event {
    engine::Event::ModelAnswered {
        step: "build".to_owned(),
        task,
        answer: Box::new(answer),
        refused: Some("w".to_owned()),
        by: "planner".to_owned(),
        usage: vec![engine::ModelUsage {
            model: Some("m".to_owned()),
            input_tokens: 7,
            ..engine::ModelUsage::default()
        }],
    }
}

#[test]
fn version_1_is_written_as_its_sample_says_and_read_back() {
    let sample = include_str!("../samples/event-v1.jsonl");
    let lines: Vec<&str> = sample.lines().collect();
    let events = every_event();
    let written: Vec<String> = events
        .iter()
        .map(|event| serde_json::to_string(event).unwrap())
        .collect();
    assert_eq!(written, lines, "\n{}", written.join("\n"));
    for (line, event) in lines.iter().zip(events) {
        let read: Event = serde_json::from_str(line).unwrap();
        assert_eq!(read, event);
    }
}

#[test]
fn what_may_be_left_out_is_written_as_ever() {
    for line in include_str!("../samples/event-v1-bare.jsonl").lines() {
        let read: Event = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), line);
    }
}

#[test]
fn what_earlier_builds_wrote_is_still_read() {
    use signoff_api::event::{AcceptAt, Isolation};
    let samples = [
        (
            include_str!("../samples/event-v1-2026-11.jsonl"),
            (AcceptAt::Step, 1),
        ),
        (
            include_str!("../samples/event-v1-2026-11b.jsonl"),
            (AcceptAt::End, 1),
        ),
        (
            include_str!("../samples/event-v1-2026-11c.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11d.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11e.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11f.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11g.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11h.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11i.jsonl"),
            (AcceptAt::End, 4),
        ),
        (
            include_str!("../samples/event-v1-2026-11j.jsonl"),
            (AcceptAt::End, 4),
        ),
    ];
    for (sample, expected) in samples {
        for line in sample.lines() {
            let read: Event = serde_json::from_str(line).unwrap();
            match read {
                Event::RunStarted { settings, .. } => {
                    assert_eq!((settings.accept, settings.jobs), expected);
                    if !line.contains("isolation") {
                        assert_eq!(settings.isolation, Isolation::Shared);
                    }
                    if !line.contains("land") {
                        assert_eq!(settings.land, signoff_api::event::LandAt::End);
                    }
                    if !line.contains("cache") {
                        assert_eq!(settings.cache, signoff_api::event::ContractCache::Cold);
                    }
                }
                Event::TreePrepared { tree } if !line.contains("checkout") => {
                    assert_eq!(tree.checkout, None);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn unknown_fields_of_later_versions_are_ignored_and_unknown_events_refused() {
    let line = r#"{"type":"step_started","step":"build","later":1}"#;
    assert!(serde_json::from_str::<Event>(line).is_ok());
    assert!(serde_json::from_str::<Event>(r#"{"type":"step_exploded","step":"build"}"#).is_err());
}

#[test]
fn every_shape_has_a_schema() {
    let all = signoff_api::schema::all_schemas();
    let names: std::collections::BTreeSet<_> = all.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), all.len(), "two shapes have one name");
    for (name, schema) in all {
        assert!(
            schema.get("properties").is_some() || schema.get("anyOf").is_some(),
            "{name}: {schema}"
        );
    }
}

#[test]
fn the_catalogue_names_every_event() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/reference.md")).expect("the page is there");
    let catalogue = page
        .split_once("\n## Events\n")
        .expect("it has the section")
        .1;
    let catalogue = catalogue.split("\n## ").next().unwrap_or_default();
    let schema = root.join("docs/schemas/signoff.event.1.json");
    let schema = std::fs::read_to_string(schema).expect("the schema is there");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("schemas are JSON");
    let events = schema["oneOf"].as_array().expect("events are alternatives");
    assert!(events.len() > 20, "{} events", events.len());
    for event in events {
        let name = event["properties"]["type"]["const"].as_str();
        let name = name.expect("events are told apart by their type");
        let missing = format!("`{name}` is not in docs/reference.md");
        assert!(catalogue.contains(&format!("`{name}`")), "{missing}");
    }
}
