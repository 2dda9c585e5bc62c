//! The merge queue, step by step: what passes alone must pass on top of what was merged before.

use signoff_engine::{
    AcceptAt, Action, Changes, CheckoutChanges, Choice, Event, Evidence, FinishedWork, Grade,
    InboxKind, Input, Outcome, ProcessEnd, Stage, StepState, StepStatus, due,
};

use crate::world::{AGENT, CHECK, Outcomes, START, UNVERIFIED, World, observed, plan_text};

const TOOL: &str =
    "**tool:** write_file\n**args:**\n```json\n{\"path\": \"a\", \"content\": \"\"}\n```\n";

fn apart(body: &str) -> String {
    format!("**depends_on:** none\n{body}")
}

fn retrying(times: u32) -> String {
    apart(AGENT) + &format!("**on_fail:** retry({times}), then escalate\n")
}

fn side_by_side(bodies: &[String], outcomes: Outcomes) -> World {
    accepting(AcceptAt::Step, bodies, outcomes)
}

fn accepting(accept: AcceptAt, bodies: &[String], outcomes: Outcomes) -> World {
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    World::in_worktrees(accept, 4, &plan_text(&bodies), outcomes)
}

fn due_now(world: &World) -> Vec<Action> {
    due(&world.run, world.now, &world.bounds)
}

fn state(world: &World, at: usize) -> &StepState {
    world.run.step(at).expect("a step").1
}

/// Begins everything that may begin now.
fn begin_all(world: &mut World) -> Vec<Action> {
    let begun = due_now(world);
    for action in begun.clone() {
        world.perform(action, true);
    }
    begun
}

fn agent_ends(world: &mut World, step: usize) {
    let attempt = state(world, step).attempts;
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

fn contract_ends(world: &mut World, step: usize, code: i32) {
    let attempt = state(world, step).attempts;
    let observed = observed(ProcessEnd::Exited(code));
    let input = match state(world, step).stage {
        Stage::Baselining => Input::BaselineEnded { step, observed },
        _ => Input::EvaluationEnded {
            step,
            attempt,
            observed,
        },
    };
    world.record(input);
}

fn answer(world: &mut World, choice: Choice) {
    let item = world.run.items().next().expect("a question").id.clone();
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice,
        note: None,
        by: "ann".to_owned(),
    });
}

/// Two agents side by side whose work is done; the candidate of the first is judged.
fn two_done(outcomes: Outcomes) -> World {
    let mut world = side_by_side(&[retrying(1), retrying(1)], outcomes);
    begin_all(&mut world);
    contract_ends(&mut world, 0, 1);
    contract_ends(&mut world, 1, 1);
    begin_all(&mut world);
    agent_ends(&mut world, 0);
    agent_ends(&mut world, 1);
    world
}

fn merged(world: &World) -> Vec<(&str, u32)> {
    let commits = world.performer.branch.iter();
    commits
        .map(|commit| (commit.step.as_str(), commit.attempt))
        .collect()
}

#[test]
fn one_candidate_is_built_at_a_time_and_the_next_on_top_of_it() {
    let mut world = two_done(Outcomes::default());
    let first = Action::Candidate {
        step: 0,
        attempt: 1,
    };
    assert_eq!(due_now(&world), std::slice::from_ref(&first));
    world.perform(first, false);
    assert!(matches!(
        due_now(&world)[..],
        [Action::Evaluate { step: 0, .. }]
    ));
    world.step(false);
    assert_eq!(
        due_now(&world),
        [Action::Merge {
            step: 0,
            attempt: 1
        }]
    );
    assert_eq!(
        world.run.status_of(0),
        StepStatus::Verifying,
        "not before it is merged"
    );
    world.step(false);
    assert_eq!(world.run.status_of(0), StepStatus::Completed);
    world.step(false);
    let head = world.performer.branch[0].id.clone();
    assert_eq!(
        state(&world, 1)
            .attempt
            .candidate
            .as_ref()
            .map(|it| &it.onto),
        Some(&head)
    );
    world.play();
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 1)]);
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_conflict_is_a_failed_attempt_and_the_next_starts_from_the_head() {
    let mut world = two_done(Outcomes {
        conflicts: [false, true].into(),
        ..Outcomes::default()
    });
    for _ in 0..4 {
        world.step(false);
    }
    let failure = state(&world, 1).advice.failure.clone().expect("it failed");
    assert_eq!(failure.conflict, Some(vec!["a".to_owned()]));
    assert_eq!(failure.stdout, "<<<<", "the next prompt shows where");
    assert_eq!(merged(&world), [("step-1", 1)], "the head is untouched");
    world.play();
    let bases: Vec<Option<String>> = (world.events.iter())
        .filter_map(|recorded| match &recorded.event {
            Event::AttemptStarted { step, base, .. } if step == "step-2" => Some(base.clone()),
            _ => None,
        })
        .collect();
    let head = world.performer.branch[0].id.clone();
    assert_eq!(bases, [Some(START.to_owned()), Some(head)]);
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 2)]);
}

#[test]
fn a_candidate_that_fails_leaves_the_head_and_is_carried_to_the_next_attempt() {
    let mut world = two_done(Outcomes {
        contracts: [0, 1].map(ProcessEnd::Exited).into(),
        ..Outcomes::default()
    });
    for _ in 0..6 {
        world.step(false);
    }
    assert_eq!(merged(&world), [("step-1", 1)]);
    let head = world.performer.branch[0].id.clone();
    let carried = format!("{head}>1.1");
    let next = state(&world, 1);
    assert_eq!(next.stage, Stage::NeedsWork);
    assert_eq!(
        (
            next.activation.base.clone(),
            next.activation.carried.clone()
        ),
        (Some(head), Some(carried))
    );
    world.play();
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 2)]);
}

#[test]
fn an_attempt_that_was_cut_off_leaves_nothing_to_the_next() {
    let mut world = two_done(Outcomes {
        contracts: [0, 1, 1].map(ProcessEnd::Exited).into(),
        ..Outcomes::default()
    });
    for _ in 0..6 {
        world.step(false);
    }
    let began = |world: &World| {
        let next = state(world, 1);
        (
            next.activation.base.clone(),
            next.activation.carried.clone(),
        )
    };
    let second = began(&world);
    world.now = state(&world, 1).activation.not_before;
    let begun = begin_all(&mut world);
    assert!(
        matches!(
            begun[..],
            [Action::Dispatch {
                step: 1,
                attempt: 2
            }]
        ),
        "{begun:?}"
    );
    world.crash();
    // Its contract was red before, so it is judged all the same; it does not hold.
    world.step(false);
    world.step(false);
    assert_eq!(state(&world, 1).stage, Stage::NeedsWork);
    assert_eq!(began(&world), second, "the third begins as the second did");
    world.play();
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 3)]);
}

#[test]
fn a_conflict_without_retries_asks_and_only_another_attempt_can_settle_it() {
    let outcomes = Outcomes {
        conflicts: [true].into(),
        ..Outcomes::default()
    };
    let mut world = side_by_side(&[retrying(0)], outcomes);
    world.play();
    let item = world.run.items().next().expect("a question");
    assert_eq!(item.kind, InboxKind::Escalation);
    // Its worktree has not what the work conflicts with: nobody could repair it there.
    assert_eq!(
        item.answer_words(),
        ["retry", "skip", "revise", "replan", "abort"]
    );
    answer(&mut world, Choice::Retry);
    let attempt = Action::Dispatch {
        step: 0,
        attempt: 2,
    };
    assert_eq!(due_now(&world), [attempt]);
    world.play();
    assert_eq!(grade_of(&world, 0), Some(Grade::Proved));
}

#[test]
fn a_conflict_whose_question_was_lost_is_found_again_on_its_own_base() {
    let outcomes = Outcomes {
        conflicts: [true].into(),
        ..Outcomes::default()
    };
    let mut world = side_by_side(&[retrying(0)], outcomes);
    world.play();
    let conflicted = |recorded: &signoff_engine::RecordedEvent| {
        matches!(recorded.event, Event::MergeConflicted { .. })
    };
    let at = world.events.iter().position(conflicted);
    world = world.cut(at.expect("it conflicts") + 1, Outcomes::default());
    world.crash();
    let again = Action::Candidate {
        step: 0,
        attempt: 1,
    };
    assert_eq!(due_now(&world), [again]);
    assert_eq!(state(&world, 0).activation.base.as_deref(), Some(START));
    world.play();
    assert!(state(&world, 0).outcome.evidence.is_some());
}

#[test]
fn what_a_person_accepted_is_merged_and_another_attempt_is_asked_about_again() {
    let body = apart(UNVERIFIED) + "**on_fail:** retry(1), then escalate\n";
    let mut world = side_by_side(
        &[body],
        Outcomes {
            conflicts: [true, false].into(),
            ..Outcomes::default()
        },
    );
    world.play();
    answer(&mut world, Choice::Accept);
    assert_eq!(world.run.status_of(0), StepStatus::Verifying);
    world.play();
    let open = world.run.items().next().expect("it is another work");
    assert_eq!(
        (open.kind, state(&world, 0).attempts),
        (InboxKind::Acceptance, 2)
    );
    assert_eq!(merged(&world), []);
    answer(&mut world, Choice::Accept);
    world.play();
    assert_eq!(merged(&world), [("step-1", 2)]);
    let Evidence { grade, facts } = state(&world, 0)
        .outcome
        .evidence
        .as_deref()
        .cloned()
        .expect("it is done");
    assert_eq!(
        (grade, facts.accepted_by.as_deref()),
        (Grade::Accepted, Some("ann"))
    );
}

#[test]
fn where_people_are_asked_at_the_end_dependents_see_what_was_merged() {
    let mut world = accepting(
        AcceptAt::End,
        &[apart(UNVERIFIED), AGENT.to_owned()],
        Outcomes::default(),
    );
    world.play();
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 1)]);
    assert_eq!(
        world.run.items().next().map(|item| item.kind),
        Some(InboxKind::Acceptance)
    );
    answer(&mut world, Choice::Accept);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    assert_eq!(merged(&world).len(), 2, "nothing is merged twice");
}

#[test]
fn whoever_works_in_the_runs_tree_has_it_until_it_is_merged() {
    let mut world = side_by_side(
        &[apart(TOOL), apart(TOOL), apart(CHECK)],
        Outcomes::default(),
    );
    let begun = begin_all(&mut world);
    // A check sees a commit in an overlay of its own, and waits for nobody.
    assert!(
        matches!(
            begun[..],
            [
                Action::Call { step: 0, .. },
                Action::Evaluate { step: 2, .. }
            ]
        ),
        "{begun:?}"
    );
    contract_ends(&mut world, 2, 0);
    let end = signoff_engine::CallEnd::Done(serde_json::json!({}));
    world.record(Input::CallEnded {
        step: 0,
        attempt: 1,
        end,
    });
    assert_eq!(
        due_now(&world),
        [Action::Candidate {
            step: 0,
            attempt: 1
        }]
    );
    world.play();
    assert_eq!(merged(&world), [("step-1", 1), ("step-2", 1)]);
    assert_eq!(grade_of(&world, 0), Some(Grade::Observed));
}

#[test]
fn a_merge_waits_for_no_contract() {
    let mut world = side_by_side(&[apart(AGENT), apart(CHECK)], Outcomes::default());
    begin_all(&mut world);
    contract_ends(&mut world, 0, 1);
    begin_all(&mut world);
    agent_ends(&mut world, 0);
    let candidate = Action::Candidate {
        step: 0,
        attempt: 1,
    };
    assert_eq!(due_now(&world), [candidate]);
}

#[test]
fn calls_that_only_read_run_side_by_side_and_those_that_write_take_turns() {
    let reading = apart(TOOL)
        .replace("write_file", "read_file")
        .replace(", \"content\": \"\"", "");
    let reading = [reading.clone(), reading];
    let mut world = side_by_side(&reading, Outcomes::default());
    assert_eq!(begin_all(&mut world).len(), 2);
    let mut world = side_by_side(&[apart(TOOL), apart(TOOL)], Outcomes::default());
    assert_eq!(begin_all(&mut world).len(), 1);
}

#[test]
fn what_a_person_changes_is_part_of_the_tree_from_then_on() {
    let mut world = side_by_side(&[apart(CHECK)], Outcomes::default());
    begin_all(&mut world);
    contract_ends(&mut world, 0, 0);
    world.record(Input::CheckoutJoined(CheckoutChanges {
        commit: "joined".to_owned(),
        tree: "its tree".to_owned(),
        files: vec!["notes".to_owned()],
        conflicts: Vec::new(),
        deleted: Vec::new(),
    }));
    assert_eq!(world.run.head(), Some("joined"));
    // Judged before on another tree.
    assert!(matches!(
        due_now(&world)[..],
        [Action::Recheck { step: 0, .. }]
    ));
}

#[test]
fn a_step_that_changes_nothing_is_merged_as_nothing() {
    let mut world = side_by_side(
        &[apart(AGENT)],
        Outcomes {
            unchanged: [true].into(),
            ..Outcomes::default()
        },
    );
    world.play();
    assert_eq!(
        (merged(&world), world.run.head()),
        (Vec::new(), Some(START))
    );
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn what_was_judged_on_another_tree_is_judged_again_at_the_end() {
    for (last, outcome) in [(0, Outcome::Completed), (1, Outcome::Failed)] {
        let mut world = two_done(Outcomes {
            contracts: [0, 0, last].map(ProcessEnd::Exited).into(),
            ..Outcomes::default()
        });
        world.play();
        assert_eq!(world.run.outcome(), Some(outcome));
        assert_eq!(state(&world, 0).outcome.regressed, last == 1);
        assert_eq!(merged(&world).len(), 2);
    }
}

#[test]
fn a_branch_that_moved_before_the_crash_is_not_moved_again() {
    for moved in [false, true] {
        let mut world = two_done(Outcomes::default());
        world.step(false);
        world.step(false);
        world.step(true);
        assert_eq!(state(&world, 0).stage, Stage::Merging { attempt: 1 });
        if moved {
            world.move_branch(0, 1);
        }
        world.crash();
        assert_eq!(
            due_now(&world)[0],
            Action::Merge {
                step: 0,
                attempt: 1
            }
        );
        world.play();
        assert_eq!(merged(&world), [("step-1", 1), ("step-2", 1)]);
    }
}

fn grade_of(world: &World, step: usize) -> Option<Grade> {
    state(world, step).outcome.grade()
}

#[test]
fn what_others_did_meanwhile_proves_nothing() {
    for (without, grade) in [(1, Grade::Proved), (0, Grade::Held)] {
        // The second is looked at without its work once more, on top of the first.
        let mut world = two_done(Outcomes {
            baselines: [ProcessEnd::Exited(without)].into(),
            ..Outcomes::default()
        });
        world.play();
        let (first, second) = (grade_of(&world, 0), grade_of(&world, 1));
        assert_eq!((first, second), (Some(Grade::Proved), Some(grade)));
        let of = |event: &Event| match event {
            Event::BaselineStarted { step, base } => Some((step.clone(), base.clone())),
            _ => None,
        };
        let looks: Vec<_> = (world.events.iter())
            .filter_map(|recorded| of(&recorded.event))
            .collect();
        let head = world.performer.branch[0].id.clone();
        assert_eq!(looks.len(), 3, "{looks:?}");
        assert_eq!(looks[2], ("step-2".to_owned(), Some(head)));
    }
}
