//! What a crash cut off. Only this file decides how a step continues that was active when the harness died:
//! `decide` turns the answer into events, `apply` into the stage from which it is requested again.

use signoff_plan::model::{Step, Work};

use crate::event::ModelTask;
use crate::state::{Answered, Stage, StepState};
use crate::verdict::Verdict;

/// What a step was doing when the harness died, or which consequence is missing from the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CutOff<'a> {
    /// Nothing was cut off.
    Nothing,
    /// Something that the harness does itself. It is repeated from this stage.
    Harness(Stage),
    /// The recheck of a step that has ended. It is requested again at the end of the run.
    Recheck,
    /// Its agent was working.
    Agent { attempt: u32 },
    /// Its tool was being called; it is not known whether the call took place.
    Call { attempt: u32 },
    /// The consequence of a person's answer is missing.
    Answer(&'a Answered),
    /// The consequence of the agent's end is missing, for a step without a contract.
    AfterAgent,
    /// The consequence of a call's end is missing.
    AfterCall,
    /// The consequence of a merge is missing.
    AfterMerge,
}

/// What a crash cut off in this step.
pub(crate) fn cut_off<'a>(definition: &Step, state: &'a StepState) -> CutOff<'a> {
    if let Some(answered) = &state.activation.answered {
        return CutOff::Answer(answered);
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
        Stage::AskingModel {
            task: ModelTask::Role,
        } => CutOff::Harness(Stage::NeedsWork),
        Stage::AskingModel { task } => CutOff::Harness(Stage::NeedsModel { task }),
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
        | Stage::Held
        | Stage::NeedsModel { .. }
        | Stage::Provisional
        | Stage::Ended => CutOff::Nothing,
    }
}

/// Where a step continues after an interrupted attempt. If its baseline failed, the contract can show whether
/// the work was done. Otherwise the attempt is void and the work starts again.
pub(crate) fn stage_after_interruption(state: &StepState, attempt: u32) -> Stage {
    if state.baseline.verdict == Some(Verdict::Fail) {
        Stage::NeedsEvaluation { attempt }
    } else {
        Stage::NeedsWork
    }
}
