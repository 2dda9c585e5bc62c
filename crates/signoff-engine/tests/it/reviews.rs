//! A step's reviewer: it is asked once the step is done, and whatever it says changes nothing but the evidence's words.

use signoff_engine::{
    Action, AgentReports, Event, Grade, Input, ModelAnswer, ModelTask, ModelUsage, Outcome, Remark,
    RemarkSeverity, StepStatus, due,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

fn reviewed(body: &str) -> String {
    format!("{body}**reviewer:** critic\n")
}

fn remark(severity: RemarkSeverity) -> ModelAnswer {
    ModelAnswer::Review(vec![Remark {
        file: None,
        severity,
        text: "weak".to_owned(),
    }])
}

fn played(plan: &str, answers: &[ModelAnswer]) -> World {
    let outcomes = Outcomes {
        answers: answers.to_vec().into(),
        ..Outcomes::default()
    };
    let mut world = World::new(plan, outcomes);
    world.play();
    world
}

fn questions(world: &World) -> usize {
    let asked = |event: &Event| {
        matches!(
            event,
            Event::ModelAsked {
                task: ModelTask::Review,
                ..
            }
        )
    };
    let events = world.events.iter();
    events.filter(|recorded| asked(&recorded.event)).count()
}

#[test]
fn advice_stands_in_the_evidence_and_leaves_the_grade() {
    let plan = plan_text(&[&reviewed(AGENT), CHECK]);
    let grade = |world: &World| world.run.step(0).expect("a step").1.outcome.grade();
    let plain = grade(&played(&plan_text(&[AGENT, CHECK]), &[]));
    for answer in [
        remark(RemarkSeverity::Blocking),
        ModelAnswer::Review(Vec::new()),
        ModelAnswer::Nothing("it timed out".to_owned()),
        ModelAnswer::Role(signoff_engine::RoleDecision::Complete { reason: None }),
    ] {
        let world = played(&plan, std::slice::from_ref(&answer));
        assert_eq!(world.run.outcome(), Some(Outcome::Completed), "{answer:?}");
        assert_eq!(questions(&world), 1);
        assert_eq!(grade(&world), plain, "{answer:?}");
        let (_, step) = world.run.step(0).expect("a step");
        let advice = step.outcome.facts().and_then(|facts| facts.advice.clone());
        let advice = advice.expect("somebody was asked");
        match answer {
            ModelAnswer::Review(remarks) => {
                assert_eq!((advice.remarks, advice.none), (remarks, None));
            }
            _ => assert!(advice.none.is_some() && advice.remarks.is_empty()),
        }
    }
    assert!(matches!(plain, Some(Grade::Held | Grade::Proved)));
}

fn complete_first(world: &mut World) {
    while world.run.step(0).expect("a step").1.status != StepStatus::Completed {
        assert!(world.step(false), "it goes on");
    }
}

#[test]
fn nothing_waits_for_a_reviewer_but_the_end_of_the_run() {
    let plan = plan_text(&[&reviewed(AGENT), CHECK]);
    let mut world = World::new(&plan, Outcomes::default());
    complete_first(&mut world);
    let actions = due(&world.run, world.now, &world.bounds);
    let asks = |action: &Action| {
        matches!(
            action,
            Action::Draft {
                step: 0,
                task: ModelTask::Review
            }
        )
    };
    assert!(actions.iter().any(asks), "{actions:?}");
    assert!(
        actions.iter().any(|action| !asks(action)),
        "the next step begins: {actions:?}"
    );
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(questions(&world), 1);
}

#[test]
fn a_review_that_a_crash_cut_off_is_asked_for_again() {
    let plan = plan_text(&[&reviewed(AGENT)]);
    let mut world = World::new(&plan, Outcomes::default());
    complete_first(&mut world);
    world.step(true);
    assert_eq!(questions(&world), 1);
    world.record(Input::Resume {
        by: "ann".to_owned(),
        reports: AgentReports::new(),
    });
    let actions = due(&world.run, world.now, &world.bounds);
    assert!(
        matches!(
            actions[..],
            [Action::Draft {
                step: 0,
                task: ModelTask::Review
            }]
        ),
        "{actions:?}"
    );
}

#[test]
fn reviewers_cost_and_are_not_asked_without_a_budget() {
    let both = plan_text(&[&reviewed(AGENT), &reviewed(AGENT)]);
    let text = both.replace("**Budget:** 1h", "**Budget:** max 5k tokens");
    assert_ne!(both, text);
    let used = ModelUsage {
        input_tokens: 6000,
        ..ModelUsage::default()
    };
    let outcomes = Outcomes {
        model_usage: vec![used],
        ..Outcomes::default()
    };
    let mut world = World::new(&text, outcomes);
    world.play();
    assert_eq!(world.run.token_usage().tokens(), 6000);
    assert_eq!(questions(&world), 1);
}
