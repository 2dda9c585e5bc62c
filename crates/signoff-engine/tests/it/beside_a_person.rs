//! A person works in the checkout while contracts run: what they disturb is run again, and costs no attempt.

use signoff_engine::{
    AcceptAt, Action, Changes, CheckoutChanges, Event, Evidence, FinishedWork, Grade, Input,
    Observation, Outcome, ProcessEnd, Stage, due,
};

use crate::world::{AGENT, CHECK, Outcomes, World, observed, plan_text};

fn one_step(body: &str) -> World {
    World::in_worktrees(AcceptAt::Step, 4, &plan_text(&[body]), Outcomes::default())
}

fn disturbed(code: i32) -> Observation {
    Observation {
        void: Some("`z` changed in the checkout".to_owned()),
        ..observed(ProcessEnd::Exited(code))
    }
}

fn without_venv(code: i32) -> Observation {
    Observation {
        left_out: vec![".venv".to_owned()],
        ..observed(ProcessEnd::Exited(code))
    }
}

/// Begins what is due, once its time has come.
fn begin(world: &mut World) -> Action {
    loop {
        let action = due(&world.run, world.now, &world.bounds).into_iter().next();
        match action.expect("something is due") {
            Action::Wait { until } => world.now = until,
            action => {
                world.perform(action.clone(), true);
                return action;
            }
        }
    }
}

fn contract_ends(world: &mut World, observed: Observation) {
    let state = world.run.step(0).expect("a step").1;
    let input = match (&state.stage, state.attempts) {
        (Stage::Baselining, _) => Input::BaselineEnded { step: 0, observed },
        (_, attempt) => Input::EvaluationEnded {
            step: 0,
            attempt,
            observed,
        },
    };
    world.record(input);
}

fn agent_ends(world: &mut World) {
    world.record(Input::WorkEnded {
        step: 0,
        attempt: 1,
        work: FinishedWork {
            report: None,
            ended: ProcessEnd::Exited(0),
            text: String::new(),
            changes: Changes::default(),
        },
    });
    assert!(matches!(begin(world), Action::Candidate { .. }));
    world.build(0, 1);
}

fn join(world: &mut World, file: &str, deleted: bool) {
    let deleted = deleted.then(|| file.to_owned());
    world.record(Input::CheckoutJoined(CheckoutChanges {
        commit: format!("with {file}"),
        tree: "t".to_owned(),
        files: vec![file.to_owned()],
        conflicts: Vec::new(),
        deleted: deleted.into_iter().collect(),
    }));
}

#[test]
fn a_disturbed_baseline_is_run_again() {
    let mut world = one_step(AGENT);
    for _ in 0..4 {
        assert_eq!(begin(&mut world), Action::Baseline { step: 0 });
        contract_ends(&mut world, disturbed(0));
    }
    assert_eq!(begin(&mut world), Action::Baseline { step: 0 });
    contract_ends(&mut world, observed(ProcessEnd::Exited(1)));
    world.play();
    let state = world.run.step(0).expect("a step").1;
    assert_eq!(state.outcome.grade(), Some(Grade::Proved));
}

#[test]
fn a_baseline_that_is_always_disturbed_says_why_it_proves_nothing() {
    let mut world = one_step(AGENT);
    for _ in 0..5 {
        assert_eq!(begin(&mut world), Action::Baseline { step: 0 });
        contract_ends(&mut world, disturbed(1));
    }
    world.play();
    let state = world.run.step(0).expect("a step").1;
    let Evidence { grade, facts } = state
        .outcome
        .evidence
        .as_deref()
        .cloned()
        .expect("it is completed");
    assert_eq!(grade, Grade::Held);
    assert_eq!(
        facts.not_proved,
        ["its contract gave no answer before the work: `z` changed in the checkout"]
    );
}

#[test]
fn a_disturbed_contract_is_run_again_and_a_person_is_asked_in_the_end() {
    let mut world = one_step(AGENT);
    begin(&mut world);
    contract_ends(&mut world, observed(ProcessEnd::Exited(1)));
    begin(&mut world);
    agent_ends(&mut world);
    let began = world.now;
    for _ in 0..5 {
        assert!(world.run.items().next().is_none());
        assert!(matches!(
            begin(&mut world),
            Action::Evaluate { patience: 1, .. }
        ));
        contract_ends(&mut world, disturbed(1));
    }
    assert!(world.now - began >= 7000, "{}", world.now - began);
    let item = world.run.items().next().expect("a question");
    assert!(item.question.contains("`z` changed"), "{}", item.question);
    assert!(!item.question.contains("not started"), "{}", item.question);
    assert_eq!(world.run.step(0).expect("a step").1.activation.failures, 0);
}

#[test]
fn red_without_what_a_person_changed_costs_no_attempt() {
    let mut world = one_step(&format!("{AGENT}**on_fail:** retry(2), then abort\n"));
    begin(&mut world);
    contract_ends(&mut world, observed(ProcessEnd::Exited(1)));
    begin(&mut world);
    agent_ends(&mut world);
    begin(&mut world);
    contract_ends(&mut world, without_venv(1));
    let item = world.run.items().next().expect("a question");
    assert!(
        item.question.contains("`.venv` changed in the checkout"),
        "{}",
        item.question
    );
    assert_eq!(world.run.step(0).expect("a step").1.activation.failures, 0);
}

#[test]
fn an_attempt_begins_with_what_joined_during_the_baseline() {
    let mut world = one_step(AGENT);
    begin(&mut world);
    join(&mut world, "notes", false);
    contract_ends(&mut world, observed(ProcessEnd::Exited(1)));
    assert!(matches!(begin(&mut world), Action::Dispatch { .. }));
    let base = world.run.step(0).expect("a step").1.activation.base.clone();
    assert_eq!(base.as_deref(), Some("with notes"));
}

#[test]
fn a_step_that_regressed_names_what_a_person_did() {
    let mut world = one_step(CHECK);
    begin(&mut world);
    contract_ends(&mut world, observed(ProcessEnd::Exited(0)));
    join(&mut world, "a.txt", true);
    assert!(matches!(begin(&mut world), Action::Recheck { .. }));
    contract_ends(&mut world, observed(ProcessEnd::Exited(1)));
    let reason = world
        .events
        .iter()
        .find_map(|recorded| match &recorded.event {
            Event::StepFailed { reason, .. } => Some(reason.clone()),
            _ => None,
        });
    let reason = reason.expect("it regressed");
    assert!(reason.contains("deleted `a.txt`"), "{reason}");
}

#[test]
fn a_contract_that_is_disturbed_at_the_end_is_run_again() {
    let mut world = one_step(CHECK);
    begin(&mut world);
    contract_ends(&mut world, observed(ProcessEnd::Exited(0)));
    join(&mut world, "a.txt", false);
    for _ in 0..4 {
        assert!(matches!(begin(&mut world), Action::Recheck { .. }));
        contract_ends(&mut world, disturbed(1));
    }
    assert!(matches!(begin(&mut world), Action::Recheck { .. }));
    contract_ends(&mut world, observed(ProcessEnd::Exited(0)));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}
