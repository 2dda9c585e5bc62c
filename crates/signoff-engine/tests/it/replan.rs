//! A run goes on under another version of its plan: what is done stays done while it is what the plan
//! asks for, everything else starts over, and replaying gives the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;
use signoff_engine::{
    AcceptAt, AgentReports, CallEnd, Choice, Event, InboxKind, Input, Outcome, ProcessEnd, Refusal,
    Run, StepStatus, apply, decide,
};
use signoff_plan::diff::{definition_hash, pairs};

use crate::world::{AGENT, CHECK, Outcomes, UNVERIFIED, World, signed};

const LIST: &str =
    "**id:** list\n**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
const EACH: &str = "**id:** each\n**tool:** read_file\n**args:**\n```json\n{\"path\": \"p{{ item }}\"}\n```\n**for_each:** steps[\"list\"].output.list\n**on_fail:** escalate\n";

/// A plan of steps with these titles.
fn plan(steps: &[(&str, &str)]) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Title\n\n## Steps\n".to_owned();
    for (at, (title, body)) in steps.iter().enumerate() {
        write!(text, "\n### {}. {title}\n\n{body}\n", at + 1).expect("a string takes everything");
    }
    text
}

fn agent(task: &str) -> String {
    AGENT.replace("Do it.", task)
}

/// A world with every version of its plan.
struct Story {
    world: World,
    versions: Vec<String>,
}

impl Story {
    fn new(text: &str, outcomes: Outcomes) -> Self {
        Self {
            world: World::new(text, outcomes),
            versions: vec![text.to_owned()],
        }
    }

    /// Performs as many actions.
    fn play(mut self, actions: usize) -> Self {
        for _ in 0..actions {
            self.world.step(false);
        }
        self
    }

    /// Stands still, and goes on under this text.
    fn replan(&mut self, text: &str) -> (Vec<String>, Vec<String>) {
        let by = "tester".to_owned();
        self.world.record(Input::Resume {
            by,
            reports: AgentReports::new(),
        });
        self.world.run.offer_plan(signed(text));
        let settings = self.world.run.settings().clone();
        let snapshot = format!("plan-{}.md", self.versions.len() + 1);
        self.world.record(Input::Replan {
            planning: Vec::new(),
            snapshot,
            settings,
            plan: None,
        });
        self.versions.push(text.to_owned());
        let last = self.world.events.last().map(|last| &last.event);
        let Some(Event::PlanReplanned { kept, reset, .. }) = last else {
            unreachable!("{last:?}");
        };
        (kept.clone(), reset.clone())
    }

    fn replayed(&self) -> Run {
        let mut versions = self.versions.iter().map(|text| signed(text));
        let mut run = Run::new(versions.next().expect("the first"));
        for recorded in &self.world.events {
            if matches!(recorded.event, Event::PlanReplanned { .. }) {
                run.offer_plan(versions.next().expect("one for each event"));
            }
            apply(&mut run, recorded);
        }
        run
    }

    fn statuses(&self) -> Vec<StepStatus> {
        let run = &self.world.run;
        run.order().map(|at| run.status_of(at)).collect()
    }

    fn state(&self, id: &str) -> &signoff_engine::StepState {
        let at = self.world.run.position(id).expect("the step exists");
        self.world.run.step(at).expect("it has a state").1
    }

    #[track_caller]
    fn ends(&mut self, outcome: Outcome) {
        self.world.play();
        assert_eq!(
            self.world.run.outcome(),
            Some(outcome),
            "{:#?}",
            self.world.story()
        );
        self.same_again();
        self.no_number_twice();
    }

    #[track_caller]
    fn same_again(&self) {
        assert_eq!(
            format!("{:?}", self.replayed()),
            format!("{:?}", self.world.run)
        );
    }

    #[track_caller]
    fn no_number_twice(&self) {
        let mut seen = BTreeSet::new();
        for recorded in &self.world.events {
            if let Event::AttemptStarted { step, attempt, .. } = &recorded.event {
                assert!(
                    seen.insert((step, attempt)),
                    "{step} {attempt}: {:#?}",
                    self.world.story()
                );
            }
        }
    }
}

/// Baseline, agent, contract of the first step: two steps, of which the first is done.
fn first_done() -> Story {
    let story = Story::new(
        &plan(&[("A", &agent("a")), ("B", &agent("b"))]),
        Outcomes::default(),
    );
    let story = story.play(3);
    assert_eq!(story.statuses(), [StepStatus::Completed, StepStatus::Ready]);
    story
}

#[track_caller]
fn check(steps: &[(&str, &str)], kept: &[&str], reset: &[&str], statuses: &[StepStatus]) {
    let mut story = first_done();
    let found = story.replan(&plan(steps));
    assert_eq!(found, (owned(kept), owned(reset)));
    assert_eq!(story.statuses(), statuses);
    story.same_again();
    story.ends(Outcome::Completed);
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn what_is_done_stays_done_where_its_definition_is_the_same() {
    use StepStatus::{Completed, Pending, Ready};
    let (a, b, c) = (agent("a"), agent("b"), agent("c"));
    // The terms alone.
    check(
        &[("A", &a), ("B", &b)],
        &["step-1"],
        &[],
        &[Completed, Ready],
    );
    // A title, what it waits for, a policy: not what was done.
    let other = format!("{a}**on_fail:** abort\n");
    check(
        &[("Other", &other), ("B", &b)],
        &["step-1"],
        &[],
        &[Completed, Ready],
    );
    // Added, before and after.
    check(
        &[("C", &c), ("A", &a), ("B", &b)],
        &["step-2"],
        &[],
        &[Ready, Completed, Pending],
    );
    check(
        &[("A", &a), ("C", &c), ("B", &b)],
        &["step-1"],
        &[],
        &[Completed, Ready, Pending],
    );
    // Removed, and in another order.
    check(&[("A", &a)], &["step-1"], &[], &[Completed]);
    check(&[("B", &b)], &[], &[], &[Ready]);
    check(
        &[("B", &b), ("A", &a)],
        &["step-2"],
        &[],
        &[Ready, Completed],
    );
    // Another task, another contract: done anew.
    check(&[("A", &c), ("B", &b)], &[], &["step-1"], &[Ready, Pending]);
    let laxer = a.replace("test -f out", "true");
    check(
        &[("A", &laxer), ("B", &b)],
        &[],
        &["step-1"],
        &[Ready, Pending],
    );
}

#[test]
fn what_stays_done_keeps_its_evidence_and_has_to_hold_at_the_end() {
    let mut story = first_done();
    let evidence = story.state("step-1").outcome.evidence.clone();
    story.replan(&plan(&[("C", &agent("c")), ("A", &agent("a"))]));
    let moved = story.state("step-2");
    assert_eq!((moved.attempts, &moved.outcome.evidence), (1, &evidence));
    assert!(evidence.is_some());
    story.ends(Outcome::Completed);
    let again = |recorded: &&signoff_engine::RecordedEvent| matches!(&recorded.event, Event::ContractStarted { step, again: true, .. } if step == "step-2");
    assert_eq!(story.world.events.iter().filter(again).count(), 1);
}

#[test]
fn numbers_of_attempts_are_used_once_for_each_id() {
    let (a, b, c) = (agent("a"), agent("b"), agent("c"));
    let mut story = first_done();
    // `step-1` is another step now, and the one that was becomes `step-2`, then is done anew.
    story.replan(&plan(&[("C", &c), ("A", &a), ("B", &b)]));
    let mut story = story.play(3);
    assert_eq!(story.state("step-1").attempts, 2);
    story.replan(&plan(&[("A", &agent("d")), ("B", &b)]));
    story.ends(Outcome::Completed);
    assert_eq!(story.state("step-1").attempts, 3);
    // The second was never tried under its name, but carried one that was.
    assert_eq!(story.state("step-2").attempts, 2);
}

#[test]
fn questions_stay_open_while_they_are_the_same() {
    let gated = format!("{}**approval:** required\n", agent("a"));
    let open = || {
        let mut story = Story::new(
            &plan(&[("A", &gated), ("B", &agent("b"))]),
            Outcomes::default(),
        );
        story.world.play();
        let item = story.world.run.items().next().expect("it asks").id.clone();
        (story, item)
    };
    let (mut story, item) = open();
    story.replan(&plan(&[("A", &gated), ("B", &agent("c"))]));
    let by = "ann".to_owned();
    story.world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice: Choice::Approve,
        note: None,
        by,
    });
    story.ends(Outcome::Completed);
    // It needs no leave any more; it is gone; something comes before it.
    let b = agent("b");
    for text in [
        plan(&[("A", &agent("a")), ("B", &b)]),
        plan(&[("B", &b)]),
        plan(&[("C", &agent("c")), ("A", &gated), ("B", &b)]),
    ] {
        let (mut story, _) = open();
        story.replan(&text);
        assert_eq!(story.world.run.items().count(), 0, "{text}");
        story.same_again();
    }
}

#[test]
fn whoever_wants_another_version_gets_the_step_again_with_it() {
    let tried = format!("{}**on_fail:** escalate\n", agent("a"));
    let text = |b: &str| plan(&[("A", &tried), ("B", &agent(b))]);
    let answer = |story: &mut Story, choice: Choice, note: Option<&str>| {
        let item = story.world.run.items().next().expect("it asks").id.clone();
        story.world.record(Input::Answer {
            item,
            steps: Vec::new(),
            choice,
            note: note.map(str::to_owned),
            by: "ann".to_owned(),
        });
    };
    let wanted = || {
        let outcomes = Outcomes {
            contracts: [ProcessEnd::Exited(1)].into(),
            ..Outcomes::default()
        };
        let mut story = Story::new(&text("b"), outcomes);
        story.world.play();
        answer(&mut story, Choice::Revise, Some("split it"));
        story.world.play();
        let open = story.world.run.items().next().expect("it waits");
        assert_eq!(open.kind, InboxKind::Revision);
        assert!(open.question.contains("(split it)"), "{}", open.question);
        assert!(!open.choices.contains(&Choice::Revise));
        story
    };
    // The step itself may be as it was.
    let mut story = wanted();
    let (_, reset) = story.replan(&text("c"));
    assert_eq!(reset, ["step-1"]);
    assert_eq!(story.world.run.items().count(), 0);
    assert_eq!(
        story.state("step-1").advice.hint.as_deref(),
        Some("split it")
    );
    story.ends(Outcome::Completed);
    // Nobody has to.
    let mut story = wanted();
    answer(&mut story, Choice::Retry, None);
    story.ends(Outcome::Completed);
}

#[test]
fn what_was_spent_stays_spent() {
    let limited = |limit: &str, second: &str| {
        let text = plan(&[("A", &agent("a")), ("B", second)]);
        text.replace("## Steps", &format!("**Budget:** {limit}\n\n## Steps"))
    };
    let mut story = Story::new(&limited("1 agents", &agent("b")), Outcomes::default());
    story.world.play();
    let asked = |story: &Story| {
        story
            .world
            .run
            .items()
            .map(|item| item.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(asked(&story), [InboxKind::Budget]);
    // The same limit: asked again.
    story.replan(&limited("1 agents", &agent("c")));
    story.world.play();
    assert_eq!(asked(&story), [InboxKind::Budget]);
    // More of it: the question is gone.
    story.replan(&limited("2 agents", &agent("c")));
    story.ends(Outcome::Completed);
}

#[test]
fn loops_keep_their_items() {
    let failed = CallEnd::Failed {
        message: "no".to_owned(),
        transient: false,
        unknown: false,
    };
    let list = CallEnd::Done(json!({"list": [1, 2]}));
    let done = CallEnd::Done(json!("one"));
    let open = || {
        let outcomes = Outcomes {
            calls: [list.clone(), done.clone(), failed.clone()].into(),
            ..Outcomes::default()
        };
        let mut story = Story::new(&plan(&[("L", LIST), ("E", EACH), ("C", CHECK)]), outcomes);
        story.world.play();
        assert_eq!(story.world.run.items().count(), 1);
        story
    };
    // Another last step: one item is done, the other still waits on a person.
    let last = CHECK.replace("out", "other");
    let mut story = open();
    let (kept, _) = story.replan(&plan(&[("L", LIST), ("E", EACH), ("C", &last)]));
    assert_eq!(kept, ["list", "each[0]"]);
    assert_eq!(story.state("each[1]").status, StepStatus::Waiting);
    story.same_again();
    // Something before the loop: its open items wait for that.
    let mut story = open();
    let (kept, reset) = story.replan(&plan(&[
        ("L", LIST),
        ("N", &agent("n")),
        ("E", EACH),
        ("C", CHECK),
    ]));
    assert_eq!(
        (kept, reset),
        (owned(&["list", "each[0]"]), owned(&["each[1]"]))
    );
    assert_eq!(story.state("each[1]").waits_for, 1);
    story.ends(Outcome::Completed);
    // Another loop: none of the items is what it was.
    let mut story = open();
    let each = EACH.replace("p{{", "q{{");
    let (kept, reset) = story.replan(&plan(&[("L", LIST), ("E", &each), ("C", CHECK)]));
    assert_eq!((kept, reset), (owned(&["list"]), owned(&["each"])));
    story.ends(Outcome::Completed);
    assert_eq!(story.state("each[0]").attempts, 2);
}

/// A loop over a list that the plan spells out.
fn over(list: &str, path: &str) -> String {
    EACH.replace("steps[\"list\"].output.list", list)
        .replace("p{{ item }}", path)
}

#[test]
fn items_of_an_edited_list_are_kept() {
    const PATH: &str = "p{{ item }}";
    let failed = CallEnd::Failed {
        message: "no".to_owned(),
        transient: false,
        unknown: false,
    };
    let done = |value: &str| CallEnd::Done(json!(value));
    let open = || {
        let outcomes = Outcomes {
            calls: [done("one"), done("two"), failed.clone(), done("last")].into(),
            ..Outcomes::default()
        };
        let each = over("[1, 2, 3]", PATH);
        let mut story = Story::new(&plan(&[("E", &each), ("C", CHECK)]), outcomes);
        story.world.play();
        assert_eq!(story.state("each[2]").status, StepStatus::Waiting);
        story
    };
    let calls = |story: &Story| {
        let story = story.world.story();
        let calls = story
            .iter()
            .filter(|event| event.starts_with("CallStarted"));
        calls.count()
    };
    // `1` is gone, `2` is elsewhere, `3` is tried again and `4` is new.
    let mut story = open();
    let before = calls(&story);
    let (kept, reset) = story.replan(&plan(&[("E", &over("[4, 2, 3]", PATH)), ("C", CHECK)]));
    assert_eq!((kept, reset), (owned(&[]), owned(&["each"])));
    story.ends(Outcome::Completed);
    assert_eq!(calls(&story) - before, 2, "{:#?}", story.world.story());
    let second = story.state("each[1]");
    assert_eq!(second.values.output, Some(json!("two")));
    let facts = second.outcome.facts().expect("it is done");
    assert_eq!(facts.kept_from.as_deref(), Some(story.world.run.id()));
    // Something before the loop is done anew: what is done does not fall with it.
    let mut story = open();
    let before = calls(&story);
    story.replan(&plan(&[
        ("N", &agent("n")),
        ("E", &over("[1, 2]", PATH)),
        ("C", CHECK),
    ]));
    story.ends(Outcome::Completed);
    assert_eq!(calls(&story), before);
    // With another definition no item is what it was.
    let mut story = open();
    let before = calls(&story);
    story.replan(&plan(&[
        ("E", &over("[1, 2]", "q{{ item }}")),
        ("C", CHECK),
    ]));
    story.ends(Outcome::Completed);
    assert_eq!(calls(&story) - before, 2);
}

#[test]
fn a_loop_that_is_done_stays_done() {
    let mut story = Story::new(
        &plan(&[("L", LIST), ("E", EACH), ("C", CHECK)]),
        Outcomes::default(),
    );
    for _ in 0..20 {
        if story
            .world
            .run
            .position("each")
            .is_some_and(|at| story.world.run.status_of(at) == StepStatus::Completed)
        {
            break;
        }
        story.world.step(false);
    }
    let (kept, _) = story.replan(&plan(&[
        ("N", &agent("n")),
        ("L", LIST),
        ("E", EACH),
        ("C", CHECK),
    ]));
    assert_eq!(kept, ["list", "each", "each[0]", "each[1]"]);
    story.ends(Outcome::Completed);
    let calls = story.world.story();
    assert_eq!(
        calls
            .iter()
            .filter(|event| event.starts_with("CallStarted"))
            .count(),
        3
    );
}

#[test]
fn a_condition_that_was_false_is_asked_again_if_what_it_read_is() {
    let gated = format!("{}**when:** 'x' in steps[\"a\"].stdout\n", agent("b"));
    let first = |task: &str| format!("**id:** a\n{}", agent(task));
    let text =
        |task: &str, last: &str| plan(&[("A", &first(task)), ("B", &gated), ("C", &agent(last))]);
    let skipped = || {
        let story = Story::new(&text("a", "c"), Outcomes::default()).play(4);
        assert_eq!(story.statuses().get(1), Some(&StepStatus::Skipped));
        story
    };
    let mut story = skipped();
    story.replan(&text("a", "d"));
    assert_eq!(story.statuses().get(1), Some(&StepStatus::Skipped));
    let mut story = skipped();
    story.replan(&text("other", "c"));
    assert_eq!(story.statuses().get(1), Some(&StepStatus::Pending));
    story.ends(Outcome::Completed);
}

#[test]
fn what_was_done_does_not_fall_with_what_is_done_anew() {
    let aborts = |task: &str| format!("{}**on_fail:** skip\n", agent(task));
    let text = |task: &str| plan(&[("A", &aborts(task)), ("B", &agent("b")), ("C", &agent("c"))]);
    let mut story = Story::new(&text("a"), Outcomes::default()).play(6);
    assert_eq!(story.statuses().get(1), Some(&StepStatus::Completed));
    story.replan(&text("other"));
    story.world.performer.outcomes.contracts = [ProcessEnd::Exited(1)].into();
    story.world.play();
    assert_eq!(
        story.statuses(),
        [
            StepStatus::Skipped,
            StepStatus::Completed,
            StepStatus::Blocked
        ]
    );
    story.same_again();
}

#[test]
fn what_was_kept_and_is_tried_again_is_not_done() {
    let text = plan(&[("A", &agent("a")), ("B", &agent("b"))]);
    let mut story = first_done();
    assert_eq!(story.replan(&text).0, ["step-1"]);
    // Its contract no longer holds at the end, and another attempt does not help.
    let red = ProcessEnd::Exited(1);
    let ends = [&ProcessEnd::Exited(0), &red, &red, &red, &red];
    story.world.performer.outcomes.contracts = ends.into_iter().cloned().collect();
    story.world.play();
    assert_eq!(story.world.run.outcome(), Some(Outcome::Failed));
    story.world.record(Input::RetryStep {
        step: "step-1".to_owned(),
        hint: None,
        by: "ann".to_owned(),
    });
    story.world.play();
    assert_eq!(story.state("step-1").status, StepStatus::Waiting);
    // It waits on a person all the same under yet another version.
    let (kept, _) = story.replan(&text);
    assert_eq!(kept, ["step-2"]);
    assert_eq!(story.state("step-1").status, StepStatus::Waiting);
    assert!(!story.state("step-1").satisfies);
    story.same_again();
}

#[test]
fn what_failed_or_waits_for_the_end_is_taken_up() {
    // Without a contract, and accepted at the end.
    let text = |last: &str| plan(&[("A", UNVERIFIED), ("B", last)]);
    let mut story = Story {
        world: World::accepting(AcceptAt::End, &text(&agent("b")), Outcomes::default()),
        versions: vec![text(&agent("b"))],
    };
    story.world.play();
    assert_eq!(story.world.run.items().count(), 1);
    let (kept, _) = story.replan(&text(&agent("c")));
    assert_eq!(kept, ["step-1"]);
    story.world.play();
    let asked = story.world.run.items().next().expect("it asks at the end");
    assert_eq!(asked.steps_concerned(), [0]);
    story.same_again();
    // Failed, and what it blocks: both are free again.
    let text = |task: &str| {
        let lost = format!("{}**critical:** no\n**on_fail:** skip\n", agent(task));
        plan(&[("A", &lost), ("B", &agent("b")), ("C", UNVERIFIED)])
    };
    let outcomes = Outcomes {
        contracts: [ProcessEnd::Exited(1)].into(),
        ..Outcomes::default()
    };
    let mut story = Story::new(&text("a"), outcomes).play(3);
    assert_eq!(
        story.statuses()[..2],
        [StepStatus::Failed, StepStatus::Blocked]
    );
    story.replan(&text("a"));
    assert_eq!(
        story.statuses()[..2],
        [StepStatus::Ready, StepStatus::Pending]
    );
    story.same_again();
}

#[test]
fn a_call_whose_end_nobody_saw_is_not_made_again_without_leave() {
    let outcomes = Outcomes {
        careful: true,
        ..Outcomes::default()
    };
    let text = |task: &str| plan(&[("L", LIST), ("B", &agent(task))]);
    let mut story = Story::new(&text("b"), outcomes);
    story.world.step(true);
    story.replan(&text("c"));
    let open = story.world.run.items().next().expect("a person is asked");
    assert_eq!(open.kind, InboxKind::UnknownCall);
    story.same_again();
}

#[test]
fn our_own_marks_are_no_claims() {
    let text = |task: &str, mark: &str| {
        let title = format!("A{mark}");
        plan(&[(&title, &agent(task)), ("B", &agent("b"))])
    };
    let mut story = Story::new(&text("a", ""), Outcomes::default()).play(3);
    story.replan(&text("other", " ✅"));
    story.world.performer.outcomes.baselines = [ProcessEnd::Exited(0)].into();
    story.ends(Outcome::Completed);
    // The contract holds already, and all the same the changed task was given to an agent.
    assert_eq!(story.state("step-1").attempts, 2);
}

#[test]
fn nothing_is_replanned_without_a_plan_or_in_the_middle_of_something() {
    let replan = |run: &Run| {
        let settings = run.settings().clone();
        let snapshot = "plan-2.md".to_owned();
        let plan = None;
        decide(
            run,
            1,
            Input::Replan {
                planning: Vec::new(),
                snapshot,
                settings,
                plan,
            },
        )
    };
    let refused = Err(Refusal::OutOfPlace {
        what: "another version of the plan",
    });
    let mut story = first_done();
    assert_eq!(replan(&story.world.run), refused);
    story.world.step(true);
    story
        .world
        .run
        .offer_plan(signed(&plan(&[("A", &agent("a"))])));
    assert_eq!(replan(&story.world.run), refused);
}

fn bodies() -> impl Strategy<Value = Vec<(String, String)>> {
    let kind = prop_oneof![3 => Just(AGENT), 1 => Just(CHECK), 1 => Just(UNVERIFIED)];
    let id = prop_oneof![2 => Just(false), 1 => Just(true)];
    let extra = prop_oneof![
        5 => Just(""),
        1 => Just("**depends_on:** none\n"),
        1 => Just("**approval:** required\n"),
        1 => Just("**on_fail:** skip\n"),
    ];
    let one = (kind, id, extra, 0..4_u8, 0..4_u8);
    proptest::collection::vec(one, 1..6).prop_map(|steps| {
        let mut ids = BTreeSet::new();
        let step = |(kind, id, extra, task, title): (&str, bool, &str, u8, u8)| {
            let named = if id && ids.insert(title) {
                format!("**id:** n{title}\n")
            } else {
                String::new()
            };
            let body = kind
                .replace("Do it.", &format!("Do {task}."))
                .replace("test -f out", &format!("test -f out{task}"));
            (format!("T{title}"), format!("{named}{body}{extra}"))
        };
        steps.into_iter().map(step).collect()
    })
}

fn text(bodies: &[(String, String)]) -> String {
    let steps: Vec<_> = bodies
        .iter()
        .map(|(title, body)| (title.as_str(), body.as_str()))
        .collect();
    plan(&steps)
}

fn ends() -> impl Strategy<Value = Vec<ProcessEnd>> {
    let one = prop_oneof![3 => Just(ProcessEnd::Exited(0)), 2 => Just(ProcessEnd::Exited(1))];
    proptest::collection::vec(one, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any two plans, any luck, any moment.
    #[test]
    fn completed_unchanged_steps_stay_completed_and_nothing_else_is(
        plans in proptest::collection::vec(bodies(), 2..4),
        contracts in ends(),
        actions in 0..20_usize,
        cut in any::<bool>(),
    ) {
        let outcomes = Outcomes { contracts: contracts.into(), ..Outcomes::default() };
        let mut story = Story::new(&text(&plans[0]), outcomes);
        for next in &plans[1..] {
            story = story.play(actions);
            if story.world.run.outcome().is_some() {
                break;
            }
            story.world.step(cut);
            if story.world.run.outcome().is_some() {
                break;
            }
            story.world.crash_under(story.replayed());
            let old = story.world.run.clone();
            story.replan(&text(next));
            let new = &story.world.run;
            for (at, from) in pairs(old.plan(), new.plan()).into_iter().enumerate() {
                let (is, state) = new.step(at).expect("a step");
                let stays = from.and_then(|from| old.step(from)).is_some_and(|(was, before)| {
                    before.status == StepStatus::Completed && definition_hash(was) == definition_hash(is)
                });
                prop_assert_eq!(state.status == StepStatus::Completed, stays, "{}", is.id);
                prop_assert_eq!(state.outcome.evidence.is_some(), stays);
            }
            prop_assert_eq!(format!("{:?}", story.replayed()), format!("{new:?}"));
        }
        story.world.play();
        story.no_number_twice();
        prop_assert_eq!(format!("{:?}", story.replayed()), format!("{:?}", story.world.run));
    }
}
