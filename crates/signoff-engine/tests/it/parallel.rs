//! Steps side by side: what may run at once, in any order of their ends, through any crash.

use std::collections::BTreeMap;

use proptest::prelude::*;
use signoff_engine::{
    AcceptAt, Action, Bounds, Changes, Event, FinishedWork, Input, Outcome, PauseReason,
    ProcessEnd, Run, Stage, StepStatus, apply, due,
};
use signoff_plan::model::Work;

use crate::world::{AGENT, CHECK, Outcomes, World, observed, plan_text};

fn apart(body: &str) -> String {
    format!("**depends_on:** none\n{body}")
}

fn with_jobs(jobs: usize, bodies: &[String]) -> World {
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    World::with(
        AcceptAt::Step,
        jobs,
        &plan_text(&bodies),
        Outcomes::default(),
    )
}

fn due_now(world: &World) -> Vec<Action> {
    due(&world.run, world.now, &world.bounds)
}

#[test]
fn checks_run_at_once_up_to_the_number_of_jobs() {
    let world = with_jobs(3, &vec![apart(CHECK); 5]);
    let steps: Vec<usize> = due_now(&world)
        .iter()
        .map(|action| match action {
            Action::Evaluate { step, .. } => *step,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(steps, [0, 1, 2]);
}

#[test]
fn an_agent_has_the_tree_to_itself() {
    let world = with_jobs(4, &[apart(AGENT), apart(AGENT), apart(CHECK)]);
    assert_eq!(due_now(&world), [Action::Baseline { step: 0 }]);
    // Checks under way end first, and none that comes later in the plan starts before the agent.
    let mut world = with_jobs(4, &[apart(CHECK), apart(AGENT), apart(CHECK)]);
    let first = due_now(&world);
    assert_eq!(first.len(), 1, "{first:?}");
    world.perform(first[0].clone(), true);
    assert_eq!(due_now(&world), []);
    world.record(Input::EvaluationEnded {
        step: 0,
        attempt: 1,
        observed: observed(ProcessEnd::Exited(0)),
    });
    assert_eq!(due_now(&world), [Action::Baseline { step: 1 }]);
}

#[test]
fn a_question_does_not_wait_for_a_place() {
    let ask = "**ask:** Go on?\n".to_owned();
    let mut world = with_jobs(1, &[apart(AGENT), apart(&ask)]);
    assert_eq!(
        due_now(&world),
        [Action::Baseline { step: 0 }, Action::Gate { step: 1 }]
    );
    world.perform(Action::Baseline { step: 0 }, true);
    assert_eq!(due_now(&world), [Action::Gate { step: 1 }]);
}

#[test]
fn a_step_that_an_answer_takes_up_again_waits_for_a_place() {
    let gated = format!("{}**approval:** required\n", apart(AGENT));
    let mut world = with_jobs(4, &[gated.clone(), gated, apart(CHECK)]);
    for action in due_now(&world) {
        world.perform(action, true);
    }
    let items: Vec<String> = world.run.items().map(|item| item.id.clone()).collect();
    assert_eq!(items.len(), 2);
    for item in items {
        world.record(Input::Answer {
            item,
            steps: Vec::new(),
            choice: signoff_engine::Choice::Approve,
            note: None,
            by: "ann".to_owned(),
        });
    }
    assert_eq!(due_now(&world), [], "the check has the tree");
    world.record(Input::EvaluationEnded {
        step: 2,
        attempt: 1,
        observed: observed(ProcessEnd::Exited(0)),
    });
    assert_eq!(due_now(&world), [Action::Baseline { step: 0 }]);
    world.perform(Action::Baseline { step: 0 }, true);
    assert_eq!(due_now(&world), [], "one agent at a time");
}

#[test]
fn steps_that_share_a_lock_take_turns() {
    let locked = format!("{}**locks:** db\n", apart(CHECK));
    let mut world = with_jobs(4, &[locked.clone(), locked, apart(CHECK)]);
    let steps = |world: &World| due_now(world).len();
    assert_eq!(steps(&world), 2, "the second waits for the lock");
    for action in due_now(&world) {
        world.perform(action, false);
    }
    assert_eq!(steps(&world), 1);
}

#[test]
fn a_pause_lets_end_what_is_under_way_and_judges_it() {
    let mut world = with_jobs(1, &[apart(AGENT), apart(CHECK)]);
    world.step(false);
    let dispatch = due_now(&world)[0].clone();
    world.perform(dispatch, true);
    world.pause();
    assert_eq!(due_now(&world), []);
    world.record(Input::WorkEnded {
        step: 0,
        attempt: 1,
        work: FinishedWork {
            report: None,
            ended: ProcessEnd::Exited(0),
            text: String::new(),
            changes: Changes::default(),
        },
    });
    assert!(matches!(
        due_now(&world)[..],
        [Action::Evaluate { step: 0, .. }]
    ));
    world.step(false);
    assert_eq!(due_now(&world), [], "nothing new starts");
    assert_eq!(world.run.status_of(0), StepStatus::Completed);
    world.record(Input::Park {
        reason: PauseReason::Requested,
    });
    world.crash();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn bounds_stop_short_of_the_rest() {
    let mut world = with_jobs(
        4,
        &[
            CHECK.to_owned(),
            apart(CHECK),
            CHECK.to_owned(),
            CHECK.to_owned(),
        ],
    );
    world.bounds = Bounds::until_step(&world.run, 2);
    world.play();
    let done: Vec<bool> = world
        .run
        .steps()
        .map(|(_, state)| state.outcome.evidence.is_some())
        .collect();
    assert_eq!(
        (done, world.run.outcome()),
        (vec![true, true, true, false], None)
    );
    let mut world = with_jobs(4, &vec![apart(CHECK); 3]);
    world.bounds = Bounds::only_step(1);
    world.play();
    let done: Vec<bool> = world
        .run
        .steps()
        .map(|(_, state)| state.outcome.evidence.is_some())
        .collect();
    assert_eq!(
        (done, world.run.outcome()),
        (vec![false, true, false], None)
    );
    world.bounds = Bounds::default();
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_contract_that_no_longer_holds_at_the_end_fails_the_run() {
    let regress = |contracts: Vec<i32>, bodies: &[&str]| {
        let outcomes = Outcomes {
            contracts: contracts.into_iter().map(ProcessEnd::Exited).collect(),
            ..Outcomes::default()
        };
        let mut world = World::new(&plan_text(bodies), outcomes);
        world.play();
        let again = |recorded: &&signoff_engine::RecordedEvent| {
            matches!(recorded.event, Event::ContractStarted { again: true, .. })
        };
        (
            world.run.outcome(),
            world.events.iter().filter(again).count(),
        )
    };
    // The second agent changed the tree; nothing came after the second.
    assert_eq!(
        regress(vec![0, 0, 0], &[AGENT, AGENT]),
        (Some(Outcome::Completed), 1)
    );
    assert_eq!(
        regress(vec![0, 0, 1], &[AGENT, AGENT]),
        (Some(Outcome::Failed), 1)
    );
    let once = format!("{AGENT}**holds:** once\n");
    assert_eq!(
        regress(vec![0, 0, 1], &[&once, AGENT]),
        (Some(Outcome::Completed), 0)
    );
    // Checks change nothing.
    assert_eq!(
        regress(vec![], &[CHECK, CHECK]),
        (Some(Outcome::Completed), 0)
    );
    assert_eq!(
        regress(vec![], &[CHECK, AGENT, CHECK]),
        (Some(Outcome::Completed), 1)
    );
}

/// Everything that is under way and has not ended, with how it will end.
fn finish_one(world: &mut World, pick: usize) -> bool {
    let open: Vec<(usize, Stage)> = (0..)
        .zip(world.run.steps())
        .filter_map(|(_, (step, state))| Some((world.run.position(&step.id)?, state.stage.clone())))
        .filter(|(_, stage)| {
            matches!(
                stage,
                Stage::Baselining
                    | Stage::Working { .. }
                    | Stage::Evaluating { .. }
                    | Stage::Rechecking
            )
        })
        .collect();
    let Some((step, stage)) = open.get(pick % open.len().max(1)).cloned() else {
        return false;
    };
    let contract = world
        .performer
        .outcomes
        .contracts
        .pop_front()
        .unwrap_or(ProcessEnd::Exited(0));
    let attempts = world.run.step(step).expect("a step").1.attempts;
    match stage {
        Stage::Baselining => world.record(Input::BaselineEnded {
            step,
            observed: observed(ProcessEnd::Exited(1)),
        }),
        Stage::Working { attempt }
            if world
                .run
                .step(step)
                .is_some_and(|(step, _)| matches!(step.work, Work::Agent { .. })) =>
        {
            world.record(Input::WorkEnded {
                step,
                attempt,
                work: FinishedWork {
                    report: None,
                    ended: ProcessEnd::Exited(0),
                    text: String::new(),
                    changes: Changes::default(),
                },
            });
        }
        Stage::Working { attempt } => {
            let end = signoff_engine::CallEnd::Done(serde_json::json!({"list": [1, 2]}));
            world.record(Input::CallEnded { step, attempt, end });
        }
        _ => world.record(Input::EvaluationEnded {
            step,
            attempt: attempts,
            observed: observed(contract),
        }),
    }
    true
}

/// Never two agents, never an agent beside something else that uses the tree, never more than jobs.
fn check_room(run: &Run) {
    let active: Vec<_> = run.active_steps().collect();
    let agents = active
        .iter()
        .filter(|(step, state)| {
            matches!(step.work, Work::Agent { .. }) && state.stage != Stage::Rechecking
        })
        .count();
    assert!(
        agents <= 1 && (agents == 0 || active.len() == 1),
        "{:#?}",
        active
            .iter()
            .map(|(step, state)| (&step.id, &state.stage))
            .collect::<Vec<_>>()
    );
    assert!(active.len() <= run.settings().jobs);
}

fn body() -> impl Strategy<Value = String> {
    let tool = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
    let kind = prop_oneof![2 => Just(AGENT), 3 => Just(CHECK), 2 => Just(tool)];
    let depends = prop_oneof![1 => Just(""), 3 => Just("**depends_on:** none\n"), 1 => Just("**depends_on:** 1\n")];
    let more = prop_oneof![
        4 => Just(""),
        1 => Just("**for_each:** [1, 2, 3]\n"),
        1 => Just("**locks:** a\n"),
        1 => Just("**critical:** no\n**on_fail:** abort\n"),
        1 => Just("**on_fail:** skip\n"),
    ];
    (depends, kind, more).prop_map(|(depends, kind, more)| format!("{depends}{kind}{more}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_order_of_ends_and_any_crash_ends_well(
        bodies in proptest::collection::vec(body(), 1..7),
        jobs in 1_usize..5,
        picks in proptest::collection::vec((0_usize..8, any::<bool>()), 0..60),
        contracts in proptest::collection::vec(prop_oneof![4 => Just(0), 1 => Just(1)], 0..20),
    ) {
        let mut bodies = bodies;
        bodies.insert(0, CHECK.to_owned());
        let mut world = with_jobs(jobs, &bodies);
        world.performer.outcomes.contracts = contracts.into_iter().map(ProcessEnd::Exited).collect();
        let mut picks = picks.into_iter();
        for _ in 0..2000 {
            if world.run.outcome().is_some() {
                break;
            }
            for action in due_now(&world) {
                world.perform(action, true);
                check_room(&world.run);
            }
            let (pick, dies) = picks.next().unwrap_or((0, false));
            if dies {
                world.crash();
            } else if !finish_one(&mut world, pick) && due_now(&world).is_empty() {
                // Only a person can help: they skip.
                let Some(item) = world.run.items().next().cloned() else { break };
                world.record(Input::Answer { item: item.id, steps: Vec::new(), choice: signoff_engine::Choice::Skip, note: None, by: "ann".to_owned() });
                world.crash();
            }
        }
        prop_assert!(world.run.outcome().is_some(), "{:#?}", world.story());
        // No attempt twice, no completed step again.
        let mut attempts: BTreeMap<(String, u32), u32> = BTreeMap::new();
        for recorded in &world.events {
            if let Event::AttemptStarted { step, attempt, .. } = &recorded.event {
                *attempts.entry((step.clone(), *attempt)).or_default() += 1;
            }
        }
        prop_assert!(attempts.values().all(|count| *count == 1), "{attempts:?}");
        let mut replayed = Run::new(world.run.signed_plan().clone());
        for recorded in &world.events {
            apply(&mut replayed, recorded);
        }
        prop_assert_eq!(format!("{replayed:?}"), format!("{:?}", world.run));
    }
}
