//! Better evidence for a completed step: its contract held warm, and now holds cold on the last tree.

use signoff_plan::model::Step;

use super::evidence::completion;
use crate::event::Event;
use crate::evidence::Grade;
use crate::state::{Run, StepState};

/// Confirms the step, and before it the loop whose grade improves. In this order, a crash that loses the step's own
/// event runs the contract again and writes both.
pub(super) fn confirmation(
    run: &Run,
    at: usize,
    definition: &Step,
    state: &StepState,
) -> Vec<Event> {
    let Event::StepCompleted {
        step,
        evidence,
        facts,
        ..
    } = completion(run, definition, state)
    else {
        return Vec::new();
    };
    let whole = state
        .parent()
        .and_then(|parent| loop_confirmation(run, parent, at, evidence));
    let own = Event::StepConfirmed {
        step,
        evidence,
        facts,
    };
    whole.into_iter().chain([own]).collect()
}

/// A loop has the weakest grade of its items; it has no contract run of its own.
fn loop_confirmation(run: &Run, parent: usize, at: usize, evidence: Grade) -> Option<Event> {
    let items = run.children.get(&parent)?;
    let grade = |item: &usize| run.steps.get(*item)?.outcome.grade();
    let others = items.iter().filter(|item| **item != at);
    let grades = others.filter_map(grade).chain([evidence]);
    let (definition, state) = run.step(parent)?;
    let known = state.outcome.evidence.as_ref()?;
    let better = grades.max().filter(|grade| *grade < known.grade)?;
    Some(Event::StepConfirmed {
        step: definition.id.clone(),
        evidence: better,
        facts: known.facts.clone(),
    })
}
