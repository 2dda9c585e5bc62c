//! What a run does, by example.

use signoff_engine::{
    AgentReports, Choice, Event, Evidence, Grade, Input, Outcome, PauseReason, ProcessEnd, Refusal,
    StepStatus, decide, due, is_due_when_resumed,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text};

fn outcomes(contracts: &[i32]) -> Outcomes {
    Outcomes {
        contracts: contracts
            .iter()
            .map(|&code| ProcessEnd::Exited(code))
            .collect(),
        ..Outcomes::default()
    }
}

fn statuses(world: &World) -> Vec<StepStatus> {
    world.run.steps().map(|(_, step)| step.status).collect()
}

fn grade(world: &World, at: usize) -> Option<Grade> {
    let (_, step) = world.run.step(at).expect("the step exists");
    step.outcome.grade()
}

#[test]
fn an_agent_step_goes_from_red_to_proved() {
    let mut world = World::new(&plan_text(&[AGENT]), Outcomes::default());
    world.play();
    assert_eq!(
        world.story(),
        [
            "RunStarted",
            "StepStarted step-1",
            "BaselineStarted step-1",
            "BaselineFinished step-1",
            "AttemptStarted step-1",
            "BudgetReserved step-1",
            "WorkItem step-1",
            "WorkFinished step-1",
            "BudgetSpent step-1",
            "ContractStarted step-1",
            "ContractFinished step-1",
            "StepCompleted step-1",
            "RunFinished",
        ]
    );
    assert_eq!(grade(&world, 0), Some(Grade::Proved));
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_contract_that_was_green_before_proves_nothing() {
    let green = Outcomes {
        baselines: [ProcessEnd::Exited(0)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[AGENT]), green);
    world.play();
    assert_eq!(grade(&world, 0), Some(Grade::Held));
}

#[test]
fn a_check_needs_no_agent() {
    let mut world = World::new(&plan_text(&[CHECK]), Outcomes::default());
    world.play();
    assert!(
        !world
            .story()
            .iter()
            .any(|event| event.starts_with("WorkItem")),
        "{:?}",
        world.story()
    );
    assert_eq!(grade(&world, 0), Some(Grade::Held));
}

#[test]
fn retries_are_counted_and_then_a_person_is_asked() {
    let step = format!("{AGENT}**on_fail:** retry(2), then escalate\n");
    let mut world = World::new(&plan_text(&[&step, CHECK]), outcomes(&[1, 1, 1, 1, 0]));
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Waiting, StepStatus::Pending]);
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(3));
    let item = world.run.items().next().expect("an item is open").clone();
    assert!(
        item.question.contains("after 3 attempts"),
        "{}",
        item.question
    );

    // One more attempt, which fails: asked again, not retried.
    let answer = |item: &str, choice| Input::Answer {
        item: item.to_owned(),
        steps: Vec::new(),
        choice,
        note: Some("look at out".to_owned()),
        by: "ann".to_owned(),
    };
    world.record(answer(&item.id, Choice::Retry));
    assert_eq!(
        world
            .run
            .step(0)
            .and_then(|(_, step)| step.advice.hint.clone())
            .as_deref(),
        Some("look at out")
    );
    world.play();
    let second = world.run.items().next().expect("asked again").clone();
    assert_ne!(second.id, item.id);
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(4));

    // "I repaired it": the contract decides, not the person.
    world.record(answer(&second.id, Choice::Fixed));
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let facts = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.evidence.as_deref().cloned())
        .expect("completed")
        .facts;
    assert_eq!(facts.repaired_by.as_deref(), Some("ann"));
}

#[test]
fn a_person_cannot_declare_a_contracted_step_done() {
    let step = format!("{AGENT}**on_fail:** escalate\n");
    let mut world = World::new(&plan_text(&[&step]), outcomes(&[1]));
    world.play();
    let item = world
        .run
        .items()
        .next()
        .expect("an item is open")
        .id
        .clone();
    let accept = Input::Answer {
        item,
        steps: Vec::new(),
        choice: Choice::Accept,
        note: None,
        by: "ann".to_owned(),
    };
    assert!(matches!(
        decide(&world.run, 1, accept),
        Err(Refusal::UnknownChoice { .. })
    ));
    let unknown = Input::Answer {
        item: "other".to_owned(),
        steps: Vec::new(),
        choice: Choice::Skip,
        note: None,
        by: "ann".to_owned(),
    };
    assert!(matches!(
        decide(&world.run, 1, unknown),
        Err(Refusal::UnknownItem { .. })
    ));
}

#[test]
fn a_step_without_contract_is_done_only_by_acceptance() {
    let step = "**target:** coder\n**task:**\nDo it.\n";
    let mut world = World::new(&plan_text(&[step]), Outcomes::default());
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Waiting]);
    let item = world
        .run
        .items()
        .next()
        .expect("an item is open")
        .id
        .clone();
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice: Choice::Accept,
        note: None,
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(grade(&world, 0), Some(Grade::Accepted));
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn abort_fails_the_run_and_blocks_what_waits() {
    let step = format!("{AGENT}**on_fail:** abort\n");
    let mut world = World::new(&plan_text(&[&step, CHECK, CHECK]), outcomes(&[1]));
    world.play();
    assert_eq!(
        statuses(&world),
        [StepStatus::Failed, StepStatus::Blocked, StepStatus::Blocked]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));

    // A person lets it go on: what failed runs again, from the same journal.
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(2));
}

#[test]
fn what_is_not_critical_does_not_fail_the_run() {
    let step = format!("{AGENT}**on_fail:** retry(1), then abort\n**critical:** no\n");
    let dependent = format!("**depends_on:** 1\n{CHECK}");
    let free = format!("**depends_on:** none\n{CHECK}");
    let mut world = World::new(&plan_text(&[&step, &dependent, &free]), outcomes(&[1, 1]));
    world.play();
    assert_eq!(
        statuses(&world),
        [
            StepStatus::Failed,
            StepStatus::Blocked,
            StepStatus::Completed
        ]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Partial));
}

#[test]
fn skipping_by_policy_blocks_and_skipping_by_a_person_satisfies() {
    let step = format!("{AGENT}**on_fail:** skip\n");
    let mut world = World::new(&plan_text(&[&step, CHECK]), outcomes(&[1]));
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Skipped, StepStatus::Blocked]);
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));

    let step = format!("{AGENT}**on_fail:** escalate\n");
    let mut world = World::new(&plan_text(&[&step, CHECK]), outcomes(&[1]));
    world.play();
    let item = world
        .run
        .items()
        .next()
        .expect("an item is open")
        .id
        .clone();
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice: Choice::Skip,
        note: None,
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(
        statuses(&world),
        [StepStatus::Skipped, StepStatus::Completed]
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn an_agent_that_fails_counts_only_if_the_contract_went_red_to_green() {
    let failing = |baseline| Outcomes {
        baselines: [ProcessEnd::Exited(baseline)].into(),
        agents: [ProcessEnd::Exited(1), ProcessEnd::Exited(0)].into(),
        ..Outcomes::default()
    };
    let mut red = World::new(&plan_text(&[AGENT]), failing(1));
    red.play();
    assert_eq!(red.run.step(0).map(|(_, step)| step.attempts), Some(1));
    assert_eq!(grade(&red, 0), Some(Grade::Proved));
    let mut green = World::new(&plan_text(&[AGENT]), failing(0));
    green.play();
    assert_eq!(green.run.step(0).map(|(_, step)| step.attempts), Some(2));
    assert_eq!(grade(&green, 0), Some(Grade::Held));
}

#[test]
fn no_answer_is_asked_once_more_and_uses_no_attempt() {
    let timeouts = |times: usize| Outcomes {
        contracts: vec![ProcessEnd::TimedOut; times].into(),
        ..Outcomes::default()
    };
    let mut once = World::new(&plan_text(&[AGENT]), timeouts(1));
    once.play();
    assert_eq!(once.run.outcome(), Some(Outcome::Completed));
    assert_eq!(once.run.step(0).map(|(_, step)| step.attempts), Some(1));
    let mut twice = World::new(&plan_text(&[AGENT]), timeouts(2));
    twice.play();
    assert_eq!(statuses(&twice), [StepStatus::Waiting]);
    assert_eq!(
        twice.run.step(0).map(|(_, step)| step.activation.failures),
        Some(0)
    );
}

#[test]
fn a_claim_is_tested_before_it_is_believed() {
    let text = plan_text(&[AGENT]).replace("### 1. Step", "### 1. ✅ Step");
    let mut world = World::new(
        &text,
        Outcomes {
            baselines: [ProcessEnd::Exited(0)].into(),
            ..Outcomes::default()
        },
    );
    world.play();
    assert!(
        !world.story().contains(&"WorkItem step-1".to_owned()),
        "{:?}",
        world.story()
    );
    let Evidence { grade, facts } = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.evidence.as_deref().cloned())
        .expect("completed");
    assert_eq!((grade, facts.claimed), (Grade::Held, true));

    let mut world = World::new(&text, Outcomes::default());
    world.play();
    assert!(
        world.story().contains(&"WorkItem step-1".to_owned()),
        "{:?}",
        world.story()
    );
}

#[test]
fn a_cut_off_attempt_is_evaluated_if_its_contract_was_red() {
    let mut world = World::new(&plan_text(&[AGENT]), Outcomes::default());
    assert!(world.step(false));
    assert!(world.step(true));
    world.crash();
    world.play();
    let Evidence { grade, facts } = world
        .run
        .step(0)
        .and_then(|(_, step)| step.outcome.evidence.as_deref().cloned())
        .expect("completed");
    assert_eq!((grade, facts.interrupted), (Grade::Proved, true));
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(1));
}

#[test]
fn a_cut_off_attempt_is_void_otherwise_and_uses_no_retry() {
    let green = Outcomes {
        baselines: [ProcessEnd::Exited(0)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[AGENT]), green);
    assert!(world.step(false));
    assert!(world.step(true));
    world.crash();
    world.play();
    let (_, step) = world.run.step(0).expect("the step exists");
    assert_eq!((step.attempts, step.activation.failures), (2, 0));
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn being_cut_off_again_and_again_asks_a_person() {
    let green = Outcomes {
        baselines: [ProcessEnd::Exited(0)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[AGENT]), green);
    assert!(world.step(false));
    for _ in 0..4 {
        assert!(world.step(true));
        world.crash();
    }
    world.play();
    assert_eq!(statuses(&world), [StepStatus::Waiting]);
}

#[test]
fn the_budget_of_agents_is_asked_for() {
    let text = plan_text(&[AGENT, AGENT]).replace("**Budget:** 1h", "**Budget:** 1 agents");
    let mut world = World::new(&text, Outcomes::default());
    world.play();
    assert_eq!(
        statuses(&world),
        [StepStatus::Completed, StepStatus::Waiting]
    );
    let item = world.run.items().next().expect("an item is open").clone();
    assert!(item.question.contains("1 of 1 agents"), "{}", item.question);
    world.record(Input::Answer {
        item: item.id,
        steps: Vec::new(),
        choice: Choice::Allow,
        note: None,
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn the_wall_clock_counts_work_and_not_waiting() {
    let text = plan_text(&[AGENT, AGENT]).replace("**Budget:** 1h", "**Budget:** 10 minutes");
    let mut world = World::new(&text, Outcomes::default());
    while !world.story().contains(&"StepCompleted step-1".to_owned()) {
        assert!(world.step(false));
    }
    // A night passes while nobody runs it.
    world.record(Input::Stop {
        trouble: None,
        reports: AgentReports::new(),
    });
    world.now += 12 * 3_600_000;
    world.crash();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));

    let mut slow = World::new(&text, Outcomes::default());
    slow.now += 11 * 60_000;
    slow.play();
    assert!(
        slow.run
            .items()
            .next()
            .is_some_and(|item| item.question.contains("wall clock"))
    );
}

#[test]
fn a_second_start_and_a_resume_after_the_end_are_refused() {
    let mut world = World::new(&plan_text(&[CHECK]), Outcomes::default());
    world.play();
    let resume = Input::Resume {
        by: "ann".to_owned(),
        reports: AgentReports::new(),
    };
    assert!(matches!(
        decide(&world.run, 1, resume),
        Err(Refusal::OutOfPlace { .. })
    ));
    assert!(
        world
            .events
            .iter()
            .any(|recorded| matches!(recorded.event, Event::RunFinished { .. }))
    );
}

#[test]
fn a_run_that_waits_has_something_to_do_once_a_question_is_answered() {
    let asks = "**depends_on:** none\n**ask:** Which one?\n";
    let mut world = World::new(&plan_text(&[asks, asks]), Outcomes::default());
    world.play();
    world.record(Input::Park {
        reason: PauseReason::Waiting,
    });
    assert!(!is_due_when_resumed(&world.run, world.now));
    let items: Vec<String> = world.run.items().map(|item| item.id.clone()).collect();
    // Nothing waits for the first answer alone; after the last one the run can end.
    for (item, expected) in items.into_iter().zip([false, true]) {
        world.record(Input::Answer {
            item,
            steps: Vec::new(),
            choice: Choice::Reply,
            note: Some("this".to_owned()),
            by: "ann".to_owned(),
        });
        assert_eq!(is_due_when_resumed(&world.run, world.now), expected);
    }
    assert_eq!(
        due(&world.run, world.now, &world.bounds),
        [],
        "it is paused"
    );
}
