//! What a person does to a run, or to one of its steps.

use signoff_engine::{
    Action, AgentReports, Bounds, Event, Input, Outcome, ProcessEnd, Refusal, StepStatus, decide,
    due,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

fn skip(step: &str) -> Input {
    Input::SkipStep {
        step: step.to_owned(),
        by: "ann".to_owned(),
    }
}

fn retry(step: &str) -> Input {
    Input::RetryStep {
        step: step.to_owned(),
        hint: Some("look twice".to_owned()),
        by: "ann".to_owned(),
    }
}

fn failing(bodies: &[&str], ends: &[i32]) -> World {
    let outcomes = Outcomes {
        contracts: ends.iter().map(|code| ProcessEnd::Exited(*code)).collect(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(bodies), outcomes);
    world.play();
    world
}

fn statuses(world: &World) -> Vec<StepStatus> {
    world.run.steps().map(|(_, state)| state.status).collect()
}

#[test]
fn a_step_that_waits_on_a_person_can_be_skipped_and_its_question_goes_with_it() {
    let check = format!("{CHECK}**on_fail:** escalate\n");
    let mut world = failing(&[&check, CHECK], &[1]);
    assert_eq!(world.run.items().count(), 1);
    world.record(skip("step-1"));
    assert_eq!(world.run.items().count(), 0);
    world.crash();
    world.play();
    assert_eq!(
        statuses(&world),
        [StepStatus::Skipped, StepStatus::Completed]
    );
}

#[test]
fn a_failed_step_can_be_skipped_and_what_it_blocked_goes_on() {
    let agent = format!("{AGENT}**on_fail:** abort\n");
    let mut world = failing(&[&agent, CHECK, CHECK], &[1]);
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    let blocked = decide(&world.run, 0, skip("step-2"));
    assert!(
        matches!(blocked, Err(Refusal::NotNow { .. })),
        "{blocked:?}"
    );
    world.record(skip("step-1"));
    assert_eq!(world.run.outcome(), None);
    world.crash();
    world.play();
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Skipped,
            StepStatus::Completed,
            StepStatus::Completed
        ]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_failed_step_is_tried_again_alone_with_what_it_blocked() {
    let agent = format!("{AGENT}**on_fail:** abort\n");
    let mut world = failing(&[&agent, CHECK], &[1]);
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    assert_eq!(statuses(&world), [StepStatus::Failed, StepStatus::Blocked]);
    world.record(retry("step-1"));
    world.crash();
    let (_, step) = world.run.step(0).expect("a step");
    assert_eq!(step.advice.hint.as_deref(), Some("look twice"));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(2));
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let world = failing(&[CHECK, CHECK], &[]);
    let refused = |input| decide(&world.run, 1, input).expect_err("it does not fit");
    assert_eq!(
        refused(skip("no")),
        Refusal::NoStep {
            step: "no".to_owned()
        }
    );
    for input in [skip("step-1"), retry("step-1")] {
        assert!(matches!(refused(input), Refusal::NotNow { .. }));
    }
    let fresh = World::new(&plan_text(&[CHECK]), Outcomes::default());
    let refused = decide(&fresh.run, 1, retry("step-1")).expect_err("not tried yet");
    assert_eq!(refused.to_string(), "step `step-1` has not been tried yet");
}

#[test]
fn an_aborted_run_has_failed_and_says_by_whom() {
    let mut world = World::new(&plan_text(&[AGENT, CHECK]), Outcomes::default());
    world.step(false);
    world.step(true);
    world.record(Input::Abort {
        by: "ann".to_owned(),
        reports: AgentReports::new(),
    });
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    assert_eq!(statuses(&world), [StepStatus::Failed, StepStatus::Blocked]);
    let reason = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.reason.clone());
    assert_eq!(reason.as_deref(), Some("aborted by ann"));
    let cut = world
        .events
        .iter()
        .any(|recorded| matches!(recorded.event, Event::AttemptInterrupted { .. }));
    assert!(cut, "what was under way was cut off");
    // It can be taken up again like any failed run.
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_clock_set_back_between_two_processes_makes_no_pause_longer() {
    let agent = format!("{AGENT}**on_fail:** retry(2), then abort\n");
    let outcomes = Outcomes {
        contracts: [ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&agent]), outcomes);
    world.now = 1_000_000;
    // Baseline, work, contract; then it waits for its second attempt.
    for _ in 0..3 {
        world.step(false);
    }
    let waits = |world: &World| {
        let due = due(&world.run, world.now, &Bounds::default());
        matches!(due[..], [Action::Wait { .. }])
    };
    assert!(waits(&world));
    // A pause is kept where the clock goes on as clocks do.
    world.crash();
    assert!(waits(&world));
    world.now = 5_000;
    world.crash();
    assert!(!waits(&world));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}
