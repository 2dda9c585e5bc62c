//! An agent at work asks whether it may use a tool: a person is asked, and the step stays under way meanwhile.

use signoff_engine::{Action, Choice, InboxKind, Input, Outcome, Refusal, StepStatus, decide, due};

use crate::world::{AGENT, Outcomes, World, plan_text};

const HOUR: u64 = 3_600_000;

/// A world whose only agent works, and the action that ends its work.
fn working(text: &str) -> (World, Action) {
    let mut world = World::new(text, Outcomes::default());
    loop {
        let action = due(&world.run, world.now, &world.bounds)[0].clone();
        let is_agent = matches!(action, Action::Dispatch { .. });
        world.perform(action.clone(), is_agent);
        if is_agent {
            return (world, action);
        }
    }
}

fn ask(world: &mut World) {
    world.record(Input::PermissionAsked {
        step: 0,
        attempt: 1,
        what: "run `make install`".to_owned(),
    });
}

fn answer(world: &World, choice: Choice) -> Input {
    let item = world.run.items().next().expect("an item is open");
    Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice,
        note: None,
        by: "ann".to_owned(),
    }
}

fn end(world: &mut World, action: &Action) {
    let end = world.performer.end(&world.run, action);
    world.record(end);
    world.play();
}

#[test]
fn the_step_waits_under_way_until_every_question_is_answered() {
    let (mut world, action) = working(&plan_text(&[AGENT]));
    ask(&mut world);
    ask(&mut world);
    let item = world.run.items().next().expect("an item is open").clone();
    assert_eq!(item.kind, InboxKind::Permission);
    assert_eq!(item.answer_words(), ["allow", "deny"]);
    assert!(item.question.contains("make install"), "{}", item.question);
    for choice in [Choice::Deny, Choice::Allow] {
        assert_eq!(world.run.status_of(0), StepStatus::Waiting);
        assert!(world.run.in_flight() && !world.run.is_working());
        assert_eq!(due(&world.run, world.now, &world.bounds), []);
        let answer = answer(&world, choice);
        world.record(answer);
    }
    assert_eq!(world.run.status_of(0), StepStatus::Running);
    assert!(world.run.is_working());
    end(&mut world, &action);
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn only_its_own_answers_fit_and_it_is_not_tried_beside_itself() {
    let (mut world, _) = working(&plan_text(&[AGENT]));
    ask(&mut world);
    let refusal = |input| decide(&world.run, world.now, input).expect_err("it is refused");
    assert!(matches!(
        refusal(answer(&world, Choice::Skip)),
        Refusal::UnknownChoice { .. }
    ));
    let retry = Input::RetryStep {
        step: "step-1".to_owned(),
        hint: None,
        by: "ann".to_owned(),
    };
    assert!(matches!(refusal(retry), Refusal::NotNow { .. }));
}

#[test]
fn waiting_counts_neither_for_the_plan_nor_for_the_step() {
    let text = plan_text(&[AGENT]).replace("**Budget:** 1h", "**Budget:** 10 minutes");
    let (mut world, action) = working(&text);
    let before = world.run.wall_used();
    for _ in 0..2 {
        ask(&mut world);
        world.now += HOUR;
        let answer = answer(&world, Choice::Allow);
        world.record(answer);
    }
    world.now += 60_000;
    end(&mut world, &action);
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let used = world.run.wall_used() - before;
    assert!((60_000..120_000).contains(&used), "{used}");
    let spent = world
        .events
        .iter()
        .find_map(|recorded| match &recorded.event {
            signoff_engine::Event::BudgetSpent { wall_ms, .. } => Some(*wall_ms),
            _ => None,
        });
    assert!(
        spent.is_some_and(|spent| (60_000..120_000).contains(&spent)),
        "{spent:?}"
    );
}

#[test]
fn a_question_goes_with_its_agent() {
    let (mut world, action) = working(&plan_text(&[AGENT]));
    ask(&mut world);
    // It did not wait for the answer.
    let end = world.performer.end(&world.run, &action);
    world.record(end);
    assert_eq!(world.run.items().count(), 0);
    assert_ne!(world.run.status_of(0), StepStatus::Waiting);

    let (mut world, _) = working(&plan_text(&[AGENT]));
    ask(&mut world);
    world.crash();
    assert_eq!(world.run.items().count(), 0);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));

    let (mut world, _) = working(&plan_text(&[AGENT]));
    ask(&mut world);
    world.record(Input::Stop {
        trouble: None,
        reports: std::collections::BTreeMap::new(),
    });
    assert_eq!(world.run.items().count(), 0);
    assert_eq!(world.run.status_of(0), StepStatus::Running);
}
