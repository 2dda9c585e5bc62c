//! The name of a step in lines and tables.

use signoff_engine::{Run, StepState};
use signoff_plan::model::{Step, Work};

use crate::style::sanitize;

/// Works on steps that name no role and for which none is chosen.
pub(crate) const DEFAULT_ROLE: &str = "default";

/// `3. Title`, and the item's number in a loop: `3. Title [0]`.
pub(crate) fn name(step: &Step, state: &StepState) -> String {
    let title = sanitize(step.title.trim());
    let title = if title.is_empty() { &step.id } else { &title };
    match &state.item {
        Some(item) => format!("{}. {title} [{}]", step.number, item.number),
        None => format!("{}. {title}", step.number),
    }
}

/// The name of a step, by its id.
pub(crate) fn name_of(run: &Run, id: &str) -> String {
    let step = run.position(id).and_then(|at| run.step(at));
    step.map_or_else(|| sanitize(id), |(step, state)| name(step, state))
}

/// The role that works on a step.
pub(crate) fn role(step: &Step) -> &str {
    match &step.work {
        Work::Agent { role, .. } => role.as_deref().unwrap_or(DEFAULT_ROLE),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => DEFAULT_ROLE,
    }
}
