//! Contracts that reuse what earlier ones built, and what they are worth.

use signoff_engine::{
    AcceptAt, Action, ContractCache, Grade, Input, Outcome, ProcessEnd, StepState, due,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

const REASON: &str = "its contract reused what an earlier run of it had built";

fn warm(bodies: &[&str], outcomes: Outcomes) -> World {
    World::in_rooms(
        ContractCache::Warm,
        AcceptAt::Step,
        2,
        &plan_text(bodies),
        outcomes,
    )
}

fn state(world: &World, at: usize) -> &StepState {
    world.run.step(at).expect("a step").1
}

fn grade(world: &World, at: usize) -> Option<Grade> {
    state(world, at).outcome.grade()
}

fn not_proved(world: &World, at: usize) -> Vec<String> {
    let facts = state(world, at).outcome.facts();
    facts.map_or_else(Vec::new, |facts| facts.not_proved.clone())
}

/// Plays until the run is about to end.
fn play_to_the_end(world: &mut World) {
    let is_last = |world: &World| {
        let due = due(&world.run, world.now, &world.bounds);
        due.iter()
            .any(|action| matches!(action, Action::Recheck { .. }))
    };
    while !is_last(world) && world.step(false) {}
}

fn count(world: &World, name: &str) -> usize {
    let story = world.story();
    story.iter().filter(|event| *event == name).count()
}

#[test]
fn a_step_is_held_until_its_contract_holds_cold_at_the_end() {
    let mut world = warm(&[AGENT, AGENT, CHECK], Outcomes::default());
    play_to_the_end(&mut world);
    for at in [0, 1] {
        assert_eq!(grade(&world, at), Some(Grade::Held));
        assert_eq!(not_proved(&world, at), [REASON]);
    }
    // Also the last ones, whose tree is the final one.
    let due = due(&world.run, world.now, &world.bounds);
    assert_eq!(due.len(), 2, "{due:?}");
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    for at in [0, 1] {
        assert_eq!(grade(&world, at), Some(Grade::Proved));
        assert_eq!(not_proved(&world, at), [""; 0]);
    }
    // A check has nothing that it could prove, and has to hold all the same.
    assert_eq!(grade(&world, 2), Some(Grade::Held));
    for step in ["step-1", "step-2", "step-3"] {
        assert_eq!(count(&world, &format!("StepConfirmed {step}")), 1);
    }
}

#[test]
fn cold_nothing_is_run_once_more_that_holds_on_the_last_tree() {
    let text = plan_text(&[AGENT, CHECK]);
    let mut world = World::in_rooms(
        ContractCache::Cold,
        AcceptAt::Step,
        2,
        &text,
        Outcomes::default(),
    );
    world.play();
    assert_eq!(grade(&world, 0), Some(Grade::Proved));
    assert!(
        !world
            .story()
            .iter()
            .any(|event| event.starts_with("StepConfirmed"))
    );
}

#[test]
fn green_warm_and_red_cold_fails_the_run() {
    let not_critical = format!("{AGENT}**critical:** no\n");
    for body in [AGENT, &not_critical] {
        let mut world = warm(&[body], Outcomes::default());
        play_to_the_end(&mut world);
        world.performer.outcomes.contracts = [ProcessEnd::Exited(1)].into();
        world.play();
        assert_eq!(world.run.outcome(), Some(Outcome::Failed), "{body}");
        let failed = state(&world, 0);
        assert!(failed.outcome.evidence.is_none() && failed.outcome.regressed);
        let reason = failed.outcome.reason.as_deref().unwrap_or_default();
        assert!(reason.starts_with("green warm, red cold: "), "{reason}");
        assert_eq!(count(&world, "StepConfirmed step-1"), 0);
    }
}

#[test]
fn what_is_done_again_after_it_was_red_cold_completes_the_run() {
    let mut world = warm(&[AGENT], Outcomes::default());
    play_to_the_end(&mut world);
    world.performer.outcomes.contracts = [ProcessEnd::Exited(1)].into();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert!(!state(&world, 0).outcome.regressed);
}

#[test]
fn a_harness_that_dies_after_any_event_ends_with_the_same_evidence() {
    let each = format!("**for_each:** [1, 2]\n{AGENT}");
    let bodies = [AGENT, &each, CHECK];
    let mut whole = warm(&bodies, Outcomes::default());
    whole.play();
    let grades = |world: &World| (0..5).map(|at| grade(world, at)).collect::<Vec<_>>();
    let held = Some(Grade::Held);
    let proved = Some(Grade::Proved);
    // The loop is as good as its items.
    assert_eq!(grades(&whole), [proved, proved, held, proved, proved]);
    for events in 2..whole.events.len() {
        let mut world = whole.cut(events, Outcomes::default());
        world.crash();
        world.play();
        assert_eq!(world.run.outcome(), Some(Outcome::Completed));
        assert_eq!(grades(&world), grades(&whole), "cut after {events}");
    }
}

#[test]
fn an_answer_that_is_the_last_one_is_given_cold() {
    let once = format!("{AGENT}**holds:** once\n");
    let mut world = warm(&[&once], Outcomes::default());
    world.play();
    assert_eq!(grade(&world, 0), Some(Grade::Proved));
    assert!(
        !world
            .story()
            .iter()
            .any(|event| event.starts_with("StepConfirmed"))
    );
    let cold = World::in_worktrees(AcceptAt::Step, 1, &plan_text(&[AGENT]), Outcomes::default());
    assert!(!cold.run.reuses_builds(&Action::Baseline { step: 0 }));
    let shared = World::new(&plan_text(&[AGENT]), Outcomes::default());
    assert!(!shared.run.reuses_builds(&Action::Baseline { step: 0 }));
    let recheck = Action::Recheck {
        step: 0,
        patience: 1,
    };
    let warm = warm(&[AGENT], Outcomes::default());
    assert!(warm.run.reuses_builds(&Action::Baseline { step: 0 }));
    assert!(!warm.run.reuses_builds(&recheck));
}
