//! What models are asked in a run, and what follows from their answers: a new version of the plan, a way on after a
//! failure, a role. Whatever they say, the plan's policy decides.

use serde_json::json;
use signoff_engine::{
    Choice, Event, InboxKind, Input, ModelAnswer, ModelTask, ModelUsage, Outcome, PauseReason,
    PlanDraft, PlanningUsage, ProcessEnd, RecoveryDecision, Refusal, RoleDecision, StepStatus,
    decide, due,
};

use crate::world::{AGENT, CHECK, Outcomes, World, plan_text, signed};

const FAILS: [ProcessEnd; 1] = [ProcessEnd::Exited(1)];
const TOOL: &str = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";

fn with_policy(body: &str, policy: &str) -> String {
    format!("{body}**on_fail:** {policy}\n")
}

fn draft() -> ModelAnswer {
    ModelAnswer::Draft(PlanDraft {
        plan: "plan-v2".to_owned(),
        path: "plan-v2.md".to_owned(),
        snapshot: "draft-1.md".to_owned(),
        digest: "d".to_owned(),
        changes: vec!["step `step-1` `task`: a → b".to_owned()],
        reasoning: None,
        narrows: false,
        actor: None,
    })
}

fn recovery(decision: RecoveryDecision) -> ModelAnswer {
    ModelAnswer::Recovery(decision)
}

fn reason() -> String {
    "because".to_owned()
}

fn world(bodies: &[&str], outcomes: Outcomes) -> World {
    World::new(&plan_text(bodies), outcomes)
}

/// A world in which the only step fails, with this policy and this answer of a model.
fn failing(policy: &str, answers: &[ModelAnswer]) -> World {
    let body = with_policy(AGENT, policy);
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: answers.to_vec().into(),
        ..Outcomes::default()
    };
    let mut world = world(&[&body], outcomes);
    world.play();
    world
}

fn kinds(world: &World) -> Vec<InboxKind> {
    world.run.items().map(|item| item.kind).collect()
}

fn answer(world: &mut World, choice: Choice, note: Option<&str>) -> Result<Vec<Event>, Refusal> {
    let item = world.run.items().next().expect("an open item").id.clone();
    let input = Input::Answer {
        item,
        steps: Vec::new(),
        choice,
        note: note.map(str::to_owned),
        by: "ann".to_owned(),
    };
    let decided = decide(&world.run, world.now, input.clone());
    if decided.is_ok() {
        world.record(input);
    }
    decided
}

#[test]
fn after_a_failure_the_policy_has_a_new_version_drafted_and_a_person_signs_it() {
    let mut world = failing("replan", &[draft()]);
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
    assert_eq!(world.run.draft().expect("a draft").plan, "plan-v2");
    assert_eq!(world.run.status_of(0), StepStatus::Waiting);
    assert!(due(&world.run, world.now, &world.bounds).is_empty());
    let before = format!("{:?}", world.run.replan());
    world.crash();
    world.play();
    assert_eq!(format!("{:?}", world.run.replan()), before);
    assert_eq!(kinds(&world), [InboxKind::NewVersion], "asked once");
    let text = plan_text(&[&AGENT.replace("Do it.", "Do it so.")]);
    world.run.offer_plan(signed(&text));
    let settings = world.run.settings().clone();
    world.record(Input::Replan {
        snapshot: "plan-2.md".to_owned(),
        settings,
        plan: None,
        planning: Vec::new(),
    });
    assert!(world.run.replan().is_none());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_refused_version_is_a_question_about_the_failed_step() {
    let mut world = failing("replan", &[draft()]);
    answer(&mut world, Choice::Refuse, Some("too much")).expect("it is offered");
    assert!(world.run.replan().is_none());
    assert_eq!(kinds(&world), [InboxKind::Escalation]);
    let question = &world.run.items().next().expect("asked").question;
    assert!(question.contains("refused by ann: too much"), "{question}");
    answer(&mut world, Choice::Retry, None).expect("it is offered");
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn without_a_draft_a_person_is_asked_and_no_crash_loses_that() {
    let world = failing(
        "replan",
        &[ModelAnswer::Nothing("it said nothing".to_owned())],
    );
    assert_eq!(kinds(&world), [InboxKind::Escalation]);
    let events = world.events.len();
    for kept in events - 4..=events {
        let mut cut = world.cut(kept, Outcomes::default());
        cut.crash();
        cut.play();
        assert_eq!(kinds(&cut), [InboxKind::Escalation], "{kept}");
        assert!(cut.run.replan().is_none(), "{kept}");
        assert_eq!(cut.run.replans(), 1, "{kept}");
    }
}

#[test]
fn a_crash_while_the_planner_is_asked_asks_again() {
    let body = with_policy(AGENT, "replan");
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        ..Outcomes::default()
    };
    let mut world = world(&[&body], outcomes);
    while !world.run.is_replanning() {
        assert!(world.step(false));
    }
    assert!(world.step(true), "the planner is asked");
    assert!(world.run.in_flight());
    world.crash();
    assert!(!world.run.in_flight());
    world.performer.outcomes.answers = [draft()].into();
    world.play();
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
    assert_eq!(world.run.replans(), 1);
}

#[test]
fn a_version_that_the_policy_signed_lets_the_run_go_on_by_itself() {
    let body = with_policy(AGENT, "replan");
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: [draft()].into(),
        signs_drafts: true,
        ..Outcomes::default()
    };
    let mut world = world(&[&body], outcomes);
    world.play();
    assert_eq!(world.run.pause_reason(), Some(PauseReason::Replanned));
    assert!(world.run.draft().is_some());
    assert!(kinds(&world).is_empty());
}

#[test]
fn after_too_many_replans_the_step_has_failed() {
    let mut world = failing("replan", &[]);
    for _ in 0..2 {
        let replanned = answer(&mut world, Choice::Replan, Some("try again"));
        replanned.expect("it is offered");
        world.play();
    }
    assert_eq!(world.run.replans(), 3);
    let refused = answer(&mut world, Choice::Replan, None).expect_err("too often");
    assert!(refused.to_string().contains("3 of 3"), "{refused}");
    world.performer.outcomes.contracts = FAILS.into();
    answer(&mut world, Choice::Retry, None).expect("it is offered");
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
}

#[test]
fn a_person_can_want_another_version_at_any_time() {
    let outcomes = Outcomes {
        answers: [draft()].into(),
        ..Outcomes::default()
    };
    let mut world = world(&[AGENT, CHECK], outcomes);
    world.step(false);
    let request = || Input::RequestReplan {
        because: "another way".to_owned(),
        discoveries: vec!["there is one".to_owned()],
        by: "ann".to_owned(),
        expands: false,
    };
    world.record(request());
    world.play();
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
    let refused = decide(&world.run, world.now, request()).expect_err("once");
    assert!(refused.to_string().contains("plan-v2"), "{refused}");
    // Nothing is lost by refusing it.
    answer(&mut world, Choice::Refuse, None).expect("it is offered");
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let refused = decide(&world.run, world.now, request()).expect_err("over");
    assert!(refused.to_string().contains("completed"), "{refused}");
}

#[test]
fn a_failed_run_is_replanned_before_it_tries_again() {
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: [draft()].into(),
        ..Outcomes::default()
    };
    let mut world = world(&[&with_policy(AGENT, "abort")], outcomes);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Failed));
    world.record(Input::RequestReplan {
        because: "another way".to_owned(),
        discoveries: Vec::new(),
        by: "ann".to_owned(),
        expands: false,
    });
    world.record(Input::Reopen {
        by: "ann".to_owned(),
    });
    world.play();
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
}

#[test]
fn what_is_under_way_is_judged_before_the_planner_is_asked() {
    let mut world = world(&[AGENT, CHECK], Outcomes::default());
    world.step(false);
    world.step(true);
    assert!(world.run.in_flight(), "an agent works");
    world.record(Input::RequestReplan {
        because: "another way".to_owned(),
        discoveries: Vec::new(),
        by: "ann".to_owned(),
        expands: false,
    });
    assert!(due(&world.run, world.now, &world.bounds).is_empty());
}

#[test]
fn questions_count_against_the_budget() {
    let body = with_policy(AGENT, "replan");
    let text = plan_text(&[&body]).replace("**Budget:** 1h", "**Budget:** max 5k tokens");
    let used = ModelUsage {
        input_tokens: 6000,
        ..ModelUsage::default()
    };
    let outcomes = Outcomes {
        contracts: [ProcessEnd::Exited(1), ProcessEnd::Exited(1)].into(),
        model_usage: vec![used],
        ..Outcomes::default()
    };
    let mut world = World::new(&text, outcomes);
    world.play();
    assert_eq!(world.run.token_usage().tokens(), 6000);
    assert_eq!(kinds(&world), [InboxKind::Escalation]);
    // There is nothing left: a person is asked before a planner is asked again.
    answer(&mut world, Choice::Replan, None).expect("a person may want it");
    world.play();
    assert_eq!(kinds(&world), [InboxKind::Budget]);
    let asked = world.run.items().next().expect("asked").question.clone();
    assert!(
        asked.contains("6k of 5k tokens used, and a new version"),
        "{asked}"
    );
    world.crash();
    world.play();
    assert_eq!(kinds(&world), [InboxKind::Budget], "asked once");
    assert_eq!(world.run.token_usage().tokens(), 6000);
    answer(&mut world, Choice::Allow, None).expect("it is offered");
    world.play();
    assert_eq!(world.run.token_usage().tokens(), 12_000);
    assert_eq!(kinds(&world), [InboxKind::Escalation]);
    // Of the 10k, 12k are used now.
    answer(&mut world, Choice::Replan, None).expect("a person may want it");
    world.play();
    answer(&mut world, Choice::Refuse, Some("too dear")).expect("it is offered");
    assert!(world.run.replan().is_none());
    assert_eq!(world.run.token_usage().tokens(), 12_000);
    let asked = world.run.items().next().expect("asked").question.clone();
    assert!(asked.contains("refused by ann: too dear"), "{asked}");
}

#[test]
fn a_planner_that_would_exceed_the_budget_is_asked_for_first() {
    let body = with_policy(AGENT, "replan");
    let text = plan_text(&[&body]).replace("**Budget:** 1h", "**Budget:** max 5k tokens");
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: [draft()].into(),
        ..Outcomes::default()
    };
    let mut world = World::new(&text, outcomes);
    // The plan's draft took more than half of it.
    let used = ModelUsage {
        input_tokens: 3000,
        ..ModelUsage::default()
    };
    let planning = vec![PlanningUsage {
        by: "planner".to_owned(),
        usage: vec![used],
    }];
    world.run.offer_plan(signed(&text));
    let settings = world.run.settings().clone();
    world.record(Input::Replan {
        snapshot: "plan-2.md".to_owned(),
        settings,
        plan: None,
        planning,
    });
    world.play();
    assert_eq!(world.run.token_usage().tokens(), 3000);
    assert_eq!(kinds(&world), [InboxKind::Budget]);
    let asked = world.run.items().next().expect("asked").question.clone();
    let expected = "2k of 5k tokens are left, and a planner uses about 3k tokens";
    assert!(asked.contains(expected), "{asked}");
    answer(&mut world, Choice::Allow, None).expect("it is offered");
    world.play();
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
}

#[test]
fn without_a_planner_nobody_is_promised_one() {
    let mut settings = world(&[AGENT], Outcomes::default()).run.settings().clone();
    settings.has_planner = false;
    for (policy, why) in [
        ("escalate", "1 attempt"),
        ("replan", "no planner is configured"),
        ("recover", "no planner is configured"),
    ] {
        let text = plan_text(&[&with_policy(AGENT, policy)]);
        let outcomes = Outcomes {
            contracts: FAILS.into(),
            ..Outcomes::default()
        };
        let mut world = World::new(&text, outcomes);
        world.run.offer_plan(signed(&text));
        world.record(Input::Replan {
            snapshot: "plan-2.md".to_owned(),
            settings: settings.clone(),
            plan: None,
            planning: Vec::new(),
        });
        world.play();
        let item = world.run.items().next().expect("asked");
        assert!(item.question.contains(why), "{policy}: {}", item.question);
        assert!(!item.choices.contains(&Choice::Replan), "{policy}");
        assert_eq!(world.run.replans(), 0, "{policy}");
    }
}

#[test]
fn a_version_that_is_handed_in_waits_for_a_person_and_what_is_under_way_ends_first() {
    let ModelAnswer::Draft(version) = draft() else {
        unreachable!("it is one")
    };
    let hand_in = || Input::HandInVersion {
        draft: Box::new(version.clone()),
        because: "b".to_owned(),
        by: "agent".to_owned(),
    };
    let mut world = world(&[AGENT, CHECK], Outcomes::default());
    world.step(false);
    world.step(true);
    world.record(hand_in());
    assert!(due(&world.run, world.now, &world.bounds).is_empty());
    world.crash();
    world.play();
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
    assert_eq!(world.run.outcome(), None);
    let twice = decide(&world.run, world.now, hand_in()).expect_err("one at a time");
    assert!(
        twice.to_string().contains("waits for a signature"),
        "{twice}"
    );
    // Refused as often as it may be handed in, the run goes on under the plan that was signed.
    for most in 1..=3 {
        answer(&mut world, Choice::Refuse, None).expect("it is offered");
        assert!(world.run.replan().is_none());
        if most < 3 {
            world.record(hand_in());
            world.play();
        }
    }
    let fourth = decide(&world.run, world.now, hand_in());
    assert!(fourth.is_err(), "{fourth:?}");
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[track_caller]
fn recovers(body: &str, answers: &[RecoveryDecision], expected: Outcome, refused: Option<&str>) {
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: answers.iter().cloned().map(recovery).collect(),
        ..Outcomes::default()
    };
    let mut world = world(&[&with_policy(body, "recover")], outcomes);
    world.play();
    let question = world.run.items().next().map(|item| item.question.clone());
    match refused {
        Some(why) => {
            let question = question.expect("a person is asked");
            assert!(question.contains(why), "{question}");
        }
        None => assert_eq!(world.run.outcome(), Some(expected), "{:#?}", world.story()),
    }
}

#[test]
fn a_recovery_is_followed_within_the_policy() {
    let retry = |args| RecoveryDecision::Retry {
        args,
        reason: reason(),
    };
    let done = Outcome::Completed;
    recovers(AGENT, &[retry(None)], done, None);
    let abort = RecoveryDecision::Abort { reason: reason() };
    recovers(AGENT, &[abort], Outcome::Failed, None);
    let skip = RecoveryDecision::Skip { reason: reason() };
    recovers(AGENT, std::slice::from_ref(&skip), done, Some("critical"));
    let uncritical = format!("{AGENT}**critical:** no\n");
    recovers(&uncritical, &[skip], done, None);
    // Without a decision that can be followed, the run goes on without such a step.
    let partial = Outcome::Partial;
    recovers(&uncritical, &[], partial, None);
    let unfit = retry(Some(json!({"path": "b"})));
    recovers(&uncritical, &[unfit], partial, None);
    let args = Some(json!({"path": "b"}));
    recovers(AGENT, &[retry(args)], done, Some("no tool"));
    let checked = format!("{TOOL}{CHECK}");
    recovers(
        &checked,
        &[retry(Some(json!({"path": 1})))],
        done,
        Some("do not fit"),
    );
    recovers(AGENT, &[], done, Some("nothing was said"));
}

#[test]
fn other_arguments_of_a_model_are_taken_and_marked_as_its_own() {
    let outcomes = Outcomes {
        contracts: FAILS.into(),
        answers: [recovery(RecoveryDecision::Retry {
            args: Some(json!({"path": "b"})),
            reason: reason(),
        })]
        .into(),
        ..Outcomes::default()
    };
    let body = with_policy(&format!("{TOOL}{CHECK}"), "recover");
    let mut world = world(&[&body], outcomes);
    world.play();
    let called: Vec<_> = (world.events.iter())
        .filter_map(|recorded| match &recorded.event {
            Event::CallStarted { call, .. } => Some(call.args.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(called, [json!({"path": "a"}), json!({"path": "b"})]);
    let (_, state) = world.run.step(0).expect("a step");
    assert_eq!(state.activation.args_by.as_deref(), Some("planner"));
    assert!(state.activation.args_by_model);
}

#[test]
fn steps_that_a_recovery_wants_are_a_replan() {
    let insert = RecoveryDecision::InsertSteps { reason: reason() };
    let world = failing("recover", &[recovery(insert), draft()]);
    assert_eq!(kinds(&world), [InboxKind::NewVersion]);
    let replan = world.run.replan().expect("under way");
    assert!(replan.because.ends_with("because"), "{}", replan.because);
}

#[test]
fn an_endless_recovery_ends_with_a_person() {
    let retry = || {
        recovery(RecoveryDecision::Retry {
            args: None,
            reason: reason(),
        })
    };
    let body = with_policy(AGENT, "recover");
    let outcomes = Outcomes {
        contracts: vec![ProcessEnd::Exited(1); 9].into(),
        answers: vec![retry(); 9].into(),
        ..Outcomes::default()
    };
    let mut world = world(&[&body], outcomes);
    world.play();
    assert_eq!(kinds(&world), [InboxKind::Escalation]);
    assert_eq!(world.performer.outcomes.answers.len(), 7);
}

/// Who did the only step, with these roles and this answer.
#[track_caller]
fn role(roles: &[&str], answer: Option<RoleDecision>, expected: Option<&str>, asked: bool) {
    let body = AGENT.replace("**target:** coder\n", "");
    let outcomes = Outcomes {
        answers: answer.map(ModelAnswer::Role).into_iter().collect(),
        ..Outcomes::default()
    };
    let mut world = World::choosing(roles, &plan_text(&[&body]), outcomes);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(world.run.role_of(0), expected, "{roles:?}");
    let is_asked =
        |event: &Event| matches!(event, Event::ModelAsked { task, .. } if *task == ModelTask::Role);
    let found = world
        .events
        .iter()
        .any(|recorded| is_asked(&recorded.event));
    assert_eq!(found, asked, "{roles:?}");
}

#[test]
fn rules_choose_first_and_the_arbiter_only_among_several() {
    let select = |role: &str| {
        Some(RoleDecision::Select {
            role: role.to_owned(),
            reason: reason(),
        })
    };
    role(&[], select("coder"), None, false);
    role(
        &["coder", "reviewer", "planner"],
        None,
        Some("coder"),
        false,
    );
    role(
        &["coder", "developer"],
        select("developer"),
        Some("developer"),
        true,
    );
    role(&["coder", "developer"], select("root"), None, true);
    role(&["coder", "developer"], None, None, true);
    let complete = RoleDecision::Complete { reason: None };
    role(&["coder", "developer"], Some(complete), None, true);
}
