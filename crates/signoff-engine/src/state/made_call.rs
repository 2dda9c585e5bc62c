//! Whether a step's tool may be called again. Only this file decides it.

use crate::event::{CallEnd, ToolCall};

/// The call of a step that took place, or may have, and that does harm if it is made twice.
///
/// While there is one, the tool is not called: [`due`](crate::due) asks a person instead, and
/// [`decide`](crate::decide) refuses the call. Nothing that fails afterwards changes that, only a person does.
#[derive(Debug, Clone, PartialEq, Default)]
// Boxed: most steps have none.
pub struct MadeCall(Option<Box<ToolCall>>);

impl MadeCall {
    /// The call, if there is one.
    pub fn get(&self) -> Option<&ToolCall> {
        self.0.as_deref()
    }

    /// A call that an earlier run of the plan made.
    pub(crate) fn from_earlier_run(call: Option<ToolCall>) -> Self {
        Self(call.map(Box::new))
    }

    /// From now on the call may have taken place.
    pub(crate) fn begin(call: &ToolCall) -> Self {
        Self((!call.repeatable).then(|| Box::new(call.clone())))
    }

    /// What remains when the call has ended: nothing, if the tool says that it failed. The step's policy decides then.
    pub(crate) fn after_end(&self, end: &CallEnd) -> Self {
        match end {
            CallEnd::Failed { unknown: false, .. } => Self(None),
            CallEnd::Failed { unknown: true, .. } | CallEnd::Done(_) => self.clone(),
        }
    }

    /// A person lets the call be made again, or it is certain that it was not made.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }
}
