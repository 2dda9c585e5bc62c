//! The dialect `record`: the seed's own examples, marks, edits, and what is written.

mod edits;
mod marks;
mod properties;
mod records;

use serde_json::{Value, json};
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, base_id, parse, replanned_id};
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::model::Work;
use signoff_plan::source::Source;
use signoff_plan::write::write;

use crate::world::World;

const JSON: &str = include_str!("../fixtures/record/auth-feature.json");
const YAML: &str = include_str!("../fixtures/record/auth-feature.yaml");
const EVERY: &str = include_str!("../fixtures/record/every-field.yaml");
const FAULTS: &str = include_str!("../fixtures/record/five-faults.yaml");

fn source(text: &str) -> Source {
    Source::new("plan.yaml", text.into())
}

fn world() -> World {
    World {
        commands: ["make", "github"].into(),
        agents: ["planner", "developer", "tester", "reviewer", "default"].into(),
        ..World::of_the_seed()
    }
}

fn checked(text: &str) -> Checked {
    let draft = parse(&source(text));
    assert_eq!(draft.dialect, Dialect::Record, "{text}");
    check(&draft, &world())
}

fn digest(text: &str) -> String {
    Digest::of_plan(&checked(text).plan).to_string()
}

/// `line:column code`, one per problem.
fn report(text: &str) -> Vec<String> {
    let source = source(text);
    let problems = checked(text).diagnostics;
    let line = |problem: &signoff_plan::diagnostic::Diagnostic| {
        let (line, column) = source.line_column(problem.span.start);
        format!("{line}:{column} {}[{}]", problem.severity, problem.code)
    };
    problems.iter().map(line).collect()
}

#[test]
fn the_seeds_examples_verify() {
    for text in [JSON, YAML] {
        let checked = checked(text);
        assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics);
        let codes: std::collections::BTreeSet<_> = checked
            .diagnostics
            .iter()
            .map(|problem| problem.code.as_str())
            .collect();
        let expected = ["budget-missing", "mark-ignored", "missing-contract"];
        assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn everything_in_them_is_read() {
    let plan = checked(JSON).plan;
    assert_eq!(plan.id.as_deref(), Some("plan-20260123-auth-feature"));
    assert_eq!(plan.title, None);
    assert_eq!(
        plan.display_title(),
        "Implement user authentication with JWT"
    );
    assert_eq!(plan.status.as_deref(), Some("in_progress"));
    assert_eq!(plan.version, Some(1));
    assert_eq!(plan.record["current_step_index"], 2);
    assert_eq!(plan.record["complexity"], 5);
    assert_eq!(plan.record["tags"], json!(["auth", "jwt", "api"]));
    assert_eq!(
        plan.constraints,
        [
            "Use existing JWT library",
            "Follow Express middleware pattern"
        ]
    );
    let ids = |at| plan.dependency_ids(at).collect::<Vec<_>>().join(" ");
    let waits: Vec<_> = (0..5).map(ids).collect();
    assert_eq!(waits, ["", "step-1", "step-2", "step-2 step-3", "step-4"]);
    let claimed: Vec<_> = plan.steps.iter().map(|step| step.claimed).collect();
    assert_eq!(claimed, [true, true, false, false, false]);
    let login = &plan.steps[2];
    let work = Work::Agent {
        role: Some("developer".to_owned()),
        task: "Implement login endpoint".to_owned(),
    };
    assert_eq!(login.work, work);
    assert_eq!(login.acceptance.len(), 4);
    assert!(
        login
            .instructions
            .as_deref()
            .is_some_and(|text| text.starts_with("Create POST"))
    );
    assert_eq!(
        *plan.steps[1].record.get("affected_files").unwrap(),
        json!(["src/auth/middleware.ts"])
    );
    assert_eq!(login.on_fail.to_string(), "replan");
    let plan = checked(YAML).plan;
    assert_eq!(plan.steps.len(), 3);
    assert_eq!(
        *plan.steps[1].record.get("affected_files").unwrap(),
        json!(["src/auth/middleware.ts"])
    );
}

// A change here means that every signature made so far is void: change `digest::SCHEMA` with it.
#[test]
fn their_digests_are_golden() {
    assert_eq!(
        [JSON, YAML, EVERY].map(digest),
        [
            "sha256:2fdcf2241312aa28fe31f468112ac15c48a82bcbd7c5ea7d2b4124e28a3eccfe",
            "sha256:eeb364660a64d805a5ee2d3ad7ce05e65271f5649d5c3c36126a6a405bdef964",
            "sha256:35c22562596f8c6bae0ee76c5525943b312159818dc49bfa917546912d698ceb",
        ]
    );
}

/// What was recorded before digests told what agents are told is still known to be about these plans.
#[test]
fn their_earlier_digests_are_known() {
    let earlier = [JSON, YAML, EVERY].map(|text| {
        let plan = checked(text).plan;
        signoff_plan::digest::Digest::before_briefings(&plan).to_string()
    });
    assert_eq!(
        earlier,
        [
            "sha256:e171b9d9ca722089e456e2c3b757c07e8e05570f36010a3dbc33c862627b2e92",
            "sha256:17f64c3a5a1206f4f3e7204e55525403b774bf7456526c18c156d74141165510",
            "sha256:c63a944e819c2f1a366e38a5eeeac6bbcbba7897181b3056bc6b692d49750b31",
        ]
    );
}

#[test]
fn every_field_has_its_place_in_the_digest() {
    assert_eq!(report(EVERY), Vec::<String>::new());
    let stored = include_str!("../fixtures/record/every-field.canonical.json");
    let stored: Value = serde_json::from_str(stored).expect("JSON");
    assert_eq!(canonical(&checked(EVERY).plan), stored);
}

#[test]
fn five_faults_are_five_problems() {
    let expected = [
        "2:1 warning[unknown-field]",
        "6:23 error[contract-syntax]",
        "7:12 error[duplicate-index]",
        "10:17 error[unknown-dependency]",
        "14:14 error[bad-value]",
    ];
    assert_eq!(report(FAULTS), expected);
}

#[test]
fn spelling_and_marks_leave_the_digest_alone() {
    for text in [
        EVERY.replace('\n', "\r\n"),
        format!("\u{feff}{EVERY}"),
        format!("---\n{EVERY}"),
        EVERY.replace("status: in_progress", "status: draft"),
        EVERY.replace("    status: complete\n", ""),
        EVERY.replace("    output: It is built.\n", ""),
        EVERY.replace("complexity: 5", "complexity: 7"),
        EVERY.replace("command: make test", "command: \"make test\""),
        EVERY.replace("contract: make check", "contract: {command: make check}"),
        EVERY.replace(
            "tools: [read_file, github]",
            "tools:\n- github\n- read_file",
        ),
    ] {
        assert_ne!(text, EVERY);
        assert_eq!(digest(&text), digest(EVERY), "{text}");
    }
    for text in [
        EVERY.replace("make test", "make  test"),
        EVERY.replace("Keep it short", "Keep it long"),
        EVERY.replace("dependsOn: [0]", "dependsOn: [1]"),
        EVERY.replace("$1.50", "$1.51"),
        EVERY.replace("critical: no", "critical: yes"),
    ] {
        assert_ne!(digest(&text), digest(EVERY), "{text}");
    }
}

#[test]
fn replans_do_not_pile_up() {
    let plan = checked(EVERY).plan;
    assert_eq!(base_id(&plan), Some("every-field"));
    assert_eq!(replanned_id(&plan).as_deref(), Some("every-field-v3"));
}

#[test]
fn what_is_written_reads_back() {
    for text in [JSON, YAML, EVERY] {
        let plan = checked(text).plan;
        let written = write(&plan, Dialect::Record);
        assert_eq!(written.losses, []);
        let back = checked(&written.files[0].1).plan;
        assert_eq!(back, plan);
        assert_eq!(
            write(&back, Dialect::Record),
            written,
            "and is written the same"
        );
    }
}

#[test]
fn what_a_record_cannot_hold_is_said() {
    let native = include_str!("../fixtures/every-field.md");
    let plan = check(&parse(&Source::new("plan.md", native.into())), &world()).plan;
    let written = write(&plan, Dialect::Record);
    let lost: std::collections::BTreeSet<_> = written
        .losses
        .iter()
        .map(|loss| loss.field.as_str())
        .collect();
    for field in [
        "owner",
        "priority",
        "risks",
        "subscriptions",
        "tool",
        "args",
        "isolation",
    ] {
        assert!(lost.contains(field), "{field}: {lost:?}");
    }
}
