//! Why no plan could be drafted.

use signoff_llm::{PromptError, Usage};
use signoff_plan::dialect::Dialect;

use super::Error;

/// Why no plan could be drafted.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum PlanningError {
    /// The task says nothing.
    EmptyTask,
    /// No agent is configured for this role, nor a `default`.
    NoAgent { role: String, known: Vec<String> },
    /// A provider is configured, and none of its models.
    NoModel { provider: &'static str },
    /// The provider's key is not known.
    NoKey {
        provider: &'static str,
        variable: &'static str,
    },
    /// The command that prints the key failed.
    KeyCommand { why: String },
    /// Planners do not write this dialect.
    NoPlannerFor { dialect: Dialect },
    /// Nobody said what is to be changed.
    NothingSaid,
    /// The plan was changed while the planner wrote.
    ChangedMeanwhile,
    /// A prompt of the project cannot be used.
    Prompt(PromptError),
    /// A model gave no answer that can be used.
    NoAnswer { why: String, usage: Usage },
    /// The person stopped it.
    Stopped,
}

impl From<PlanningError> for Error {
    fn from(error: PlanningError) -> Self {
        Self::Planning(error)
    }
}

impl From<PromptError> for Error {
    fn from(error: PromptError) -> Self {
        Self::Planning(PlanningError::Prompt(error))
    }
}
