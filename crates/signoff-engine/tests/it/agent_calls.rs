//! Calls that the harness makes for an agent: one that was cut off is not made again without a person.

use serde_json::json;
use signoff_engine::{
    Action, AgentReports, CallEnd, InboxKind, Input, Outcome, StepStatus, ToolCall, due,
};

use crate::world::{AGENT, Outcomes, World, plan_text};

/// A world whose agent has the harness make a call.
fn calling(repeatable: bool) -> World {
    let mut world = World::new(&plan_text(&[AGENT]), Outcomes::default());
    loop {
        let action = due(&world.run, world.now, &world.bounds)[0].clone();
        let is_agent = matches!(action, Action::Dispatch { .. });
        world.perform(action, is_agent);
        if is_agent {
            break;
        }
    }
    world.record(Input::AgentCallBegins {
        step: 0,
        attempt: 1,
        number: 1,
        call: ToolCall {
            tool: "shop.order".to_owned(),
            args: json!({"item": "tea"}),
            repeatable,
            changes_tree: true,
        },
    });
    world
}

fn end_call(world: &mut World) {
    world.record(Input::AgentCallEnded {
        step: 0,
        attempt: 1,
        number: 1,
        end: CallEnd::Done(json!("ordered")),
    });
}

/// What a person is asked.
fn questions(world: &World) -> Vec<(InboxKind, String)> {
    let items = world.run.items();
    items
        .map(|item| (item.kind, item.question.clone()))
        .collect()
}

#[test]
fn a_call_that_was_cut_off_is_asked_about_before_the_next_attempt() {
    let mut crashed = calling(false);
    crashed.crash();
    let mut stopped = calling(false);
    stopped.record(Input::Stop {
        trouble: None,
        reports: AgentReports::new(),
    });
    for world in [crashed, stopped] {
        let asked = questions(&world);
        let [(InboxKind::Escalation, question)] = &asked[..] else {
            panic!("{asked:?}");
        };
        assert!(
            question.contains(r#"`shop.order` with {"item":"tea"}"#),
            "{question}"
        );
        assert_eq!(world.run.status_of(0), StepStatus::Waiting);
    }
}

#[test]
fn a_call_that_is_harmless_or_over_is_not_asked_about() {
    let mut harmless = calling(true);
    harmless.crash();
    let mut over = calling(false);
    end_call(&mut over);
    over.crash();
    for mut world in [harmless, over] {
        assert_eq!(questions(&world), []);
        world.play();
        assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    }
}
