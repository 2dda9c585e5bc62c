//! Loops: a step that becomes one step for each item.

use serde_json::Value;

use super::earlier::match_items;
use crate::state::{LoopItem, Run, Stage, StepState, StepStatus};
use crate::template::item_step;

/// Makes one step for each item. The loop waits for all of them.
pub(crate) fn expand(run: &mut Run, at: usize, items: &[Value]) {
    let Some(definition) = run.definition(at).cloned() else {
        return;
    };
    let mut children = Vec::with_capacity(items.len());
    for (key, item) in (0..).zip(items) {
        let position = run.steps.len();
        let step = item_step(&run.plan().params, &definition, item, key);
        run.index.insert(step.id.clone(), position);
        run.expanded.push(step);
        run.steps.push(StepState {
            item: Some(Box::new(LoopItem {
                parent: at,
                value: item.clone(),
                number: key,
                is_moved: false,
            })),
            ..StepState::default()
        });
        run.dependents.push(vec![at]);
        if run.is_read(at) {
            run.read.insert(position);
        }
        run.schedule.ready.insert(position);
        children.push(position);
    }
    run.schedule.ready.remove(&at);
    run.schedule.active.remove(&at);
    if let Some(step) = run.steps.get_mut(at) {
        step.status = StepStatus::Running;
        step.stage = Stage::Expanded;
        step.waits_for = children.len();
    }
    if children.is_empty() {
        run.schedule.gather.insert(at);
    }
    run.children.insert(at, children);
    match_items(run, at);
}

/// The value of a loop is the list of its items' values.
pub(super) fn collect_values(run: &mut Run, at: usize) {
    let Some(children) = run.children.get(&at) else {
        return;
    };
    let values = children.iter().map(|&child| {
        let values = run.steps.get(child).map(|step| &step.values);
        let output = values.and_then(|values| values.output.clone());
        let stdout = values.and_then(|values| values.stdout.clone());
        output
            .or_else(|| stdout.map(Value::String))
            .unwrap_or_default()
    });
    let list: Value = values.collect();
    run.schedule.gather.remove(&at);
    if let Some(step) = run.steps.get_mut(at) {
        step.values.output = Some(list);
    }
}

/// Completes a provisional loop once a person has accepted its last item.
pub(super) fn schedule_end_of_accepted(run: &mut Run, at: usize) {
    let Some(parent) = run.steps.get(at).and_then(StepState::parent) else {
        return;
    };
    let waits = (run.steps.get(parent)).is_some_and(|step| step.stage == Stage::Provisional);
    let children = run.children.get(&parent).into_iter().flatten();
    let open = |&&child: &&usize| {
        (run.steps.get(child)).is_some_and(|step| step.stage == Stage::Provisional)
    };
    if waits && children.filter(open).count() == 0 {
        run.schedule.gather.insert(parent);
    }
}
