//! What an earlier run of the plan knows of the steps.

use signoff_plan::diff::request_hash;
use signoff_plan::model::Work;

use crate::event::{EarlierStep, RedoReason, ToolCall};
use crate::state::{MadeCall, NewItem, Run, match_items as matching};

/// Remembers what an earlier run knows of a step. Its values count once the step is done; new work replaces them.
pub(crate) fn note_earlier(run: &mut Run, id: &str, earlier: &EarlierStep) {
    let at = run.position(id);
    run.earlier.insert(id.to_owned(), earlier.clone());
    if let Some(at) = at {
        take_values(run, at);
    }
}

/// Gives the items of a loop that was just expanded what an earlier run knows of them. What is known of items that the
/// list no longer has is kept after the last item.
pub(super) fn match_items(run: &mut Run, at: usize) {
    let Some(id) = run.definition(at).map(|step| step.id.clone()) else {
        return;
    };
    let children = run.children.get(&at);
    let children = children.expect("the loop was just expanded").clone();
    let mut known: Vec<Option<(u64, EarlierStep)>> =
        run.take_earlier_items(&id).into_iter().map(Some).collect();
    for (&child, found) in children.iter().zip(found_items(run, &children, &known)) {
        let earlier = found.and_then(|found| known.get_mut(found)?.take());
        match earlier {
            Some((number, earlier)) => take_item(run, child, number, earlier),
            None => mark_call_uncertain(run, at, child),
        }
    }
    let left = known.into_iter().flatten();
    for (key, (_, earlier)) in (children.len()..).zip(left) {
        run.earlier.insert(format!("{id}[{key}]"), earlier);
    }
}

/// Returns, for each item, the earlier item that it matches.
fn found_items(
    run: &Run,
    children: &[usize],
    known: &[Option<(u64, EarlierStep)>],
) -> Vec<Option<usize>> {
    let items = children.iter().filter_map(|&child| {
        let (step, state) = run.step(child)?;
        let value = &state.item.as_ref()?.value;
        Some(NewItem { value, step })
    });
    let items: Vec<NewItem<'_>> = items.collect();
    let known: Vec<&EarlierStep> = known.iter().flatten().map(|(_, earlier)| earlier).collect();
    matching(&items, &known)
}

/// Gives an item what an earlier run knows of it.
fn take_item(run: &mut Run, child: usize, number: u64, mut earlier: EarlierStep) {
    let Some((definition, state)) = run.step(child) else {
        return;
    };
    let (id, request) = (definition.id.clone(), request_hash(definition).to_string());
    let is_same = (earlier.item.as_ref().zip(state.item.as_ref()))
        .is_some_and(|(was, item)| was.value == item.value && was.request == request);
    if !is_same {
        earlier.again = Some(RedoReason::Changed);
    }
    if let Some(item) = run.steps.get_mut(child).and_then(|step| step.item.as_mut()) {
        item.is_moved = item.number != number;
    }
    note_earlier(run, &id, &earlier);
}

/// A call that is known of the loop as a whole may have been made for each of its items.
fn mark_call_uncertain(run: &mut Run, at: usize, child: usize) {
    let made = run
        .earlier_step(at)
        .filter(|earlier| earlier.call.is_some());
    let (Some(earlier), Some(definition)) = (made, run.definition(child)) else {
        return;
    };
    if let Work::Tool { tool, args } = &definition.work {
        let call = ToolCall {
            tool: tool.clone(),
            args: args.clone(),
            repeatable: false,
            changes_tree: true,
        };
        let (id, earlier) = (
            definition.id.clone(),
            EarlierStep::unknown(&earlier.run, call),
        );
        note_earlier(run, &id, &earlier);
    }
}

fn take_values(run: &mut Run, at: usize) {
    let id = run.definition(at).map(|step| step.id.clone());
    let earlier = id.and_then(|id| run.earlier.get_mut(&id));
    if let (Some(earlier), Some(step)) = (earlier, run.steps.get_mut(at)) {
        step.values.output = earlier.output.take();
        step.values.stdout = earlier.stdout.take();
        step.history.said = earlier.said.take();
        step.made_call = MadeCall::from_earlier_run(earlier.call.clone());
    }
}
