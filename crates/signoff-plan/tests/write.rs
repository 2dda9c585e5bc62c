//! What is written reads back, but for what is said to be lost.

mod generate;
mod world;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::digest::Digest;
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::{Written, write};

use self::generate::{Coverage, Knobs, plan, plan_with, without_losses};
use self::world::World;

fn source(written: &Written) -> Source {
    let text = written.files.first().map(|(_, text)| text);
    let text = text.expect("it is one file");
    Source::new("plan.md", text.clone().into_bytes())
}

fn read(source: &Source) -> Checked {
    check(&parse(source), &World::default())
}

/// What the dialect requires is filled in where a plan does not have it.
fn completed(mut plan: Plan) -> Plan {
    plan.status.get_or_insert_with(|| "draft".to_owned());
    plan.owner.get_or_insert_with(|| "orchestrator".to_owned());
    plan
}

fn reads_back(plan: &Plan) -> Result<Written, TestCaseError> {
    let written = write(plan, Dialect::Workunit);
    let source = source(&written);
    let back = read(&source);
    prop_assert_eq!(back.dialect, Dialect::Workunit);
    let expected = without_losses(completed(plan.clone()), &written.losses);
    let found = without_losses(back.plan, &written.losses);
    prop_assert_eq!(
        &expected,
        &found,
        "\n{}\n{:?}",
        source.text(),
        written.losses
    );
    prop_assert_eq!(Digest::of_plan(&expected), Digest::of_plan(&found));
    Ok(written)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Each case reads many small plans.
        cases: ProptestConfig::default().cases / 4,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_plan_reads_back(plan in plan()) {
        reads_back(&plan)?;
    }

    #[test]
    fn ordinary_plans_lose_nothing(plan in plan_with(Knobs { hard_texts: false, records: false, ..Knobs::default() })) {
        let written = reads_back(&plan)?;
        prop_assert!(written.losses.iter().all(|loss| !loss.matters()), "{:?}", written.losses);
        let problems = read(&source(&written)).diagnostics;
        // What is about the text itself; the rest is about what it says.
        let reading = [
            "bad-expect", "bad-id", "bad-on-fail", "bad-value", "budget-invalid", "frontmatter-invalid",
            "unknown-dependency", "unknown-field", "unknown-status", "unterminated-fence",
        ];
        let unexpected: Vec<_> = problems
            .iter()
            .filter(|problem| reading.contains(&problem.code.as_str()))
            .collect();
        prop_assert!(unexpected.is_empty(), "{unexpected:?}\n{}", source(&written).text());
    }
}

#[test]
fn the_examples_are_written_without_loss() {
    for text in [
        include_str!("fixtures/fix-auth-timeout.md"),
        include_str!("fixtures/extract-config-module.md"),
        include_str!("fixtures/every-field.md"),
    ] {
        let plan = check(
            &parse(&Source::new("plan.md", text.into())),
            &World::of_the_seed(),
        )
        .plan;
        let written = reads_back(&plan).expect("it reads back");
        assert_eq!(written.losses, []);
    }
}

#[test]
fn text_that_would_be_misread_is_fenced() {
    let plan = Plan {
        title: Some("T".to_owned()),
        owner: Some("orchestrator".to_owned()),
        context: Some("## Steps\nnone yet".to_owned()),
        ..Plan::default()
    };
    let written = reads_back(&plan).expect("it reads back");
    assert_eq!(written.losses, []);
    assert_eq!(
        source(&written).text(),
        "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n# T\n\n\
         **Context:**\n```verbatim\n## Steps\nnone yet\n```\n\n## Steps\n"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let plan = Plan {
        title: Some("two\nlines".to_owned()),
        constraints: vec!["a\nb".to_owned()],
        ..Plan::default()
    };
    let losses = write(&plan, Dialect::Workunit).losses;
    let losses: Vec<_> = losses
        .iter()
        .map(|loss| format!("{}: {}", loss.field, loss.why))
        .collect();
    assert_eq!(
        losses,
        [
            "constraints: no spelling of this text reads back as it is",
            "owner: the dialect requires one, and the plan names none: `orchestrator` is written",
            "title: it does not fit into a heading"
        ]
    );
}

#[test]
fn every_field_is_tried() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let mut coverage = Coverage::default();
    for _ in 0..300 {
        let plan = plan().new_tree(&mut runner).expect("a plan").current();
        coverage.count(&plan, &write(&plan, Dialect::Workunit).losses);
    }
    coverage.print("workunit");
    assert_eq!(coverage.never_given(), Vec::<String>::new());
}

/// What is lost on the way from one dialect to another, as `step field: why`.
fn lost(text: &str, dialect: Dialect) -> (String, Vec<String>) {
    let written = write(&read(&Source::new("plan", text.into())).plan, dialect);
    let said = |loss: &signoff_plan::write::Loss| {
        let step = loss.step.as_deref().unwrap_or("plan");
        format!("{step} {}: {}", loss.field, loss.why)
    };
    let losses = written.losses.iter().map(said).collect();
    let texts = written.files.into_iter().map(|(_, text)| text);
    (texts.collect(), losses)
}

#[test]
fn marks_are_carried_over_or_said_to_be_lost() {
    let record = "id: p\ntask: x\nstatus: replanning\nsteps:\n\
        - {index: 0, description: a, status: failed}\n\
        - {index: 1, description: b, status: skipped}\n\
        - {index: 2, description: c, status: in_progress}\n\
        - {index: 3, description: d, status: complete}\n\
        - {index: 4, description: e, status: pending}\n";
    let (text, losses) = lost(record, Dialect::Workunit);
    let marks: Vec<_> = text
        .lines()
        .filter(|line| line.contains("status:"))
        .collect();
    assert_eq!(
        marks,
        [
            "status: in-progress",
            "**status:** failed",
            "**status:** skipped"
        ]
    );
    assert!(text.contains("### 4. ✅ d"), "{text}");
    assert_eq!(
        losses,
        [
            "plan owner: the dialect requires one, and the plan names none: `orchestrator` is written",
            "plan status: the dialect has no word for `replanning`; `in-progress` stands in its place",
            "step-3 status: steps of this dialect are marked `done`, `failed` or `skipped`",
        ]
    );
    let (_, losses) = lost(record, Dialect::Proposal);
    let marks = losses.iter().filter(|loss| loss.contains(" status"));
    assert_eq!(marks.count(), 5, "{losses:?}");
    let (text, _) = lost(record, Dialect::Record);
    for word in ["failed", "skipped", "in_progress", "complete", "replanning"] {
        assert!(text.contains(&format!("status: {word}")), "{text}");
    }
}

#[test]
fn the_status_of_a_plan_has_a_word_in_each_dialect() {
    let proposal = |status: &str| {
        format!(
            "---\nid: PLAN-a\ntitle: T\nstatus: {status}\nversion: 1\ntools_required: []\n---\n## Steps\n1. A\n"
        )
    };
    for (there, here) in [
        ("proposed", "verified"),
        ("executing", "in-progress"),
        ("completed", "done"),
        ("stalled", "stalled"),
    ] {
        let (text, losses) = lost(&proposal(there), Dialect::Workunit);
        assert!(text.contains(&format!("\nstatus: {here}\n")), "{text}");
        assert_eq!(losses.len(), 1, "only the owner: {losses:?}");
        let (text, losses) = lost(&text, Dialect::Proposal);
        assert!(text.contains(&format!("\nstatus: {there}\n")), "{text}");
        assert_eq!(losses, ["plan owner: a proposal has no place for it"]);
    }
    let (_, losses) = lost(&proposal("approved"), Dialect::Record);
    let told = "plan status: the dialect has no word for `approved`; `draft` stands in its place";
    assert!(losses.iter().any(|loss| loss == told), "{losses:?}");
}
