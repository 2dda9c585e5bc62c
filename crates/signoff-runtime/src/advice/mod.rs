//! What models are asked in a run: a new version of the plan, how a failed step goes on, who does a step. What they say
//! is checked here as far as the project decides about it, and by the engine as far as the plan does.

mod arbiter;
mod offer;
mod recovery;
mod replan;

use std::path::PathBuf;

use signoff_engine::{ModelAnswer, ModelTask, ModelUsage, Run};
use signoff_llm::Usage;

pub use self::arbiter::next_arbiter_prompt;
use crate::error::{Error, PlanningError};
use crate::local::{Advise, ModelReply, QuestionStop};
use crate::planning::{Model, ModelPurpose};
use crate::project::Project;

/// Asks the models of a project.
pub(crate) struct Advisor {
    pub(crate) project: Project,
    /// The plan that the run carries out, and its file.
    pub(crate) key: String,
    pub(crate) plan: PathBuf,
}

/// An answer, and what it used.
pub(crate) struct Advice {
    pub(crate) answer: ModelAnswer,
    pub(crate) usage: Usage,
}

impl Advise for Advisor {
    fn advise(
        &self,
        run: &Run,
        step: usize,
        task: ModelTask,
        stop: &QuestionStop,
    ) -> Option<ModelReply> {
        let purpose = match task {
            ModelTask::Replan | ModelTask::Recovery => ModelPurpose::Planner,
            ModelTask::Role => ModelPurpose::Arbiter,
        };
        let mut by = "planner".to_owned();
        let advice = Model::choose(&self.project, purpose, stop.clone()).and_then(|model| {
            let Some(mut model) = model else {
                return Ok(nothing("no arbiter is configured", Usage::default()));
            };
            model.name().clone_into(&mut by);
            match task {
                ModelTask::Replan => self.replan(run, step, &mut model),
                ModelTask::Recovery => recovery::advice(&self.project, run, step, &mut model),
                ModelTask::Role => arbiter::advice(&self.project, run, step, &mut model),
            }
        });
        let advice = match advice {
            Ok(advice) => advice,
            Err(Error::Planning(PlanningError::Stopped)) => return None,
            Err(error) => failed(error),
        };
        Some(ModelReply {
            answer: advice.answer,
            by,
            usage: model_usage(advice.usage),
        })
    }

    fn offer_draft(&self, run: &Run) -> Result<bool, Error> {
        offer::offer_draft(self, run)
    }
}

fn nothing(why: impl Into<String>, usage: Usage) -> Advice {
    let answer = ModelAnswer::Nothing(why.into());
    Advice { answer, usage }
}

fn failed(error: Error) -> Advice {
    match error {
        Error::Planning(PlanningError::NoAnswer { why, usage }) => nothing(why, usage),
        Error::Planning(PlanningError::NoAgent { role, .. }) => {
            nothing(format!("no agent has the role `{role}`"), Usage::default())
        }
        error => nothing(format!("{error:?}"), Usage::default()),
    }
}

fn model_usage(usage: Usage) -> Vec<ModelUsage> {
    if usage.tokens.is_none() && usage.usd_e6.is_none() {
        return Vec::new();
    }
    vec![ModelUsage {
        model: usage.model,
        input_tokens: usage.tokens.unwrap_or(0),
        usd_e6: usage.usd_e6,
        ..ModelUsage::default()
    }]
}
