//! The loop: what it journals, begins, waits for and asks, and that a crash at any write loses nothing.

use signoff_engine::{Action, Choice, Event, Input, Outcome, PauseReason, ProcessEnd, StepStatus};
use signoff_runtime::Error;
use signoff_runtime::drive::{HarnessTrouble, StopReason, WakeReason};
use signoff_testkit::performer::Outcomes;
use signoff_testkit::signed_plan::{AGENT, CHECK, UNVERIFIED};

use crate::scripted::{Reply, World};

const CALL: &str =
    "**tool:** write_file\n**args:**\n```json\n{\"path\": \"a\", \"content\": \"b\"}\n```\n";

fn completed(stopped: &Result<signoff_runtime::drive::StopReason, Error>) -> bool {
    matches!(stopped, Ok(StopReason::Finished(Outcome::Completed)))
}

fn pause() -> Input {
    Input::Pause {
        reason: PauseReason::Requested,
        by: "tester".to_owned(),
    }
}

fn asked(input: Input) -> WakeReason {
    WakeReason::Requested {
        name: "r1".to_owned(),
        request: signoff_runtime::drive::RunRequest::Input(input),
    }
}

#[test]
fn a_plan_runs_to_its_end() {
    for world in [
        World::new(&[AGENT, CHECK, CALL], Outcomes::default()),
        World::new(&[AGENT, CHECK, CALL], Outcomes::default()).in_worktrees(4),
    ] {
        let mut world = world;
        let stopped = world.drive();
        assert!(completed(&stopped), "{stopped:?}");
        assert_eq!(world.hands.stops, 0);
        assert!(matches!(
            world.disk.events().last(),
            Some(Event::RunFinished { .. })
        ));
    }
}

#[test]
fn agents_work_side_by_side_up_to_the_limit() {
    let independent = format!("{AGENT}\n**depends-on:** none\n");
    let steps = [independent.as_str(); 4];
    let mut world = World::new(&steps, Outcomes::default()).in_worktrees(3);
    let stopped = world.drive();
    assert!(completed(&stopped), "{stopped:?}");
    let dispatched = |action: &Action| matches!(action, Action::Dispatch { .. });
    let first_end = |event: &Event| matches!(event, Event::WorkFinished { .. });
    let events = world.disk.events();
    let end = events.iter().position(first_end).expect("an agent ended");
    let started = |event: &&Event| matches!(event, Event::AttemptStarted { .. });
    assert_eq!(events[..end].iter().filter(started).count(), 3);
    assert_eq!(
        world
            .hands
            .began
            .iter()
            .filter(|action| dispatched(action))
            .count(),
        4
    );
}

/// What other machines report at once takes one write to the journal that all share.
#[test]
fn reports_that_come_together_are_journaled_together() {
    let independent = format!("{CHECK}\n**depends-on:** none\n");
    let steps = [independent.as_str(); 4];
    let syncs_with_ends = |together: bool| {
        let mut world = World::new(&steps, Outcomes::default()).in_worktrees(4);
        world.hands.ends_together = together;
        let stopped = world.drive();
        assert!(completed(&stopped), "{stopped:?}");
        let events = world.disk.events();
        let mut events = events.iter();
        let mut with_ends = 0;
        for count in world.disk.syncs.borrow().iter() {
            let mut safe: Vec<&Event> = events.by_ref().take(*count).collect();
            safe.retain(|event| matches!(event, Event::ContractFinished { .. }));
            with_ends += usize::from(!safe.is_empty());
        }
        with_ends
    };
    assert_eq!(syncs_with_ends(false), 4);
    assert_eq!(syncs_with_ends(true), 1);
}

/// The loop waits out the pause before a retry, and does not spin.
#[test]
fn a_retry_waits() {
    let mut world = World::new(
        &[AGENT],
        Outcomes {
            contracts: [ProcessEnd::Exited(1)].into(),
            ..Outcomes::default()
        },
    );
    let stopped = world.drive();
    assert!(completed(&stopped), "{stopped:?}");
    let run = world.replayed();
    assert_eq!(run.step(0).map(|(_, step)| step.attempts), Some(2));
}

/// A file that follows the run is not a step behind while an agent works for an hour.
#[test]
fn what_an_observer_holds_back_is_done_although_nothing_happens() {
    let mut world = World::new(&[AGENT], Outcomes::default());
    world.hands.idle = 5;
    assert!(completed(&world.drive()));
    let before_the_end = |event: &Option<Event>| {
        matches!(
            event,
            Some(Event::BaselineStarted { .. } | Event::AttemptStarted { .. })
        )
    };
    let seen = &world.observer.caught_up;
    assert!(seen.iter().any(before_the_end), "{seen:?}");
}

/// Nor while a person thinks.
#[test]
fn what_an_observer_holds_back_is_done_before_a_person_is_asked() {
    let mut world = World::new(&[UNVERIFIED], Outcomes::default());
    world.drive().expect("it waits for a person");
    let asks = |event: &Option<Event>| matches!(event, Some(Event::StepWaiting { .. }));
    let seen = &world.observer.caught_up;
    assert!(seen.iter().any(asks), "{seen:?}");
}

#[test]
fn a_pause_lets_what_is_under_way_end() {
    let mut world = World::new(&[AGENT, AGENT], Outcomes::default());
    // After the baseline and the agent of the first step have begun.
    world.hands.news.push_back((2, asked(pause())));
    let stopped = world.drive();
    assert!(
        matches!(stopped, Ok(StopReason::Paused(PauseReason::Requested))),
        "{stopped:?}"
    );
    assert_eq!(world.hands.replies, [("r1".to_owned(), None)]);
    assert_eq!(world.hands.stops, 0);
    let run = world.replayed();
    let status = |at| run.step(at).map(|(_, step)| step.status);
    assert_eq!(status(0), Some(StepStatus::Completed));
    assert!(completed(&world.drive()));
}

#[test]
fn a_request_that_does_not_fit_is_refused_and_changes_nothing() {
    let mut world = World::new(&[AGENT], Outcomes::default());
    let answer = Input::Answer {
        item: "no-such-item".to_owned(),
        steps: Vec::new(),
        choice: Choice::Accept,
        note: None,
        by: "tester".to_owned(),
    };
    world.hands.news.push_back((1, asked(answer)));
    assert!(completed(&world.drive()));
    assert!(matches!(world.hands.replies.as_slice(), [(_, Some(_))]));
}

/// What ended at the moment of the interruption counts; what did not is taken up by `resume`.
#[test]
fn an_interrupted_run_goes_on_later() {
    let mut world = World::new(&[AGENT, AGENT], Outcomes::default());
    world.hands.news.push_back((2, WakeReason::Interrupted));
    let stopped = world.drive();
    assert!(
        matches!(stopped, Ok(StopReason::Interrupted)),
        "{stopped:?}"
    );
    assert_eq!(world.hands.stops, 1);
    let ended = |event: &Event| matches!(event, Event::WorkFinished { .. });
    assert!(world.disk.events().iter().any(ended), "the agent had ended");
    let before = world.hands.began.len();
    assert!(completed(&world.drive()));
    let again = &world.hands.began[before..];
    let first = |action: &Action| matches!(action, Action::Dispatch { step: 0, .. });
    assert!(!again.iter().any(first), "{again:?}");
}

#[test]
fn a_run_that_is_given_up_has_failed() {
    let mut world = World::new(&[AGENT], Outcomes::default());
    let abort = WakeReason::Requested {
        name: "r1".to_owned(),
        request: signoff_runtime::drive::RunRequest::Abort {
            by: "tester".to_owned(),
        },
    };
    world.hands.news.push_back((1, abort));
    let stopped = world.drive();
    assert!(
        matches!(stopped, Ok(StopReason::Finished(Outcome::Failed))),
        "{stopped:?}"
    );
    assert_eq!(world.replayed().outcome(), Some(Outcome::Failed));
}

#[test]
fn nothing_begins_once_the_plan_has_changed() {
    let mut world = World::new(&[AGENT, AGENT], Outcomes::default());
    world.hands.changes_after = Some(3);
    let stopped = world.drive();
    assert!(matches!(stopped, Ok(StopReason::Changed(_))), "{stopped:?}");
    assert_eq!(world.hands.began.len(), 3);
    world.hands.changes_after = None;
    assert!(completed(&world.drive()));
}

#[test]
fn processes_that_cannot_be_ended_stop_everything() {
    let mut world = World::new(&[AGENT], Outcomes::default());
    world.hands.news.push_back((1, WakeReason::Survivors(2)));
    let stopped = world.drive();
    assert!(
        matches!(stopped, Err(Error::Survivors { count: 2 })),
        "{stopped:?}"
    );
    assert_eq!(world.hands.stops, 1);
}

/// Wherever the harness itself is in trouble, the run stops and goes on from there: no attempt is used up, no step fails,
/// and what cannot be done twice is not done twice.
#[test]
fn trouble_of_the_harness_is_no_attempts_failure() {
    let outcomes = || Outcomes {
        careful: true,
        ..Outcomes::default()
    };
    let kept = format!("{CALL}{CHECK}");
    for begun in 1..20 {
        let mut world = World::new(&[&kept, CALL], outcomes()).in_worktrees(1);
        let trouble = HarnessTrouble {
            step: 0,
            what: "its work could not be merged",
            why: "`git add` failed: no space left on device".to_owned(),
            known: None,
        };
        world
            .hands
            .news
            .push_back((begun, WakeReason::Trouble(trouble)));
        let first = world.drive();
        if completed(&first) {
            assert!(begun > 6, "only {begun} actions");
            return;
        }
        assert!(
            matches!(first, Err(Error::HarnessTrouble { .. })),
            "{first:?}"
        );
        let stopped = world.replayed();
        assert_eq!(stopped.pause_reason(), Some(PauseReason::Trouble));
        assert_eq!(
            stopped.harness_trouble(),
            Some(
                "step `step-1`: its work could not be merged: `git add` failed: no space left on device"
            )
        );
        let second = world.drive();
        assert_eq!(world.replayed().harness_trouble(), None);
        assert!(completed(&second), "after {begun}: {second:?}");
        let called = |action: &&Action| matches!(action, Action::Call { .. });
        assert_eq!(
            world.hands.began.iter().filter(called).count(),
            2,
            "{begun}"
        );
        let retried = |event: &Event| matches!(event, Event::RetryScheduled { .. });
        assert!(!world.disk.events().iter().any(retried), "after {begun}");
    }
    panic!("the run never comes to its end");
}

#[test]
fn a_person_is_asked_when_nothing_else_can_go_on() {
    let mut world = World::new(&[UNVERIFIED], Outcomes::default());
    let stopped = world.drive();
    assert!(matches!(stopped, Ok(StopReason::Waiting)), "{stopped:?}");
    // A choice that the item does not offer is refused, and the person asked again.
    let replies = [Reply::Choose(Choice::Allow), Reply::Choose(Choice::Accept)];
    world.person.answers.extend(replies);
    assert!(completed(&world.drive()));
    assert_eq!(world.person.refusals.len(), 1);
}

#[test]
fn a_question_is_put_off_for_news() {
    let mut world = World::new(&[UNVERIFIED], Outcomes::default());
    world.person.answers.push_back(Reply::Nothing);
    world.hands.news_at_rest.push_back(asked(pause()));
    let stopped = world.drive();
    assert!(
        matches!(stopped, Ok(StopReason::Paused(PauseReason::Requested))),
        "{stopped:?}"
    );
    assert_eq!(world.replayed().items().count(), 1);
}

/// Whatever write of the journal is the last one, and whether or not it reached the disk: the run goes on and
/// completes, and what cannot be done twice is not done twice.
#[test]
fn a_crash_at_any_write_loses_nothing() {
    let outcomes = || Outcomes {
        careful: true,
        agents: [ProcessEnd::Exited(0), ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let world = |jobs: Option<usize>| {
        let world = World::new(&[AGENT, CALL, AGENT, CHECK], outcomes());
        match jobs {
            Some(jobs) => world.in_worktrees(jobs),
            None => world,
        }
    };
    for jobs in [None, Some(1), Some(4)] {
        for (write, reaches) in (1..200).flat_map(|write| [(write, false), (write, true)]) {
            let mut world = world(jobs);
            world.disk.fails.set(Some((write, reaches)));
            let first = world.drive();
            if completed(&first) {
                assert!(write > 15, "only {write} writes");
                break;
            }
            assert!(first.is_err(), "{first:?}");
            if world.replayed().outcome() == Some(Outcome::Completed) {
                continue;
            }
            let context = format!("write {write}, {reaches}, jobs {jobs:?}");
            world
                .person
                .answers
                .extend([Reply::Choose(Choice::Happened)]);
            let second = world.drive();
            assert!(completed(&second), "{context}: {second:?}");
            let called = |action: &&Action| matches!(action, Action::Call { .. });
            let calls = world.hands.began.iter().filter(called).count();
            assert!(calls <= 1, "{context}: {calls}");
        }
    }
}
