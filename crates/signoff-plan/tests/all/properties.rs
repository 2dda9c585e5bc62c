//! What must hold for every text, however broken.

use proptest::prelude::*;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::edit::{Marks, StepMark, apply_marks};
use signoff_plan::source::Source;

use crate::laws::{damaged, places_are_inside};
use crate::world::World;

const EXAMPLES: [&str; 4] = [
    include_str!("../fixtures/fix-auth-timeout.md"),
    include_str!("../fixtures/extract-config-module.md"),
    include_str!("../fixtures/migrate-to-httpx.md"),
    include_str!("../fixtures/every-field.md"),
];

/// Pieces that mean something in a plan.
const PIECES: [&str; 44] = [
    "---\n",
    "type: plan\n",
    "status: draft\n",
    "owner: me\n",
    "params: {a: [1, *x]}\n",
    "# T\n",
    "## Steps\n",
    "## Risks\n",
    "### 1. A\n",
    "### 2–N. B\n",
    "### N+1. ✅ C\n",
    "### ✅\n",
    "**task:** x\n",
    "**task:**\n",
    "**contract:**\n",
    "```sh\n",
    "```\n",
    "````\n",
    "~~~\n",
    "make && test -f a.md\n",
    "echo \"$(\n",
    "exit_code == 0\n",
    "**on_fail:** retry(2)\n",
    "**depends_on:** 1, none, b\n",
    "**id:** b\n",
    "**status: done**\n",
    "**status:** failed\n",
    "**subscriptions:**\n- file:a.md#L1-L2\n- topic:t\n",
    "<!-- x\n",
    "-->\n",
    "\r\n",
    "\n",
    " ",
    "\t",
    "✅ ",
    "\u{feff}",
    "\u{0}",
    "é",
    "`",
    "**",
    "- [ ] x\n",
    "> ",
    "    ",
    "**args:** {\"a\": 1e999}\n",
];

fn checked(source: &Source) -> Checked {
    check(&parse(source), &World::of_the_seed())
}

/// What holds for the checks of any bytes.
fn is_sane(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let source = Source::new("plan.md", bytes);
    let first = checked(&source);
    places_are_inside(&first, &source)?;
    let messages = || first.diagnostics.iter().map(|problem| &problem.message);
    prop_assert!(!messages().any(|message| message.contains('\n')));
    let sorted = first
        .diagnostics
        .windows(2)
        .all(|pair| pair[0].span <= pair[1].span);
    prop_assert!(sorted);
    prop_assert_eq!(&first, &checked(&source), "the same every time");
    let mut contracts = first
        .plan
        .steps
        .iter()
        .filter_map(|step| step.contract.as_ref());
    let returns = contracts.any(|contract| contract.command.contains('\r'));
    prop_assert!(!returns, "a carriage return would reach the shell");
    Ok(())
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn mutated() -> impl Strategy<Value = String> {
    damaged(EXAMPLES.to_vec(), &PIECES)
}

fn marks() -> impl Strategy<Value = Marks> {
    let mark = prop::sample::select(vec![
        StepMark::None,
        StepMark::Done,
        StepMark::Failed,
        StepMark::Skipped,
    ]);
    let status = prop::option::of(prop::sample::select(vec!["done", "failed", "in-progress"]));
    let step = (1..4_usize).prop_map(|number| format!("step-{number}"));
    let steps = prop::collection::btree_map(step, mark, 0..3);
    (status, steps).prop_map(|(status, steps)| Marks {
        status: status.map(str::to_owned),
        steps: steps.into_iter().collect(),
    })
}

/// What is left of a text when all marks and their white space are taken away.
fn rest(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        let line = line.trim().replace(['*', '`', ' '], "").to_lowercase();
        !matches!(
            line.as_str(),
            "status:done" | "status:failed" | "status:skipped"
        ) && !line.starts_with("status:")
    });
    let kept: String = lines.collect();
    kept.chars()
        .filter(|c| !c.is_whitespace() && *c != '✅' && *c != '\u{fe0f}')
        .collect()
}

/// What holds for the marking of any text.
fn marking_is_lossless(text: &str, marks: &Marks) -> Result<(), TestCaseError> {
    let source = Source::new("plan.md", text.into());
    let Ok(marked) = apply_marks(&source, marks) else {
        return Ok(());
    };
    let marked = Source::new("plan.md", marked);
    let digest = |source: &Source| Digest::of_plan(&checked(source).plan);
    prop_assert_eq!(digest(&source), digest(&marked));
    prop_assert_eq!(rest(text), rest(marked.text()));
    let again = apply_marks(&marked, marks);
    prop_assert_eq!(again.as_deref(), Ok(marked.bytes()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_checked(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        is_sane(bytes)?;
    }

    #[test]
    fn any_text_can_be_checked(text in "\\PC{0,200}") {
        is_sane(text.into_bytes())?;
    }

    #[test]
    fn any_pieces_of_plans_can_be_checked(text in pieces()) {
        is_sane(text.into_bytes())?;
    }

    #[test]
    fn any_damaged_example_can_be_checked(text in mutated()) {
        is_sane(text.into_bytes())?;
    }

    #[test]
    fn marking_pieces_changes_only_marks(text in pieces(), marks in marks()) {
        let text = format!("---\ntype: plan\nstatus: draft\nowner: me\n---\n{text}");
        marking_is_lossless(&text, &marks)?;
    }

    #[test]
    fn marking_examples_changes_only_marks(text in mutated(), marks in marks()) {
        marking_is_lossless(&text, &marks)?;
    }

    #[test]
    fn marks_come_off_again(example in prop::sample::select(EXAMPLES.to_vec()), marks in marks()) {
        let source = Source::new("plan.md", example.into());
        let marks = Marks { status: None, ..marks };
        let none = Marks {
            status: None,
            steps: marks.steps.iter().map(|(id, _)| (id.clone(), StepMark::None)).collect(),
        };
        if let Ok(marked) = apply_marks(&source, &marks) {
            let back = apply_marks(&Source::new("plan.md", marked), &none);
            prop_assert_eq!(back.as_deref(), Ok(example.as_bytes()));
        }
    }
}
