//! What counts against the budget of a plan, and when a person is asked for more.

use signoff_engine::{AcceptAt, Action, Choice, Input, Outcome, StepStatus, due};

use crate::world::{AGENT, Outcomes, World, plan_text};

/// A plan with this budget.
fn limited(budget: &str, steps: &[&str]) -> String {
    plan_text(steps).replace("**Budget:** 1h", &format!("**Budget:** {budget}"))
}

fn question(world: &World) -> String {
    let item = world.run.items().next().expect("an item is open");
    item.question.clone()
}

fn answer(world: &mut World, choice: Choice) {
    let item = world.run.items().next().expect("an item is open");
    world.record(Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice,
        note: None,
        by: "ann".to_owned(),
    });
}

/// Plays with agents that take so long.
fn play_with_agents_of(world: &mut World, minutes: u64) {
    while let Some(action) = due(&world.run, world.now, &world.bounds).first().cloned() {
        let is_agent = matches!(action, Action::Dispatch { .. });
        world.perform(action.clone(), is_agent);
        if is_agent {
            world.now += minutes * 60_000;
            let end = world.performer.end(&world.run, &action);
            world.record(end);
        }
    }
}

#[test]
fn waiting_for_an_answer_in_a_run_that_is_driven_does_not_count() {
    let asks = "**ask:** Which one?\n";
    let mut world = World::new(
        &limited("10 minutes", &[asks, AGENT, asks, AGENT]),
        Outcomes::default(),
    );
    for _ in 0..2 {
        world.play();
        // A person thinks for an hour; the process that asks stays.
        world.now += 3_600_000;
        let item = world.run.items().next().expect("an item is open");
        world.record(Input::Answer {
            item: item.id.clone(),
            steps: Vec::new(),
            choice: Choice::Reply,
            note: Some("this".to_owned()),
            by: "ann".to_owned(),
        });
    }
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert!(world.run.wall_used() < 60_000, "{}", world.run.wall_used());
}

#[test]
fn time_counts_while_an_agent_works_beside_a_question() {
    let asks = "**depends_on:** none\n**ask:** Which one?\n";
    let agent = format!("**depends_on:** none\n{AGENT}");
    let text = limited("10 minutes", &[asks, &agent]);
    let mut world = World::with(AcceptAt::Step, 2, &text, Outcomes::default());
    play_with_agents_of(&mut world, 5);
    assert!(world.run.wall_used() >= 300_000);
}

#[test]
fn a_step_for_which_the_mean_says_that_it_does_not_fit_is_asked_about_first() {
    let mut world = World::new(
        &limited("10 minutes", &[AGENT, AGENT, AGENT]),
        Outcomes::default(),
    );
    play_with_agents_of(&mut world, 4);
    assert_eq!(world.run.agents_started(), 2);
    assert_eq!(world.run.status_of(2), StepStatus::Waiting);
    let asked = question(&world);
    assert!(asked.contains("too small for step `step-3`"), "{asked}");
    assert!(asked.contains("the mean of the agent steps"), "{asked}");
    answer(&mut world, Choice::Allow);
    play_with_agents_of(&mut world, 4);
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn the_budget_of_a_step_is_its_estimate() {
    let own = format!("{AGENT}**budget:** 8 minutes\n");
    let mut world = World::new(&limited("10 minutes", &[AGENT, &own]), Outcomes::default());
    play_with_agents_of(&mut world, 3);
    let asked = question(&world);
    assert!(asked.contains("480 s (its own budget)"), "{asked}");
}

#[test]
fn agents_that_start_together_share_one_budget() {
    let agent = format!("**depends_on:** none\n{AGENT}");
    let text = limited("1 agents", &[&agent, &agent]);
    let mut world = World::in_worktrees(AcceptAt::Step, 2, &text, Outcomes::default());
    for step in 0..2 {
        world.perform(Action::Baseline { step }, false);
    }
    let starts = due(&world.run, world.now, &world.bounds);
    let agents = starts
        .iter()
        .filter(|action| matches!(action, Action::Dispatch { .. }));
    assert_eq!(agents.count(), 1, "{starts:?}");
    world.play();
    assert!(question(&world).contains("1 of 1 agents"));
}
