//! Loops: a step for each item, made once.

use serde_json::json;
use signoff_engine::StepStatus::{Blocked, Completed, Failed, Skipped, Waiting};
use signoff_engine::{AcceptAt, Choice, Event, Grade, Input, Outcome, ProcessEnd, StepStatus};

use crate::world::{CHECK, Outcomes, UNVERIFIED, World, plan_text};

const LIST: &str = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";

/// A tool step whose result has a list of two, and a loop over it.
fn over_list(body: &str) -> String {
    let each = format!("{body}**for_each:** steps[\"step-1\"].output.list\n");
    plan_text(&[LIST, &each, CHECK])
}

fn ids(world: &World) -> Vec<&str> {
    world
        .run
        .steps()
        .map(|(step, _)| step.id.as_str())
        .collect()
}

fn statuses(world: &World) -> Vec<StepStatus> {
    world.run.steps().map(|(_, state)| state.status).collect()
}

const EACH: &str =
    "**tool:** read_file\n**args:**\n```json\n{\"path\": \"p{{ item }}-{{ index }}\"}\n```\n";

#[test]
fn each_item_is_a_step_of_its_own_and_dependents_wait_for_all() {
    let mut world = World::new(&over_list(EACH), Outcomes::default());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(
        ids(&world),
        ["step-1", "step-2", "step-2[0]", "step-2[1]", "step-3"]
    );
    assert_eq!(world.run.progress(), 100);
    let (_, each) = world.run.step(1).expect("the loop");
    assert_eq!(each.outcome.grade(), Some(Grade::Observed));
    let paths: Vec<_> = (each.values.output.as_ref())
        .and_then(|list| list.as_array())
        .into_iter()
        .flatten()
        .map(|one| one["got"]["path"].clone())
        .collect();
    assert_eq!(paths, [json!("p1-0"), json!("p2-1")]);
    let last = world
        .story()
        .iter()
        .position(|event| event == "StepCompleted step-2[1]");
    let after = world
        .story()
        .iter()
        .position(|event| event == "StepStarted step-3");
    assert!(last < after, "{:#?}", world.story());
}

#[test]
fn it_expands_once_however_often_the_harness_dies() {
    let mut whole = World::new(&over_list(EACH), Outcomes::default());
    whole.play();
    for cut in 1..whole.events.len() {
        let mut world = whole.cut(cut, Outcomes::default());
        world.crash();
        world.play();
        assert_eq!(world.run.outcome(), Some(Outcome::Completed), "{cut}");
        let expanded = |recorded: &&signoff_engine::RecordedEvent| {
            matches!(recorded.event, Event::Expanded { .. })
        };
        assert_eq!(world.events.iter().filter(expanded).count(), 1, "{cut}");
    }
}

#[test]
fn no_items_are_no_work() {
    let each = format!("{EACH}**for_each:** \"[]\"\n").replace("\"[]\"", "[]");
    let mut world = World::new(&plan_text(&[&each, CHECK]), Outcomes::default());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(ids(&world), ["step-1", "step-2"]);
    let (_, each) = world.run.step(0).expect("the loop");
    assert_eq!(each.values.output, Some(json!([])));
}

#[test]
fn a_failed_item_blocks_the_loop_and_what_waits_for_it() {
    let check = format!("{CHECK}**on_fail:** abort\n**critical:** no\n**for_each:** [1, 2, 3]\n");
    let outcomes = Outcomes {
        contracts: vec![ProcessEnd::Exited(0), ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&check, CHECK]), outcomes);
    world.play();
    assert_eq!(
        statuses(&world),
        [Blocked, Completed, Failed, Completed, Blocked]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Partial));

    // Taken up again, only what failed runs again.
    let failed = world.run.steps().nth(2).expect("an item").0.id.clone();
    assert_eq!(failed, "step-1[1]");
}

#[test]
fn a_failed_run_with_a_loop_goes_on_with_the_items_that_failed() {
    let check = format!("{CHECK}**on_fail:** abort\n**for_each:** [1, 2]\n");
    let outcomes = Outcomes {
        contracts: vec![ProcessEnd::Exited(0), ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&check, CHECK]), outcomes);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.crash();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let attempts: Vec<u32> = world.run.steps().map(|(_, state)| state.attempts).collect();
    assert_eq!(attempts, [0, 1, 2, 1]);
}

#[test]
fn a_condition_about_the_item_is_asked_for_each() {
    let each = format!("{EACH}**for_each:** [1, 2, 3]\n**when:** item > 1\n");
    let mut world = World::new(&plan_text(&[&each]), Outcomes::default());
    world.play();
    assert_eq!(statuses(&world), [Completed, Skipped, Completed, Completed]);
    let off = format!("{EACH}**for_each:** [1]\n**when:** false\n");
    let mut world = World::new(&plan_text(&[&off]), Outcomes::default());
    world.play();
    assert_eq!(statuses(&world), [Skipped]);
}

#[test]
fn more_items_than_allowed_are_a_question_not_a_surprise() {
    let each = format!("{EACH}**for_each:** range(101)|list\n");
    let mut world = World::new(&plan_text(&[&each]), Outcomes::default());
    world.play();
    let question = world.run.items().next().expect("an item").question.clone();
    assert!(question.contains("101 items"), "{question}");
    assert_eq!(ids(&world), ["step-1"]);
}

#[test]
fn items_without_a_contract_are_accepted_at_the_end() {
    let each = format!("{UNVERIFIED}**for_each:** [1, 2]\n");
    let text = plan_text(&[&each, CHECK]);
    let mut world = World::accepting(AcceptAt::End, &text, Outcomes::default());
    world.play();
    assert_eq!(statuses(&world), [Waiting, Waiting, Waiting, Completed]);
    let item = world.run.items().next().expect("an item").clone();
    assert_eq!(item.steps_concerned().len(), 2, "the items, not the loop");
    world.record(Input::Answer {
        item: item.id,
        steps: Vec::new(),
        choice: Choice::Accept,
        note: None,
        by: "ann".to_owned(),
    });
    world.crash();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(statuses(&world), [Completed; 4]);
}
