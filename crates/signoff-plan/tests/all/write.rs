//! What is written reads back, but for what is said to be lost.

use proptest::prelude::*;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::{WrittenPlan, write};

use crate::generate::{Knobs, plan, plan_with};
use crate::laws::written_source as source;
use crate::world::World;

fn read(source: &Source) -> Checked {
    check(&parse(source), &World::default())
}

fn reads_back(plan: &Plan) -> Result<WrittenPlan, TestCaseError> {
    crate::laws::reads_back(plan, Dialect::Workunit).map(|(written, _)| written)
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
        prop_assert!(written.losses.iter().all(|loss| !loss.is_relevant()), "{:?}", written.losses);
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
        include_str!("../fixtures/fix-auth-timeout.md"),
        include_str!("../fixtures/extract-config-module.md"),
        include_str!("../fixtures/every-field.md"),
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
