//! An edit in the names and values of the model.

use serde_json::Value;

use super::{Edit, EditRefused};
use crate::check::resolve::resolve;
use crate::draft::Draft;
use crate::field::{normalize, plan_name, step_name};

/// What an edit asks for. An unknown field has an empty name, which no dialect has a place for.
pub(super) enum ResolvedEdit<'e> {
    /// A field of the plan.
    Plan { name: &'static str, value: Value },
    /// A field of the step at this position.
    Step {
        at: usize,
        name: &'static str,
        value: Value,
    },
    /// A rejection of this version, with its feedback.
    Reject { version: u64, feedback: &'e str },
}

impl<'e> ResolvedEdit<'e> {
    pub(super) fn new(draft: &Draft, edit: &'e Edit) -> Result<Self, EditRefused> {
        let plan = resolve(draft, &mut Vec::new());
        let normalized = |name, value| normalize(&plan, name, value).map_err(EditRefused::BadValue);
        match edit {
            Edit::SetPlan { field, value } => {
                let name = plan_name(field).unwrap_or_default();
                let value = normalized(name, value)?;
                Ok(Self::Plan { name, value })
            }
            Edit::SetStep { step, field, value } => {
                let at = plan.index_of(step);
                let at = at.ok_or_else(|| EditRefused::UnknownStep(step.clone()))?;
                let name = step_name(field).unwrap_or_default();
                let value = normalized(name, value)?;
                Ok(Self::Step { at, name, value })
            }
            Edit::Reject { version, feedback } => Ok(Self::Reject {
                version: *version,
                feedback,
            }),
        }
    }
}
