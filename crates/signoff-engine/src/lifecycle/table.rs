//! The table of transitions: from which states, by whom, to which.

use std::fmt;

use PlanState::{
    Approved, Cancelled, Completed, Draft, Executing, Failed, NeedsReview, Rejected, Replanning,
    Stalled, Verified,
};

use super::{Actor, PlanState};

/// What can be done to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transition {
    /// The definition was edited.
    Edit,
    /// The checks found no error.
    Verify,
    Approve,
    Reject,
    /// It was rejected once too often.
    Escalate,
    /// A new text answers a rejection.
    Revise,
    Cancel,
    /// Nothing happened for too long.
    Expire,
    Start,
    /// Once more, after it was completed.
    RunAgain,
    Complete,
    Fail,
    /// The process that drove the run is gone or silent.
    Stall,
    Resume,
    /// From scratch, under the same signature.
    Retry,
    Replan,
}

impl Transition {
    pub const ALL: [Self; 16] = [
        Self::Edit,
        Self::Verify,
        Self::Approve,
        Self::Reject,
        Self::Escalate,
        Self::Revise,
        Self::Cancel,
        Self::Expire,
        Self::Start,
        Self::RunAgain,
        Self::Complete,
        Self::Fail,
        Self::Stall,
        Self::Resume,
        Self::Retry,
        Self::Replan,
    ];

    /// As a verb: "cannot … a plan".
    pub fn verb(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Verify => "verify",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Escalate => "escalate",
            Self::Revise => "revise",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Start => "run",
            Self::RunAgain => "run again",
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::Stall => "stall",
            Self::Resume => "resume",
            Self::Retry => "retry",
            Self::Replan => "replan",
        }
    }
}

struct Row {
    from: &'static [PlanState],
    act: Transition,
    to: PlanState,
    by: &'static [Actor],
}

const fn row(
    from: &'static [PlanState],
    act: Transition,
    to: PlanState,
    by: &'static [Actor],
) -> Row {
    Row { from, act, to, by }
}

const PERSON: &[Actor] = &[Actor::Person];
const HARNESS: &[Actor] = &[Actor::Harness];
/// Everyone who may run a plan.
const ANYBODY: &[Actor] = &[
    Actor::Person,
    Actor::Policy,
    Actor::Harness,
    Actor::Planner,
    Actor::Agent,
];
const WRITERS: &[Actor] = &[Actor::Person, Actor::Planner, Actor::Agent];

const TABLE: [Row; 22] = [
    row(&[Draft], Transition::Verify, Verified, HARNESS),
    row(
        &[Verified],
        Transition::Approve,
        Approved,
        &[Actor::Person, Actor::Policy],
    ),
    row(&[NeedsReview], Transition::Approve, Approved, PERSON),
    row(&[Verified], Transition::Reject, Rejected, PERSON),
    row(&[Rejected], Transition::Revise, Verified, WRITERS),
    row(&[NeedsReview], Transition::Revise, Verified, PERSON),
    row(&[Rejected], Transition::Escalate, NeedsReview, HARNESS),
    row(
        &[Verified, Approved],
        Transition::Expire,
        Cancelled,
        HARNESS,
    ),
    row(
        &[
            Draft,
            Verified,
            Approved,
            Rejected,
            NeedsReview,
            Executing,
            Stalled,
            Failed,
        ],
        Transition::Cancel,
        Cancelled,
        PERSON,
    ),
    row(&[Approved], Transition::Start, Executing, ANYBODY),
    row(&[Completed], Transition::RunAgain, Executing, PERSON),
    row(&[Executing], Transition::Complete, Completed, HARNESS),
    row(
        &[Executing],
        Transition::Fail,
        Failed,
        &[Actor::Harness, Actor::Person],
    ),
    row(&[Stalled], Transition::Fail, Failed, PERSON),
    row(&[Executing], Transition::Stall, Stalled, HARNESS),
    row(&[Stalled], Transition::Resume, Executing, ANYBODY),
    row(&[Failed], Transition::Resume, Executing, PERSON),
    row(&[Stalled, Failed], Transition::Retry, Approved, PERSON),
    row(&[Executing], Transition::Replan, Replanning, HARNESS),
    row(&[Replanning], Transition::Fail, Failed, HARNESS),
    row(
        &[
            Draft, Verified, Approved, Rejected, Cancelled, Completed, Failed, Replanning,
        ],
        Transition::Edit,
        Draft,
        ANYBODY,
    ),
    // An edit does not undo three rejections; otherwise anybody could.
    row(&[NeedsReview], Transition::Edit, NeedsReview, ANYBODY),
];

/// Why something cannot be done to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForbiddenTransition {
    /// The state does not allow it to anybody.
    State {
        state: PlanState,
        act: Transition,
        /// What this actor could do instead.
        possible: Vec<Transition>,
    },
    /// The state allows it, but not to this actor.
    Actor {
        state: PlanState,
        act: Transition,
        actor: Actor,
        allowed: &'static [Actor],
    },
}

impl fmt::Display for ForbiddenTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State { state, act, .. } => {
                write!(f, "Cannot {} a plan that is {state}", act.verb())
            }
            Self::Actor {
                state,
                act,
                actor,
                allowed,
            } => {
                let names: Vec<_> = allowed.iter().map(|actor| actor.name()).collect();
                write!(
                    f,
                    "Cannot {} a plan that is {state} as {}: only {} may",
                    act.verb(),
                    actor.name(),
                    names.join(" or ")
                )
            }
        }
    }
}

impl std::error::Error for ForbiddenTransition {}

/// The state after an act, if the state and the actor allow it.
pub fn state_after(
    state: PlanState,
    act: Transition,
    actor: Actor,
) -> Result<PlanState, ForbiddenTransition> {
    let mut allowed = None;
    for row in TABLE
        .iter()
        .filter(|row| row.act == act && row.from.contains(&state))
    {
        if row.by.contains(&actor) {
            return Ok(row.to);
        }
        allowed = Some(row.by);
    }
    Err(match allowed {
        Some(allowed) => ForbiddenTransition::Actor {
            state,
            act,
            actor,
            allowed,
        },
        None => ForbiddenTransition::State {
            state,
            act,
            possible: possible_transitions(state, actor),
        },
    })
}

/// The transitions that an actor can cause in this state.
pub fn possible_transitions(state: PlanState, actor: Actor) -> Vec<Transition> {
    let rows = TABLE
        .iter()
        .filter(|row| row.from.contains(&state) && row.by.contains(&actor));
    let mut acts: Vec<Transition> = rows.map(|row| row.act).collect();
    acts.sort_unstable();
    acts
}

/// The state after signing another version of the plan, or other terms, while a run of it has stopped or
/// failed. The state does not change, and the run can continue. Only a person may change the course of a
/// run.
pub fn state_after_signing_again(
    state: PlanState,
    actor: Actor,
) -> Result<PlanState, ForbiddenTransition> {
    match (state, actor) {
        (Executing | Stalled | Failed, Actor::Person) => Ok(state),
        (Executing | Stalled | Failed, _) => Err(ForbiddenTransition::Actor {
            state,
            act: Transition::Approve,
            actor,
            allowed: PERSON,
        }),
        _ => state_after(state, Transition::Approve, actor),
    }
}

/// May the plan's file be deleted? Not while a run of it has not ended.
pub fn may_delete(state: PlanState) -> bool {
    !matches!(state, Executing | Replanning | Stalled)
}

/// May the plan be copied? A rejected plan only by a person: a copy would be free of the rejection.
pub fn may_clone(state: PlanState, actor: Actor) -> bool {
    actor == Actor::Person || !matches!(state, Rejected | NeedsReview)
}

/// May a plan that was cancelled only because it waited too long be handed in again as it is? By a person: the clock may
/// have been wrong.
pub fn may_resubmit_expired(state: PlanState, actor: Actor, expired: bool) -> bool {
    state == Cancelled && expired && actor == Actor::Person
}

/// Are these rejections too many, so that a person must review the plan?
pub fn must_escalate(rejections: u64, most: u64) -> bool {
    rejections >= most
}
