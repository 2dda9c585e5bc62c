//! A plan is run again: what is unchanged and still holds is kept with its evidence, and only the rest is done.

use std::fmt::Write as _;

use serde_json::json;
use signoff_engine::{
    AcceptAt, AgentReports, CallEnd, Choice, EarlierStep, Event, Grade, Input, Outcome, ProcessEnd,
    Redo, RedoReason, Run, RunReason, RunStart, StepForecast, StepStatus, add_older_calls, apply,
    earlier_steps, forecast,
};

use crate::world::{AGENT, CHECK, Outcomes, UNVERIFIED, World, signed};

const GREEN: ProcessEnd = ProcessEnd::Exited(0);
const READ: &str =
    "**id:** read\n**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
const ASK: &str = "**ask:** Which one?\n";

/// A plan of steps with these titles.
fn plan(steps: &[(&str, &str)]) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Title\n\n## Steps\n".to_owned();
    for (at, (title, body)) in steps.iter().enumerate() {
        write!(text, "\n### {}. {title}\n\n{body}\n", at + 1).expect("a string takes everything");
    }
    text
}

/// A world that has come to its end; questions are answered with `this`, and work is accepted.
fn done(text: &str, outcomes: Outcomes) -> World {
    let mut world = World::accepting(AcceptAt::End, text, outcomes);
    finish(&mut world);
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    world
}

fn finish(world: &mut World) {
    loop {
        world.play();
        let item = world.run.items().next().cloned();
        let Some(item) = item else {
            return;
        };
        let reply = item.choices.contains(&Choice::Reply);
        world.record(Input::Answer {
            item: item.id,
            steps: Vec::new(),
            choice: if reply { Choice::Reply } else { Choice::Accept },
            note: reply.then(|| "this".to_owned()),
            by: "ann".to_owned(),
        });
    }
}

fn known(last: &World, text: &str, redo: Redo) -> Vec<(String, EarlierStep)> {
    earlier_steps(&last.run, signed(text).plan(), redo)
}

/// The next run of the plan, which begins with what the last one knows.
fn again(last: &World, text: &str, outcomes: Outcomes) -> World {
    started(last, text, outcomes, known(last, text, Redo::Changed))
}

fn started(
    last: &World,
    text: &str,
    outcomes: Outcomes,
    earlier: Vec<(String, EarlierStep)>,
) -> World {
    let settings = last.run.settings().clone();
    let mut world = World::accepting(AcceptAt::End, text, outcomes);
    world.run = Run::new(signed(text));
    world.events.clear();
    world.record(Input::Start(RunStart {
        planning: Vec::new(),
        run: format!("{}-again", last.run.id()),
        plan: "plan.md".to_owned(),
        path: "plan.md".to_owned(),
        digest: "d".to_owned(),
        terms: "t".to_owned(),
        settings,
        earlier,
    }));
    world
}

fn green_before(count: usize) -> Outcomes {
    Outcomes {
        baselines: vec![GREEN; count].into(),
        ..Outcomes::default()
    }
}

/// The steps whose agents or tools started.
fn worked(world: &World) -> Vec<&str> {
    let events = world.events.iter().map(|recorded| &recorded.event);
    let started = events.filter_map(|event| match event {
        Event::AttemptStarted { step, .. } => Some(step.as_str()),
        _ => None,
    });
    started.collect()
}

/// From where each step was kept.
fn kept(world: &World) -> Vec<Option<&str>> {
    let steps = world.run.steps();
    let facts = steps.map(|(_, step)| step.outcome.facts());
    facts
        .map(|facts| facts.and_then(|facts| facts.kept_from.as_deref()))
        .collect()
}

fn grades(world: &World) -> Vec<Option<Grade>> {
    let steps = world.run.steps();
    steps.map(|(_, step)| step.outcome.grade()).collect()
}

#[test]
fn what_still_holds_is_kept_with_its_evidence() {
    let text = plan(&[
        ("One", AGENT),
        ("Ask", ASK),
        ("Read", READ),
        ("Two", UNVERIFIED),
    ]);
    let first = done(&text, Outcomes::default());
    let mut second = again(&first, &text, green_before(1));
    second.play();
    assert_eq!(second.run.outcome(), Some(Outcome::Completed));
    assert_eq!(worked(&second), Vec::<&str>::new());
    assert_eq!(kept(&second), [Some("run"); 4]);
    assert_eq!(grades(&second), grades(&first));
    assert_eq!(grades(&second)[0], Some(Grade::Proved));

    // From the run that did it, however often it is kept.
    let mut third = again(&second, &text, green_before(1));
    third.play();
    assert_eq!(kept(&third), [Some("run"); 4]);
}

/// Without an id a step is known by its title, and the mark of the last run stays where it was.
#[test]
fn a_step_that_was_written_anew_is_not_done_because_the_last_run_marked_it() {
    let free = format!("**depends_on:** none\n{AGENT}");
    let text = plan(&[("One", &free), ("Two", &free)]);
    let first = done(&text, Outcomes::default());
    let [anew, other] = ["Do it well.", "Do more."].map(|task| free.replace("Do it.", task));
    // The second is also moved behind a new one.
    for steps in [
        vec![("✅ First", &*anew), ("✅ Two", &free)],
        vec![("New", &*other), ("✅ First", &anew), ("✅ Two", &free)],
    ] {
        let after = plan(&steps);
        let known = known(&first, &after, Redo::Changed);
        let forecast = forecast(signed(&after).plan(), &known);
        let is_new = |step: &StepForecast| *step == StepForecast::Runs(RunReason::New);
        assert_eq!(
            forecast.iter().filter(|one| is_new(one)).count(),
            steps.len() - 2
        );
        let mut second = again(&first, &after, green_before(3));
        second.play();
        let expected = ["step-1", "step-2"];
        assert_eq!(worked(&second), expected[..steps.len() - 1]);
        assert_eq!(kept(&second).last(), Some(&Some("run")));
    }
    // What its author marks without any such step is still a claim.
    let after = plan(&[("One", &free), ("Two", &free), ("✅ Third", &anew)]);
    let mut second = again(&first, &after, green_before(3));
    second.play();
    assert_eq!(worked(&second), Vec::<&str>::new());
}

#[test]
fn what_does_not_hold_any_more_is_done_again_with_what_depends_on_it() {
    let apart = format!("**depends_on:** none\n{AGENT}");
    let text = plan(&[("One", AGENT), ("Two", UNVERIFIED), ("Apart", &apart)]);
    let first = done(&text, Outcomes::default());
    let outcomes = Outcomes {
        baselines: [ProcessEnd::Exited(1), GREEN].into(),
        ..Outcomes::default()
    };
    let mut second = again(&first, &text, outcomes);
    finish(&mut second);
    assert_eq!(second.run.outcome(), Some(Outcome::Completed));
    assert_eq!(worked(&second), ["step-1", "step-2"]);
    assert_eq!(kept(&second), [None, None, Some("run")]);
}

#[test]
fn an_edited_step_runs_with_what_depends_on_it_and_nothing_else() {
    let ids = |two: &str| {
        plan(&[
            (
                "One",
                &format!("**id:** one\n**depends_on:** none\n{AGENT}"),
            ),
            ("Two", &format!("**id:** two\n**depends_on:** none\n{two}")),
            (
                "Three",
                &format!("**id:** three\n**depends_on:** two\n{AGENT}"),
            ),
            ("Four", &format!("**id:** four\n**depends_on:** one\n{ASK}")),
        ])
    };
    let before = ids(AGENT);
    let first = done(&before, Outcomes::default());
    for after in [
        ids(&AGENT.replace("Do it.", "Do it well.")),
        ids(&format!("{AGENT}**accept:**\n- it is well\n")),
    ] {
        let expected = [
            StepForecast::Kept {
                run: "run".to_owned(),
            },
            StepForecast::Runs(RunReason::Again(RedoReason::Changed)),
            StepForecast::Runs(RunReason::DependsOn("two".to_owned())),
            StepForecast::Kept {
                run: "run".to_owned(),
            },
        ];
        let known = known(&first, &after, Redo::Changed);
        assert_eq!(forecast(signed(&after).plan(), &known), expected);
        // The marks in the file are those of the first run, not claims of its author.
        let marked = after.replace("### 2. Two", "### 2. ✅ Two");
        let mut second = again(&first, &marked, green_before(3));
        second.play();
        assert_eq!(second.run.outcome(), Some(Outcome::Completed));
        assert_eq!(worked(&second), ["two", "three"]);
        assert_eq!(kept(&second), [Some("run"), None, None, Some("run")]);
    }
}

#[test]
fn values_are_kept_too() {
    let uses = |path: &str| {
        format!(
            "**id:** use\n**tool:** read_file\n**args:**\n```json\n{{\"path\": \"{path}\"}}\n```\n"
        )
    };
    let calls = |value: &str| Outcomes {
        calls: [CallEnd::Done(json!({ "content": value }))].into(),
        ..Outcomes::default()
    };
    let first = done(&plan(&[("Read", READ), ("Use", &uses("b"))]), calls("c"));
    let after = plan(&[("Read", READ), ("Use", &uses("$read.content"))]);
    let mut second = again(&first, &after, Outcomes::default());
    second.play();
    let called = second
        .events
        .iter()
        .find_map(|recorded| match &recorded.event {
            Event::CallStarted { step, call, .. } => Some((step.as_str(), call.args.clone())),
            _ => None,
        });
    assert_eq!(called, Some(("use", json!({ "path": "c" }))));
}

#[test]
fn what_was_taken_back_is_done_again_unless_its_contract_holds() {
    let text = plan(&[("One", AGENT), ("Ask", ASK), ("Two", UNVERIFIED)]);
    let mut first = done(&text, Outcomes::default());
    first.record(Input::Undo {
        by: "ann".to_owned(),
    });
    let known = known(&first, &text, Redo::Changed);
    let reasons: Vec<_> = known.iter().map(|(_, earlier)| earlier.again).collect();
    assert_eq!(reasons, [None, None, Some(RedoReason::NotInCheckout)]);
    let mut second = again(&first, &text, green_before(1));
    finish(&mut second);
    assert_eq!(worked(&second), ["step-3"]);
    let mut second = again(&first, &text, Outcomes::default());
    finish(&mut second);
    assert_eq!(worked(&second), ["step-1", "step-3"]);
}

#[test]
fn everything_is_done_again_if_a_person_wants_it() {
    let text = plan(&[("One", AGENT), ("Ask", ASK)]);
    let first = done(&text, Outcomes::default());
    let known = known(&first, &text, Redo::Everything);
    let mut second = started(&first, &text, green_before(1), known);
    second.play();
    assert_eq!(worked(&second), ["step-1"]);
    assert_eq!(second.run.status_of(1), StepStatus::Waiting);
}

#[test]
fn a_check_that_passes_again_changes_nothing_for_others() {
    let text = plan(&[("Check", CHECK), ("One", AGENT)]);
    let first = done(&text, Outcomes::default());
    let mut second = again(&first, &text, green_before(1));
    second.play();
    assert_eq!(kept(&second), [None, Some("run")]);
    let other = plan(&[("Check", &CHECK.replace("out", "other")), ("One", AGENT)]);
    let mut second = again(&first, &other, green_before(1));
    second.play();
    assert_eq!(kept(&second), [None, None]);
}

#[test]
fn items_of_a_loop_are_kept_one_by_one() {
    let list =
        "**id:** list\n**tool:** list_directory\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
    let each = "**id:** each\n**target:** coder\n**task:**\nDo {{ item }}.\n\n**contract:**\n```shell\ntest -f out\n```\n**for_each:** steps[\"list\"].output.list\n";
    let after = format!("**id:** after\n**depends_on:** each\n{AGENT}");
    let text = plan(&[("List", list), ("Each", each), ("After", &after)]);
    let listed = |items: &[&str]| Outcomes {
        calls: [CallEnd::Done(json!({ "list": items }))].into(),
        baselines: vec![GREEN; 4].into(),
        ..Outcomes::default()
    };
    let first = done(&text, listed(&["a", "b"]));
    let mut same = again(&first, &text, listed(&[]));
    same.play();
    assert_eq!(worked(&same), Vec::<&str>::new());
    assert_eq!(kept(&same), [Some("run"); 5]);

    // The list is made anew, so that everything which rests on it is done again.
    let other = text.replace("\"path\": \"a\"", "\"path\": \"b\"");
    let mut second = again(&first, &other, listed(&["a", "c"]));
    second.play();
    assert_eq!(worked(&second), ["list", "each[0]", "each[1]", "after"]);

    // The loop depends on nothing that runs; one of its items is another.
    let fixed = |items: &str| {
        let params = format!("params:\n  list: {items}\n---\n\n# Title");
        let text = plan(&[
            (
                "Each",
                &each.replace("steps[\"list\"].output.list", "params.list"),
            ),
            ("After", &after),
        ]);
        text.replace("---\n\n# Title", &params)
    };
    let first = done(&fixed("[a, b]"), Outcomes::default());
    let mut second = again(&first, &fixed("[a, c]"), green_before(3));
    second.play();
    assert_eq!(worked(&second), ["each[1]", "after"]);
    assert_eq!(kept(&second), [None, Some("run"), None, None]);
}

#[test]
fn a_run_that_did_not_reach_a_loop_passes_on_what_is_known_of_its_items() {
    let each = "**id:** each\n**tool:** read_file\n**args:**\n```json\n{\"path\": \"p{{ item }}\"}\n```\n**for_each:** [1, 2]\n";
    let text = plan(&[("One", AGENT), ("Each", each)]);
    let first = done(&text, careful());
    let edited = text.replace("Do it.", "Do it well.");
    let second = again(&first, &edited, careful());
    // It stopped at once.
    let third = known(&second, &edited, Redo::Changed);
    let calls = third.iter().filter(|(_, earlier)| earlier.call.is_some());
    assert_eq!(calls.count(), 2, "{third:#?}");
    let mut third = started(&second, &edited, careful(), third);
    third.play();
    assert_eq!(worked(&third), ["step-1"]);
    assert_eq!(third.run.items().count(), 2);
}

#[test]
fn a_run_that_did_not_reach_a_step_passes_on_what_is_known_of_it() {
    let before = plan(&[
        ("One", AGENT),
        ("Ask", ASK),
        ("Last", &format!("**depends_on:** none\n{ASK}")),
    ]);
    let after = before.replace("Do it.", "Do it well.");
    let first = done(&before, Outcomes::default());
    let mut second = again(&first, &after, Outcomes::default());
    while !worked(&second).contains(&"step-1") {
        assert!(second.step(false));
    }
    // It stopped there, and was given up.
    let third = known(&second, &after, Redo::Changed);
    let reasons: Vec<_> = third
        .iter()
        .map(|(id, earlier)| (id.as_str(), earlier.again))
        .collect();
    assert_eq!(reasons[0], ("step-1", Some(RedoReason::Unfinished)));
    second.play();
    let reasons: Vec<_> = known(&second, &after, Redo::Changed);
    assert_eq!(reasons[0].1.again, None);
    // The question rests on what was done anew, and was not asked again yet.
    assert_eq!(reasons[1].1.again, Some(RedoReason::Outdated));
    assert_eq!(
        (reasons[2].1.run.as_str(), reasons[2].1.again),
        ("run", None)
    );
}

#[test]
fn a_crash_after_any_event_keeps_the_same_steps() {
    let text = plan(&[("One", AGENT), ("Ask", ASK), ("Two", AGENT), ("Read", READ)]);
    let first = done(&text, Outcomes::default());
    let whole = {
        let mut world = again(&first, &text, green_before(2));
        world.play();
        world
    };
    for cut in 6..whole.events.len() {
        let mut world = whole.cut(cut, green_before(2));
        world.crash();
        world.play();
        assert_eq!(kept(&world), kept(&whole), "after {cut} events");
        assert_eq!(worked(&world), Vec::<&str>::new(), "after {cut} events");
    }
    let mut replayed = Run::new(signed(&text));
    for recorded in &whole.events {
        apply(&mut replayed, recorded);
    }
    assert_eq!(format!("{replayed:?}"), format!("{:?}", whole.run));
}

#[test]
fn a_new_version_during_the_second_run_keeps_from_the_first() {
    let text = plan(&[("One", AGENT), ("Two", AGENT), ("Three", AGENT)]);
    let first = done(&text, Outcomes::default());
    let mut second = again(&first, &text, green_before(9));
    // It stops before anything is kept, and goes on under a version with another last step.
    second.record(Input::Resume {
        by: "ann".to_owned(),
        reports: AgentReports::new(),
    });
    let next = plan(&[
        ("One", AGENT),
        ("Two", AGENT),
        ("Three", &AGENT.replace("Do it.", "Do it well.")),
    ]);
    second.run.offer_plan(signed(&next));
    let settings = second.run.settings().clone();
    second.record(Input::Replan {
        planning: Vec::new(),
        snapshot: "plan-2.md".to_owned(),
        settings,
        plan: None,
    });
    second.play();
    assert_eq!(worked(&second), ["step-3"]);
    assert_eq!(kept(&second), [Some("run"), Some("run"), None]);
}

const PUBLISH: &str =
    "**id:** publish\n**tool:** run_command\n**args:**\n```json\n{\"command\": \"publish\"}\n```\n";

fn careful() -> Outcomes {
    Outcomes {
        careful: true,
        ..Outcomes::default()
    }
}

/// What is asked about a call that was made in an earlier run.
fn asked_again(world: &World) -> (String, Vec<Choice>) {
    let item = world.run.items().next().expect("an item is open");
    (item.question.clone(), item.choices.clone())
}

fn answer(world: &mut World, choice: Choice) {
    let item = world.run.items().next().expect("an item is open");
    world.record(Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice,
        note: None,
        by: "ann".to_owned(),
    });
}

#[test]
fn a_call_that_cannot_be_made_twice_is_made_again_only_by_a_person() {
    let text = plan(&[("One", AGENT), ("Publish", PUBLISH)]);
    let first = done(&text, careful());
    // Nothing changed: it is kept.
    let mut kept_all = again(&first, &text, green_before(1));
    kept_all.play();
    assert_eq!(kept(&kept_all), [Some("run"); 2]);

    let edited = text.replace("Do it.", "Do it well.");
    let everything = known(&first, &text, Redo::Everything);
    let after_undo = {
        let mut undone = done(&text, careful());
        undone.record(Input::Undo {
            by: "ann".to_owned(),
        });
        known(&undone, &text, Redo::Changed)
    };
    for (text, earlier, why) in [
        (
            &edited,
            known(&first, &edited, Redo::Changed),
            "what it depends on",
        ),
        (&text, everything, "everything is to be done again"),
        (&text, after_undo, "not in the checkout"),
    ] {
        let mut second = started(&first, text, careful(), earlier.clone());
        second.performer.outcomes.baselines = [GREEN].into();
        second.play();
        let (question, choices) = asked_again(&second);
        assert!(question.contains(why), "{question}");
        assert!(question.contains("Run run did"), "{question}");
        assert_eq!(
            choices,
            [Choice::Approve, Choice::Accept, Choice::Skip, Choice::Abort]
        );
        assert!(!worked(&second).contains(&"publish"));
        // Its result stays.
        let mut accepted = again(&first, text, careful());
        std::mem::swap(&mut accepted, &mut second);
        answer(&mut accepted, Choice::Accept);
        accepted.play();
        assert_eq!(accepted.run.outcome(), Some(Outcome::Completed));
        assert!(!worked(&accepted).contains(&"publish"));
        assert_eq!(kept(&accepted)[1], Some("run"));
        assert!(
            accepted
                .run
                .steps()
                .nth(1)
                .is_some_and(|(_, step)| step.values.output.is_some())
        );
        // Or it is made again.
        let mut approved = started(&first, text, careful(), earlier);
        approved.play();
        answer(&mut approved, Choice::Approve);
        approved.play();
        assert_eq!(approved.run.outcome(), Some(Outcome::Completed));
        assert!(worked(&approved).contains(&"publish"));
        assert_eq!(kept(&approved)[1], None);
    }
}

#[test]
fn a_call_of_a_run_that_failed_is_known_to_the_next_one() {
    let judged =
        format!("{PUBLISH}**contract:**\n```shell\ntest -f out\n```\n**on_fail:** abort\n");
    let text = plan(&[("Publish", &judged)]);
    let mut first = World::accepting(
        AcceptAt::End,
        &text,
        Outcomes {
            contracts: [ProcessEnd::Exited(1)].into(),
            ..careful()
        },
    );
    first.play();
    let known = known(&first, &text, Redo::Everything);
    assert!(
        known.iter().any(|(_, earlier)| earlier.call.is_some()),
        "{known:?}"
    );
    let mut second = started(&first, &text, careful(), known);
    second.play();
    assert_eq!(worked(&second), Vec::<&str>::new());
    assert!(asked_again(&second).1.contains(&Choice::Fixed));
}

#[test]
fn a_call_that_was_changed_and_signed_is_made() {
    let text = plan(&[("Publish", PUBLISH)]);
    let first = done(&text, careful());
    let edited = text.replace("\"publish\"", "\"publish --fixed\"");
    let mut second = again(&first, &edited, careful());
    second.play();
    assert_eq!(worked(&second), ["publish"]);
}

/// Another contract is no other call.
#[test]
fn a_call_that_is_only_judged_differently_is_asked_about() {
    let text = plan(&[("Publish", PUBLISH)]);
    let first = done(&text, careful());
    let judged = format!("{PUBLISH}**contract:**\n```shell\ntrue\n```\n");
    let edited = plan(&[("Publish", &judged)]);
    let mut second = again(&first, &edited, careful());
    second.play();
    assert_eq!(worked(&second), Vec::<&str>::new());
    let (question, _) = asked_again(&second);
    assert!(question.contains("publish"), "{question}");
}

/// A plan that pays each of these, and the outcomes of a tool that must not be called twice.
fn paying(list: &str) -> String {
    let each = format!(
        "**id:** each\n**tool:** run_command\n**args:**\n```json\n{{\"command\": \"pay {{{{ item }}}}\"}}\n```\n**for_each:** {list}\n"
    );
    plan(&[("Each", &each)])
}

/// The commands that were run.
fn called(world: &World) -> Vec<String> {
    let events = world.events.iter().map(|recorded| &recorded.event);
    let calls = events.filter_map(|event| match event {
        Event::CallStarted { call, .. } => call.args["command"].as_str().map(str::to_owned),
        _ => None,
    });
    calls.collect()
}

#[test]
fn items_of_a_loop_are_known_by_their_value_wherever_they_stand() {
    let first = done(&paying("[1, 2]"), careful());
    assert_eq!(called(&first), ["pay 1", "pay 2"]);
    for (list, expected) in [
        ("[0, 1, 2, 3]", &["pay 0", "pay 3"][..]),
        ("[2]", &[]),
        ("[2, 1]", &[]),
        ("[2, 1, 1]", &["pay 1"]),
    ] {
        let mut second = again(&first, &paying(list), careful());
        second.play();
        assert_eq!(second.run.outcome(), Some(Outcome::Completed), "{list}");
        assert_eq!(called(&second), expected, "{list}");
    }
    // An item that was taken out and comes back is asked about.
    let mut second = again(&first, &paying("[2]"), careful());
    second.play();
    let mut same = again(&second, &paying("[2]"), careful());
    same.play();
    assert_eq!(kept(&same)[0], Some("run-again"), "nothing changed since");
    let mut third = again(&second, &paying("[2, 1]"), careful());
    third.play();
    assert_eq!(called(&third), Vec::<String>::new());
    let (question, _) = asked_again(&third);
    assert!(question.contains("pay 1"), "{question}");
}

#[test]
fn another_item_that_makes_the_same_call_is_asked_about() {
    let text = |list: &str| paying(list).replace("{{ item }}", "{{ item.to }}");
    let first = done(&text(r#"[{"to": "ann", "why": "a"}]"#), careful());
    let mut second = again(&first, &text(r#"[{"to": "ann", "why": "b"}]"#), careful());
    second.play();
    assert_eq!(called(&second), Vec::<String>::new());
    assert_eq!(second.run.items().count(), 1);
}

#[test]
fn items_that_were_never_done_are_no_claims_of_the_author() {
    let first = done(&paying("[1]"), careful());
    let marked = paying("[1, 2]").replace("### 1. Each", "### 1. ✅ Each");
    let mut second = again(&first, &marked, careful());
    second.play();
    let claims = second
        .run
        .steps()
        .filter_map(|(_, step)| step.outcome.facts());
    assert!(claims.into_iter().all(|facts| !facts.claimed));
}

#[test]
fn a_forecast_tells_the_items_of_a_loop_apart() {
    let first = done(&paying("[1, 2]"), careful());
    let expect = |list: &str| {
        let text = paying(list);
        forecast(signed(&text).plan(), &known(&first, &text, Redo::Changed))
    };
    let run = "run".to_owned();
    assert_eq!(
        expect("[0, 1, 2]"),
        [StepForecast::Partly {
            run: run.clone(),
            kept: vec![json!(1), json!(2)],
            runs: vec![json!(0)],
        }]
    );
    assert_eq!(expect("[1, 2]"), [StepForecast::Kept { run }]);
}

/// Of a run whose record is gone only the loop as a whole is known.
#[test]
fn a_call_that_may_have_been_made_for_a_loop_is_asked_about_for_each_item() {
    let first = done(&paying("[1]"), careful());
    let made = known(&first, &paying("[1]"), Redo::Changed);
    let call = made.iter().find_map(|(_, earlier)| earlier.call.clone());
    let lost = EarlierStep::unknown("lost", call.expect("it called"));
    let earlier = vec![("each".to_owned(), lost)];
    let mut second = started(&first, &paying("[1, 2]"), careful(), earlier);
    second.play();
    assert_eq!(called(&second), Vec::<String>::new());
    assert_eq!(second.run.items().count(), 2);
}

#[test]
fn a_call_of_a_run_before_the_last_one_is_found_by_its_definition() {
    let text = plan(&[("Publish", PUBLISH)]);
    let other = text.replace("\"publish\"", "\"publish --fixed\"");
    let first = done(&text, careful());
    let mut second = again(&first, &other, careful());
    second.play();
    let mut steps = known(&second, &text, Redo::Changed);
    assert!(steps.iter().all(|(_, earlier)| earlier.call.is_none()));
    add_older_calls(&mut steps, &first.run, signed(&text).plan());
    let mut third = started(&second, &text, careful(), steps);
    third.play();
    assert_eq!(called(&third), Vec::<String>::new());
    let (question, _) = asked_again(&third);
    assert!(
        question.contains("a later run did something else"),
        "{question}"
    );
    // What the last run itself did under this definition counts.
    let mut steps = known(&second, &other, Redo::Changed);
    let before = steps.clone();
    add_older_calls(&mut steps, &first.run, signed(&other).plan());
    assert_eq!(steps, before);
}

/// A journal that was cut has no trace of a call; another witness has.
#[test]
fn a_call_that_the_journal_lost_is_asked_about() {
    let text = plan(&[("Publish", PUBLISH)]);
    let whole = done(&text, careful());
    let made = known(&whole, &text, Redo::Changed);
    let call = made.iter().find_map(|(_, earlier)| earlier.call.clone());
    let lost = EarlierStep::unknown("run", call.expect("it called"));
    for cut in 1..whole.events.len() {
        let mut world = whole.cut(cut, careful());
        if !called(&world).is_empty() {
            break;
        }
        world.record(Input::LostCalls(vec![("publish".to_owned(), lost.clone())]));
        world.crash();
        world.play();
        assert_eq!(called(&world), Vec::<String>::new(), "after {cut} events");
        let events: Vec<_> = world
            .events
            .iter()
            .map(|recorded| &recorded.event)
            .collect();
        assert_eq!(world.run.items().count(), 1, "after {cut}: {events:#?}");
    }
}

/// Nothing is under way or still to come in a run that has ended or was given up.
#[test]
fn steps_of_a_run_that_does_not_go_on_have_ended() {
    let asks = format!("**on_fail:** escalate\n{AGENT}");
    let text = plan(&[("One", &asks), ("Two", AGENT)]);
    let red = Outcomes {
        contracts: vec![ProcessEnd::Exited(1); 9].into(),
        ..Outcomes::default()
    };
    let mut world = World::accepting(AcceptAt::End, &text, red);
    world.play();
    assert_eq!(world.run.items().count(), 1);
    let shown = |run: &Run| {
        [
            run.displayed_status(0, false),
            run.displayed_status(1, false),
        ]
    };
    let mut given_up = world.run.clone();
    given_up.give_up();
    assert_eq!(shown(&given_up), [StepStatus::Failed, StepStatus::Skipped]);
    world.record(Input::Abort {
        by: "ann".to_owned(),
        reports: AgentReports::new(),
    });
    assert_eq!(shown(&world.run), [StepStatus::Failed, StepStatus::Blocked]);
}
