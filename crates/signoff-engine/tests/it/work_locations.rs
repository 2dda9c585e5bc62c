//! Where the work of a step is during a run.

use signoff_engine::{AcceptAt, ProcessEnd, WorkLocation};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

/// The locations of each step, in order, until the end of the run or its first question.
fn work_locations(world: &mut World) -> Vec<Vec<Option<WorkLocation>>> {
    let steps = world.run.steps().count();
    let mut seen = vec![Vec::new(); steps];
    loop {
        for (at, seen) in seen.iter_mut().enumerate() {
            let seat = world.run.work_location(at);
            if seen.last() != Some(&seat) {
                seen.push(seat);
            }
        }
        if !world.step(false) {
            return seen;
        }
    }
}

#[test]
fn an_agent_goes_from_its_worktree_through_the_queue() {
    let steps = plan_text(&[AGENT, CHECK]);
    let mut world = World::in_worktrees(AcceptAt::Step, 1, &steps, Outcomes::default());
    let own = [
        None,
        Some(WorkLocation::Worktree),
        Some(WorkLocation::MergeQueue),
        None,
    ];
    let seen = work_locations(&mut world);
    assert_eq!(seen[0], own);
    assert!(
        seen[1]
            .iter()
            .all(|seat| *seat != Some(WorkLocation::Worktree))
    );
    assert!(world.run.outcome().is_some());
}

#[test]
fn a_step_that_waits_on_a_person_is_where_it_is_repaired() {
    for (body, place) in [
        (AGENT, WorkLocation::Worktree),
        (CHECK, WorkLocation::RunTree),
    ] {
        let outcomes = Outcomes {
            contracts: [const { ProcessEnd::Exited(1) }; 3].into(),
            ..Outcomes::default()
        };
        let text = plan_text(&[body]);
        let mut world = World::in_worktrees(AcceptAt::Step, 1, &text, outcomes);
        while world.step(false) {}
        assert_eq!(world.run.items().count(), 1, "{body}");
        assert_eq!(world.run.work_location(0), Some(place), "{body}");
    }
}

#[test]
fn in_the_checkout_there_are_no_locations() {
    let mut world = World::new(&plan_text(&[AGENT, CHECK]), Outcomes::default());
    assert_eq!(work_locations(&mut world), [[None], [None]]);
}
