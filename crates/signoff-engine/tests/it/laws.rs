//! Laws that hold for any plan, any luck and any crash.

use std::collections::BTreeMap;

use proptest::prelude::*;
use signoff_engine::{
    AcceptAt, Choice, Event, InboxItem, InboxKind, Input, ProcessEnd, Run, StepStatus, apply,
};

use crate::world::{AGENT, CHECK, Outcomes, UNVERIFIED, World, plan_text};

fn step_body() -> impl Strategy<Value = String> {
    let policy = prop_oneof![
        Just(""),
        Just("**on_fail:** abort\n"),
        Just("**on_fail:** skip\n"),
        Just("**on_fail:** retry(1), then escalate\n"),
        Just("**on_fail:** retry(3), then abort\n"),
    ];
    let depends = prop_oneof![2 => Just(""), 1 => Just("**depends_on:** none\n"), 1 => Just("**depends_on:** 1\n")];
    let critical = prop_oneof![3 => Just(""), 1 => Just("**critical:** no\n")];
    let kind = prop_oneof![2 => Just(AGENT), 1 => Just(CHECK), 2 => Just(UNVERIFIED)];
    let gate = prop_oneof![
        4 => Just(""),
        1 => Just("**approval:** required\n"),
        1 => Just("**when:** 'x' in steps[\"step-1\"].stdout\n"),
        1 => Just("**when:** 'x' not in steps[\"step-1\"].stdout\n"),
    ];
    let agent_or_check = (policy, depends, critical, kind, gate).prop_map(
        |(policy, depends, critical, kind, gate)| {
            format!("{depends}{kind}{policy}{critical}{gate}")
        },
    );
    let ask = Just("**ask:** Go on?\n**choices:** yes, no\n".to_owned());
    prop_oneof![6 => agent_or_check, 1 => ask]
}

fn ends() -> impl Strategy<Value = Vec<ProcessEnd>> {
    let one = prop_oneof![
        4 => Just(ProcessEnd::Exited(0)),
        3 => Just(ProcessEnd::Exited(1)),
        1 => Just(ProcessEnd::TimedOut),
        1 => Just(ProcessEnd::Signaled(9)),
    ];
    proptest::collection::vec(one, 0..12)
}

fn scenario() -> impl Strategy<Value = (String, Outcomes)> {
    (
        proptest::collection::vec(step_body(), 1..6),
        ends(),
        ends(),
        ends(),
    )
        .prop_map(|(mut bodies, baselines, agents, contracts)| {
            // The first waits for nothing, and the others may read what its contract prints.
            bodies.insert(0, AGENT.to_owned());
            let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
            let outcomes = Outcomes {
                baselines: baselines.into(),
                agents: agents.into(),
                contracts: contracts.into(),
                ..Outcomes::default()
            };
            (plan_text(&bodies), outcomes)
        })
}

fn accept() -> impl Strategy<Value = AcceptAt> {
    prop_oneof![Just(AcceptAt::End), Just(AcceptAt::Step)]
}

/// People reply where they can, else skip; at gates and at the end they say no to every second step.
fn answer_to(open: &InboxItem, first: Option<String>) -> (Choice, Vec<String>) {
    let odd = open.step % 2 == 1;
    let (yes, no) = match open.kind {
        InboxKind::Approval => (Choice::Approve, Choice::Deny),
        InboxKind::Question => (Choice::Reply, Choice::Skip),
        InboxKind::Acceptance if !open.steps.is_empty() => {
            let choice = if odd { Choice::Refuse } else { Choice::Accept };
            // One after the other.
            return (choice, first.into_iter().collect());
        }
        InboxKind::Escalation => (Choice::Skip, Choice::Revise),
        InboxKind::Budget
        | InboxKind::Acceptance
        | InboxKind::UnknownCall
        | InboxKind::Permission
        | InboxKind::Revision => (Choice::Skip, Choice::Skip),
        InboxKind::NewVersion => (Choice::Refuse, Choice::Refuse),
    };
    (if odd { no } else { yes }, Vec::new())
}

/// Plays to the end.
fn finish(world: &mut World) {
    for _ in 0..200 {
        world.play();
        let Some(open) = world.run.items().next().cloned() else {
            break;
        };
        let first = world.run.step(open.step).map(|(step, _)| step.id.clone());
        if world.run.outcome().is_some() {
            break;
        }
        let (choice, steps) = answer_to(&open, first);
        world.record(Input::Answer {
            item: open.id,
            steps,
            choice,
            note: open.options.first().cloned(),
            by: "ann".to_owned(),
        });
    }
    assert!(
        world.run.outcome().is_some(),
        "the run did not end: {:#?}",
        world.story()
    );
}

/// The laws every journal obeys.
fn check_laws(world: &World) {
    let mut dispatched: BTreeMap<&str, u32> = BTreeMap::new();
    let mut completed: Vec<&str> = Vec::new();
    let mut approved: Vec<&str> = Vec::new();
    for recorded in &world.events {
        match &recorded.event {
            Event::WorkItem { step, attempt, .. } => {
                let at = world.run.position(step).expect("the step exists");
                let gated = (world.run.step(at)).is_some_and(|(step, _)| step.approval);
                assert!(
                    !gated || approved.contains(&step.as_str()),
                    "{step} began without leave"
                );
                let last = dispatched.insert(step, *attempt);
                assert!(
                    last.is_none_or(|last| last < *attempt),
                    "attempt {attempt} of {step} was used twice"
                );
                assert!(
                    !completed.contains(&step.as_str()),
                    "{step} ran again after it was completed"
                );
            }
            Event::InboxAnswered {
                step,
                choice: Choice::Approve,
                ..
            } => approved.push(step),
            Event::StepCompleted { step, .. } => {
                assert!(
                    !completed.contains(&step.as_str()),
                    "{step} was completed twice"
                );
                completed.push(step);
            }
            // A person refused what it was built on, or its contract no longer held at the end.
            Event::StepBlocked { step, .. } | Event::StepFailed { step, .. } => {
                completed.retain(|done| done != step);
            }
            _ => {}
        }
    }
    // A step starts only after what it waits for has been satisfied.
    for (definition, state) in world.run.steps() {
        if state.outcome.evidence.is_some() {
            for at in world.run.plan().dependencies(definition.number - 1) {
                let id = at;
                assert!(
                    (world.run.step(at))
                        .is_some_and(|(_, step)| step.satisfies || step.outcome.regressed),
                    "{} ran before {id}",
                    definition.id
                );
            }
        }
    }
}

fn replay(world: &World) -> Run {
    let mut run = Run::new(world.run.signed_plan().clone());
    for recorded in &world.events {
        apply(&mut run, recorded);
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replaying_the_journal_gives_the_same_state((text, outcomes) in scenario(), accept in accept()) {
        let mut world = World::accepting(accept, &text, outcomes);
        finish(&mut world);
        check_laws(&world);
        prop_assert_eq!(format!("{:?}", replay(&world)), format!("{:?}", world.run));
    }

    #[test]
    fn a_crash_after_any_event_loses_nothing((text, outcomes) in scenario(), accept in accept()) {
        let mut whole = World::accepting(accept, &text, outcomes.clone());
        finish(&mut whole);
        for cut in 1..whole.events.len() {
            let mut world = whole.cut(cut, outcomes.clone());
            world.crash();
            finish(&mut world);
            check_laws(&world);
            // What was acknowledged before the crash is still so after it.
            for recorded in &whole.events[..cut] {
                if let Event::StepCompleted { step, .. } = &recorded.event {
                    let at = world.run.plan().index_of(step).expect("the step exists");
                    let (_, state) = world.run.step(at).expect("the step exists");
                    prop_assert!(
                        state.outcome.evidence.is_some()
                            || state.status == StepStatus::Blocked
                            || state.outcome.regressed
                    );
                }
            }
        }
    }

    #[test]
    fn crashes_in_the_middle_of_anything_end_well((text, outcomes) in scenario(), accept in accept(), cuts in proptest::collection::vec(any::<bool>(), 0..40)) {
        let mut world = World::accepting(accept, &text, outcomes);
        for cut in cuts {
            if !world.step(cut) {
                break;
            }
            if cut {
                world.crash();
            }
        }
        finish(&mut world);
        check_laws(&world);
    }
}
