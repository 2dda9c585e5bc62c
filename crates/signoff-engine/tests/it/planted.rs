//! Steps that plant what the contract of another step would load.

use signoff_engine::{AcceptAt, Action, Candidate, Event, Evidence, Grade, Input, Outcome, due};

use crate::world::{Outcomes, World, plan_text};

const TOOL: &str = "**tool:** run_command\n**args:**\n```json\n{\"command\": \"python3 app.py\"}\n```\n**on_fail:** abort\n";
const AGENT: &str = "**target:** coder\n**task:**\nDo it.\n\n**on_fail:** abort\n";
const TESTED: &str =
    "**target:** coder\n**task:**\nDo it.\n\n**contract:**\n```shell\npytest\n```\n";

/// A run in trees of its own, until the first step's candidate is built of these files.
fn built(first: &str, files: &[&str]) -> World {
    built_of(&[first, TESTED], files)
}

/// The same with these steps.
fn built_of(steps: &[&str], files: &[&str]) -> World {
    let text = plan_text(steps);
    let mut world = World::in_worktrees(AcceptAt::End, 1, &text, Outcomes::default());
    loop {
        let actions = due(&world.run, world.now, &world.bounds);
        match actions.into_iter().next().expect("the run goes on") {
            Action::Candidate { step: 0, attempt } => {
                let onto = world.run.head().expect("a tree").to_owned();
                world.record(Input::CandidateBegins { step: 0, attempt });
                world.record(Input::CandidateBuilt {
                    step: 0,
                    attempt,
                    candidate: Candidate {
                        tree: "t".to_owned(),
                        commit: format!("{onto}+1"),
                        onto,
                        files: files.iter().map(|&file| file.to_owned()).collect(),
                        details: Box::default(),
                    },
                });
                return world;
            }
            action => world.perform(action, false),
        }
    }
}

fn failure(world: &World) -> Option<&str> {
    world
        .events
        .iter()
        .find_map(|recorded| match &recorded.event {
            Event::StepFailed { reason, .. } => Some(reason.as_str()),
            _ => None,
        })
}

#[test]
fn a_step_without_a_contract_fails_before_its_work_is_merged() {
    for first in [TOOL, AGENT] {
        let mut world = built(first, &["app.txt", "conftest.py"]);
        assert_eq!(
            failure(&world),
            Some(
                "it changed what configures the runner of a contract, and `produces` does not name that: conftest.py"
            ),
            "{first}"
        );
        world.play();
        assert_eq!(world.run.outcome(), Some(Outcome::Failed));
        let merged = |event: &Event| matches!(event, Event::MergeStarted { .. });
        assert!(!world.events.iter().any(|recorded| merged(&recorded.event)));
    }
}

#[test]
fn what_it_may_change_is_merged() {
    for (first, files) in [
        (TOOL.to_owned(), &["app.txt"][..]),
        (
            format!("{TOOL}**produces:** conftest.py\n"),
            &["conftest.py"],
        ),
    ] {
        let mut world = built(&first, files);
        world.play();
        assert_eq!(failure(&world), None);
        let (_, step) = world.run.step(0).expect("a step");
        let Evidence { grade, facts } = step.outcome.evidence.as_deref().expect("it is completed");
        assert_eq!(*grade, Grade::Observed);
        assert!(!facts.no_change);
    }
}

#[test]
fn what_a_step_protects_is_protected_from_those_beside_it() {
    let protects = format!("**id:** a\n**protects:** tests/**\n{TESTED}");
    let beside = format!("**depends_on:** none\n{protects}");
    let first = format!("**id:** b\n{AGENT}");
    let files = &["notes.txt", "tests/00-skip.sh"];
    assert_eq!(
        failure(&built_of(&[&first, &beside], files)),
        Some(
            "it changed files that step `a`, which may run beside it, protects, and `produces` does not name them: tests/00-skip.sh"
        )
    );
    // One that is waited for writes the tests; so does one that says so.
    assert_eq!(failure(&built_of(&[&first, &protects], files)), None);
    let makes = format!("{first}**produces:** tests/**\n");
    assert_eq!(failure(&built_of(&[&makes, &beside], files)), None);
    // By way of another step.
    let between = format!("**id:** c\n**depends_on:** b\n{AGENT}");
    let after = format!("**depends_on:** c\n{protects}");
    assert_eq!(failure(&built_of(&[&first, &between, &after], files)), None);
}
