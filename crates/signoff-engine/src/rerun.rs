//! What a new run of a plan knows from the last one: which steps may be kept, and why the others are done again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use signoff_plan::diff::{asks_the_same, pairs, request_hash};
use signoff_plan::expression::{constant, read};
use signoff_plan::model::{Depends, Plan, Step, Work};

use crate::event::{EarlierEnd, EarlierItem, EarlierStep, RedoReason};
use crate::state::{
    NewItem, Run, StepState, StepStatus, item_number, match_items, read_steps, rendered_steps,
};
use crate::template::item_step;

/// How much of a plan is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redo {
    /// What changed, what is not there any more, and what depends on either.
    #[default]
    Changed,
    Everything,
}

/// What the last run knows of the steps of a plan, by the ids that they have now.
pub fn earlier_steps(last: &Run, plan: &Plan, redo: Redo) -> Vec<(String, EarlierStep)> {
    let rendered = rendered_steps(plan);
    let index = plan.steps.iter().map(|step| step.id.clone()).zip(0..);
    let read = read_steps(plan, &index.collect());
    let mut known = Vec::new();
    for (at, from) in pairs(last.plan(), plan).into_iter().enumerate() {
        let (Some(from), Some(step)) = (from, rendered.get(&at).or_else(|| plan.steps.get(at)))
        else {
            continue;
        };
        let is_newly_read = read.contains(&at) && !last.is_read(from);
        let request = Request {
            is_changed: is_changed(last, from, step),
            is_other_work: last
                .definition(from)
                .is_none_or(|was| was.work != step.work),
            is_newly_read,
            redo,
        };
        known.extend(earlier_step(last, from, &request).map(|earlier| (step.id.clone(), earlier)));
        // Whether a loop has the same items shows when it is expanded.
        let request = Request {
            is_changed: false,
            is_other_work: false,
            ..request
        };
        let items = last.children.get(&from).filter(|_| step.for_each.is_some());
        let items = items.into_iter().flatten().enumerate();
        known.extend(items.filter_map(|(key, &item)| {
            let earlier = earlier_step(last, item, &request)?;
            Some((format!("{}[{key}]", step.id), earlier))
        }));
        known.extend(other_items(last, from, step, redo));
    }
    known
}

/// Adds the calls that an older run made and that do harm if they are made twice, where newer runs know nothing of a step
/// with the same work.
pub fn add_older_calls(known: &mut Vec<(String, EarlierStep)>, older: &Run, plan: &Plan) {
    let made = earlier_steps(older, plan, Redo::Changed);
    for (id, mut earlier) in made.into_iter().filter(|(_, made)| made.call.is_some()) {
        earlier.again = Some(RedoReason::Superseded);
        let newer = known.iter_mut().find(|(known, _)| *known == id);
        match newer {
            None => known.push((id, earlier)),
            Some((_, newer)) if newer.is_other_work => *newer = earlier,
            Some(_) => {}
        }
    }
}

/// Is there nothing in the plan of which an older run could know more?
pub fn knows_every_call(
    known: &[(String, EarlierStep)],
    plan: &Plan,
    is_repeatable: impl Fn(&str, &Value) -> bool,
) -> bool {
    let mut calls = plan.steps.iter().filter(|step| match &step.work {
        Work::Tool { tool, args } => !is_repeatable(tool, args),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => false,
    });
    calls.all(|step| {
        let earlier = known.iter().find(|(id, _)| *id == step.id);
        earlier.is_some_and(|(_, earlier)| !earlier.is_other_work)
    })
}

/// What is known of items that the last run did not come to, and of those that its list did not have.
fn other_items(last: &Run, from: usize, step: &Step, redo: Redo) -> Vec<(String, EarlierStep)> {
    let Some(was) = last.definition(from).filter(|_| step.for_each.is_some()) else {
        return Vec::new();
    };
    let expanded = last.children.get(&from).map(Vec::len);
    let again = match (expanded, redo) {
        (Some(_), _) => Some(RedoReason::Superseded),
        (None, Redo::Everything) => Some(RedoReason::Everything),
        (None, Redo::Changed) => last.rests_on_redone(from).then_some(RedoReason::Outdated),
    };
    let first = expanded.and_then(|count| u64::try_from(count).ok());
    let items = last.earlier_items(&was.id).filter(|(key, _)| {
        let number = item_number(key);
        first.is_none_or(|first| number.is_some_and(|number| number >= first))
    });
    let items = items.map(|(key, earlier)| {
        let again = again.or(earlier.again);
        let earlier = EarlierStep {
            again,
            ..earlier.clone()
        };
        (format!("{}{key}", step.id), earlier)
    });
    items.collect()
}

/// What the new run asks of a step.
struct Request {
    is_changed: bool,
    /// It does something else, or calls with other arguments.
    is_other_work: bool,
    is_newly_read: bool,
    redo: Redo,
}

/// Does the step ask for something else than in the last run?
fn is_changed(last: &Run, from: usize, step: &Step) -> bool {
    let Some(was) = last.definition(from) else {
        return true;
    };
    was.for_each.is_some() != step.for_each.is_some() || !asks_the_same(was, step)
}

fn earlier_step(last: &Run, from: usize, request: &Request) -> Option<EarlierStep> {
    let (definition, state) = last.step(from)?;
    let result = own_result(last, from, definition, state);
    let passed_on = || passed_on(last, from, state).or_else(|| unfinished_call(last, state));
    let mut earlier = result.or_else(passed_on)?;
    let loses_value = request.is_newly_read && earlier.output.is_none();
    earlier.again = match request {
        _ if request.is_changed => Some(RedoReason::Changed),
        _ if request.redo == Redo::Everything => Some(RedoReason::Everything),
        _ if loses_value && reads_output(definition) => Some(RedoReason::ValueUnknown),
        _ => earlier.again,
    };
    // A person who changed the call and signed it wants the new one.
    earlier.call = earlier.call.filter(|_| !request.is_other_work);
    earlier.is_other_work = request.is_other_work;
    earlier.item = state.item.as_ref().map(|item| EarlierItem {
        value: item.value.clone(),
        request: request_hash(definition).to_string(),
    });
    Some(earlier)
}

/// Is the value of such a step what its work said, rather than what its contract prints?
fn reads_output(definition: &Step) -> bool {
    !matches!(definition.work, Work::Check)
}

/// What the last run itself knows of the step, if it ended there.
fn own_result(
    last: &Run,
    from: usize,
    definition: &Step,
    state: &StepState,
) -> Option<EarlierStep> {
    let skipped = state.status == StepStatus::Skipped && state.satisfies;
    let evidence = state.outcome.evidence.as_ref();
    let (ended, run) = match evidence.filter(|_| state.status == StepStatus::Completed) {
        Some(evidence) => {
            let mut facts = evidence.facts.clone();
            let run = facts.kept_from.take();
            let (evidence, facts) = (evidence.grade, Box::new(facts));
            (EarlierEnd::Completed { evidence, facts }, run)
        }
        None if skipped => (EarlierEnd::Skipped, None),
        None => return None,
    };
    let is_lost = is_lost(last, from, definition, state);
    Some(EarlierStep {
        run: run.unwrap_or_else(|| last.id().to_owned()),
        ended,
        again: is_lost.then_some(RedoReason::NotInCheckout),
        output: state.values.output.clone(),
        stdout: state.values.stdout.clone(),
        said: state.history.said.clone(),
        item: None,
        call: state.made_call.get().cloned(),
        is_other_work: false,
    })
}

/// Is what the step changed not in the checkout, and no contract that would notice?
fn is_lost(last: &Run, from: usize, definition: &Step, state: &StepState) -> bool {
    let may_have_changed = match definition.work {
        Work::Agent { .. } => true,
        Work::Tool { .. } => state.attempt.changed_tree,
        Work::Ask { .. } | Work::Check => false,
    };
    let is_unchanged = state.changes.files.as_ref().is_some_and(Vec::is_empty);
    let changed = may_have_changed && !is_unchanged && state.attempts > 0;
    let is_loop = last.children.contains_key(&from);
    changed && !is_loop && definition.contract.is_none() && !last.is_in_checkout()
}

/// What a run before the last one knows of a step that the last one did not finish.
fn passed_on(last: &Run, from: usize, state: &StepState) -> Option<EarlierStep> {
    let mut earlier = last.earlier_with_values(from)?;
    earlier.call = state.made_call.get().cloned();
    if state.attempts > 0 {
        earlier.again = Some(RedoReason::Unfinished);
    } else if last.rests_on_redone(from) {
        earlier.again = Some(RedoReason::Outdated);
    }
    Some(earlier)
}

/// The call of a step that the last run did not finish, if it was made.
fn unfinished_call(last: &Run, state: &StepState) -> Option<EarlierStep> {
    let call = state.made_call.get()?.clone();
    Some(EarlierStep {
        run: last.id().to_owned(),
        ended: EarlierEnd::Unfinished,
        again: Some(RedoReason::Unfinished),
        output: state.values.output.clone(),
        stdout: None,
        said: None,
        item: None,
        call: Some(call),
        is_other_work: false,
    })
}

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
