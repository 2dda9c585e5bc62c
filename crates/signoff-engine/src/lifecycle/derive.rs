//! The present state, from what was recorded about the present definition.

use super::PlanState;
use crate::event::Outcome;

/// One recorded fact that decides the state of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFact {
    /// It was proposed, or a new text answered a rejection.
    Proposed,
    Approved,
    Rejected,
    NeedsReview,
    Cancelled,
    /// From scratch, under the same signature.
    Retried,
    /// Another plan took its place, and its run goes on under that.
    Replaced,
    /// A run was started.
    Run(RunFact),
    /// Only its file says so: another tool wrote it.
    Claimed(PlanState),
}

/// What is known of a plan besides the recorded facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanFlags {
    /// The checks found an error.
    pub has_errors: bool,
    /// A signature over the present digests exists and counts.
    pub signed: bool,
    /// It was rejected too often, and no person has acted on it since.
    pub needs_person: bool,
}

/// The state of a run, as far as it decides the state of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFact {
    pub outcome: Option<Outcome>,
    /// A process drives it, or it only waits on a person.
    pub is_attended: bool,
    /// A planner drafts a new version of the plan.
    pub is_replanning: bool,
}

/// Derives the state: the newest fact wins. `facts` are those about the present digests, oldest first,
/// and every run that has not ended, whichever version it runs.
///
/// A signature that was not recorded counts as older than all facts. An edit does not free a plan from
/// needing a person.
pub fn derive(known: PlanFlags, facts: impl IntoIterator<Item = PlanFact>) -> PlanState {
    let unsigned = if known.has_errors {
        PlanState::Draft
    } else {
        PlanState::Verified
    };
    let approved = if known.signed && !known.has_errors {
        PlanState::Approved
    } else {
        unsigned
    };
    let state = facts.into_iter().fold(approved, |before, fact| match fact {
        PlanFact::Proposed => unsigned,
        PlanFact::Approved | PlanFact::Retried => approved,
        PlanFact::Rejected => PlanState::Rejected,
        PlanFact::NeedsReview => PlanState::NeedsReview,
        PlanFact::Cancelled => PlanState::Cancelled,
        PlanFact::Replaced => PlanState::Failed,
        PlanFact::Run(run) => of_run(run),
        PlanFact::Claimed(claimed) => trusted_claim(claimed).unwrap_or(before),
    });
    let is_open = matches!(
        state,
        PlanState::Draft | PlanState::Verified | PlanState::Approved | PlanState::Rejected
    );
    if known.needs_person && is_open {
        PlanState::NeedsReview
    } else {
        state
    }
}

/// A claim of the file that is believed: only one that keeps the plan from running.
fn trusted_claim(claimed: PlanState) -> Option<PlanState> {
    match claimed {
        PlanState::Completed
        | PlanState::Cancelled
        | PlanState::Rejected
        | PlanState::NeedsReview => Some(claimed),
        PlanState::Draft
        | PlanState::Verified
        | PlanState::Approved
        | PlanState::Executing
        | PlanState::Replanning
        | PlanState::Stalled
        | PlanState::Failed => None,
    }
}

fn of_run(run: RunFact) -> PlanState {
    match (run.outcome, run.is_attended) {
        (Some(Outcome::Completed | Outcome::Partial), _) => PlanState::Completed,
        (Some(Outcome::Failed), _) => PlanState::Failed,
        (None, _) if run.is_replanning => PlanState::Replanning,
        (None, true) => PlanState::Executing,
        (None, false) => PlanState::Stalled,
    }
}
