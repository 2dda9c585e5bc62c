//! The state of a plan, derived from what the harness recorded and never believed from a file.

use crate::event::Outcome;

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanState {
    Draft,
    Verified,
    Approved,
    Executing,
    Stalled,
    Completed,
    Failed,
}

impl PlanState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Verified => "verified",
            Self::Approved => "approved",
            Self::Executing => "executing",
            Self::Stalled => "stalled",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// The word a `workunit` file uses (seed 002); where it has none, ours.
    pub fn in_workunit(self) -> &'static str {
        match self {
            Self::Executing => "in-progress",
            Self::Completed => "done",
            Self::Draft | Self::Verified | Self::Approved | Self::Stalled | Self::Failed => {
                self.name()
            }
        }
    }
}

/// What is known of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known {
    /// The checks found an error.
    pub has_errors: bool,
    /// A signature over the present digests exists.
    pub signed: bool,
    /// The newest run of the present digest, if any.
    pub run: Option<KnownRun>,
}

/// What is known of a plan's newest run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownRun {
    pub outcome: Option<Outcome>,
    /// A process drives it, or it only waits on a person.
    pub cared_for: bool,
}

/// Derives the state from the newest fact about the present digests.
pub fn derive(known: Known) -> PlanState {
    match known.run {
        Some(KnownRun {
            outcome: Some(Outcome::Completed | Outcome::Partial),
            ..
        }) => PlanState::Completed,
        Some(KnownRun {
            outcome: Some(Outcome::Failed),
            ..
        }) => PlanState::Failed,
        Some(KnownRun {
            outcome: None,
            cared_for: true,
        }) => PlanState::Executing,
        Some(KnownRun {
            outcome: None,
            cared_for: false,
        }) => PlanState::Stalled,
        None if known.has_errors => PlanState::Draft,
        None if known.signed => PlanState::Approved,
        None => PlanState::Verified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_fact_wins() {
        let run = |outcome, cared_for| Known {
            signed: true,
            run: Some(KnownRun { outcome, cared_for }),
            ..Known::default()
        };
        for (known, state) in [
            (Known::default(), PlanState::Verified),
            (
                Known {
                    has_errors: true,
                    ..Known::default()
                },
                PlanState::Draft,
            ),
            (
                Known {
                    signed: true,
                    ..Known::default()
                },
                PlanState::Approved,
            ),
            (run(None, true), PlanState::Executing),
            (run(None, false), PlanState::Stalled),
            (run(Some(Outcome::Partial), false), PlanState::Completed),
            (run(Some(Outcome::Failed), false), PlanState::Failed),
        ] {
            assert_eq!(derive(known), state);
        }
    }
}
