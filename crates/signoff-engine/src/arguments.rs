//! The arguments of a tool step, with the values of other steps in the place of references.

use serde_json::Value;
use signoff_plan::model::Work;
use signoff_plan::reference::resolve;

use crate::state::{Run, StepState, StepStatus, for_each_reference};

/// The arguments that the step's tool is called with: a person's, or the plan's with every reference
/// resolved. `None` for a step that calls no tool.
pub fn resolved_arguments(run: &Run, at: usize) -> Option<Result<Value, String>> {
    let (definition, state) = run.step(at)?;
    let Work::Tool { args, .. } = &definition.work else {
        return None;
    };
    if let Some(args) = &state.activation.args {
        return Some(Ok(args.clone()));
    }
    let value = |id: &str| {
        let (step, state) = run.step(run.position(id)?)?;
        value_of(&step.work, state)
    };
    Some(resolve(args, &value).map_err(|why| why.to_string()))
}

/// What a reference to the step stands for.
pub(crate) fn value_of(work: &Work, state: &StepState) -> Option<Value> {
    if state.status == StepStatus::Skipped {
        return None;
    }
    match work {
        Work::Check if state.values.output.is_none() => {
            state.values.stdout.clone().map(Value::String)
        }
        Work::Agent { .. } | Work::Tool { .. } | Work::Ask { .. } | Work::Check => {
            state.values.output.clone()
        }
    }
}

/// A skipped step that the arguments refer to; they can never be resolved.
pub(crate) fn skipped_reference(run: &Run, at: usize) -> Option<String> {
    let Work::Tool { args, .. } = &run.definition(at)?.work else {
        return None;
    };
    let mut found = None;
    for_each_reference(args, &mut |id| {
        let state = run.position(id).and_then(|at| run.steps.get(at));
        if state.is_some_and(|state| state.status == StepStatus::Skipped) {
            found.get_or_insert_with(|| id.to_owned());
        }
    });
    found
}
