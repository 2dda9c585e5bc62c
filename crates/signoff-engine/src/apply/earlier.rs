//! What an earlier run of the plan knows of the steps.

use signoff_plan::diff::request_hash;

use crate::event::{EarlierStep, RedoReason};
use crate::state::{MadeCall, Run};

/// Remembers what an earlier run knows of a step. Its values count once the step is done; new work replaces them.
pub(crate) fn note_earlier(run: &mut Run, id: &str, earlier: &EarlierStep) {
    let at = run.position(id);
    run.earlier.insert(id.to_owned(), earlier.clone());
    if let Some(at) = at {
        take_values(run, at);
    }
}

/// Compares the item of a loop that was just expanded with what an earlier run knows of it.
pub(super) fn compare_item(run: &mut Run, at: usize) {
    let Some((definition, state)) = run.step(at).filter(|_| !run.earlier.is_empty()) else {
        return;
    };
    let (id, request) = (definition.id.clone(), request_hash(definition).to_string());
    let value = state.item.as_ref().map(|item| item.value.clone());
    if let Some(earlier) = run.earlier.get_mut(&id) {
        let was = earlier.item.as_ref();
        let is_same =
            was.is_some_and(|was| was.request == request && Some(&was.value) == value.as_ref());
        if !is_same {
            earlier.again = Some(RedoReason::Changed);
        }
        // Another item is another call.
        if was.is_none_or(|was| Some(&was.value) != value.as_ref()) {
            earlier.call = None;
        }
        take_values(run, at);
    }
}

fn take_values(run: &mut Run, at: usize) {
    let id = run.definition(at).map(|step| step.id.clone());
    let earlier = id.and_then(|id| run.earlier.get_mut(&id));
    if let (Some(earlier), Some(step)) = (earlier, run.steps.get_mut(at)) {
        step.values.output = earlier.output.take();
        step.values.stdout = earlier.stdout.take();
        step.history.said = earlier.said.take();
        step.made_call = MadeCall::earlier(earlier.call.clone());
    }
}
