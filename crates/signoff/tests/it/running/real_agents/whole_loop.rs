//! From a sentence to tests that pass, with a real agent as the planner and as who works.

use super::{Setup, World, agents};
use crate::support::sums::{make_the_tests_pass, planner_and_worker, write_sums};

#[test]
fn an_agent_plans_fails_plans_anew_and_makes_the_tests_pass() {
    for agent in agents(&["claude", "pi"]) {
        let world = World::new(agent, Setup::default(), planner_and_worker("default"));
        write_sums(&world.project);
        make_the_tests_pass(&world.project, agent);
        assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}");
    }
}
