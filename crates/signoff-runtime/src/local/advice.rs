//! Asks models for the run. How that is done is passed in as [`Advise`].

use signoff_engine::{Input, ModelAnswer, ModelTask, ModelUsage, Run};

use super::{LocalPerformer, QuestionStop};
use crate::drive::WakeReason;
use crate::error::Error;

/// Asks models, and keeps what they draft.
pub(crate) trait Advise: Send + Sync {
    /// Asks a model; `None` if the run was stopped meanwhile.
    fn advise(
        &self,
        run: &Run,
        step: usize,
        task: ModelTask,
        stop: &QuestionStop,
    ) -> Option<ModelReply>;

    /// Makes the drafted version a plan of its own. Returns whether the policy has signed it.
    fn offer_draft(&self, run: &Run) -> Result<bool, Error>;
}

/// What a model said.
#[derive(Debug)]
pub(crate) struct ModelReply {
    pub(crate) answer: ModelAnswer,
    /// Who was asked.
    pub(crate) by: String,
    pub(crate) usage: Vec<ModelUsage>,
}

impl LocalPerformer<'_> {
    /// Asks on a thread of its own: an answer may take minutes.
    pub(super) fn ask_model(&mut self, run: &Run, step: usize, task: ModelTask) {
        let advisor = std::sync::Arc::clone(&self.advisor);
        let (run, stop) = (run.clone(), self.question_stop.clone());
        self.supervisor.spawn_job(move || {
            let reply = advisor.advise(&run, step, task, &stop)?;
            Some(WakeReason::Input(Input::ModelEnded {
                step,
                task,
                answer: reply.answer,
                by: reply.by,
                usage: reply.usage,
            }))
        });
    }
}
