//! Tool steps: the harness calls, sees the result, and never repeats a call without leave.

use serde_json::json;
use signoff_engine::{
    AcceptAt, AgentReports, CallEnd, Choice, Event, Evidence, Grade, InboxKind, Input, Outcome,
    ProcessEnd, Refusal, StepStatus, decide, resolved_arguments,
};

use crate::world::{CHECK, Outcomes, World, plan_text};

const READ: &str = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";

fn using(first: &str) -> String {
    format!(
        "**tool:** write_file\n**args:**\n```json\n{{\"path\": \"b\", \"content\": \"${{{first}.path}}\"}}\n```\n"
    )
}

fn failed(message: &str, transient: bool) -> CallEnd {
    CallEnd::Failed {
        message: message.to_owned(),
        transient,
        unknown: false,
    }
}

fn status(world: &World, at: usize) -> StepStatus {
    world.run.status_of(at)
}

#[test]
fn the_result_is_the_evidence_and_later_steps_read_it() {
    let write = using("step-1");
    let mut world = World::new(&plan_text(&[READ, &write]), Outcomes::default());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let args = resolved_arguments(&world.run, 1).expect("a tool step");
    assert_eq!(args, Ok(json!({"path": "b", "content": "a"})));
    for at in [0, 1] {
        let (_, step) = world.run.step(at).expect("a step");
        let grade = step.outcome.grade();
        assert_eq!(grade, Some(Grade::Observed));
    }
}

#[test]
fn a_reference_into_nothing_is_no_call() {
    // What a server answers is not known before the run.
    let first =
        "**tool:** http_request\n**args:**\n```json\n{\"url\": \"http://localhost\"}\n```\n";
    let body = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"$step-1.json.such\"}\n```\n**on_fail:** abort\n";
    let mut world = World::new(&plan_text(&[first, body]), Outcomes::default());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    let (_, step) = world.run.step(1).expect("a step");
    assert_eq!(step.attempts, 0);
    assert!(
        step.outcome
            .reason
            .as_deref()
            .unwrap_or_default()
            .contains("leads nowhere")
    );
}

#[test]
fn what_a_skipped_step_would_have_said_blocks_who_needs_it() {
    let first = format!("{READ}**when:** false\n");
    let uses = using("step-1");
    let mut world = World::new(&plan_text(&[&first, &uses, READ]), Outcomes::default());
    world.play();
    assert_eq!(status(&world, 0), StepStatus::Skipped);
    assert_eq!(status(&world, 1), StepStatus::Blocked);
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
}

#[test]
fn a_failed_call_is_retried_as_the_policy_says() {
    let body = format!("{READ}**on_fail:** retry(1), then abort\n");
    let outcomes = Outcomes {
        calls: vec![failed("no", false), failed("no", false)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&body]), outcomes);
    world.play();
    let (_, step) = world.run.step(0).expect("a step");
    assert_eq!((step.attempts, step.status), (2, StepStatus::Failed));
}

#[test]
fn a_tool_step_with_a_contract_is_judged_by_it() {
    let body = format!("{READ}{CHECK}");
    let mut world = World::new(&plan_text(&[&body]), Outcomes::default());
    world.play();
    let (_, step) = world.run.step(0).expect("a step");
    let grade = step.outcome.grade();
    assert_eq!(grade, Some(Grade::Proved), "red before, green after");
}

/// A world that dies while a call is under way.
fn cut_off(careful: bool) -> World {
    let outcomes = Outcomes {
        careful,
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[READ, CHECK]), outcomes);
    world.step(true);
    world.crash();
    world
}

fn calls(world: &World) -> usize {
    let called = |recorded: &&signoff_engine::RecordedEvent| {
        matches!(recorded.event, Event::CallStarted { .. })
    };
    world.events.iter().filter(called).count()
}

fn answer(world: &mut World, choice: Choice, note: Option<&str>) {
    let item = world.run.items().next().expect("an item").id.clone();
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice,
        note: note.map(str::to_owned),
        by: "ann".to_owned(),
    });
    world.crash();
    world.play();
}

#[test]
fn a_call_that_does_no_harm_is_made_again_after_a_crash() {
    let mut world = cut_off(false);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(calls(&world), 2);
    assert_eq!(world.run.step(0).map(|(_, step)| step.attempts), Some(2));
}

#[test]
fn nobody_repeats_a_call_whose_end_nobody_saw() {
    let mut world = cut_off(true);
    world.play();
    let kinds: Vec<InboxKind> = world.run.items().map(|item| item.kind).collect();
    assert_eq!((kinds, calls(&world)), (vec![InboxKind::UnknownCall], 1));

    answer(&mut world, Choice::Happened, Some("{\"got\": 1}"));
    assert_eq!(
        (world.run.outcome(), calls(&world)),
        (Some(Outcome::Completed), 1)
    );
    let (_, step) = world.run.step(0).expect("a step");
    assert_eq!(step.values.output, Some(json!({"got": 1})));
    let Evidence { grade, facts } = step.outcome.evidence.as_deref().cloned().expect("done");
    assert_eq!(
        (grade, facts.accepted_by.as_deref()),
        (Grade::Accepted, Some("ann"))
    );
}

#[test]
fn a_person_may_have_it_called_again() {
    let mut world = cut_off(true);
    world.play();
    answer(&mut world, Choice::Retry, None);
    assert_eq!(
        (world.run.outcome(), calls(&world)),
        (Some(Outcome::Completed), 2)
    );
}

#[test]
fn a_call_that_a_person_stops_is_unknown_too() {
    let outcomes = Outcomes {
        careful: true,
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[READ]), outcomes);
    world.step(true);
    world.record(Input::Stop {
        trouble: None,
        reports: AgentReports::new(),
    });
    world.crash();
    world.play();
    assert_eq!((world.run.items().count(), calls(&world)), (1, 1));
}

#[test]
fn an_approval_shows_the_arguments_and_may_change_them() {
    let body = format!("{}**approval:** required\n", using("step-1"));
    let mut world = World::new(&plan_text(&[READ, &body]), Outcomes::default());
    world.play();
    let question = world.run.items().next().expect("an item").question.clone();
    assert!(
        question.contains(r#"{"path":"b","content":"a"}"#),
        "{question}"
    );
    answer(
        &mut world,
        Choice::Approve,
        Some(r#"{"path": "c", "content": ""}"#),
    );
    let called = world
        .events
        .iter()
        .rev()
        .find_map(|recorded| match &recorded.event {
            Event::CallStarted { call, .. } => Some(call.args.clone()),
            _ => None,
        });
    assert_eq!(called, Some(json!({"path": "c", "content": ""})));
}

#[test]
fn a_person_may_retry_a_call_with_other_arguments_and_the_evidence_says_so() {
    let body = format!("{READ}**on_fail:** escalate\n");
    let outcomes = Outcomes {
        calls: vec![failed("no such file", false)].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&body]), outcomes);
    world.play();
    let item = world.run.items().next().expect("an item").id.clone();
    let retry = |note: &str| Input::Answer {
        item: item.clone(),
        steps: Vec::new(),
        choice: Choice::Retry,
        note: Some(note.to_owned()),
        by: "ann".to_owned(),
    };
    for wrong in ["{\"path\": ", "{\"path\": 5}", "{}"] {
        let refused = decide(&world.run, world.now, retry(wrong));
        assert!(
            matches!(
                refused,
                Err(Refusal::BadArguments { .. } | Refusal::UnfitArguments { .. })
            ),
            "{wrong}: {refused:?}"
        );
    }
    answer(&mut world, Choice::Retry, Some(r#"{"path": "b"}"#));
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let args = resolved_arguments(&world.run, 0).expect("a tool step");
    assert_eq!(args, Ok(json!({"path": "b"})));
    let (_, step) = world.run.step(0).expect("a step");
    let facts = step.outcome.facts().expect("it is done");
    assert_eq!(facts.args_by.as_deref(), Some("ann"));
}

#[test]
fn a_denied_call_blocks_what_waits_for_it() {
    let body = format!("{READ}**approval:** required\n");
    let mut world = World::new(&plan_text(&[&body, CHECK]), Outcomes::default());
    world.play();
    answer(&mut world, Choice::Deny, None);
    let (_, step) = world.run.step(0).expect("a step");
    assert_eq!(step.outcome.reason.as_deref(), Some("User denied approval"));
    assert_eq!(status(&world, 1), StepStatus::Blocked);
}

/// A world in which a call that cannot be made twice succeeds, and something fails after it.
fn after_the_call(body: &str, outcomes: Outcomes, worktrees: bool) -> World {
    let outcomes = Outcomes {
        careful: true,
        ..outcomes
    };
    let plan = plan_text(&[body]);
    let mut world = if worktrees {
        World::in_worktrees(AcceptAt::Step, 4, &plan, outcomes)
    } else {
        World::new(&plan, outcomes)
    };
    world.play();
    world
}

#[test]
fn a_call_that_succeeded_is_not_repeated_whatever_fails_after_it() {
    let write = using("step-1").replace("${step-1.path}", "");
    let red = || Outcomes {
        contracts: vec![ProcessEnd::Exited(1); 4].into(),
        ..Outcomes::default()
    };
    let conflict = || Outcomes {
        conflicts: vec![true; 4].into(),
        ..Outcomes::default()
    };
    let judged = format!("{write}{CHECK}**on_fail:** retry(3), then abort\n");
    let bare = format!("{write}**on_fail:** retry(3), then abort\n");
    for (body, outcomes, worktrees) in [
        (&judged, red(), false),
        (&judged, red(), true),
        (&judged, conflict(), true),
        (&bare, conflict(), true),
    ] {
        let mut world = after_the_call(body, outcomes, worktrees);
        let item = world.run.items().next().expect("a person is asked").clone();
        assert_eq!((item.kind, calls(&world)), (InboxKind::Escalation, 1));
        assert!(
            item.question.contains("`write_file` with") && item.question.contains("took place"),
            "{}",
            item.question
        );
        // A person may have it made again; then the policy's retries are used up.
        answer(&mut world, Choice::Retry, None);
        assert_eq!(
            (calls(&world), world.run.outcome()),
            (2, Some(Outcome::Failed))
        );
        // Reopened, the step asks before it calls for the third time.
        world.record(Input::Reopen {
            by: "ann".to_owned(),
        });
        world.play();
        assert_eq!((world.run.items().count(), calls(&world)), (1, 2));
    }
}

#[test]
fn what_a_person_says_happened_is_not_called_again_when_its_contract_fails() {
    let body = format!("{READ}{CHECK}**on_fail:** retry(3), then escalate\n");
    let outcomes = Outcomes {
        careful: true,
        contracts: vec![ProcessEnd::Exited(1); 4].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[&body]), outcomes);
    world.step(false);
    world.step(true);
    world.crash();
    world.play();
    answer(&mut world, Choice::Happened, None);
    let kinds: Vec<InboxKind> = world.run.items().map(|item| item.kind).collect();
    assert_eq!((kinds, calls(&world)), (vec![InboxKind::Escalation], 1));
}

#[test]
fn a_call_that_was_not_made_begins_again_without_a_question() {
    let outcomes = Outcomes {
        careful: true,
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[READ]), outcomes);
    world.step(true);
    world.record(Input::CallNotMade {
        step: 0,
        attempt: 1,
    });
    world.record(Input::Stop {
        trouble: None,
        reports: AgentReports::new(),
    });
    world.crash();
    world.play();
    assert_eq!(
        (
            world.run.outcome(),
            world.run.items().count(),
            calls(&world)
        ),
        (Some(Outcome::Completed), 0, 2)
    );
}

#[test]
fn a_call_that_took_too_long_is_not_repeated_either() {
    let outcomes = Outcomes {
        careful: true,
        calls: vec![CallEnd::Failed {
            message: "it took longer than 1s".to_owned(),
            transient: true,
            unknown: true,
        }]
        .into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&plan_text(&[READ]), outcomes);
    world.play();
    let kinds: Vec<InboxKind> = world.run.items().map(|item| item.kind).collect();
    assert_eq!((kinds, calls(&world)), (vec![InboxKind::UnknownCall], 1));
}
