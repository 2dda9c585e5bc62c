//! What other runs have: locks, and the money of a day.

use signoff_engine::{
    AcceptAt, Action, DayLimit, Input, PauseReason, ProcessEnd, due, goes_on_by_itself,
};

use crate::world::{AGENT, CHECK, Outcomes, World, observed, plan_text};

fn world(bodies: &[&str]) -> World {
    let bodies: Vec<String> = bodies
        .iter()
        .map(|body| format!("**depends_on:** none\n{body}"))
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    World::with(AcceptAt::Step, 1, &plan_text(&bodies), Outcomes::default())
}

fn due_now(world: &World) -> Vec<Action> {
    due(&world.run, world.now, &world.bounds)
}

fn taken(world: &mut World, step: usize) {
    world.record(Input::LockTaken {
        step,
        lock: "db".to_owned(),
        by: "run other".to_owned(),
    });
}

fn evaluate(step: usize) -> Action {
    let (attempt, patience) = (1, 1);
    Action::Evaluate {
        step,
        attempt,
        patience,
    }
}

fn is_wait(action: &Action) -> bool {
    matches!(action, Action::Wait { .. })
}

#[test]
fn a_step_that_is_locked_out_takes_nobodys_place_and_the_run_waits_for_it() {
    let locked = format!("{CHECK}**locks:** db\n");
    let mut world = world(&[&locked, CHECK]);
    assert_eq!(due_now(&world), [evaluate(0)]);
    taken(&mut world, 0);
    // The only slot is the other one's.
    let due = due_now(&world);
    assert_eq!(due[0], evaluate(1), "{due:?}");
    world.perform(evaluate(1), false);
    let due = due_now(&world);
    assert!(due.len() == 1 && is_wait(&due[0]), "{due:?}");
    let why = world.run.shared_limit_text(0, |_| String::new());
    let expected = "waits for the lock `db`, held by run other";
    assert_eq!(why.as_deref(), Some(expected));
    // Said once for each who has it.
    let events = world.events.len();
    taken(&mut world, 0);
    assert_eq!(world.events.len(), events);
    let lock = "db".to_owned();
    world.record(Input::LockFree { lock });
    assert_eq!(due_now(&world), [evaluate(0)]);
    assert_eq!(world.run.shared_limit_text(0, |_| String::new()), None);
}

#[test]
fn a_step_under_way_whose_lock_was_lost_waits_for_it_again() {
    let locked = format!("{CHECK}**locks:** db\n");
    let mut world = world(&[&locked]);
    world.perform(evaluate(0), true);
    assert_eq!(
        world.run.locks_in_use().into_iter().collect::<Vec<_>>(),
        ["db"]
    );
    world.crash();
    assert_eq!(due_now(&world), [evaluate(0)]);
    taken(&mut world, 0);
    let due = due_now(&world);
    assert!(due.len() == 1 && is_wait(&due[0]), "{due:?}");
    // Who goes on looks again.
    world.crash();
    assert_eq!(due_now(&world), [evaluate(0)]);
}

#[test]
fn when_the_money_of_a_day_is_used_up_only_agents_wait_for_the_next() {
    let mut world = world(&[AGENT, CHECK]);
    world.perform(Action::Baseline { step: 0 }, true);
    world.record(Input::BaselineEnded {
        step: 0,
        observed: observed(ProcessEnd::Exited(1)),
    });
    let dispatch = [Action::Dispatch {
        step: 0,
        attempt: 1,
    }];
    assert_eq!(due_now(&world), dispatch);
    let until = world.now + 1000;
    world.record(Input::DayLimit(DayLimit {
        spent: 2_000_000,
        limit: 1_500_000,
        until,
    }));
    let due = due_now(&world);
    assert!(due.contains(&Action::Wait { until }), "{due:?}");
    assert!(!due.contains(&dispatch[0]), "{due:?}");
    let why = world.run.shared_limit_text(0, |_| "noon".to_owned());
    let expected =
        "waits until noon: all runs together have used $2.00 of the $1.50 that a day allows";
    assert_eq!(why.as_deref(), Some(expected));
    world.now = until;
    assert_eq!(due_now(&world)[..1], dispatch);
    world.perform(dispatch[0].clone(), true);
    assert_eq!(world.run.shared_limit_text(0, |_| String::new()), None);
}

#[test]
fn a_run_that_a_person_stopped_goes_on_only_when_they_ask() {
    let mut world = world(&[CHECK]);
    assert!(goes_on_by_itself(&world.run, world.now));
    world.record(Input::Park {
        reason: PauseReason::Requested,
    });
    assert!(!goes_on_by_itself(&world.run, world.now));
    world.crash();
    world.record(Input::Park {
        reason: PauseReason::Waiting,
    });
    // Nothing is left that it waits for.
    assert!(goes_on_by_itself(&world.run, world.now));
    world.crash();
    world.play();
    assert!(!goes_on_by_itself(&world.run, world.now));
}
