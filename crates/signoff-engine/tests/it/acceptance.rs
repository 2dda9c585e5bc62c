//! Agent steps without a contract: only a person can say that they are done.

use signoff_engine::{AcceptAt, Choice, Grade, Input, Outcome, Refusal, StepStatus, decide};

use crate::world::{AGENT, CHECK, Outcomes, UNVERIFIED, World, plan_text};

fn at_the_end(steps: &[&str]) -> World {
    let mut world = World::accepting(AcceptAt::End, &plan_text(steps), Outcomes::default());
    world.play();
    world
}

fn answer(world: &World, steps: &[&str], choice: Choice) -> Input {
    let item = world.run.items().next().expect("an item is open");
    Input::Answer {
        item: item.id.clone(),
        steps: steps.iter().map(|&step| step.to_owned()).collect(),
        choice,
        note: Some("no tests".to_owned()),
        by: "ann".to_owned(),
    }
}

fn statuses(world: &World) -> Vec<StepStatus> {
    world.run.steps().map(|(_, step)| step.status).collect()
}

fn grades(world: &World) -> Vec<Option<Grade>> {
    let steps = world.run.steps();
    steps.map(|(_, step)| step.outcome.grade()).collect()
}

#[test]
fn dependents_go_on_and_one_item_asks_about_all() {
    let mut world = at_the_end(&[UNVERIFIED, AGENT, UNVERIFIED]);
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Waiting,
            StepStatus::Completed,
            StepStatus::Waiting
        ]
    );
    let items: Vec<_> = world.run.items().cloned().collect();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].steps_concerned(), [0, 2]);
    assert_eq!(items[0].choices, [Choice::Accept, Choice::Refuse]);
    world.record(answer(&world, &[], Choice::Accept));
    world.play();
    assert_eq!(
        grades(&world),
        [
            Some(Grade::Accepted),
            Some(Grade::Proved),
            Some(Grade::Accepted)
        ]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

/// What came after it has begun, and the open question names other steps too.
#[test]
fn what_waits_to_be_accepted_is_neither_tried_again_nor_skipped() {
    let world = at_the_end(&[UNVERIFIED, UNVERIFIED]);
    let (step, by) = ("step-1".to_owned(), "ann".to_owned());
    for input in [
        Input::RetryStep {
            step: step.clone(),
            hint: None,
            by: by.clone(),
        },
        Input::SkipStep { step, by },
    ] {
        let refused = decide(&world.run, 0, input);
        assert!(
            matches!(refused, Err(Refusal::NotNow { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn refusing_one_fails_it_and_blocks_what_was_built_on_it() {
    let apart = format!("**depends_on:** none\n{UNVERIFIED}");
    let mut world = at_the_end(&[UNVERIFIED, AGENT, &apart]);
    world.record(answer(&world, &["step-1"], Choice::Refuse));
    world.play();
    assert_eq!(
        statuses(&world),
        [StepStatus::Failed, StepStatus::Blocked, StepStatus::Waiting]
    );
    // The other one is still asked about before the run fails.
    assert_eq!(world.run.outcome(), None);
    assert_eq!(
        world
            .run
            .items()
            .next()
            .map(|item| item.steps_concerned().to_vec()),
        Some(vec![2])
    );
    world.record(answer(&world, &[], Choice::Accept));
    world.play();
    assert_eq!(grades(&world), [None, None, Some(Grade::Accepted)]);
    let reason = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.reason.clone());
    assert_eq!(reason.as_deref(), Some("refused by ann: no tests"));
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));

    // Once more, with the reason in its prompt; what was built on it is built again.
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    let (_, first) = world.run.step(0).expect("the step exists");
    assert_eq!(
        (first.attempts, first.advice.hint.as_deref()),
        (2, Some("no tests"))
    );
    assert_eq!(
        world
            .run
            .items()
            .next()
            .map(|item| item.steps_concerned().to_vec()),
        Some(vec![0])
    );
    world.record(answer(&world, &[], Choice::Accept));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(world.run.step(1).map(|(_, step)| step.attempts), Some(2));
    assert_eq!(world.run.step(2).map(|(_, step)| step.attempts), Some(1));
}

#[test]
fn what_rests_on_a_refused_step_waits_for_it_anew() {
    // In order, and by name.
    for depends in ["", "**depends_on:** 1\n"] {
        let first = format!("{UNVERIFIED}**on_fail:** escalate\n");
        let second = format!("**depends_on:** none\n{CHECK}");
        let after = format!("{depends}{CHECK}");
        let steps = [first.as_str(), &second, &after];
        let mut world = at_the_end(&steps);
        world.record(answer(&world, &[], Choice::Refuse));
        world.play();
        world.record(Input::Reopen {
            by: "ann".to_owned(),
        });
        // This time its agent fails, and a person is asked.
        world.performer.outcomes.agents = [signoff_engine::ProcessEnd::Exited(1)].into();
        world.play();
        assert_eq!(world.run.status_of(0), StepStatus::Waiting, "{depends}");
        assert_eq!(world.run.status_of(2), StepStatus::Pending, "{depends}");
    }
}

#[test]
fn what_is_not_critical_may_be_refused() {
    let step = format!("{UNVERIFIED}**critical:** no\n");
    let apart = format!("**depends_on:** none\n{UNVERIFIED}");
    let mut world = at_the_end(&[&step, CHECK, &apart]);
    world.record(answer(&world, &["step-1"], Choice::Refuse));
    world.play();
    // The other one is still asked about.
    assert_eq!(
        world
            .run
            .items()
            .next()
            .map(|item| item.steps_concerned().to_vec()),
        Some(vec![2])
    );
    world.record(answer(&world, &[], Choice::Accept));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Partial));
}

#[test]
fn refusing_all_blames_each_step_once() {
    let mut world = at_the_end(&[UNVERIFIED, UNVERIFIED]);
    world.record(answer(&world, &[], Choice::Refuse));
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Failed, StepStatus::Blocked]);
}

#[test]
fn an_answer_names_only_steps_of_its_item() {
    let world = at_the_end(&[UNVERIFIED, AGENT]);
    let wrong = answer(&world, &["step-2"], Choice::Accept);
    assert!(matches!(
        decide(&world.run, 1, wrong),
        Err(Refusal::UnknownStep { known, .. }) if known == ["step-1"]
    ));
}

#[test]
fn a_failed_critical_step_ends_the_run_before_anybody_is_asked() {
    let abort = format!("{AGENT}**on_fail:** abort\n");
    let outcomes = Outcomes {
        contracts: [signoff_engine::ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::accepting(AcceptAt::End, &plan_text(&[UNVERIFIED, &abort]), outcomes);
    world.play();
    assert_eq!(world.run.items().count(), 0);
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
}

#[test]
fn at_each_step_nothing_goes_on_before_the_answer() {
    let mut world = World::new(&plan_text(&[UNVERIFIED, CHECK]), Outcomes::default());
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Waiting, StepStatus::Pending]);
    world.record(answer(&world, &[], Choice::Refuse));
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Failed, StepStatus::Blocked]);
}
