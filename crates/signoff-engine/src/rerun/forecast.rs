//! What a new run would do with each step, as `--dry-run` tells it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use signoff_plan::diff::request_hash;
use signoff_plan::expression::{constant, read};
use signoff_plan::model::{Depends, Plan, Step};

use crate::event::{EarlierEnd, EarlierStep, RedoReason};
use crate::state::{NewItem, item_number, match_items};
use crate::template::item_step;

/// What a new run would do with a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepForecast {
    /// It is kept from this run, unless its contract does not hold.
    Kept {
        run: String,
    },
    Runs(RunReason),
    /// A loop of which these items are kept from this run, and these run.
    Partly {
        run: String,
        kept: Vec<Value>,
        runs: Vec<Value>,
    },
}

/// Why a step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunReason {
    /// No earlier run finished it.
    New,
    Again(RedoReason),
    /// This step, which it depends on, runs.
    DependsOn(String),
}

/// What a new run would do with each step of the plan, as far as contracts do not say otherwise.
pub fn forecast(plan: &Plan, known: &[(String, EarlierStep)]) -> Vec<StepForecast> {
    let known: BTreeMap<&str, &EarlierStep> = known
        .iter()
        .map(|(id, earlier)| (id.as_str(), earlier))
        .collect();
    let mut forecasts: Vec<StepForecast> = (plan.steps.iter())
        .map(|step| {
            let alone = || forecast_alone(known.get(step.id.as_str()).copied());
            forecast_loop(plan, step, &known).unwrap_or_else(alone)
        })
        .collect();
    for (at, cause) in dependents_of_runs(plan, &forecasts) {
        if let (
            Some(slot @ (StepForecast::Kept { .. } | StepForecast::Partly { .. })),
            Some(cause),
        ) = (forecasts.get_mut(at), plan.steps.get(cause))
        {
            *slot = StepForecast::Runs(RunReason::DependsOn(cause.id.clone()));
        }
    }
    forecasts
}

/// What a new run would do with a loop whose list is known before it starts.
fn forecast_loop(
    plan: &Plan,
    step: &Step,
    known: &BTreeMap<&str, &EarlierStep>,
) -> Option<StepForecast> {
    let list = step.for_each.as_deref()?;
    let Ok(Value::Array(values)) = constant(list, &read(list).ok()?, &plan.params)? else {
        return None;
    };
    let (earlier, places) = known_items(step, known);
    let run = &earlier.first()?.run;
    let steps: Vec<Step> = (0..)
        .zip(&values)
        .map(|(number, value)| item_step(&plan.params, step, value, number))
        .collect();
    let items: Vec<NewItem<'_>> = (values.iter().zip(&steps))
        .map(|(value, step)| NewItem { value, step })
        .collect();
    let found = match_items(&items, &earlier);
    let is_kept = |(item, found): &(&NewItem<'_>, &Option<usize>)| {
        let earlier = found.and_then(|found| earlier.get(found));
        earlier.is_some_and(|earlier| is_kept_item(item, earlier))
    };
    let (kept, runs): (Vec<_>, Vec<_>) = items.iter().zip(&found).partition(is_kept);
    let in_place = (0..).zip(&found).all(|(number, found)| {
        found.is_some_and(|found| places.get(found).copied() == Some(number))
    });
    if kept.is_empty() {
        return None;
    }
    if runs.is_empty() && in_place && values.len() == earlier.len() {
        return Some(StepForecast::Kept { run: run.clone() });
    }
    let values = |items: Vec<(&NewItem<'_>, &Option<usize>)>| {
        (items.into_iter())
            .map(|(item, _)| item.value.clone())
            .collect()
    };
    Some(StepForecast::Partly {
        run: run.clone(),
        kept: values(kept),
        runs: values(runs),
    })
}

/// What is known of the items of a loop, and the place that each had in its list.
fn known_items<'a>(
    step: &Step,
    known: &BTreeMap<&str, &'a EarlierStep>,
) -> (Vec<&'a EarlierStep>, Vec<u64>) {
    let of_loop = known.iter().filter_map(|(id, earlier)| {
        let key = id.strip_prefix(step.id.as_str())?;
        let is_item = key.starts_with('[');
        Some((item_number(key).filter(|_| is_item)?, *earlier))
    });
    let mut items: Vec<(u64, &EarlierStep)> = of_loop.collect();
    items.sort_by_key(|(number, _)| *number);
    items
        .into_iter()
        .map(|(number, earlier)| (earlier, number))
        .unzip()
}

fn is_kept_item(item: &NewItem<'_>, earlier: &EarlierStep) -> bool {
    let request = request_hash(item.step).to_string();
    let was = earlier.item.as_ref();
    let is_same = was.is_some_and(|was| was.value == *item.value && was.request == request);
    let is_done = earlier.ended != EarlierEnd::Unfinished;
    is_same && is_done && earlier.again.is_none()
}

fn forecast_alone(earlier: Option<&EarlierStep>) -> StepForecast {
    let Some(earlier) = earlier else {
        return StepForecast::Runs(RunReason::New);
    };
    match (earlier.again, &earlier.ended) {
        (Some(reason), _) => StepForecast::Runs(RunReason::Again(reason)),
        (None, EarlierEnd::Unfinished) => StepForecast::Runs(RunReason::New),
        (None, EarlierEnd::Completed { .. } | EarlierEnd::Skipped) => StepForecast::Kept {
            run: earlier.run.clone(),
        },
    }
}

/// Everything that depends on a step that runs, each with that step.
fn dependents_of_runs(plan: &Plan, forecasts: &[StepForecast]) -> BTreeMap<usize, usize> {
    let mut named: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut waiting_for_all = BTreeSet::new();
    for (at, step) in plan.steps.iter().enumerate() {
        if step.depends_on == Depends::AllBefore {
            waiting_for_all.insert(at);
        } else {
            for before in plan.dependencies(at) {
                named.entry(before).or_default().push(at);
            }
        }
    }
    let runs = (0..).zip(forecasts);
    let runs = runs.filter(|(_, forecast)| !matches!(forecast, StepForecast::Kept { .. }));
    let mut open: Vec<usize> = runs.map(|(at, _)| at).collect();
    open.reverse();
    let mut reached = BTreeMap::new();
    while let Some(at) = open.pop() {
        let after = waiting_for_all.split_off(&(at + 1));
        for dependent in named.remove(&at).into_iter().flatten().chain(after) {
            if let std::collections::btree_map::Entry::Vacant(entry) = reached.entry(dependent) {
                entry.insert(at);
                open.push(dependent);
            }
        }
    }
    reached
}
