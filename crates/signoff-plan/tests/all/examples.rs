//! The seed's own three examples, taken from it byte for byte.

use serde_json::Value;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::parse;
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::edit::{Marks, StepMark, apply_marks};
use signoff_plan::model::Work;
use signoff_plan::source::Source;

use crate::world::World;

const FIX: &str = include_str!("../fixtures/fix-auth-timeout.md");
const EXTRACT: &str = include_str!("../fixtures/extract-config-module.md");
const MIGRATE: &str = include_str!("../fixtures/migrate-to-httpx.md");

fn source(text: &str) -> Source {
    Source::new("plan.md", text.into())
}

fn checked(text: &str) -> Checked {
    let mut world = World::of_the_seed();
    world.commands.insert("bash");
    check(&parse(&source(text)), &world)
}

fn report(text: &str) -> Vec<String> {
    crate::world::reported(&source(text), &checked(text).diagnostics)
}

#[test]
fn they_verify() {
    assert_eq!(report(FIX), Vec::<String>::new());
    assert_eq!(report(EXTRACT), Vec::<String>::new());
    assert_eq!(
        report(MIGRATE),
        [
            "44:5 warning[unexpanded-step] step `3–N. Migrate file batch (one step per batch of ~5 files)` stands for \
             steps that are not written yet",
            "61:5 warning[unexpanded-step] step `N+1. Remove requests dependency` stands for steps that are not written yet",
        ]
    );
}

#[test]
fn in_an_empty_world_everything_missing_is_named() {
    let problems = check(&parse(&source(FIX)), &World::default()).diagnostics;
    let codes: std::collections::BTreeSet<_> = problems.iter().map(|p| p.code.as_str()).collect();
    let expected = [
        "contract-command-missing",
        "missing-file",
        "missing-topic",
        "unknown-agent",
    ];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn everything_in_them_is_read() {
    let plan = checked(FIX).plan;
    assert_eq!(
        plan.title.as_deref(),
        Some("Fix authentication timeout bug (#423)")
    );
    let context = "Login requests timeout after 30s on slow connections. Root cause unknown.";
    assert_eq!(plan.context.as_deref(), Some(context));
    assert_eq!(plan.budget.tokens, Some(200_000));
    assert_eq!(plan.budget.usd_e4, Some(15_000));
    assert_eq!(plan.budget.wall, Some(std::time::Duration::from_mins(20)));
    assert_eq!(plan.priority.as_deref(), Some("high"));
    assert_eq!(plan.steps.len(), 4);
    let step = &plan.steps[1];
    assert_eq!(step.id, "step-2");
    assert_eq!(step.depends_on, signoff_plan::model::Depends::AllBefore);
    let task = "Based on the root cause analysis, implement the fix. Do not change the public API.\n\
                Add a test for the specific timeout scenario.";
    assert_eq!(
        step.work,
        Work::Agent {
            role: Some("coder".to_owned()),
            task: task.to_owned()
        }
    );
    let contract = step.contract.as_ref().expect("a contract");
    assert_eq!(contract.command, "uv run pytest tests/auth/ -x");
    assert_eq!(contract.expect.len(), 1);
    let subscriptions: Vec<_> = step.subscriptions.iter().map(ToString::to_string).collect();
    assert_eq!(
        subscriptions,
        ["file:src/auth/handler.py", "file:docs/analysis-423.md"]
    );
    let policies: Vec<_> = plan
        .steps
        .iter()
        .map(|step| step.on_fail.to_string())
        .collect();
    assert_eq!(policies[2..], ["retry(1), then escalate", "escalate"]);
}

// A change here means that every signature made so far is void: change `digest::SCHEMA` with it.
#[test]
fn their_digests_are_golden() {
    let digests =
        [FIX, EXTRACT, MIGRATE].map(|text| Digest::of_plan(&checked(text).plan).to_string());
    assert_eq!(
        digests,
        [
            "sha256:7b4d25a4c16770fde937d9cbced35225afc46bddb6009128f2e89760eec2f450",
            "sha256:d050a08befeb6dcbc76ca77346126ea51af7954c9c5578268fa42c1e87776079",
            "sha256:d274517179cd14b442958239f1d80bb0131ad4f2ce81a9e17cd6c1be233b92c5",
        ]
    );
}

#[test]
fn every_field_has_its_place_in_the_digest() {
    let every = include_str!("../fixtures/every-field.md");
    assert_eq!(report(every), Vec::<String>::new());
    let plan = checked(every).plan;
    assert!(plan.steps[3].claimed);
    assert_eq!(plan.version, Some(3));
    let stored = include_str!("../fixtures/every-field.canonical.json");
    let stored: Value = serde_json::from_str(stored).expect("JSON");
    assert_eq!(canonical(&plan), stored);
    let digest = "sha256:18d2c2ce4240655e4480efb4e18ee230252d59c2081376d801f8c6591f247c24";
    assert_eq!(Digest::of_plan(&plan).to_string(), digest);
}

#[test]
fn line_ends_byte_order_mark_and_formatting_leave_the_digest_alone() {
    let digest = |text: &str| Digest::of_plan(&checked(text).plan);
    for text in [
        FIX.replace('\n', "\r\n"),
        format!("\u{feff}{FIX}"),
        FIX.replace("status: draft", "status: approved"),
        FIX.replace("**Priority:** high", "**Priority:** low"),
        FIX.replace("### 1. Analyze", "### 1. ✅ Analyze"),
        FIX.replace("exit_code == 0\n", ""),
        FIX.replace("**on_fail:** retry(2), then escalate\n", ""),
        FIX.replace("```shell", "~~~bash").replace("```", "~~~"),
        FIX.replace("\n\n**task:**\n", "\n**Task:** "),
        FIX.replace("\n### ", "\n\n---\n\n### "),
    ] {
        assert_eq!(digest(&text), digest(FIX), "{text}");
    }
    for text in [
        FIX.replace("-gt 10", "-gt 11"),
        FIX.replace(
            "uv run pytest tests/auth/ -x",
            "uv run pytest tests/auth/  -x",
        ),
        FIX.replace("### 4. Create PR", "### 4. Create a PR"),
        FIX.replace("$1.50", "$1.51"),
        FIX.replace("retry(1)", "retry(3)"),
        FIX.replace("Root cause unknown", "Root cause known"),
        FIX.replace("```shell", "```sh"),
    ] {
        assert_ne!(digest(&text), digest(FIX), "{text}");
    }
}

#[test]
fn the_difference_between_two_versions_is_readable() {
    let edited = FIX
        .replace("-gt 10", "-gt 20")
        .replace("retry(1), then escalate", "abort");
    let changes = signoff_plan::diff::compare(
        &canonical(&checked(FIX).plan),
        &canonical(&checked(&edited).plan),
    );
    let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "step `step-1` `contract.command`: …alysis-423.md)\" -gt 10 → …alysis-423.md)\" -gt 20",
            "step `step-3` `on_fail`: retry(1), then escalate → abort",
        ]
    );
}

#[test]
fn they_can_be_marked_and_unmarked() {
    for text in [FIX, EXTRACT, MIGRATE] {
        let count = checked(text).plan.steps.len();
        let marks = |mark| Marks {
            status: None,
            steps: (1..=count)
                .map(|number| (format!("step-{number}"), mark))
                .collect(),
        };
        for mark in [StepMark::Done, StepMark::Failed, StepMark::Skipped] {
            let marked = apply_marks(&source(text), &marks(mark)).expect("marks fit");
            assert_ne!(marked, text.as_bytes());
            let back = apply_marks(&Source::new("plan.md", marked), &marks(StepMark::None));
            assert_eq!(back.as_deref(), Ok(text.as_bytes()));
        }
    }
}
