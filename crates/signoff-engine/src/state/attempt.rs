//! What the harness knows of one attempt.

use std::collections::BTreeMap;

use super::token_usage::BudgetAmount;
use crate::Millis;
use crate::event::{AgentReport, Candidate, Changes, ProcessIdentity, ToolCall};
use crate::verdict::ProcessEnd;

/// What the harness knows of the present attempt. Before the first attempt, it only holds what a person did
/// to the step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttemptState {
    /// When its work started.
    pub started_at: Millis,
    // Boxed, as others below: those who have ended have none.
    pub process: Option<Box<ProcessIdentity>>,
    /// Since when its agent waits for a person's answer; `None` = it does not.
    pub asked_at: Option<Millis>,
    /// How long it waited for earlier answers.
    pub waited: Millis,
    /// The call that is active.
    pub call: Option<Box<ToolCall>>,
    /// Calls that the harness makes for its agent and whose end is not known yet, by number.
    pub agent_calls: BTreeMap<u32, ToolCall>,
    /// Its call may have changed the tree.
    pub changed_tree: bool,
    /// How its agent ended.
    pub work_ended: Option<ProcessEnd>,
    /// What its agent reported of itself.
    pub report: Option<Box<AgentReport>>,
    /// What its agent was expected to use when it started.
    pub reserved: BudgetAmount,
    /// It was cut off.
    pub interrupted: bool,
    /// What its agents had changed when a person took over to repair it; `None` = no person did.
    pub taken_over: Option<Box<Changes>>,
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
    pub candidate: Option<Box<Candidate>>,
    /// The commit that it was merged as.
    pub commit: Option<String>,
}

impl AttemptState {
    /// How its agent failed: by how its process ended, or by what it reported itself.
    pub fn work_failure(&self) -> Option<String> {
        work_failure(self.work_ended.as_ref()?, self.report.as_deref())
    }

    /// What its agent itself reported as a failure.
    pub fn problem(&self) -> Option<&str> {
        self.report.as_ref()?.problem.as_deref()
    }

    /// Why its agent could not do better, where a contract alone does not tell: it failed by its own
    /// account, or it was stopped at its budget.
    pub(crate) fn obstructed_by(&self) -> Option<String> {
        let is_hindered =
            self.problem().is_some() || self.work_ended == Some(ProcessEnd::OverBudget);
        self.work_failure().filter(|_| is_hindered)
    }

    /// How long its agent has worked; not while it waited for a person's answer.
    pub(crate) fn worked_until(&self, now: Millis) -> Millis {
        let end = self.asked_at.unwrap_or(now);
        end.saturating_sub(self.started_at)
            .saturating_sub(self.waited)
    }

    pub(crate) fn started(at: Millis) -> Self {
        Self {
            started_at: at,
            ..Self::default()
        }
    }
}

/// How an agent failed: by how its process ended, or by what it reported itself.
pub fn work_failure(ended: &ProcessEnd, report: Option<&AgentReport>) -> Option<String> {
    match report.and_then(|report| report.problem.as_deref()) {
        Some(problem) if ended.succeeded() => Some(format!("the agent reported: {problem}")),
        Some(problem) => Some(format!("the agent ended: {ended} ({problem})")),
        None => (!ended.succeeded()).then(|| format!("the agent ended: {ended}")),
    }
}
