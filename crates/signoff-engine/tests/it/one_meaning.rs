//! Equal digests behave alike, whatever the plan is written in.

use std::collections::BTreeMap;

use signoff_engine::{CallEnd, Outcome, ProcessEnd, StepStatus, unsupported};
use signoff_plan::signed::SignedPlan;
use signoff_testkit::spellings::{
    POLICIES, briefed_plans, calls, conversions, plans_with_gates, plans_with_uncritical_call,
};

use crate::world::{Outcomes, World};

/// Everything that goes wrong goes wrong five times.
fn failing(transient: bool) -> Outcomes {
    let failed = CallEnd::Failed {
        message: "no".to_owned(),
        transient,
        unknown: false,
    };
    Outcomes {
        calls: vec![failed; 5].into(),
        contracts: vec![ProcessEnd::Exited(1); 5].into(),
        ..Outcomes::default()
    }
}

/// What a plan does if everything fails: its events, and what it cannot run.
fn behaviour(plan: &SignedPlan) -> Vec<String> {
    let mut events: Vec<String> = Vec::new();
    for transient in [false, true] {
        let mut world = World::signed(plan.clone(), failing(transient));
        world.play();
        events.extend(world.events.iter().map(|one| format!("{:?}", one.event)));
    }
    let refused = unsupported(plan.plan()).into_iter().map(|one| one.what);
    events.extend(refused);
    events
}

#[test]
fn plans_with_equal_digests_behave_alike() {
    let texts = POLICIES.iter().flat_map(|policy| calls(policy));
    let mut known: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut compared = 0;
    let texts = texts
        .chain(briefed_plans())
        .chain(plans_with_gates())
        .chain(plans_with_uncritical_call());
    for text in texts {
        for plan in conversions(&text) {
            let spelled = format!("{} of {text}", plan.dialect());
            let behaviour = behaviour(&plan);
            let digest = plan.digest().to_string();
            let (first, expected) = known
                .entry(digest)
                .or_insert_with(|| (spelled.clone(), behaviour.clone()));
            assert_eq!(*expected, behaviour, "{first} and {spelled}");
            compared += usize::from(*first != spelled);
        }
    }
    assert!(compared >= 2 * POLICIES.len(), "{compared}");
}

#[test]
fn a_call_is_tried_as_often_as_its_policy_says() {
    for (policy, attempts) in [
        ("", 1),
        ("retry(1)", 2),
        ("retry(2)", 3),
        ("retry(3)", 4),
        ("retry(2, transient)", 1),
    ] {
        for text in calls(policy) {
            for plan in conversions(&text) {
                let spelled = plan.dialect();
                let mut world = World::signed(plan, failing(false));
                world.play();
                let tried = world.run.step(0).map(|(_, step)| step.attempts);
                assert_eq!(tried, Some(attempts), "`{policy}` as {spelled}");
            }
        }
    }
}

/// A run goes on that nobody has to decide about, whatever the plan is written in.
#[test]
fn without_a_step_that_is_not_critical_it_goes_on_and_asks_nobody() {
    for text in plans_with_uncritical_call() {
        for plan in conversions(&text) {
            let spelled = format!("{} of {text}", plan.dialect());
            let failed = CallEnd::Failed {
                message: "no".to_owned(),
                transient: false,
                unknown: false,
            };
            let outcomes = Outcomes {
                calls: [failed].into(),
                ..Outcomes::default()
            };
            let mut world = World::signed(plan, outcomes);
            world.play();
            assert_eq!(world.run.status_of(0), StepStatus::Failed, "{spelled}");
            assert_eq!(world.run.status_of(1), StepStatus::Completed, "{spelled}");
            assert_eq!(world.run.outcome(), Some(Outcome::Partial), "{spelled}");
        }
    }
}
