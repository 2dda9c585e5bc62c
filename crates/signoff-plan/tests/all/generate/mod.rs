//! Plans with every field of the model, for laws that must hold in every dialect.
//!
//! `plan()` gives anything; [`Knobs`] narrow it to what a dialect has. What a dialect cannot hold
//! it must name as a loss: [`without_losses`] takes those fields out of a plan.

mod text;

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Map, Value, json};
use signoff_plan::field::{clear_plan, clear_step};
use signoff_plan::model::{
    Budget, Condition, Contract, Depends, FailAction, Hint, OnFail, PLAN_RECORD, Plan,
    RetriedFailures, STEP_RECORD, Step, StepDetails, Subscription, Work,
};
use signoff_plan::write::Loss;

pub(crate) use self::text::{block, line, word};

/// What generated plans may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knobs {
    /// Texts with what means something in a dialect: labels, headings, fences, quotes.
    pub(crate) hard_texts: bool,
    /// Steps that an agent does.
    pub(crate) agents: bool,
    /// Steps that a tool does.
    pub(crate) tools: bool,
    /// Steps that a person answers.
    pub(crate) asks: bool,
    /// Steps that only check.
    pub(crate) checks: bool,
    /// Fields that decide nothing.
    pub(crate) records: bool,
    /// At most so many steps.
    pub(crate) steps: usize,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            hard_texts: true,
            agents: true,
            tools: true,
            asks: true,
            checks: true,
            records: true,
            steps: 5,
        }
    }
}

/// Any plan.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    plan_with(Knobs::default())
}

/// A plan that holds only this.
pub(crate) fn plan_with(knobs: Knobs) -> impl Strategy<Value = Plan> {
    (
        head(knobs),
        scope(knobs),
        prop::sample::select(vec!["task", "record", "thread", "proposal"]),
        prop::collection::vec(step(knobs), 1..=knobs.steps.max(1)),
    )
        .prop_map(|(head, scope, briefing, steps)| {
            let plan = Plan {
                steps: numbered(steps),
                budget: scope.budget,
                tools: scope.tools,
                constraints: scope.constraints,
                params: scope.params,
                risks: scope.risks,
                executor_model: scope.executor_model,
                approval_required_from: scope.approval_required_from,
                ..head
            };
            briefed(plan, briefing)
        })
}

fn maybe<T: Clone + std::fmt::Debug>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.4, strategy)
}

fn head(knobs: Knobs) -> impl Strategy<Value = Plan> {
    let status = prop::sample::select(vec!["draft", "failed", "rejected", "cancelled"]);
    (
        (maybe(word()), maybe(line(knobs.hard_texts))),
        (
            maybe(block(knobs.hard_texts)),
            maybe(block(knobs.hard_texts)),
        ),
        (
            maybe(status),
            maybe(0..100_u64),
            maybe(word()),
            maybe(word()),
        ),
        maybe(prop::sample::select(vec!["low", "normal", "high"])),
        record(knobs, &PLAN_RECORD),
    )
        .prop_map(
            |(
                (id, title),
                (task, context),
                (status, version, owner, previous),
                priority,
                record,
            )| {
                Plan {
                    id,
                    title,
                    task,
                    context,
                    status: status.map(str::to_owned),
                    version,
                    owner,
                    previous,
                    priority: priority.map(str::to_owned),
                    record,
                    ..Plan::default()
                }
            },
        )
}

/// The part of a plan that bounds its work.
fn scope(knobs: Knobs) -> impl Strategy<Value = Plan> {
    let params = prop::collection::btree_map(word(), json(knobs.hard_texts), 0..3);
    (
        budget(),
        maybe(words()),
        lines(knobs),
        params,
        lines(knobs),
        maybe(word()),
        words(),
    )
        .prop_map(
            |(
                budget,
                tools,
                constraints,
                params,
                risks,
                executor_model,
                approval_required_from,
            )| Plan {
                budget,
                tools,
                constraints,
                params,
                risks,
                executor_model,
                approval_required_from,
                ..Plan::default()
            },
        )
}

fn words() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::btree_set(word(), 0..3);
    words.prop_map(|words| words.into_iter().collect())
}

fn lines(knobs: Knobs) -> impl Strategy<Value = Vec<String>> {
    let some = prop::collection::vec(line(knobs.hard_texts), 1..4);
    maybe(some).prop_map(Option::unwrap_or_default)
}

fn globs() -> impl Strategy<Value = Vec<String>> {
    let glob = prop::sample::select(vec![
        "src/a.rs",
        "src/**",
        "docs/",
        "src/{a,b}.rs",
        "a b.txt",
        "*.md",
        "[x]/y",
    ]);
    let some = prop::collection::btree_set(glob, 0..3);
    some.prop_map(|globs| globs.into_iter().map(str::to_owned).collect())
}

fn duration() -> impl Strategy<Value = Duration> {
    let milliseconds = prop_oneof![1..4_000_000_u64, (1..200_u64).prop_map(|m| m * 60_000)];
    milliseconds.prop_map(Duration::from_millis)
}

fn budget() -> impl Strategy<Value = Budget> {
    (
        maybe(1..9_000_000_u64),
        maybe(1..900_000_u64),
        maybe(duration()),
        maybe(1..20_u64),
    )
        .prop_map(|(tokens, usd_e4, wall, agents)| Budget {
            tokens,
            usd_e4,
            wall,
            agents,
        })
}

/// Any JSON, without what would be a reference.
pub(crate) fn json(hard: bool) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000..1000_i64).prop_map(Value::from),
        (-1000..1000_i32).prop_map(|quarters| json!(f64::from(quarters) / 4.0 + 0.125)),
        block(hard).prop_map(Value::from),
        prop::sample::select(vec!["", "true", "null", "1", "no", "~"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            members(inner).prop_map(Value::Object),
        ]
    })
}

fn members(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let members = prop::collection::btree_map(word(), value, 0..3);
    members.prop_map(|members| members.into_iter().collect())
}

fn record(knobs: Knobs, names: &'static [&'static str]) -> BoxedStrategy<BTreeMap<String, Value>> {
    if !knobs.records {
        return Just(BTreeMap::new()).boxed();
    }
    let field = prop::sample::select(names.to_vec());
    let field = field.prop_flat_map(move |name| (Just(name.to_owned()), recorded(knobs, name)));
    let some = prop::collection::vec(field, 0..4);
    some.prop_map(|fields| fields.into_iter().collect()).boxed()
}

/// A value of the shape that the seeds give this field.
fn recorded(knobs: Knobs, name: &str) -> BoxedStrategy<Value> {
    match name {
        "created_at"
        | "updated_at"
        | "started_at"
        | "completed_at"
        | "execution_started_at"
        | "execution_ended_at" => Just(json!("2026-01-02T03:04:05Z")).boxed(),
        "complexity" => (1..11_u64).prop_map(Value::from).boxed(),
        "estimated_duration" | "current_step_index" => (0..9_u64).prop_map(Value::from).boxed(),
        "tags" | "informed_by" | "affected_files" | "artifacts" => {
            prop::collection::vec(word(), 1..3)
                .prop_map(|words| json!(words))
                .boxed()
        }
        "rejections" => block(false)
            .prop_map(|feedback| json!([{"version": 1, "feedback": feedback}]))
            .boxed(),
        "result" => json(false)
            .prop_map(|value| json!({"ok": true, "value": value}))
            .boxed(),
        "tool_outputs" => members(json(false)).prop_map(Value::Object).boxed(),
        // Fields that no dialect knows.
        "other" => json(false)
            .prop_map(|value| json!({"x_team": value}))
            .boxed(),
        "output" | "error" | "result_summary" => {
            block(knobs.hard_texts).prop_map(Value::from).boxed()
        }
        _ => word().prop_map(Value::from).boxed(),
    }
}

fn work(knobs: Knobs) -> impl Strategy<Value = Work> {
    let hard = knobs.hard_texts;
    // A proposal has but this one.
    let role = prop_oneof![2 => word(), 1 => Just("executor".to_owned())];
    let agent = (maybe(role), block(hard)).prop_map(|(role, task)| Work::Agent { role, task });
    let args = members(json(hard)).prop_map(Value::Object);
    let tool = (word(), args).prop_map(|(tool, args)| Work::Tool { tool, args });
    let ask = (block(hard), lines(knobs)).prop_map(|(question, mut choices)| {
        // The same answer twice is a problem of the plan, not of how it is written.
        let mut seen = std::collections::BTreeSet::new();
        choices.retain(|choice| seen.insert(choice.clone()));
        Work::Ask { question, choices }
    });
    let kinds = [
        (knobs.agents, agent.boxed()),
        (knobs.tools, tool.boxed()),
        (knobs.asks, ask.boxed()),
        (knobs.checks, Just(Work::Check).boxed()),
    ];
    let kinds: Vec<_> = kinds
        .into_iter()
        .filter_map(|(wanted, kind)| wanted.then_some(kind))
        .collect();
    Union::new(kinds)
}

fn conditions(hard: bool) -> impl Strategy<Value = Vec<Condition>> {
    let other = prop_oneof![
        line(hard).prop_map(Condition::StdoutContains),
        block(hard).prop_map(Condition::StderrContains),
        (1..99_u64).prop_map(Condition::TestsRunAtLeast),
    ];
    (0..3_i32, prop::collection::vec(other, 0..3)).prop_map(|(code, others)| {
        let mut all = vec![Condition::ExitCode(code)];
        all.extend(others);
        all
    })
}

fn contract(hard: bool) -> impl Strategy<Value = Contract> {
    let shell = maybe(Just("sh".to_owned()));
    let command = prop_oneof![
        prop::sample::select(vec![
            "make",
            "test -f \"a b\" && grep -q x y",
            "if a\nthen b\nfi"
        ])
        .prop_map(str::to_owned),
        block(hard),
    ];
    (
        (command, shell, conditions(hard)),
        maybe(duration()),
        (any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(
            |((command, shell, expect), timeout, (baseline, fewer_tests_allowed, holds_once))| {
                Contract {
                    command,
                    shell,
                    expect,
                    timeout,
                    baseline,
                    fewer_tests_allowed,
                    holds_once,
                }
            },
        )
}

fn on_fail() -> impl Strategy<Value = OnFail> {
    let then = prop::sample::select(FailAction::ALL.to_vec());
    let failures = prop::sample::select(vec![RetriedFailures::Every, RetriedFailures::Transient]);
    let any = (0..4_u32, failures, then).prop_map(|(retries, failures, then)| OnFail {
        retries,
        failures,
        then,
    });
    prop_oneof![Just(OnFail::DEFAULT), any]
}

/// Only calls have transient failures, and only where they are retried.
fn fitting(policy: OnFail, work: &Work) -> OnFail {
    let retried_call = matches!(work, Work::Tool { .. }) && policy.retries > 0;
    let failures = if retried_call {
        policy.failures
    } else {
        RetriedFailures::Every
    };
    OnFail { failures, ..policy }
}

/// The plan with what its agents are really told: nothing where there are none, or where a thread has
/// nothing to tell.
fn briefed(mut plan: Plan, word: &str) -> Plan {
    let steps = plan.steps.iter();
    let agents: Vec<_> = steps
        .filter(|step| matches!(step.work, Work::Agent { .. }))
        .collect();
    let subtasks = agents.iter().any(|step| !step.subtasks.is_empty());
    let silent = word == "thread" && plan.context.is_none() && !subtasks;
    let word = if silent { "task" } else { word };
    plan.briefing = (!agents.is_empty()).then(|| word.to_owned());
    plan
}

fn subscriptions() -> impl Strategy<Value = Vec<Subscription>> {
    let path = prop::sample::select(vec!["README.md", "src/a b.rs", "docs/ü.md"]);
    let range = (1..9_u32, 0..9_u32).prop_map(|(from, more)| (from, from + more));
    let one = prop_oneof![
        (path, maybe(range)).prop_map(|(path, lines)| Subscription::File {
            path: path.to_owned(),
            lines,
        }),
        word().prop_map(Subscription::Topic),
    ];
    prop::collection::vec(one, 0..3)
}

fn hint(knobs: Knobs) -> impl Strategy<Value = Hint> {
    let hard = knobs.hard_texts;
    (word(), maybe(line(false)), maybe(line(hard))).prop_map(|(tool, operation, target)| Hint {
        tool: Some(tool),
        // A target is only ever given with an operation.
        target: target.filter(|_| operation.is_some()),
        operation,
    })
}

/// A step whose id, number and dependencies are still to be made sense of.
fn step(knobs: Knobs) -> impl Strategy<Value = (Step, Option<Vec<prop::sample::Index>>)> {
    let hard = knobs.hard_texts;
    let one = (
        (maybe(word()), line(hard), any::<bool>()),
        // What every dialect with marks has a word for.
        maybe(prop::sample::select(vec!["failed", "skipped"])),
        (work(knobs), maybe(contract(hard)), on_fail()),
        (subscriptions(), globs(), globs(), maybe(words())),
        (any::<bool>(), maybe(line(hard)), maybe(line(hard))),
        (
            maybe(1..200_u64),
            maybe(duration()),
            budget(),
            any::<bool>(),
        ),
        (
            words(),
            maybe(prop::sample::select(vec!["auto", "worktree", "shared"])),
            maybe(word()),
        ),
        (
            lines(knobs),
            lines(knobs),
            maybe(block(hard)),
            maybe(hint(knobs)),
        ),
        record(knobs, &STEP_RECORD),
        maybe(prop::collection::vec(any::<prop::sample::Index>(), 0..3)),
    );
    one.prop_map(
        |(
            (id, title, claimed),
            mark,
            (work, contract, on_fail),
            (subscriptions, produces, protects, tools),
            (approval, when, for_each),
            (max_items, timeout, budget, critical),
            (locks, isolation, reviewer),
            (acceptance, subtasks, instructions, hint),
            record,
            depends_on,
        )| {
            let is_agent = matches!(work, Work::Agent { .. });
            let step = Step {
                id: id.unwrap_or_default(),
                number: 0,
                unexpanded: None,
                title,
                claimed,
                depends_on: Depends::AllBefore,
                on_fail: fitting(on_fail, &work),
                work,
                contract,
                approval,
                critical,
                record: known_fields(record),
                details: StepDetails {
                    mark: mark.filter(|_| !claimed).map(str::to_owned),
                    subscriptions,
                    produces,
                    protects,
                    tools,
                    when,
                    for_each,
                    max_items,
                    timeout,
                    budget,
                    locks,
                    isolation: isolation.map(str::to_owned),
                    // Only what an agent did is reviewed.
                    reviewer: reviewer.filter(|_| is_agent),
                    acceptance,
                    subtasks,
                    instructions,
                    hint,
                }
                .into(),
            };
            (step, depends_on)
        },
    )
}

/// Gives every step its number, an id of its own, and earlier steps to wait for.
fn numbered(steps: Vec<(Step, Option<Vec<prop::sample::Index>>)>) -> Vec<Step> {
    let mut done: Vec<Step> = Vec::new();
    for (at, (mut step, depends_on)) in steps.into_iter().enumerate() {
        step.number = at + 1;
        if step.id.is_empty() || done.iter().any(|other| other.id == step.id) {
            step.id = format!("step-{}", at + 1);
        }
        if let Some(places) = depends_on {
            let before = places
                .iter()
                .filter(|_| at > 0)
                .map(|place| place.index(at));
            let before = before
                .filter_map(|place| u32::try_from(place).ok())
                .collect();
            step.depends_on = Depends::from_positions(at, before);
        }
        done.push(step);
    }
    done
}

/// The plan without what was lost.
pub(crate) fn without_losses(mut plan: Plan, losses: &[Loss]) -> Plan {
    for loss in losses {
        let known = match &loss.step {
            None => clear_plan(&mut plan, &loss.field),
            Some(id) => {
                let step = plan.steps.iter_mut().find(|step| step.id == *id);
                step.is_some_and(|step| clear_step(step, &loss.field))
            }
        };
        assert!(known, "{loss:?} names no field");
    }
    plan
}

/// The same under the names that the model has.
fn known_fields(record: BTreeMap<String, Value>) -> signoff_plan::model::StepRecord {
    let fields = record.into_iter();
    fields
        .filter_map(|(name, value)| {
            let known = signoff_plan::model::STEP_RECORD;
            Some((known.into_iter().find(|field| *field == name)?, value))
        })
        .collect()
}
