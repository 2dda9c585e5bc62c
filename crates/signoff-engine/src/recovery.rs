//! What a crash cut off. This is the only place that says what becomes of a step that was under way
//! when the harness died: `decide` turns it into events, `apply` into the stage that is asked for again.

use signoff_plan::model::{Step, Work};

use crate::event::Choice;
use crate::state::{Stage, StepState};
use crate::verdict::Verdict;

/// What was under way in a step when the harness died, or what it had not written down yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CutOff<'a> {
    /// Nothing was, and nothing is missing.
    Nothing,
    /// Something that the harness does itself: it is done again from this stage.
    Harness(Stage),
    /// The last run of the contract of a step that has ended: the end of the run asks for it again.
    Recheck,
    /// Its agent worked, and nobody knows how far it came.
    Agent { attempt: u32 },
    /// Its tool was called, and nobody knows whether that took place.
    Call { attempt: u32 },
    /// A person answered, and what follows from that was not written.
    Answer { choice: Choice, by: &'a str },
    /// The agent of a step without a contract had ended, and what follows was not written.
    AfterAgent,
    /// The same of a call.
    AfterCall,
    /// Its work was merged, and what follows was not written.
    AfterMerge,
}

/// What a crash cut off in this step.
pub(crate) fn cut_off<'a>(definition: &Step, state: &'a StepState) -> CutOff<'a> {
    if let Some((choice, by)) = &state.activation.answered {
        return CutOff::Answer {
            choice: *choice,
            by,
        };
    }
    let is_tool = matches!(definition.work, Work::Tool { .. });
    match state.stage {
        Stage::Working { attempt } => match definition.work {
            // A check has no work that could have been cut off.
            Work::Check => CutOff::Harness(Stage::NeedsEvaluation { attempt }),
            Work::Tool { .. } => CutOff::Call { attempt },
            Work::Agent { .. } | Work::Ask { .. } => CutOff::Agent { attempt },
        },
        Stage::Baselining => CutOff::Harness(Stage::NeedsBaseline),
        Stage::Assembling { attempt } | Stage::Evaluating { attempt } => {
            CutOff::Harness(Stage::NeedsEvaluation { attempt })
        }
        Stage::Merging { attempt } => CutOff::Harness(Stage::NeedsMerge { attempt }),
        Stage::Rechecking => CutOff::Recheck,
        Stage::NeedsEvaluation { .. } if definition.contract.is_some() => CutOff::Nothing,
        Stage::NeedsEvaluation { .. } if is_tool => CutOff::AfterCall,
        Stage::NeedsEvaluation { .. } => CutOff::AfterAgent,
        Stage::NeedsMerge { .. } if state.attempt.commit.is_some() => CutOff::AfterMerge,
        Stage::Idle
        | Stage::NeedsBaseline
        | Stage::NeedsWork
        | Stage::NeedsMerge { .. }
        | Stage::Expanded
        | Stage::Waiting { .. }
        | Stage::Provisional
        | Stage::Ended => CutOff::Nothing,
    }
}

/// Where a step goes on whose attempt was cut off. Its contract was seen red before: if it holds now,
/// the work was done. Otherwise nothing can be said about the attempt, and it is void.
pub(crate) fn stage_after_interruption(state: &StepState, attempt: u32) -> Stage {
    if state.baseline.verdict == Some(Verdict::Fail) {
        Stage::NeedsEvaluation { attempt }
    } else {
        Stage::NeedsWork
    }
}
