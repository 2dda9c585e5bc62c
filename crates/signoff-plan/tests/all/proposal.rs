//! The dialect `proposal`: the seed's own example, the conformance cases, and the law that what is
//! written reads back.

#![expect(
    clippy::panic,
    reason = "a test may stop where its input is not what it expects"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse, parse_as};
use signoff_plan::digest::Digest;
use signoff_plan::edit::{Edit, apply};
use signoff_plan::field::plan_value;
use signoff_plan::model::{Plan, Step, Work};
use signoff_plan::source::Source;
use signoff_plan::write::{WrittenPlan, write};

use crate::generate::{Knobs, plan, plan_with};
use crate::laws::places_are_inside;
use crate::world::World;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/proposal")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn checked(text: &str) -> Checked {
    let source = Source::new("plan.md", text.into());
    let draft = parse(&source);
    assert_eq!(draft.dialect, Dialect::Proposal, "{text}");
    check(&draft, &World::default())
}

#[test]
fn that_nobody_in_particular_has_to_sign_is_not_written() {
    let text =
        "---\nid: PLAN-a\ntitle: T\nstatus: proposed\ntools_required: []\n---\n## Steps\n1. A\n";
    let of = |text: &str| {
        write(&checked(text).plan, Dialect::Proposal)
            .files
            .remove(0)
            .1
    };
    assert!(!of(text).contains("approval_required_from"), "{}", of(text));
    let named = text.replace("tools_", "approval_required_from: [Ada]\ntools_");
    assert!(
        of(&named).contains("approval_required_from"),
        "{}",
        of(&named)
    );
}

fn text(written: &WrittenPlan) -> &str {
    let [(_, text)] = written.files.as_slice() else {
        panic!("one file: {written:?}");
    };
    text
}

/// A step as the cases describe it.
fn described(step: &Step) -> Value {
    let hint = step.hint.clone().unwrap_or_default();
    let parts = [
        ("description", Some(step.title.clone())),
        ("tool", hint.tool),
        ("operation", hint.operation),
        ("target", hint.target),
    ];
    let given = parts
        .into_iter()
        .filter_map(|(name, part)| Some((name, part?)));
    given
        .map(|(name, part)| (name.to_owned(), Value::from(part)))
        .collect()
}

/// Asserts one thing that a case expects of its file.
fn expect(name: &str, value: &Value, plan: &Plan, text: &str) {
    match name {
        "steps" => {
            let steps: Vec<_> = plan.steps.iter().map(described).collect();
            assert_eq!(json!(steps), *value);
        }
        "n_steps" => assert_eq!(json!(plan.steps.len()), *value),
        "tools_required" => assert_eq!(json!(plan.tools), *value),
        "body_contains" => assert!(text.contains(value.as_str().expect("a text"))),
        "created_at_missing_ok" => assert_eq!(plan.record.get("created_at"), None),
        "context" | "status" | "id" => assert_eq!(plan_value(plan, name).as_ref(), Some(value)),
        other => panic!("the cases expect something new: {other}"),
    }
}

#[test]
fn every_conformance_case_reads_as_it_says_and_survives() {
    let cases: Value = serde_json::from_str(&read(&fixtures().join("cases.json"))).expect("JSON");
    let cases = cases.as_object().expect("cases");
    assert_eq!(cases.len(), 7);
    for (name, case) in cases {
        let text = read(&fixtures().join(case["file"].as_str().expect("a file")));
        let plan = checked(&text).plan;
        for (name, value) in case["expect"].as_object().expect("what is expected") {
            expect(name, value, &plan, &text);
        }
        let written = write(&plan, Dialect::Proposal);
        assert_eq!(written.losses, [], "{name}");
        let back = checked(self::text(&written)).plan;
        assert_eq!(back, plan, "{name}");
        assert_eq!(write(&back, Dialect::Proposal), written, "{name}");
        let expected = case["expect"].as_object().expect("what is expected");
        for (name, value) in expected {
            expect(name, value, &back, self::text(&written));
        }
    }
}

#[test]
fn the_cases_are_those_that_are_shared() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/proposal");
    if !shared.is_dir() {
        return;
    }
    for entry in std::fs::read_dir(&shared).expect("the directory can be read") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        // How a store behaves over time is not a matter of reading.
        if name != "lifecycle.json" {
            assert_eq!(
                read(&path),
                read(&fixtures().join(name)),
                "{}",
                path.display()
            );
        }
    }
}

const SEED: &str = include_str!("../fixtures/proposal/invoice-reminder.md");

#[test]
fn the_example_of_the_seed_reads_as_it_is_meant() {
    let checked = checked(SEED);
    let codes: BTreeSet<_> = checked
        .diagnostics
        .iter()
        .map(|p| p.code.as_str())
        .collect();
    // In an empty world.
    assert_eq!(
        Vec::from_iter(codes),
        [
            "missing-artifact",
            "missing-contract",
            "missing-tool",
            "unknown-agent"
        ]
    );
    let plan = checked.plan;
    assert_eq!(plan.id.as_deref(), Some("PLAN-a1b2c3d4"));
    assert_eq!(
        plan.title.as_deref(),
        Some("Tramitar factura 2024-0847 de Fabbula en Odoo")
    );
    assert_eq!(plan.status.as_deref(), Some("proposed"));
    assert_eq!(plan.version, Some(1));
    assert_eq!(
        plan.tools,
        Some(vec!["odoo-toolbox".to_owned(), "go-easy".to_owned()])
    );
    assert_eq!(plan.executor_model.as_deref(), Some("claude-haiku-4-5"));
    let steps: Vec<_> = plan.steps.iter().map(described).collect();
    assert_eq!(
        json!(steps),
        json!([
            {"description": "Fetch invoice 2024-0847 from Odoo", "tool": "odoo-toolbox", "operation": "read"},
            {"description": "Send payment reminder to client", "tool": "go-easy", "operation": "gmail send"},
            {"description": "Update invoice status to \"reminder sent\"", "tool": "odoo-toolbox", "operation": "write"},
        ])
    );
    let task = "Send payment reminder to client".to_owned();
    let role = Some("executor".to_owned());
    assert_eq!(plan.steps[1].work, Work::Agent { role, task });
    assert_eq!(plan.steps[1].on_fail.to_string(), "abort");
    let context = "User mentioned payment should go through bank account XYZ.";
    assert_eq!(plan.context.as_deref(), Some(context));
    assert_eq!(
        plan.risks[0],
        "Client email might bounce (check contact before sending)"
    );
    let names: Vec<_> = plan.record.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "artifacts",
            "created_at",
            "execution_session",
            "planner_model",
            "tool_outputs",
            "updated_at"
        ]
    );
    let data = &plan.record["tool_outputs"]["odoo_read_invoice_123"]["data"];
    assert_eq!(data["amount_total"], json!(1500.0));
}

// A change here means that every signature made so far is void: change `digest::SCHEMA` with it.
#[test]
fn its_digest_is_golden() {
    let digest = |text: &str| Digest::of_plan(&checked(text).plan).to_string();
    assert_eq!(
        digest(SEED),
        "sha256:894fac573fe9da57e23a689547b58f2bd9f6127f2a819c45efb780a4b5e5558e"
    );
    for text in [
        SEED.replace('\n', "\r\n"),
        format!("\u{feff}{SEED}"),
        SEED.replace("status: proposed", "status: rejected"),
        SEED.replace("(odoo-toolbox: read)", "  ( odoo-toolbox:read )")
            .replace("( odoo", "(odoo"),
        SEED.replace("\n1. ", "\n\n7) "),
        format!("{SEED}\n## Rejection (v1)\nNo.\n"),
    ] {
        assert_eq!(digest(&text), digest(SEED), "{text}");
    }
    for text in [
        SEED.replace("gmail send", "gmail draft"),
        SEED.replace("  - go-easy\n", ""),
        SEED.replace("XYZ", "ABC"),
        SEED.replace("2. Send payment", "2. Send a payment"),
    ] {
        assert_ne!(digest(&text), digest(SEED), "{text}");
    }
}

#[test]
fn edits_of_the_example_keep_every_other_byte() {
    let edits = [
        (
            "status",
            json!("approved"),
            "status: proposed ",
            "status: approved ",
        ),
        ("version", json!(2), "version: 1 ", "version: 2 "),
        (
            "updated_at",
            json!("2026-02-12T00:00:00Z"),
            "2026-02-11T12:05:00Z",
            "2026-02-12T00:00:00Z",
        ),
        (
            "execution_started_at",
            json!("2026-02-12T00:00:00Z"),
            "execution_started_at:",
            "execution_started_at: 2026-02-12T00:00:00Z",
        ),
        (
            "result_summary",
            json!("3 of 3: done"),
            "result_summary:",
            "result_summary: \"3 of 3: done\"",
        ),
    ];
    let mut expected = SEED.to_owned();
    let mut all = Vec::new();
    for (field, value, from, to) in edits {
        expected = expected.replacen(from, to, 1);
        let field = field.to_owned();
        all.push(Edit::SetPlan { field, value });
    }
    all.push(Edit::Reject {
        version: 2,
        feedback: "No.".to_owned(),
    });
    expected.push_str("\n## Rejection (v2)\nNo.\n");
    let edited = apply(&Source::new("plan.md", SEED.into()), &all).expect("edits");
    assert_eq!(String::from_utf8(edited).expect("text"), expected);
}

fn reads_back(plan: &Plan) -> Result<WrittenPlan, TestCaseError> {
    let (written, back) = crate::laws::reads_back(plan, Dialect::Proposal)?;
    let text = text(&written);
    prop_assert_eq!(back.plan.steps.len(), plan.steps.len(), "{}", text);
    let unclosed = |problem: &&signoff_plan::diagnostic::Diagnostic| {
        matches!(
            problem.code.as_str(),
            "unterminated-fence" | "frontmatter-invalid"
        )
    };
    let problem = back.diagnostics.iter().find(unclosed);
    prop_assert_eq!(problem, None, "{}", text);
    Ok(written)
}

#[test]
fn a_fence_that_is_text_stays_text() {
    for text in [
        "## Steps\n1. A (a: b → c)\n\t     ```sh\n",
        // As the text of a field it stands in another column, where a tab is narrower.
        "## Steps\n1. A (a: b → c)\n\t```json\n---\n",
        "## Steps\n1. A\n\n\t\t```json\n",
        "## Steps\n1. A\n   - task:\n\n     \t\t<!-- x\n",
    ] {
        is_sane(text).expect("it reads back");
    }
}

#[test]
fn a_heading_that_is_text_stays_text() {
    let text = "## Steps\n1. A (a: b → c)\n\t## Context\n1. A (a: b → c)\n";
    is_sane(text).expect("it reads back");
    let mut plan = std::sync::Arc::unwrap_or_clone(checked(SEED).plan);
    for (title, written) in [
        ("A", "A\n\n## Context\nb"),
        ("A # B", "A\n # B"),
        ("A ## Steps", "A\n\t## Steps"),
    ] {
        let step = &mut plan.steps[0];
        title.clone_into(&mut step.title);
        if let Work::Agent { task, .. } = &mut step.work {
            written.clone_into(task);
        }
        let written = reads_back(&plan).expect(title);
        assert_eq!(written.losses, []);
    }
}

/// Pieces that mean something in a proposal.
const PIECES: [&str; 40] = [
    "---\n",
    "id: PLAN-1\n",
    "status: proposed # x\n",
    "tools_required: [a]\n",
    "tools_required:\n  - a\n",
    "title: *x\n",
    "version: 1\n",
    "old: {a: [1]}\n",
    "## Steps\n",
    "## Context\n",
    "## Risks\n",
    "## Rejection (v1)\n",
    "# T\n",
    "### Tool Outputs\n",
    "### Artifacts\n",
    "### Notes\n",
    "1. A (a: b → c)\n",
    "2) B (a: b -> (c))\n",
    "10. \n",
    "   - contract: `make`\n",
    "   - contract:\n",
    "     ```sh\n",
    "     ```\n",
    "   - expect: exit_code == 0\n",
    "- on_fail: skip\n",
    "   - when: x\n",
    "   - task: y\n",
    "     more\n",
    "```json\n",
    "```\n",
    "{\"a\": 1}\n",
    "- item\n",
    "<!-- x\n",
    "-->\n",
    "\t",
    "   ",
    "\r\n",
    "\n",
    "\u{feff}",
    "é→(",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The example with some stretches replaced.
fn damaged() -> impl Strategy<Value = String> {
    crate::laws::damaged(vec![SEED], &PIECES)
}

fn edit() -> impl Strategy<Value = Edit> {
    let text = prop_oneof![crate::generate::block(true), crate::generate::line(false)];
    let plan = [
        "status",
        "version",
        "title",
        "context",
        "tools",
        "result_summary",
        "risks",
        "id",
    ];
    let step = [
        "title", "task", "contract", "expect", "on_fail", "when", "hint",
    ];
    let value = prop_oneof![
        text.clone().prop_map(Value::from),
        Just(Value::Null),
        Just(json!("failed")),
        Just(json!("retry(2), then skip")),
        (0..9_u64).prop_map(Value::from),
        prop::collection::vec(crate::generate::line(true), 0..3).prop_map(|lines| json!(lines)),
        Just(json!(["exit_code == 1"])),
        Just(json!({"tool": "x", "operation": "y z"})),
    ];
    let reject =
        (0..9_u64, text).prop_map(|(version, feedback)| Edit::Reject { version, feedback });
    prop_oneof![
        (prop::sample::select(plan.to_vec()), value.clone()).prop_map(|(field, value)| {
            Edit::SetPlan {
                field: field.to_owned(),
                value,
            }
        }),
        (1..4_usize, prop::sample::select(step.to_vec()), value).prop_map(
            |(step, field, value)| {
                Edit::SetStep {
                    step: format!("step-{step}"),
                    field: field.to_owned(),
                    value,
                }
            }
        ),
        reject,
    ]
}

/// What holds for any text.
fn is_sane(text: &str) -> Result<(), TestCaseError> {
    let source = Source::new("plan.md", text.into());
    let draft = parse_as(&source, Dialect::Proposal);
    let checked = check(&draft, &World::default());
    places_are_inside(&checked, &source)?;
    // A number at the beginning of a line under the heading is a step, however broken the rest.
    reads_back(&checked.plan)?;
    Ok(())
}

/// What holds for an edit of any text: it can be made, and made again without any change; or not.
fn edits_sanely(text: &str, edit: &Edit) -> Result<(), TestCaseError> {
    let source = Source::new("plan.md", text.into());
    let Ok(edited) = apply(&source, std::slice::from_ref(edit)) else {
        return Ok(());
    };
    let same_ends = text.starts_with('\u{feff}') == edited.starts_with("\u{feff}".as_bytes());
    prop_assert!(same_ends);
    if !matches!(edit, Edit::Reject { .. }) {
        let again = apply(
            &Source::new("plan.md", edited.clone()),
            std::slice::from_ref(edit),
        );
        prop_assert_eq!(again, Ok(edited));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_can_be_read(text in pieces()) {
        is_sane(&text)?;
    }

    #[test]
    fn any_damaged_example_can_be_read(text in damaged()) {
        is_sane(&text)?;
    }

    #[test]
    fn any_edit_of_the_example_is_made_or_refused(edit in edit()) {
        edits_sanely(SEED, &edit)?;
    }

    #[test]
    fn any_edit_of_a_damaged_example_is_made_or_refused(text in damaged(), edit in edit()) {
        edits_sanely(&text, &edit)?;
    }

    #[test]
    fn any_plan_reads_back(plan in plan()) {
        reads_back(&plan)?;
    }

    #[test]
    fn ordinary_text_is_never_misread(plan in plan_with(Knobs { hard_texts: false, ..Knobs::default() })) {
        let written = reads_back(&plan)?;
        let misread: Vec<_> = written
            .losses
            .iter()
            .filter(|loss| loss.why.contains("read differently"))
            // A step that is no agent's has no task of its own.
            .filter(|loss| !(loss.field == "task" && loss.step.is_some()))
            .filter(|loss| loss.field != "other")
            .collect();
        prop_assert!(misread.is_empty(), "{misread:?}\n{}", text(&written));
    }
}
