//! What stands before a step: its condition, a person's leave, a question.

use signoff_engine::{
    Choice, Evidence, Grade, InboxKind, Input, Outcome, ProcessEnd, Refusal, StepStatus, decide,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

fn played(steps: &[&str]) -> World {
    let mut world = World::new(&plan_text(steps), Outcomes::default());
    world.play();
    world
}

fn answer(world: &World, choice: Choice, note: Option<&str>) -> Input {
    let item = world.run.items().next().expect("an item is open");
    Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice,
        note: note.map(str::to_owned),
        by: "ann".to_owned(),
    }
}

fn statuses(world: &World) -> Vec<StepStatus> {
    world.run.steps().map(|(_, step)| step.status).collect()
}

fn when(condition: &str) -> String {
    format!("**when:** {condition}\n{CHECK}")
}

const ASK: &str = "**id:** go\n**ask:** Ship it?\n**choices:** yes, no\n";

#[test]
fn a_condition_reads_what_a_contract_printed() {
    // Contracts of this world print nothing.
    let holds = when("steps[\"step-1\"].stdout == ''");
    let fails = when("'ok' in steps[\"step-1\"].stdout");
    let world = played(&[CHECK, &holds, &fails, CHECK]);
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Completed,
            StepStatus::Completed,
            StepStatus::Skipped,
            StepStatus::Completed
        ]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let (_, skipped) = world.run.step(2).expect("the step exists");
    let reason = skipped.outcome.reason.as_deref().unwrap_or_default();
    assert!(reason.starts_with("`when` is false"), "{reason}");
    assert!(world.story().contains(&"ConditionHeld step-2".to_owned()));
}

#[test]
fn who_reads_what_was_skipped_is_blocked() {
    let never = when("false");
    let reader = when("steps[\"step-2\"].stdout == ''");
    let world = played(&[CHECK, &never, &reader, CHECK]);
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Completed,
            StepStatus::Skipped,
            StepStatus::Blocked,
            StepStatus::Blocked
        ]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
}

#[test]
fn a_condition_without_a_value_is_a_person_s_to_decide() {
    let odd = when("steps[\"step-1\"].stdout | int > 3");
    let mut world = played(&[CHECK, &odd]);
    let item = world.run.items().next().expect("an item is open");
    assert!(item.question.contains("has no value"), "{}", item.question);
    assert_eq!(item.choices, [Choice::Skip, Choice::Abort]);
    world.record(answer(&world, Choice::Skip, None));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn an_approved_step_goes_on_with_its_baseline() {
    let gated = format!("{AGENT}**approval:** required\n");
    let mut world = played(&[&gated, CHECK]);
    assert_eq!(
        world.story(),
        [
            "RunStarted",
            "StepStarted step-1",
            "InboxOpened step-1",
            "StepWaiting step-1"
        ]
    );
    let item = world.run.items().next().expect("an item is open");
    assert_eq!(item.kind, InboxKind::Approval);
    world.record(answer(&world, Choice::Approve, None));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let (_, step) = world.run.step(0).expect("the step exists");
    assert_eq!(step.outcome.grade(), Some(Grade::Proved));
    assert_eq!(step.attempts, 1);
}

#[test]
fn a_denied_step_is_skipped_and_blocks_what_waits_for_it() {
    let gated = format!("{AGENT}**approval:** required\n");
    let mut world = played(&[&gated, CHECK]);
    world.record(answer(&world, Choice::Deny, None));
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Skipped, StepStatus::Blocked]);
    let reason = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.reason.clone());
    assert_eq!(reason.as_deref(), Some("User denied approval"));

    // Whoever lets the failed run go on is asked once more.
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    world.record(answer(&world, Choice::Approve, None));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn an_answer_is_evidence_and_a_value() {
    let yes = when("steps[\"go\"].output == 'yes'");
    let no = when("steps[\"go\"].output == 'no'");
    let mut world = played(&[ASK, &yes, &no]);
    let item = world.run.items().next().expect("an item is open");
    assert_eq!(
        (item.kind, item.question.as_str()),
        (InboxKind::Question, "Ship it?")
    );
    assert_eq!(item.answer_words(), ["yes", "no", "skip", "abort"]);
    world.record(answer(&world, Choice::Reply, Some("yes")));
    world.play();
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Completed,
            StepStatus::Completed,
            StepStatus::Skipped
        ]
    );
    let Evidence { grade, facts } = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.evidence.as_deref().cloned())
        .expect("completed");
    assert_eq!(
        (grade, facts.accepted_by.as_deref()),
        (Grade::Accepted, Some("ann"))
    );
}

#[test]
fn who_repaired_it_before_it_was_asked_anew_is_not_named() {
    let asked = format!("{ASK}**contract:**\n```shell\ntest -f out\n```\n**on_fail:** escalate\n");
    let outcomes = Outcomes {
        contracts: [1, 1].map(ProcessEnd::Exited).into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&asked]), outcomes);
    let mut say = |choice, note| {
        world.play();
        world.record(answer(&world, choice, note));
    };
    say(Choice::Reply, Some("yes"));
    say(Choice::Fixed, None);
    say(Choice::Abort, None);
    world.play();
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    world.record(answer(&world, Choice::Reply, Some("no")));
    world.play();
    let (_, step) = world.run.step(0).expect("the step exists");
    let facts = step.outcome.facts().expect("completed");
    assert_eq!(facts.repaired_by, None);
}

#[test]
fn only_what_is_offered_is_an_answer() {
    let world = played(&[ASK]);
    for (choice, note) in [
        (Choice::Reply, Some("maybe")),
        (Choice::Reply, None),
        (Choice::Accept, None),
    ] {
        assert!(matches!(
            decide(&world.run, 1, answer(&world, choice, note)),
            Err(Refusal::UnknownChoice { .. })
        ));
    }
    let free = played(&["**ask:** Which name?\n"]);
    assert!(decide(&free.run, 1, answer(&free, Choice::Reply, Some("any"))).is_ok());
}
