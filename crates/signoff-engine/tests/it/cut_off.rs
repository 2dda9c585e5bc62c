//! What counts against an attempt that was cut off, and against one that a person repaired: the same as against any
//! other, by what the step changed since it began.

use signoff_engine::{
    AcceptAt, Action, Candidate, Changes, Choice, Event, EvidenceFacts, Input, Observation,
    ProcessEnd, due,
};

use crate::world::{Outcomes, World, observed, plan_text};

const BODY: &str = "**target:** coder\n**task:**\nDo it.\n\n**protects:** guard\n**contract:**\n```shell\nmake check\n```\n**on_fail:** retry(1), then escalate\n";

fn holds(changes: Option<Changes>) -> Observation {
    Observation {
        changes: changes.map(Box::new),
        ..observed(ProcessEnd::Exited(0))
    }
}

fn changed(files: &[&str], protected: &[&str]) -> Changes {
    let owned = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect();
    Changes {
        files: Some(owned(files)),
        protected: owned(protected),
        ..Changes::default()
    }
}

fn in_place() -> World {
    World::new(&plan_text(&[BODY]), Outcomes::default())
}

fn in_worktrees() -> World {
    World::in_worktrees(AcceptAt::Step, 1, &plan_text(&[BODY]), Outcomes::default())
}

/// The harness dies while the agent works, and comes back.
fn cut_off(world: &mut World) {
    // The baseline is red.
    assert!(world.step(false));
    assert!(world.step(true));
    world.crash();
}

/// The step and the attempt of the one thing that is due.
#[track_caller]
fn only_due(world: &World, of: impl Fn(&Action) -> Option<(usize, u32)>) -> (usize, u32) {
    let due = due(&world.run, world.now, &world.bounds);
    assert_eq!(due.len(), 1, "{due:?}");
    due.first().and_then(of).expect("it is of this kind")
}

/// Judges the step, of which the contract holds.
fn judge(world: &mut World, changes: Option<Changes>) {
    let (step, attempt) = only_due(world, |action| match *action {
        Action::Evaluate { step, attempt, .. } => Some((step, attempt)),
        _ => None,
    });
    world.record(Input::EvaluationBegins { step, attempt });
    world.record(Input::EvaluationEnded {
        step,
        attempt,
        observed: holds(changes),
    });
}

/// The same in worktrees, with a candidate that changes these files.
fn judge_candidate(world: &mut World, files: &[&str]) {
    let (step, attempt) = only_due(world, |action| match *action {
        Action::Candidate { step, attempt } => Some((step, attempt)),
        _ => None,
    });
    let onto = world.run.head().expect("a tree").to_owned();
    world.record(Input::CandidateBegins { step, attempt });
    world.record(Input::CandidateBuilt {
        step,
        attempt,
        candidate: Candidate {
            tree: "t".to_owned(),
            commit: format!("{onto}+{attempt}"),
            onto,
            files: changed(files, &[]).files.expect("just given"),
            details: Box::default(),
        },
    });
    judge(world, None);
}

/// What was recorded of the attempt: it used up a retry, and why; or that it is judged well.
fn told(world: &World) -> (Option<bool>, String) {
    let last = world.events.iter().rev().map(|recorded| &recorded.event);
    let mut last = last.filter_map(|event| match event {
        Event::RetryScheduled {
            counted, reason, ..
        } => Some((Some(*counted), reason.clone())),
        Event::ContractFinished { unmet, .. } => Some((None, unmet.join("; "))),
        _ => None,
    });
    last.next().expect("it was judged")
}

#[track_caller]
fn check(world: &World, counted: Option<bool>, reason: &str) {
    let (was, why) = told(world);
    assert_eq!(was, counted, "{why}");
    assert!(why.contains(reason), "{why}");
}

fn facts(world: &World) -> Option<EvidenceFacts> {
    let (_, step) = world.run.step(0).expect("a step");
    step.outcome.facts().cloned()
}

const BENT: &str =
    "configures the runner of a contract, and `produces` does not name that: Makefile";

#[test]
fn an_attempt_that_was_cut_off_is_judged_by_what_it_changed() {
    for (changes, counted, reason) in [
        (changed(&["Makefile", "a"], &[]), Some(true), BENT),
        (
            changed(&["guard"], &["guard"]),
            Some(true),
            "protected files: guard",
        ),
        (changed(&["a"], &[]), None, ""),
    ] {
        let mut world = in_place();
        cut_off(&mut world);
        judge(&mut world, Some(changes.clone()));
        check(&world, counted, reason);

        let mut world = in_worktrees();
        cut_off(&mut world);
        let files = changes.files.expect("given");
        judge_candidate(
            &mut world,
            &files.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        check(&world, counted, reason);
    }
}

#[test]
fn where_nobody_knows_what_it_changed_it_starts_again() {
    for unknown in [None, Some(Changes::default())] {
        let mut world = in_place();
        cut_off(&mut world);
        judge(&mut world, unknown);
        check(&world, Some(false), "what it changed is not known");
        assert_eq!(facts(&world), None);
    }
}

#[test]
fn what_an_attempt_before_changed_is_not_what_the_cut_off_one_changed() {
    let outcomes = Outcomes {
        contracts: [ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[BODY]), outcomes);
    // The baseline, the work, and the contract, which does not hold.
    assert!((0..3).all(|_| world.step(false)));
    check(&world, Some(true), "exit_code");
    // The pause, then the second attempt.
    assert!(world.step(false));
    assert!(world.step(true));
    world.crash();
    judge(&mut world, None);
    check(&world, Some(false), "what it changed is not known");
}

#[test]
fn facts_name_what_a_cut_off_attempt_changed() {
    let mut world = in_place();
    cut_off(&mut world);
    judge(&mut world, Some(changed(&["tests/test_a.py"], &[])));
    let facts = facts(&world).expect("completed");
    assert!(facts.interrupted && !facts.no_change);
    assert_eq!(facts.changed_inputs, ["tests/test_a.py"]);
}

/// The agent changed these files, both attempts failed, and a person says that it is repaired.
fn repaired(agents: &[&str]) -> World {
    let outcomes = Outcomes {
        contracts: [ProcessEnd::Exited(1), ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[BODY]), outcomes);
    while world.run.items().next().is_none() {
        let due = due(&world.run, world.now, &world.bounds);
        match due[..] {
            [Action::Evaluate { step, attempt, .. }] => {
                world.record(Input::EvaluationBegins { step, attempt });
                world.record(Input::EvaluationEnded {
                    step,
                    attempt,
                    observed: Observation {
                        changes: Some(Box::new(changed(agents, &[]))),
                        ..observed(ProcessEnd::Exited(1))
                    },
                });
            }
            _ => assert!(world.step(false)),
        }
    }
    let item = world.run.items().next().expect("a question").id.clone();
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice: Choice::Fixed,
        note: None,
        by: "ann".to_owned(),
    });
    world
}

#[test]
fn a_person_may_change_what_an_agent_may_not_and_the_facts_name_it() {
    for (agents, now, good) in [
        (&["a"][..], &["a", "Makefile"][..], true),
        (&[], &["Makefile"], true),
        // What the agent bent is bent still.
        (&["Makefile"], &["Makefile"], false),
        (&["Makefile"], &["a"], true),
    ] {
        let mut world = repaired(agents);
        judge(&mut world, Some(changed(now, &[])));
        let facts = facts(&world);
        assert_eq!(facts.is_some(), good, "{agents:?} {now:?}");
        if let Some(facts) = facts {
            let makefile = now.contains(&"Makefile");
            assert_eq!(facts.changed_inputs.len(), usize::from(makefile));
            assert!(!facts.no_change);
        } else {
            let (_, why) = told(&world);
            assert!(why.contains(BENT), "{why}");
        }
    }
}
