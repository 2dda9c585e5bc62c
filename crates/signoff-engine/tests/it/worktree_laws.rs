//! Laws of runs in worktrees, for any plan, any luck, any order of ends, any answers and any crash: nothing is merged
//! twice, nobody shares the merge queue, what passed stays, every run ends.

use std::collections::BTreeSet;

use proptest::prelude::*;
use signoff_engine::{
    AcceptAt, Action, CallEnd, Changes, Choice, ContractCache, Event, FinishedWork, Grade,
    InboxItem, InboxKind, Input, ModelAnswer, ModelTask, Observation, Outcome, ProcessEnd,
    ReplanStage, Run, Stage, StepStatus, apply, due,
};
use signoff_plan::model::Work;

use crate::world::{AGENT, CHECK, Commit, Outcomes, START, UNVERIFIED, World, observed, plan_text};

const TOOL: &str =
    "**tool:** write_file\n**args:**\n```json\n{\"path\": \"a\", \"content\": \"\"}\n```\n";
const JUDGED_TOOL: &str = "**tool:** write_file\n**args:**\n```json\n{\"path\": \"a\", \"content\": \"\"}\n```\n**contract:**\n```shell\ntest -f out\n```\n";
const LOOKING_TOOL: &str = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n**contract:**\n```shell\ntest -f out\n```\n";
const ASK: &str = "**ask:** Go on?\n**choices:** yes, no\n";

fn body() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        6 => Just(AGENT),
        3 => Just(UNVERIFIED),
        3 => Just(CHECK),
        2 => Just(TOOL),
        2 => Just(JUDGED_TOOL),
        1 => Just(LOOKING_TOOL),
        1 => Just(ASK),
    ];
    let depends = prop_oneof![1 => Just(""), 4 => Just("**depends_on:** none\n"), 1 => Just("**depends_on:** 1\n")];
    let policy = prop_oneof![
        3 => Just(""),
        1 => Just("**on_fail:** abort\n"),
        1 => Just("**on_fail:** skip\n"),
        2 => Just("**on_fail:** retry(2), then escalate\n"),
        1 => Just("**critical:** no\n**on_fail:** retry(1), then abort\n"),
    ];
    let more = prop_oneof![
        5 => Just(""),
        1 => Just("**for_each:** [1, 2, 3]\n"),
        2 => Just("**locks:** db\n"),
        1 => Just("**approval:** required\n"),
        1 => Just("**holds:** once\n"),
        1 => Just("**baseline:** no\n"),
    ];
    (depends, kind, policy, more).prop_map(|(depends, kind, policy, more)| {
        // Questions have no policy, and only what has a contract says how it is seen.
        let more = match kind {
            ASK => "",
            UNVERIFIED | TOOL if more.contains("holds") || more.contains("baseline") => "",
            _ => more,
        };
        let policy = if kind == ASK { "" } else { policy };
        format!("{depends}{kind}{policy}{more}")
    })
}

fn plan() -> impl Strategy<Value = String> {
    proptest::collection::vec(body(), 1..6).prop_map(|mut bodies| {
        bodies.insert(0, CHECK.to_owned());
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        plan_text(&bodies)
    })
}

fn cache() -> impl Strategy<Value = ContractCache> {
    prop_oneof![Just(ContractCache::Cold), Just(ContractCache::Warm)]
}

fn accept() -> impl Strategy<Value = AcceptAt> {
    prop_oneof![Just(AcceptAt::End), Just(AcceptAt::Step)]
}

/// What luck decides; once it is used up, all goes well.
#[derive(Debug, Clone)]
struct Luck(std::vec::IntoIter<u32>);

impl Luck {
    fn roll(&mut self, sides: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % sides.max(1)
    }

    /// Once in so many times.
    fn strikes(&mut self, often: usize) -> bool {
        self.roll(often) + 1 == often
    }
}

fn luck() -> impl Strategy<Value = Luck> {
    proptest::collection::vec(any::<u32>(), 0..250).prop_map(|rolls| Luck(rolls.into_iter()))
}

fn in_flight(run: &Run) -> Vec<(usize, Stage)> {
    let stages = run.active_steps();
    let stages = stages.map(|(step, state)| {
        let at = run.position(&step.id).expect("it is of this run");
        (at, state.stage.clone())
    });
    let flies = |stage: &Stage| {
        matches!(
            stage,
            Stage::Baselining
                | Stage::Working { .. }
                | Stage::Evaluating { .. }
                | Stage::Assembling { .. }
                | Stage::Merging { .. }
                | Stage::Rechecking
        )
    };
    stages.filter(|(_, stage)| flies(stage)).collect()
}

/// The step that a planner is asked about.
fn asked_for_a_plan(run: &Run) -> Option<usize> {
    let replan = run.replan()?;
    (replan.stage == ReplanStage::Asked).then_some(replan.step)
}

fn end_of_process(luck: &mut Luck) -> ProcessEnd {
    match luck.roll(12) {
        9 | 10 => ProcessEnd::Exited(1),
        11 => ProcessEnd::TimedOut,
        _ => ProcessEnd::Exited(0),
    }
}

/// One of the things that are under way comes to its end.
fn finish_one(world: &mut World, luck: &mut Luck) -> bool {
    if let Some(step) = asked_for_a_plan(&world.run) {
        world.record(Input::ModelEnded {
            step,
            task: ModelTask::Replan,
            answer: ModelAnswer::Nothing("nothing was said".to_owned()),
            by: "planner".to_owned(),
            usage: Vec::new(),
        });
        return true;
    }
    let open = in_flight(&world.run);
    let Some((step, stage)) = open.get(luck.roll(open.len())).cloned() else {
        return false;
    };
    let (definition, state) = world.run.step(step).expect("a step");
    let is_agent = matches!(definition.work, Work::Agent { .. });
    match stage {
        Stage::Baselining => {
            let ended = ProcessEnd::Exited(i32::from(!luck.strikes(4)));
            let observed = Observation {
                warm: world.run.reuses_builds(&Action::Baseline { step }),
                ..observed(ended)
            };
            world.record(Input::BaselineEnded { step, observed });
        }
        Stage::Working { attempt } if is_agent => {
            let ended = end_of_process(luck);
            world.record(Input::WorkEnded {
                step,
                attempt,
                work: FinishedWork {
                    report: None,
                    ended,
                    text: String::new(),
                    changes: Changes::default(),
                },
            });
        }
        Stage::Working { attempt } => {
            let failed = CallEnd::Failed {
                message: "no".to_owned(),
                transient: true,
                unknown: luck.strikes(2),
            };
            let done = CallEnd::Done(serde_json::json!({}));
            let end = if luck.strikes(5) { failed } else { done };
            world.record(Input::CallEnded { step, attempt, end });
        }
        Stage::Assembling { attempt } => {
            world.performer.outcomes.conflicts = [luck.strikes(5)].into();
            world.performer.outcomes.unchanged = [luck.strikes(5)].into();
            world.build(step, attempt);
        }
        Stage::Merging { attempt } => world.merge(step, attempt),
        _ => {
            let attempt = state.attempts;
            let evaluate = Action::Evaluate {
                step,
                attempt,
                patience: 1,
            };
            let observed = Observation {
                warm: stage != Stage::Rechecking && world.run.reuses_builds(&evaluate),
                ..observed(end_of_process(luck))
            };
            world.record(Input::EvaluationEnded {
                step,
                attempt,
                observed,
            });
        }
    }
    true
}

/// A person says something to something.
fn answer(world: &mut World, luck: &mut Luck) -> bool {
    let items: Vec<InboxItem> = world.run.items().cloned().collect();
    let Some(item) = items.get(luck.roll(items.len())) else {
        return false;
    };
    // Rolling nothing is what ends it for certain.
    let certain = match item.kind {
        InboxKind::Approval => Choice::Approve,
        InboxKind::Question => Choice::Reply,
        InboxKind::Acceptance => Choice::Accept,
        _ => Choice::Skip,
    };
    let at = luck.roll(item.choices.len() + 1);
    let choice = at.checked_sub(1).map_or(certain, |at| item.choices[at]);
    let note = item.options.first().cloned();
    world.record(Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice,
        note: note.or_else(|| (choice == Choice::Reply).then(|| "x".to_owned())),
        by: "ann".to_owned(),
    });
    true
}

/// The harness dies: a merge under way may have moved the branch or not.
fn die(world: &mut World, luck: &mut Luck) {
    for (step, stage) in in_flight(&world.run) {
        if let Stage::Merging { attempt } = stage
            && luck.strikes(2)
        {
            world.move_branch(step, attempt);
        }
    }
    world.crash();
}

/// One that uses the queue or the run's tree; never more at once than jobs.
fn check_room(run: &Run) {
    let busy = in_flight(run);
    assert!(busy.len() <= run.settings().jobs, "{busy:?}");
    let uses_queue = |(at, stage): &&(usize, Stage)| {
        let (definition, state) = run.step(*at).expect("a step");
        let writes = matches!(&definition.work, Work::Tool { tool, .. } if tool == "write_file");
        match stage {
            Stage::Assembling { .. } | Stage::Merging { .. } => true,
            Stage::Evaluating { .. } => state.attempt.candidate.is_some(),
            Stage::Working { .. } => writes,
            _ => false,
        }
    };
    let told = format!("{busy:?}");
    assert!(busy.iter().filter(uses_queue).count() <= 1, "{told}");
    let holders: Vec<usize> = (0..)
        .zip(run.steps())
        .filter_map(|(at, (_, state))| state.allocation.has_queue().then_some(at))
        .collect();
    assert!(holders.len() <= 1, "{holders:?} {told}");
    let locked = busy.iter().filter(|(at, _)| {
        let (definition, state) = run.step(*at).expect("a step");
        !definition.locks.is_empty() && state.stage != Stage::Rechecking
    });
    assert!(locked.count() <= 1, "two have the lock: {told}");
}

/// What any journal says of the branch.
fn check_branch(world: &World) {
    let attempts: BTreeSet<(&str, u32)> = (world.performer.branch.iter())
        .map(|commit| (commit.step.as_str(), commit.attempt))
        .collect();
    assert_eq!(
        attempts.len(),
        world.performer.branch.len(),
        "{:#?}",
        world.performer.branch
    );
    let mut told: Vec<&str> = vec![START];
    for recorded in &world.events {
        if let Event::Merged { commit, .. } = &recorded.event
            && told.last() != Some(&commit.as_str())
        {
            told.push(commit);
        }
    }
    let moved: Vec<&str> = world
        .performer
        .branch
        .iter()
        .map(|commit| commit.id.as_str())
        .collect();
    assert!(moved.starts_with(&told[1..]), "{moved:?} {told:?}");
    assert!(moved.len() <= told.len(), "only one merge can be untold");
    for (definition, state) in world.run.steps() {
        let changed = state
            .attempt
            .commit
            .as_ref()
            .filter(|_| state.outcome.evidence.is_some());
        let of_step = |commit: &&Commit| commit.step == definition.id;
        let commits: Vec<&Commit> = world.performer.branch.iter().filter(of_step).collect();
        if let (Some(commit), Some(last)) = (changed, commits.last()) {
            assert!(told.contains(&commit.as_str()), "{commit}");
            assert!(last.attempt <= state.attempts, "{last:?}");
        }
        assert!(commits.len() <= 1, "{}: {commits:?}", definition.id);
    }
}

fn replayed(world: &World) -> Run {
    let mut run = Run::new(world.run.signed_plan().clone());
    for recorded in &world.events {
        apply(&mut run, recorded);
    }
    run
}

/// What an attempt was used for once, and what was completed stays so unless a person or the end says otherwise.
fn check_journal(world: &World) {
    let mut attempts = BTreeSet::new();
    let mut accepted = BTreeSet::new();
    for recorded in &world.events {
        match &recorded.event {
            Event::AttemptStarted { step, attempt, .. } => {
                assert!(attempts.insert((step, attempt)), "{step} {attempt}");
                accepted.remove(step);
            }
            Event::InboxAnswered { step, steps, .. } => {
                accepted.insert(step);
                accepted.extend(steps);
            }
            Event::StepCompleted { step, evidence, .. } => {
                // A loop is as its items are.
                let tried = attempts.iter().any(|(of, _)| *of == step);
                let judged = !tried || *evidence != Grade::Accepted || accepted.contains(step);
                assert!(judged, "nobody accepted the last attempt at {step}");
                let at = world.run.position(step).expect("a step");
                let (_, state) = world.run.step(at).expect("a step");
                let lost = state.status == StepStatus::Blocked || state.outcome.regressed;
                assert!(state.outcome.evidence.is_some() || lost, "{step} is lost");
            }
            _ => {}
        }
    }
}

/// Nothing is proved by what earlier contracts built, and a run that may land has seen all of it hold without.
fn check_caches(world: &World) {
    let lands = matches!(
        world.run.outcome(),
        Some(Outcome::Completed | Outcome::Partial)
    );
    for (definition, state) in world.run.steps() {
        let grade = state.outcome.grade();
        let id = &definition.id;
        assert!(
            !(lands && state.outcome.unconfirmed),
            "{id} is not confirmed"
        );
        assert!(
            !(state.outcome.unconfirmed && grade == Some(Grade::Proved)),
            "{id} is proved warm"
        );
    }
}

/// Plays with several things at once until the run has ended.
fn play(world: &mut World, luck: &mut Luck) {
    for _ in 0..3000 {
        if world.run.outcome().is_some() {
            break;
        }
        let actions = due(&world.run, world.now, &world.bounds);
        let idle = actions.is_empty();
        for action in actions {
            world.perform(action, true);
            check_room(&world.run);
        }
        let ended = match luck.roll(10) {
            9 => {
                die(world, luck);
                true
            }
            8 => answer(world, luck),
            _ => finish_one(world, luck),
        };
        let stuck = idle && !ended && in_flight(&world.run).is_empty();
        assert!(!stuck || answer(world, luck), "stuck: {:#?}", world.story());
        check_room(&world.run);
        check_branch(world);
    }
    assert!(world.run.outcome().is_some(), "{:#?}", world.story());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_any_answers_and_any_crash_end_well(text in plan(), cache in cache(), accept in accept(), jobs in 1_usize..5, mut luck in luck()) {
        let mut world = World::in_rooms(cache, accept, jobs, &text, Outcomes::default());
        play(&mut world, &mut luck);
        check_journal(&world);
        check_caches(&world);
        prop_assert_eq!(format!("{:?}", replayed(&world)), format!("{:?}", world.run));
    }
}

proptest! {
    // Each case is as many runs as it has events.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_crash_after_any_event_loses_and_repeats_nothing(text in plan(), cache in cache(), accept in accept(), jobs in 1_usize..4, mut luck in luck(), moved in any::<bool>()) {
        let mut whole = World::in_rooms(cache, accept, jobs, &text, Outcomes::default());
        play(&mut whole, &mut luck);
        for cut in 2..whole.events.len() {
            let mut world = whole.cut(cut, Outcomes::default());
            world.run = replayed(&world);
            if moved {
                for (step, stage) in in_flight(&world.run) {
                    if let Stage::Merging { attempt } = stage {
                        world.move_branch(step, attempt);
                    }
                }
            }
            world.crash();
            play(&mut world, &mut Luck(Vec::new().into_iter()));
            check_journal(&world);
            check_caches(&world);
        }
    }
}

#[test]
fn all_that_goes_well_completes_and_is_merged_once() {
    let text = plan_text(&[AGENT, TOOL, JUDGED_TOOL, CHECK, UNVERIFIED, ASK]);
    let mut world = World::in_worktrees(AcceptAt::End, 3, &text, Outcomes::default());
    play(&mut world, &mut Luck(Vec::new().into_iter()));
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let merged: Vec<&str> = world
        .performer
        .branch
        .iter()
        .map(|commit| commit.step.as_str())
        .collect();
    assert_eq!(merged, ["step-1", "step-2", "step-3", "step-5"]);
}
