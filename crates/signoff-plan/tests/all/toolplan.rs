//! The dialect `toolplan`: the seed's own example, marks, edits, and what is written.

use proptest::prelude::*;
use serde_json::{Value, json};
use signoff_plan::check::{Checked, check};
use signoff_plan::diagnostic::Code;
use signoff_plan::dialect::{Dialect, parse, parse_as};
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::edit::{
    Edit, Marks, ParsedFile, Records, StepMark, apply, apply_marks, apply_progress,
};
use signoff_plan::model::Work;
use signoff_plan::source::Source;
use signoff_plan::write::write;

use crate::generate::{Knobs, plan, plan_with};
use crate::laws::{places_are_inside, reads_back};
use crate::world::World;

const SEED: &str = include_str!("../fixtures/toolplan/references.json");
const EVERY: &str = include_str!("../fixtures/toolplan/every-field.json");

fn source(text: &str) -> Source {
    Source::new("plan.json", text.into())
}

fn world() -> World {
    World {
        commands: ["make"].into(),
        ..World::of_the_seed()
    }
}

fn checked(text: &str) -> Checked {
    let draft = parse(&source(text));
    assert_eq!(draft.dialect, Dialect::Toolplan, "{text}");
    check(&draft, &world())
}

fn digest(text: &str) -> String {
    Digest::of_plan(&checked(text).plan).to_string()
}

fn report(text: &str) -> Vec<String> {
    crate::world::reported(&source(text), &checked(text).diagnostics)
}

#[test]
fn the_seeds_example_hands_over_an_object_for_a_text() {
    let problems = checked(SEED).diagnostics;
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert!(
        problem.message.contains("`$step_1.content` would fit"),
        "{problem:?}"
    );
    assert_eq!(
        report(&SEED.replace("$step_1", "$step_1.content")),
        Vec::<String>::new()
    );
    let plan = checked(SEED).plan;
    assert_eq!(plan.steps.len(), 2);
    let write = Work::Tool {
        tool: "write_file".to_owned(),
        args: json!({"path": "processed.json", "content": "$step_1"}),
    };
    assert_eq!(plan.steps[1].work, write);
    assert_eq!(plan.steps[1].title, "step_2");
    let policy = plan.steps[1].on_fail.to_string();
    assert_eq!(policy, "retry(2, transient), then recover");
}

#[test]
fn every_field_is_read() {
    let marked: Vec<_> = checked(EVERY).diagnostics;
    assert!(
        marked.iter().all(|one| one.code == Code::MarkIgnored),
        "{marked:?}"
    );
    let plan = checked(EVERY).plan;
    assert_eq!(plan.version, Some(2));
    assert_eq!(plan.budget.usd_e4, Some(15_000));
    assert_eq!(plan.record["estimated_duration"], 120);
    assert!(plan.steps[0].claimed);
    assert_eq!(plan.steps[0].record.get("result").unwrap()["ok"], true);
    let stored = include_str!("../fixtures/toolplan/every-field.canonical.json");
    let stored: Value = serde_json::from_str(stored).expect("JSON");
    assert_eq!(canonical(&plan), stored);
}

// A change here means that every signature made so far is void: change `digest::SCHEMA` with it.
#[test]
fn digests_are_golden() {
    assert_eq!(
        [SEED, EVERY].map(digest),
        [
            "sha256:611c657851e2f8b79769421bcf8e7cb782d546d50a7269649e8137f34fbaf92a",
            "sha256:6f6311cd4afeb4d2a03a0524cdbf9ab0f0d6dc6bbc39f3994f66951d6cf9c216",
        ]
    );
    // A reference implies the dependency, which the seed's example forgets to name.
    let named = SEED.replace(
        "\"tool\": \"write_file\"",
        "\"dependsOn\": [\"step_1\"], \"tool\": \"write_file\"",
    );
    assert_eq!(digest(SEED), digest(&named));
}

#[test]
fn five_faults_are_five_problems() {
    let text = r#"{
  "steps": [
    { "id": "a", "tool": "raed_file", "args": {} },
    { "id": "b", "tool": "write_file", "args": { "path": "x", "contents": "y" }, "dependsOn": ["c"] },
    { "id": "b", "tool": "delete_file", "args": { "path": 5 }, "timeout": "soon" }
  ]
}
"#;
    assert_eq!(
        report(text),
        [
            "3:27 error[unknown-tool] step `a` calls `raed_file`, which is not a tool known here",
            "4:64 error[invalid-args] step `b` calls `write_file`, but `contents` is not taken",
            "4:97 error[unknown-dependency] step `b` waits for `c`, which does not exist",
            "5:14 error[duplicate-id] two steps have the id `b`",
            "5:59 error[invalid-args] step `b` calls `delete_file`, but `path` must be text, not a number",
            "5:76 error[bad-value] `timeout` must be a duration, not `soon`",
        ]
    );
}

#[test]
fn spelling_and_marks_leave_the_digest_alone() {
    for text in [
        EVERY.replace('\n', "\r\n"),
        format!("\u{feff}{EVERY}"),
        EVERY.replace(" // what was read", ""),
        EVERY.replace("\"status\": \"completed\"", "\"status\": \"pending\""),
        EVERY.replace("\"version\": 2", "\"version\": 3"),
        EVERY.replace(
            "\"contract\": \"make test\"",
            "\"contract\": { \"command\": \"make test\" }",
        ),
        EVERY.replace(
            "{ \"tokens\": 200000, \"usd\": 1.5, \"wall\": \"20m\", \"agents\": 3 }",
            "\"200k tokens, $1.50, 20m, 3 agents\"",
        ),
    ] {
        assert_ne!(text, EVERY);
        assert_eq!(digest(&text), digest(EVERY), "{text}");
    }
    for text in [
        EVERY.replace("make test", "make tests"),
        EVERY.replace("\"data.json\" },", "\"data.jsom\" },"),
        EVERY.replace("\"dependsOn\": [\"each\"]", "\"dependsOn\": []"),
    ] {
        assert_ne!(digest(&text), digest(EVERY), "{text}");
    }
}

fn marks(steps: &[(&str, StepMark)]) -> Marks {
    Marks {
        status: Some("whatever".to_owned()),
        steps: steps
            .iter()
            .map(|(id, mark)| ((*id).to_owned(), *mark))
            .collect(),
    }
}

#[track_caller]
fn marked(text: &str, steps: &[(&str, StepMark)]) -> String {
    let bytes = apply_marks(&source(text), &marks(steps)).expect("the marks fit");
    let again = apply_marks(&Source::new("plan.json", bytes.clone()), &marks(steps));
    assert_eq!(
        again.as_deref(),
        Ok(bytes.as_slice()),
        "a second time changes nothing"
    );
    String::from_utf8(bytes).expect("still text")
}

#[test]
fn marks_stand_in_the_object_form_only() {
    let steps = [("step_1", StepMark::Done)];
    assert_eq!(
        marked(SEED, &steps),
        SEED,
        "the bare reply of a planner has no place for them"
    );
    // A file that says more of its plan than a planner does, or how far a step is, follows it.
    for more in [
        "\"title\": \"P\"",
        "\"tools\": [\"read_file\"]",
        "\"params\": {\"a\": 1}",
    ] {
        let named = SEED.replacen('{', &format!("{{\n  {more},"), 1);
        assert!(
            marked(&named, &steps).contains("\"status\": \"completed\""),
            "{more}"
        );
    }
    let told = SEED.replacen("\"step_1\",", "\"step_1\", \"status\": \"pending\",", 1);
    assert_eq!(marked(&told, &steps), told.replace("pending", "completed"));
    let guessed = SEED.replacen('{', "{\n  \"estimatedDuration\": 5,", 1);
    assert_eq!(marked(&guessed, &steps), guessed);
    let stored = SEED.replacen('{', "{\n  \"id\": \"p\",", 1);
    assert_eq!(
        marked(&stored, &steps),
        stored.replacen(
            "\"data.json\" }",
            "\"data.json\" },\n      \"status\": \"completed\"",
            1
        )
    );
    assert_eq!(
        marked(
            EVERY,
            &[("read", StepMark::Failed), ("sure", StepMark::Skipped)]
        ),
        EVERY
            .replace("\"status\": \"completed\"", "\"status\": \"failed\"")
            .replace("[\"write\"] }", "[\"write\"], \"status\": \"skipped\" }")
    );
}

#[test]
fn comments_stay_where_they_are() {
    let text = "{\n  \"id\": \"p\", // plan\n  \"steps\": [\n    {\n      \"id\": \"a\",\n      \"tool\": \"x\" // last\n    }\n  ]\n} // end\n";
    assert_eq!(
        marked(text, &[("a", StepMark::Done)]),
        text.replace(
            "\"x\" // last",
            "\"x\", // last\n      \"status\": \"completed\""
        )
    );
}

#[test]
fn steps_that_have_not_ended_are_marked_and_claims_stay() {
    let text = |status: &str| {
        format!(
            "{{\"id\": \"p\", \"steps\": [{{\"id\": \"a\", \"tool\": \"x\", \"status\": \"{status}\"}}]}}"
        )
    };
    for (before, mark, after) in [
        ("pending", StepMark::Running, "running"),
        ("completed", StepMark::Running, "running"),
        ("running", StepMark::Blocked, "blocked"),
        ("running", StepMark::NotBegun, "pending"),
        ("blocked", StepMark::NotBegun, "pending"),
        ("completed", StepMark::NotBegun, "completed"),
        ("skipped", StepMark::NotBegun, "skipped"),
        ("running", StepMark::Done, "completed"),
    ] {
        assert_eq!(marked(&text(before), &[("a", mark)]), text(after));
    }
}

#[test]
fn a_result_stands_behind_the_comments() {
    let text = "{\n  \"id\": \"p\", // plan\n  \"steps\": [\n    {\n      \"id\": \"a\",\n      \"tool\": \"x\" // last\n    }\n  ]\n} // end\n";
    let records = |result| Records {
        plan: vec![("current_step_index", json!("has no place"))],
        steps: vec![("a".to_owned(), vec![("result", result)])],
        updated_at: Some(json!("nor has this")),
    };
    let recorded = |text: &str, result| {
        let bytes = apply_progress(
            ParsedFile::new(source(text)),
            &Marks::default(),
            records(result),
        )
        .expect("it fits");
        let after = bytes.text().to_owned();
        assert_eq!(digest(&after), digest(text), "{after}");
        after
    };
    let result = json!({"ok": true, "value": {"b": [1]}, "duration": 3});
    let expected = text.replace(
        "\"x\" // last",
        "\"x\", // last\n      \"result\": {\"ok\": true, \"value\": {\"b\": [1]}, \"duration\": 3}",
    );
    let found = recorded(text, result.clone());
    assert_eq!(found, expected);
    assert_eq!(recorded(&found, result.clone()), expected);
    let other = recorded(&found, json!({"ok": false}));
    assert!(other.contains("\"result\": {\"ok\": false}\n"), "{other}");
    // The comment stands between it and the key before, and would go with it.
    let gone = recorded(&found, Value::Null);
    assert!(gone.contains("// last\n      \"result\": null\n"), "{gone}");
    assert_eq!(recorded(SEED, result), SEED, "the bare reply of a planner");
}

#[test]
fn edits_change_their_field_alone() {
    let set = |step: &str, field: &str, value: Value| Edit::SetStep {
        step: step.to_owned(),
        field: field.to_owned(),
        value,
    };
    let text = "{\"id\": \"p\", \"version\": 1, \"steps\": [\n  {\"id\": \"a\", \"tool\": \"read_file\", \"args\": {\"path\": \"x\"}}\n]}";
    let plan = |field: &str, value| Edit::SetPlan {
        field: field.to_owned(),
        value,
    };
    for (edit, from, to) in [
        // What is done about a failure that the file says nothing of follows from it.
        (
            set("a", "critical", json!(false)),
            "{\"path\": \"x\"}",
            "{\"path\": \"x\"}, \"critical\": false",
        ),
        (
            plan("version", json!(2)),
            "\"version\": 1",
            "\"version\": 2",
        ),
        (plan("title", json!("T")), "\n]}", "\n], \"title\": \"T\"}"),
        (
            set("a", "args", json!({"path": "y"})),
            "{\"path\": \"x\"}",
            "{\"path\": \"y\"}",
        ),
        (
            set("a", "result", json!({"ok": true})),
            "\"x\"}}",
            "\"x\"}, \"result\": {\"ok\": true}}",
        ),
        (
            set("a", "title", json!("Read")),
            "\"x\"}}",
            "\"x\"}, \"description\": \"Read\"}",
        ),
        (
            set("a", "approval", json!(true)),
            "\"x\"}}",
            "\"x\"}, \"approval\": true}",
        ),
        (
            set("a", "contract.command", json!("make")),
            "\"x\"}}",
            "\"x\"}, \"contract\": {\"command\": \"make\"}}",
        ),
    ] {
        let bytes = apply(&source(text), std::slice::from_ref(&edit)).expect("the edit fits");
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            text.replacen(from, to, 1),
            "{edit:?}"
        );
    }
    for (edit, why) in [
        (set("a", "task", json!("x")), "no place"),
        (set("b", "when", json!("x")), "no step `b`"),
        (plan("owner", json!("me")), "no place"),
    ] {
        let refused = apply(&source(text), &[edit]).expect_err("refused");
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn what_is_written_reads_back() {
    for text in [SEED, EVERY] {
        let plan = checked(text).plan;
        let written = write(&plan, Dialect::Toolplan);
        assert_eq!(written.losses, []);
        assert_eq!(checked(&written.files[0].1).plan, plan);
    }
}

#[test]
fn what_a_toolplan_cannot_hold_is_said() {
    let record = include_str!("../fixtures/record/every-field.yaml");
    let plan = check(&parse(&source(record)), &world()).plan;
    let written = write(&plan, Dialect::Toolplan);
    let lost: std::collections::BTreeSet<_> = written
        .losses
        .iter()
        .map(|loss| loss.field.as_str())
        .collect();
    for field in [
        "task",
        "role",
        "acceptance",
        "instructions",
        "constraints",
        "previous",
    ] {
        assert!(lost.contains(field), "{field}: {lost:?}");
    }
    assert!(!lost.contains("contract.command"), "{lost:?}");
}

#[test]
fn a_long_sequence_is_not_spelled_out() {
    let record = |count: usize| {
        let steps = (0..count).map(|at| format!("- {{index: {at}, contract: make}}\n"));
        let text = format!("task: x\nsteps:\n{}", steps.collect::<String>());
        check(&parse(&source(&text)), &world()).plan
    };
    let lost = |count| {
        let losses = write(&record(count), Dialect::Toolplan).losses;
        let waits = losses.iter().filter(|loss| loss.field == "depends_on");
        waits.count()
    };
    assert_eq!(lost(100), 0);
    // The first two wait for nothing and for the one before.
    assert_eq!(lost(1100), 1098);
    let written = write(&record(1100), Dialect::Toolplan);
    assert!(written.files[0].1.len() < 200_000);
}

/// Pieces that mean something in a toolplan.
const PIECES: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u12",
    "// x\n",
    "\n",
    "\r\n",
    "null",
    "tru",
    "-1.",
    "1e999",
    "\"steps\": [",
    "\"id\": \"a\"",
    "\"tool\": \"read_file\"",
    "\"args\": {\"path\": \"x\"}",
    "\"dependsOn\": [\"a\"]",
    "\"status\": \"failed\"",
    "\"contract\": \"make\"",
    "\"id\": \"p\"",
    "\u{feff}",
    "é",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn mutated() -> impl Strategy<Value = String> {
    crate::laws::damaged(vec![SEED, EVERY], &PIECES)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_checked(text in prop_oneof![pieces(), mutated(), "\\PC{0,100}".boxed()]) {
        let source = source(&text);
        let checked = check(&parse_as(&source, Dialect::Toolplan), &world());
        places_are_inside(&checked, &source)?;
    }

    #[test]
    fn marking_is_lossless_or_refused(text in prop_oneof![pieces(), mutated()]) {
        let steps = [("a", StepMark::Failed), ("read", StepMark::Skipped)];
        let before = source(&text);
        if let Ok(bytes) = apply_marks(&before, &marks(&steps)) {
            let after = Source::new("plan.json", bytes);
            let digest = |source: &Source| Digest::of_plan(&check(&parse(source), &world()).plan);
            prop_assert_eq!(digest(&before), digest(&after));
            let again = apply_marks(&after, &marks(&steps));
            prop_assert_eq!(again.as_deref(), Ok(after.bytes()));
        }
    }

    #[test]
    fn any_plan_reads_back(plan in plan()) {
        reads_back(&plan, Dialect::Toolplan)?;
    }

    #[test]
    fn little_is_lost(plan in plan_with(Knobs { agents: false, records: false, ..Knobs::default() })) {
        let losses = write(&plan, Dialect::Toolplan).losses;
        let never = [
            "status", "task", "owner", "previous", "priority", "constraints", "risks", "executor_model",
            "subscriptions", "isolation", "acceptance", "subtasks", "instructions", "hint",
        ];
        let unexpected: Vec<_> = losses.iter().filter(|loss| !never.contains(&loss.field.as_str())).collect();
        prop_assert!(unexpected.is_empty(), "{:?}", unexpected);
    }
}
