//! What a new run of a plan knows from the last one: which steps may be kept, and why the others are done again.

mod forecast;

use std::collections::BTreeSet;

use serde_json::Value;
use signoff_plan::diff::{asks_the_same, pairs, request_hash};
use signoff_plan::model::{Plan, Step, Work};

pub use self::forecast::{RunReason, StepForecast, forecast};
use crate::event::{EarlierEnd, EarlierItem, EarlierStep, RedoReason};
use crate::state::{Run, StepState, StepStatus, item_number, read_steps, rendered_steps};

/// How much of a plan a new run does again.
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
    for (at, from) in predecessors(last, plan).into_iter().enumerate() {
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
            is_same_run: false,
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

/// The step of the last run that each step was. A step that is new and marked as done has the mark, and so the place, of
/// one that the last run completed and that the plan does not have any more: its author wrote it anew and did not do it.
fn predecessors(last: &Run, plan: &Plan) -> Vec<Option<usize>> {
    let mut found = pairs(last.plan(), plan);
    let is_done = |at: &usize| {
        let state = last.step(*at).map(|(_, state)| state);
        state.is_some_and(|state| state.status == StepStatus::Completed)
    };
    let known: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let steps = 0..last.plan().steps.len();
    let mut gone = steps.filter(|at| !known.contains(at)).filter(is_done);
    for (from, step) in found.iter_mut().zip(&plan.steps) {
        if from.is_none() && step.claimed {
            *from = gone.next();
        }
    }
    found
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

/// Can no older run know more about the plan's steps?
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

/// What is known of items that the last run did not reach, and of items that its list did not have.
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
    /// It is the same run under another version of its plan, which works on the same tree.
    is_same_run: bool,
    redo: Redo,
}

/// What a run knows of the items that a loop had so far, each with its place in the list, for the same run under another
/// version of its plan.
pub(crate) fn items_so_far(
    run: &Run,
    of_loop: usize,
    is_newly_read: bool,
) -> impl Iterator<Item = (usize, EarlierStep)> {
    let request = Request {
        is_changed: false,
        is_other_work: false,
        is_newly_read,
        is_same_run: true,
        redo: Redo::Changed,
    };
    let items = run.children.get(&of_loop).into_iter().flatten().enumerate();
    items.filter_map(move |(key, &item)| Some((key, earlier_step(run, item, &request)?)))
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
    let mut result = own_result(last, state);
    let is_lost = !request.is_same_run && may_have_lost_changes(last, from, definition, state);
    if let Some(result) = result.as_mut().filter(|_| is_lost) {
        result.again = Some(RedoReason::NotInCheckout);
    }
    let passed_on =
        || passed_on_from_earlier(last, from, state).or_else(|| unfinished_call(last, state));
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

/// Is the value of such a step the output of its work rather than of its contract?
fn reads_output(definition: &Step) -> bool {
    !matches!(definition.work, Work::Check)
}

/// What the last run itself knows of the step, if it ended there.
fn own_result(last: &Run, state: &StepState) -> Option<EarlierStep> {
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
    Some(EarlierStep {
        run: run.unwrap_or_else(|| last.id().to_owned()),
        ended,
        again: None,
        output: state.values.output.clone(),
        stdout: state.values.stdout.clone(),
        said: state.history.said.clone(),
        item: None,
        call: state.made_call.get().cloned(),
        is_other_work: false,
    })
}

/// Are the step's changes missing from the checkout, with no contract that would notice?
fn may_have_lost_changes(last: &Run, from: usize, definition: &Step, state: &StepState) -> bool {
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
fn passed_on_from_earlier(last: &Run, from: usize, state: &StepState) -> Option<EarlierStep> {
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
