//! Tokens and money: what is counted, when a person is asked, and which agents are stopped.

use std::collections::BTreeMap;

use proptest::prelude::*;
use signoff_engine::{
    AcceptAt, Action, AgentReport, Choice, Cost, Event, Input, LiveUsage, ModelUsage, Outcome,
    ProcessEnd, Run, StepStatus, TokenUsage, agents_over_budget, apply, due,
};

use crate::world::{AGENT, Outcomes, UNVERIFIED, World, plan_text};

fn limited(budget: &str, steps: &[&str]) -> String {
    plan_text(steps).replace("**Budget:** 1h", &format!("**Budget:** {budget}"))
}

fn used(tokens: u64, usd_e6: Option<u64>) -> ModelUsage {
    ModelUsage {
        model: Some("m1".to_owned()),
        output_tokens: tokens,
        usd_e6,
        ..ModelUsage::default()
    }
}

fn report(usage: ModelUsage) -> AgentReport {
    AgentReport {
        driver: "claude".to_owned(),
        usage: vec![usage],
        ..AgentReport::default()
    }
}

fn reports(all: &[(u64, Option<u64>)]) -> Outcomes {
    let all = all.iter();
    Outcomes {
        reports: all
            .map(|&(tokens, usd)| report(used(tokens, usd)))
            .collect(),
        ..Outcomes::default()
    }
}

/// What a person is asked.
fn question(world: &World) -> String {
    let item = world.run.items().next().expect("an item is open");
    item.question.clone()
}

fn allow(world: &mut World) {
    let item = world.run.items().next().expect("an item is open");
    world.record(Input::Answer {
        item: item.id.clone(),
        steps: Vec::new(),
        choice: Choice::Allow,
        note: None,
        by: "ann".to_owned(),
    });
}

fn replay(world: &World) -> Run {
    let mut run = Run::new(world.run.signed_plan().clone());
    for recorded in &world.events {
        apply(&mut run, recorded);
    }
    run
}

/// Starts every agent that may start, and lets none of them end.
fn start_agents(world: &mut World) {
    while let Some(action) = due(&world.run, world.now, &world.bounds).first().cloned() {
        let is_agent = matches!(action, Action::Dispatch { .. });
        world.perform(action, is_agent);
    }
}

#[test]
fn what_agents_report_is_summed_by_step_agent_and_model() {
    let mut outcomes = reports(&[(1000, Some(10)), (200, Some(20)), (30, None)]);
    outcomes.contracts = vec![ProcessEnd::Exited(1)].into();
    outcomes.reports[2].usage[0].model = None;
    let retried = format!("{AGENT}**on_fail:** retry(1), then abort\n");
    let mut world = World::new(&limited("1h", &[&retried, AGENT]), outcomes);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let usage = world.run.token_usage();
    assert_eq!(
        (usage.tokens(), usage.cost()),
        (1230, Some(Cost::AtLeast(30)))
    );
    let (_, first) = world.run.step(0).expect("it is there");
    assert_eq!(first.usage.total.tokens(), 1200);
    assert_eq!(first.usage.total.cost(), Some(Cost::Known(30)));
    assert_eq!(first.usage.model.as_deref(), Some("m1"));
    let spent = first.outcome.facts().and_then(|facts| facts.spent);
    assert_eq!(spent.map(|spent| spent.tokens), Some(1200));
    let role = first.usage.agent.clone().expect("an agent worked");
    let by_agent = &world.run.usage_sums().by_agent;
    assert_eq!(by_agent[&role].tokens(), 1230);
    let by_model = &world.run.usage_sums().by_model;
    assert_eq!(by_model[&Some("m1".to_owned())].tokens(), 1200);
    assert_eq!(by_model[&None].cost(), Some(Cost::Unknown));
}

#[test]
fn what_an_attempt_used_that_was_cut_off_counts() {
    for stops in [true, false] {
        let mut world = World::new(&limited("1h", &[AGENT]), reports(&[(5, Some(1))]));
        world.perform(Action::Baseline { step: 0 }, false);
        let dispatch = Action::Dispatch {
            step: 0,
            attempt: 1,
        };
        world.perform(dispatch, true);
        let reports = || BTreeMap::from([(0, report(used(700, Some(7))))]);
        if stops {
            world.record(Input::Stop {
                trouble: None,
                reports: reports(),
            });
        }
        let by = "ann".to_owned();
        world.record(Input::Resume {
            by,
            reports: reports(),
        });
        assert_eq!(world.run.token_usage().tokens(), 700, "stops: {stops}");
        let (_, step) = world.run.step(0).expect("it is there");
        assert_eq!(step.usage.total.usd_e6, 7);
    }
}

#[test]
fn the_mean_of_done_steps_must_fit() {
    let text = limited("100k tokens", &[AGENT, AGENT, AGENT]);
    let mut world = World::new(&text, reports(&[(60_000, None), (30_000, None)]));
    world.play();
    assert_eq!(
        question(&world),
        "budget too small for step `step-2`: 40k of 100k tokens are left, and it uses about 60k tokens \
         (the mean of the agent steps that are done); 2 agent steps remain; `allow` grants 100k tokens more"
    );
    allow(&mut world);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_plan_that_used_up_its_budget_asks() {
    let text = limited("$1.50", &[AGENT, AGENT]);
    let mut world = World::new(&text, reports(&[(9, Some(1_520_000)), (9, Some(1))]));
    world.play();
    assert_eq!(
        question(&world),
        "budget used up: $1.52 of $1.50 used, 1 agent step remains; `allow` grants $1.50 more"
    );
    allow(&mut world);
    world.play();
    // The mean of the first step does not fit into what was granted.
    assert!(question(&world).contains("$1.48 of $3.00 are left"));
    allow(&mut world);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn all_attempts_of_a_step_count_against_its_limit() {
    let step = format!("{AGENT}**on_fail:** retry(3), then abort\n**budget:** 50k tokens\n");
    let mut outcomes = reports(&[(30_000, None), (22_000, None), (1, None)]);
    outcomes.contracts = vec![ProcessEnd::Exited(1); 2].into();
    let mut world = World::new(&limited("1h", &[&step]), outcomes);
    world.play();
    assert_eq!(world.run.agents_started(), 2);
    assert_eq!(
        question(&world),
        "budget of step `step-1` used up: 52k of 50k tokens used; `allow` grants 50k tokens more"
    );
    allow(&mut world);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn what_a_person_allows_a_step_extends_no_other_limit() {
    let step = format!("{AGENT}**on_fail:** retry(3), then abort\n**budget:** 50k tokens\n");
    let mut outcomes = reports(&[(60_000, None), (60_000, None)]);
    outcomes.contracts = vec![ProcessEnd::Exited(1); 2].into();
    let mut world = World::new(&limited("100k tokens", &[&step]), outcomes);
    world.play();
    assert!(question(&world).starts_with("budget of step"));
    allow(&mut world);
    world.play();
    // 40k are left of the plan's, and the step may use 50k.
    assert!(
        question(&world).contains("40k of 100k tokens are left"),
        "{}",
        question(&world)
    );
}

#[test]
fn an_unknown_price_is_asked_about_once_where_dollars_are_limited() {
    let steps = [AGENT, AGENT, AGENT];
    let unpriced = || reports(&[(4000, None), (4000, None), (4000, None)]);
    let mut free = World::new(&limited("1h", &steps), unpriced());
    free.play();
    assert_eq!(free.run.outcome(), Some(Outcome::Completed));
    let mut world = World::new(&limited("$1.50", &steps), unpriced());
    world.play();
    assert_eq!(
        question(&world),
        "the limit of $1.50 cannot be kept: the price of `m1` is not known (4k tokens · cost unknown so far); \
         2 agent steps remain; `allow` goes on without counting what has no price"
    );
    allow(&mut world);
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn agents_that_report_nothing_are_never_asked_about() {
    let mut world = World::new(
        &limited("$1.50, 10 tokens", &[AGENT, AGENT]),
        Outcomes::default(),
    );
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn running_agents_have_reserved_what_they_may_use() {
    let agent = format!("**depends_on:** none\n{AGENT}**budget:** 40k tokens\n");
    let text = limited("100k tokens", &[&agent, &agent, &agent]);
    let mut world = World::in_worktrees(AcceptAt::Step, 3, &text, Outcomes::default());
    start_agents(&mut world);
    assert_eq!(world.run.agents_started(), 2);
    assert_eq!(
        question(&world),
        "budget too small for step `step-3`: 100k of 100k tokens are left and running agents may use 80k tokens of that, \
         and it uses about 40k tokens (its own budget); 3 agent steps remain; `allow` grants 100k tokens more"
    );
    let reserved = world
        .events
        .iter()
        .filter_map(|recorded| match recorded.event {
            Event::BudgetReserved { tokens, usd_e6, .. } => Some((tokens, usd_e6)),
            _ => None,
        });
    assert_eq!(reserved.collect::<Vec<_>>(), [(Some(40_000), None); 2]);
}

#[test]
fn before_a_step_is_done_each_has_an_equal_share() {
    let agent = format!("**depends_on:** none\n{AGENT}");
    let text = limited("90k tokens, $3.00", &[&agent, &agent, &agent]);
    let mut world = World::in_worktrees(AcceptAt::Step, 3, &text, Outcomes::default());
    start_agents(&mut world);
    assert_eq!(world.run.agents_started(), 3);
    let reserved = world
        .events
        .iter()
        .filter_map(|recorded| match recorded.event {
            Event::BudgetReserved { tokens, usd_e6, .. } => Some((tokens, usd_e6)),
            _ => None,
        });
    assert_eq!(
        reserved.collect::<Vec<_>>(),
        [(Some(30_000), Some(1_000_000)); 3]
    );
}

#[test]
fn what_was_done_before_the_limit_is_judged() {
    let stopped = || Outcomes {
        agents: vec![ProcessEnd::OverBudget].into(),
        ..reports(&[(50_000, None)])
    };
    let mut world = World::new(&limited("50k tokens", &[AGENT]), stopped());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
    let (_, step) = world.run.step(0).expect("it is there");
    assert!(step.outcome.facts().is_some_and(|facts| facts.agent_failed));
    // Red after the work, it is tried again, and that needs more budget.
    let mut outcomes = stopped();
    outcomes.contracts = vec![ProcessEnd::Exited(1)].into();
    let retried = format!("{AGENT}**on_fail:** retry(1), then abort\n");
    let mut world = World::new(&limited("50k tokens", &[&retried]), outcomes);
    world.play();
    assert!(question(&world).starts_with("budget used up: 50k of 50k tokens"));
    let reason = world
        .events
        .iter()
        .find_map(|recorded| match &recorded.event {
            Event::RetryScheduled { reason, .. } => Some(reason.clone()),
            _ => None,
        });
    let reason = reason.expect("it was tried again");
    assert!(
        reason.ends_with("; the agent ended: stopped at its budget"),
        "{reason}"
    );
}

#[test]
fn an_agent_that_reports_a_problem_has_failed() {
    let login = || {
        let problem = Some("log in with `claude login`".to_owned());
        let report = AgentReport {
            problem,
            ..report(used(1, None))
        };
        Outcomes {
            reports: vec![report].into(),
            ..Outcomes::default()
        }
    };
    let failed = |text: &str, outcomes: Outcomes| {
        let mut world = World::new(text, outcomes);
        world.play();
        assert_eq!(
            world.run.status_of(0),
            StepStatus::Failed,
            "{:#?}",
            world.story()
        );
        let (_, step) = world.run.step(0).expect("it is there");
        step.outcome.reason.clone().expect("it failed for a reason")
    };
    let abort = |body: &str| limited("1h", &[&format!("{body}**on_fail:** abort\n")]);
    let said = "the agent reported: log in with `claude login`";
    assert_eq!(failed(&abort(UNVERIFIED), login()), said);
    // Green before and after: nothing shows that the agent did its work.
    let mut green = login();
    green.baselines = vec![ProcessEnd::Exited(0)].into();
    assert!(failed(&abort(AGENT), green).starts_with(said));
    let mut red = login();
    red.contracts = vec![ProcessEnd::Exited(1)].into();
    assert!(failed(&abort(AGENT), red).ends_with(said));
    // Red before and green after proves the work.
    let mut world = World::new(&abort(AGENT), login());
    world.play();
    assert_eq!(world.run.outcome(), Some(Outcome::Completed));
}

#[test]
fn agents_are_stopped_at_the_limit_of_their_step_or_all_at_the_plans() {
    let agent = format!("**depends_on:** none\n{AGENT}");
    let small = format!("{agent}**budget:** 10k tokens\n");
    let text = limited("100k tokens, $2.00", &[&small, &agent]);
    let mut world = World::in_worktrees(AcceptAt::Step, 2, &text, Outcomes::default());
    start_agents(&mut world);
    let stopped = |first: (u64, Option<u64>), second: (u64, Option<u64>)| {
        let live = |(tokens, usd_e6)| LiveUsage { tokens, usd_e6 };
        let all = BTreeMap::from([(0, live(first)), (1, live(second))]);
        let over = agents_over_budget(&world.run, &all);
        over.into_iter().map(|one| one.why).collect::<Vec<_>>()
    };
    assert_eq!(stopped((9999, None), (90_000, None)), [""; 0]);
    let own = "step `step-1` used 10k of 10k tokens";
    assert_eq!(stopped((10_000, None), (0, None)), [own]);
    let plan = "the plan used 100k of 100k tokens";
    assert_eq!(stopped((9000, None), (91_000, None)), [plan, plan]);
    let plan = "the plan used $2.00 of $2.00";
    assert_eq!(stopped((1, Some(1_999_000)), (1, Some(1000))), [plan, plan]);
    // Whoever does not work is not stopped.
    let gone = BTreeMap::from([(
        7,
        LiveUsage {
            tokens: u64::MAX,
            usd_e6: None,
        },
    )]);
    assert_eq!(agents_over_budget(&world.run, &gone), []);
}

fn usages() -> impl Strategy<Value = Vec<(u64, Option<u64>)>> {
    let one = (0..80_000_u64, proptest::option::of(0..900_000_u64));
    proptest::collection::vec(one, 0..12)
}

fn ends() -> impl Strategy<Value = Vec<ProcessEnd>> {
    let one = prop_oneof![
        3 => Just(ProcessEnd::Exited(0)),
        2 => Just(ProcessEnd::Exited(1)),
        1 => Just(ProcessEnd::OverBudget),
    ];
    proptest::collection::vec(one, 0..12)
}

fn budget() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("1h"),
        Just("100k tokens"),
        Just("$1.00"),
        Just("50k tokens, $0.50"),
    ]
}

/// Does no sum go down?
fn grows(before: &TokenUsage, after: &TokenUsage) -> bool {
    let sums = |usage: &TokenUsage| {
        let tokens = [
            usage.input_tokens,
            usage.cached_tokens,
            usage.cache_write_tokens,
        ];
        (tokens, usage.output_tokens, usage.usd_e6)
    };
    let (before_sums, after_sums) = (sums(before), sums(after));
    before_sums
        .0
        .iter()
        .zip(after_sums.0)
        .all(|(old, new)| *old <= new)
        && before_sums.1 <= after_sums.1
        && before_sums.2 <= after_sums.2
        && before.has_unknown_cost <= after.has_unknown_cost
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_only_grow_and_replay_gives_the_same(
        (usages, agents, contracts) in (usages(), ends(), ends()),
        budget in budget(),
        cuts in proptest::collection::vec(any::<bool>(), 0..20),
    ) {
        let outcomes = Outcomes {
            agents: agents.into(),
            contracts: contracts.into_iter().filter(|end| *end != ProcessEnd::OverBudget).collect(),
            ..reports(&usages)
        };
        let limited_step = format!("{AGENT}**on_fail:** retry(2), then skip\n**budget:** 40k tokens\n");
        let mut world = World::new(&limited(budget, &[&limited_step, AGENT, AGENT]), outcomes);
        for cut in cuts {
            if !world.step(cut) {
                if world.run.items().next().is_none_or(|item| !item.choices.contains(&Choice::Allow)) {
                    break;
                }
                allow(&mut world);
            } else if cut {
                let live = report(used(1234, Some(56)));
                let reports = (0..3).map(|at| (at, live.clone())).collect();
                world.record(Input::Stop { trouble: None, reports });
                world.crash();
            }
        }
        let mut run = Run::new(world.run.signed_plan().clone());
        for recorded in &world.events {
            let before = run.token_usage();
            apply(&mut run, recorded);
            prop_assert!(grows(&before, &run.token_usage()));
            let mut steps = TokenUsage::default();
            for (_, state) in run.steps() {
                steps.add(state.usage.total);
            }
            prop_assert_eq!(steps, run.token_usage());
        }
        prop_assert_eq!(format!("{:?}", replay(&world)), format!("{:?}", world.run));
    }

    #[test]
    fn agents_are_stopped_above_a_limit_and_never_below(
        first in 0..200_000_u64,
        second in 0..200_000_u64,
        usd in proptest::option::of(0..2_000_000_u64),
    ) {
        let agent = format!("**depends_on:** none\n{AGENT}**budget:** 60k tokens\n");
        let text = limited("120k tokens, $1.00", &[&agent, &agent]);
        let mut world = World::in_worktrees(AcceptAt::Step, 2, &text, Outcomes::default());
        start_agents(&mut world);
        let live = BTreeMap::from([
            (0, LiveUsage { tokens: first, usd_e6: usd }),
            (1, LiveUsage { tokens: second, usd_e6: None }),
        ]);
        let over: Vec<usize> = agents_over_budget(&world.run, &live).iter().map(|one| one.step).collect();
        let of_plan = first + second >= 120_000 || usd.is_some_and(|usd| usd >= 1_000_000);
        let is_over = |tokens: u64| of_plan || tokens >= 60_000;
        let expected: Vec<usize> = [(0, first), (1, second)]
            .into_iter()
            .filter(|(_, tokens)| is_over(*tokens))
            .map(|(at, _)| at)
            .collect();
        prop_assert_eq!(over, expected);
    }
}
