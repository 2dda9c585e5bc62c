//! From every dialect to every other one: what both can hold arrives, and the rest is named.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use signoff_plan::dialect::Dialect;
use signoff_plan::model::Plan;

use crate::coverage::Coverage;
use crate::generate::{Knobs, plan_with};
use crate::laws::reads_back;

/// What a dialect makes of a plan.
fn held(plan: &Plan, dialect: Dialect) -> Result<Plan, TestCaseError> {
    reads_back(plan, dialect).map(|(_, checked)| std::sync::Arc::unwrap_or_clone(checked.plan))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Each case reads many small plans, in each dialect.
        cases: ProptestConfig::default().cases / 16,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_plan_survives_a_journey(
        plan in plan_with(Knobs { steps: 3, ..Knobs::default() }),
        journey in prop::collection::vec(prop::sample::select(Dialect::ALL), 2..4),
    ) {
        let mut plan = plan;
        for dialect in journey {
            plan = held(&plan, dialect)?;
        }
    }
}

/// The fields that each dialect has no place for, whatever they hold: a line each.
const NEVER_HELD: &str = include_str!("../fixtures/never-held.txt");

#[test]
fn every_field_goes_wherever_it_fits() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut coverage = Coverage::default();
    for round in 0..80 {
        // Every other plan has texts that mean something somewhere.
        let knobs = Knobs {
            hard_texts: round % 2 == 1,
            steps: 3,
            ..Knobs::default()
        };
        let plan = plan_with(knobs)
            .new_tree(&mut runner)
            .expect("a plan")
            .current();
        for from in Dialect::ALL {
            let plan = held(&plan, *from).expect("it reads back");
            for to in Dialect::ALL {
                let (written, _) = reads_back(&plan, *to).expect("it reads back");
                coverage.count((*from, *to), &plan, &written.losses);
            }
        }
    }
    coverage.print();
    let never = Dialect::ALL.iter().flat_map(|dialect| {
        let fields = coverage.never_held(*dialect).into_iter();
        fields.map(move |field| format!("{dialect}: {field}\n"))
    });
    assert_eq!(never.collect::<String>(), NEVER_HELD);
    assert_eq!(coverage.gaps(), Vec::<String>::new());
}
