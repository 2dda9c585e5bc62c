//! Asks models during a run: for a new version of the plan, how a failed step goes on, which role does a step. Their
//! answers are checked here against the project, and by the engine against the plan.

mod arbiter;
mod expansion;
mod offer;
mod recovery;
mod replan;
mod review;
mod submitted_version;

use std::path::PathBuf;

use signoff_engine::{ModelAnswer, ModelTask, Run};
use signoff_llm::Usage;
use signoff_store::failpoint;

pub use self::arbiter::next_arbiter_prompt;
pub use self::expansion::next_expansion_prompt;
pub(crate) use self::offer::offer_to_people;
pub use self::submitted_version::{revise, run_of_plan};
use crate::error::{Error, PlanningError};
use crate::local::{Advise, ModelReply, QuestionStop};
use crate::planning::{Model, ModelPurpose, model_usage};
use crate::project::Project;

/// Bytes of a failure that a model receives.
const ERROR_BYTES: usize = 8 * 1024;

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
        let mut by = "planner".to_owned();
        let model = match task {
            ModelTask::Replan | ModelTask::Recovery => {
                Model::choose(&self.project, ModelPurpose::Planner, stop.clone())
            }
            ModelTask::Role => Model::choose(&self.project, ModelPurpose::Arbiter, stop.clone()),
            ModelTask::Review => {
                let role = run
                    .definition(step)
                    .and_then(|step| step.reviewer.as_deref());
                role.unwrap_or("reviewer").clone_into(&mut by);
                role.map(|role| Model::of_reviewer(&self.project, role, stop.clone()))
                    .transpose()
            }
        };
        let advice = model.and_then(|model| {
            let Some(mut model) = model else {
                return Ok(no_advice("no model is configured for it", Usage::default()));
            };
            model.name().clone_into(&mut by);
            failpoint::reach("model.asked");
            match task {
                ModelTask::Replan => self.replan(run, step, &mut model),
                ModelTask::Recovery => recovery::advice(&self.project, run, step, &mut model),
                ModelTask::Role => arbiter::advice(&self.project, run, step, &mut model),
                ModelTask::Review => review::advice(&self.project, run, step, &mut model),
            }
        });
        let advice = match advice {
            Ok(advice) => advice,
            Err(Error::Planning(PlanningError::Stopped)) => return None,
            Err(error) => failed_advice(error),
        };
        Some(ModelReply {
            answer: advice.answer,
            by,
            usage: model_usage(&advice.usage),
        })
    }

    fn offer_draft(&self, run: &Run) -> Result<bool, Error> {
        offer::offer_draft(self, run)
    }
}

fn no_advice(why: impl Into<String>, usage: Usage) -> Advice {
    let answer = ModelAnswer::Nothing(why.into());
    Advice { answer, usage }
}

/// The result of a question that was not answered, or not even asked; the journal has the reason for people.
fn failed_advice(error: Error) -> Advice {
    let why = match error {
        Error::Planning(PlanningError::NoAnswer { why, usage }) => return no_advice(why, usage),
        Error::Planning(error) => error.to_string(),
        Error::HelpersChanged { differences } => format!(
            "files that its command runs are not what was trusted: {}",
            differences.join("; ")
        ),
        error => format!("the model cannot be asked: {error}"),
    };
    no_advice(why, Usage::default())
}

/// The end of a text, which tells most of a failure.
fn tail(text: &str, bytes: usize) -> String {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default().to_owned()
}
