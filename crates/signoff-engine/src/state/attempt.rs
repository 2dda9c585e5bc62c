//! What the harness knows of one attempt.

use crate::Millis;
use crate::event::{Candidate, Changes, ProcessIdentity, ToolCall};
use crate::verdict::ProcessEnd;

/// What the harness knows of the present attempt. Before the first attempt, it only holds what a person did
/// to the step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttemptState {
    /// When its work started.
    pub started_at: Millis,
    pub process: Option<ProcessIdentity>,
    /// The call that is active.
    pub call: Option<ToolCall>,
    /// Its call may have changed the tree.
    pub changed_tree: bool,
    /// How its agent ended.
    pub work_ended: Option<ProcessEnd>,
    /// It was cut off.
    pub interrupted: bool,
    /// What its agents had changed when a person took over to repair it; `None` = no person did.
    pub taken_over: Option<Changes>,
    /// Who repaired it by hand.
    pub repaired_by: Option<String>,
    /// Who accepted it, while its contract or its merge is still to come.
    pub accepted_by: Option<String>,
    /// Inconclusive evaluations.
    pub inconclusive: u32,
    /// Evaluations in a row that were void: something changed in the checkout while they ran.
    pub void: u32,
    /// It conflicts with what was merged before.
    pub conflicted: bool,
    /// What the tree will be if its contract holds.
    pub candidate: Option<Candidate>,
    /// The commit that it was merged as.
    pub commit: Option<String>,
}

impl AttemptState {
    /// How its agent ended; a step without an agent ends as if one had succeeded.
    pub(crate) fn work_end(&self) -> ProcessEnd {
        self.work_ended.clone().unwrap_or(ProcessEnd::Exited(0))
    }

    pub(crate) fn started(at: Millis) -> Self {
        Self {
            started_at: at,
            ..Self::default()
        }
    }
}
