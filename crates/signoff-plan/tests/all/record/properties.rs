//! What must hold for every text, however broken.

use proptest::prelude::*;
use serde_json::json;
use signoff_plan::check::check;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::digest::Digest;
use signoff_plan::edit::{Marks, ParsedFile, Records, StepMark, apply_marks, apply_progress};
use signoff_plan::source::Source;
use signoff_plan::write::write;

use super::edits::{edited, set_step};
use super::{EVERY, JSON, YAML, checked, source, world};
use crate::generate::{Knobs, plan, plan_with};
use crate::laws::{damaged, places_are_inside, reads_back};

/// Pieces that mean something in a record.
const PIECES: [&str; 30] = [
    "task: x\n",
    "steps:\n",
    "- index: 0\n",
    "  description: a\n",
    "  status: complete\n",
    "  dependsOn: [0]\n",
    "  contract: {command: make}\n",
    "  ask: {question: y}\n",
    "  budget: {usd: 1}\n",
    "metadata: {tags: [a]}\n",
    "- {index: 1, description: b}\n",
    "&a ",
    "*a",
    "!t ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "# x\n",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "é",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..30)
        .prop_map(|pieces| format!("task: t\nsteps:\n{}", pieces.concat()))
}

fn mutated() -> impl Strategy<Value = String> {
    damaged(vec![JSON, YAML, EVERY], &PIECES)
}

fn is_sane(text: &str) -> Result<(), TestCaseError> {
    let source = source(text);
    let draft = signoff_plan::dialect::parse_as(&source, Dialect::Record);
    let checked = check(&draft, &world());
    places_are_inside(&checked, &source)?;
    for step in &checked.plan.steps {
        let command = step
            .contract
            .as_ref()
            .map(|contract| contract.command.as_str());
        prop_assert!(!command.is_some_and(|command| command.contains('\r')));
    }
    Ok(())
}

/// Marking changes only marks, or is refused.
fn marking_is_lossless(text: &str, mark: StepMark) -> Result<(), TestCaseError> {
    let marks = Marks {
        status: Some("failed".to_owned()),
        steps: vec![("step-1".to_owned(), mark)],
    };
    let before = source(text);
    if parse(&before).dialect != Dialect::Record {
        return Ok(());
    }
    let Ok(bytes) = apply_marks(&before, &marks) else {
        return Ok(());
    };
    let after = Source::new("plan.yaml", bytes);
    let digest = |source: &Source| Digest::of_plan(&check(&parse(source), &world()).plan);
    prop_assert_eq!(digest(&before), digest(&after));
    let again = apply_marks(&after, &marks);
    prop_assert_eq!(again.as_deref(), Ok(after.bytes()));
    let comments = |source: &Source| source.text().matches('#').count();
    prop_assert_eq!(comments(&before), comments(&after));
    Ok(())
}

/// What a run left changes nothing else, or is refused; so does taking it away.
fn recording_is_lossless(text: &str) -> Result<(), TestCaseError> {
    let mut before = source(text);
    if parse(&before).dialect != Dialect::Record {
        return Ok(());
    }
    let names = ["started_at", "executed_by", "output", "error"];
    let cases = [
        (json!("a # \"b\""), StepMark::Done),
        (json!(null), StepMark::None),
    ];
    for (value, mark) in cases {
        let marks = Marks {
            status: None,
            steps: vec![("step-1".to_owned(), mark)],
        };
        let fields = names.map(|name| (name, value.clone())).to_vec();
        let records = Records {
            plan: vec![("current_step_index", value.clone())],
            steps: vec![("step-1".to_owned(), fields)],
            updated_at: Some(json!("2026-01-23T10:00:00.000Z")),
        };
        let file = ParsedFile::new(before.clone());
        let Ok(after) = apply_progress(file, &marks, records.clone()) else {
            return Ok(());
        };
        let digest = |source: &Source| Digest::of_plan(&check(&parse(source), &world()).plan);
        prop_assert_eq!(digest(&before), digest(&after));
        let again = apply_progress(ParsedFile::new(after.clone()), &marks, records);
        prop_assert_eq!(again.as_ref(), Ok(&after));
        before = after;
    }
    Ok(())
}

/// What a record has no place for, whatever it holds.
const NEVER_HELD: [&str; 6] = [
    "owner",
    "priority",
    "risks",
    "executor_model",
    "hint",
    "isolation",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_checked(text in "\\PC{0,200}") {
        is_sane(&text)?;
    }

    #[test]
    fn any_pieces_can_be_checked(text in pieces()) {
        is_sane(&text)?;
    }

    #[test]
    fn any_damaged_example_can_be_checked(text in mutated()) {
        is_sane(&text)?;
    }

    #[test]
    fn marking_is_lossless_or_refused(text in prop_oneof![pieces(), mutated()], done in any::<bool>()) {
        marking_is_lossless(&text, if done { StepMark::Done } else { StepMark::Skipped })?;
    }

    #[test]
    fn recording_is_lossless_or_refused(text in prop_oneof![pieces(), mutated()]) {
        recording_is_lossless(&text)?;
    }

    #[test]
    fn any_text_is_written_and_read(task in "\\PC{1,40}|([a-z:#\\-\\n \"']{1,20})", note in "[ -~\\n]{1,40}") {
        let mut plan = std::sync::Arc::unwrap_or_clone(checked(EVERY).plan);
        plan.task = Some(task.clone());
        plan.context = Some(note.clone());
        plan.steps[0].instructions = Some(task);
        plan.steps[0].acceptance = vec![note];
        let written = write(&plan, Dialect::Record);
        prop_assert_eq!(&written.losses, &[]);
        let back = checked(&written.files[0].1).plan;
        prop_assert_eq!(&*back, &plan);
    }

    #[test]
    fn any_text_is_set_in_place(value in "\\PC{1,30}|[a-z:#\\n \"'{},]{1,15}", json in any::<bool>()) {
        let text = if json { JSON } else { YAML };
        let edit = set_step("step-3", "output", json!(value));
        let after = edited(text, &edit);
        let mut plan = std::sync::Arc::unwrap_or_clone(checked(text).plan);
        plan.steps[2].record.insert("output", json!(value));
        prop_assert_eq!(&*checked(&after).plan, &plan);
        let back = edited(&after, &set_step("step-3", "output", json!(null)));
        prop_assert_eq!(back, text);
    }

    #[test]
    fn any_plan_reads_back(plan in plan()) {
        reads_back(&plan, Dialect::Record)?;
    }

    #[test]
    fn little_is_lost(plan in plan_with(Knobs { tools: false, records: false, ..Knobs::default() })) {
        let losses = write(&plan, Dialect::Record).losses;
        let unexpected: Vec<_> = losses
            .iter()
            .filter(|loss| !NEVER_HELD.contains(&loss.field.as_str()))
            .filter(|loss| !["subscriptions", "subtasks", "reviewer"].contains(&loss.field.as_str()))
            // Without subtasks a thread may have nothing to tell.
            .filter(|loss| loss.field != "briefing" || !loss.why.contains("`task`"))
            .collect();
        prop_assert!(unexpected.is_empty(), "{:?}", unexpected);
    }
}
