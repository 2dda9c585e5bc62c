//! Why no plan could be drafted.

use std::fmt;

use signoff_llm::{PromptError, Usage};
use signoff_plan::dialect::Dialect;

use super::Error;

/// Why no plan could be drafted.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum PlanningError {
    /// The task says nothing.
    EmptyTask,
    /// The task is longer than what a planner is told.
    LongTask { bytes: usize, most: usize },
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
    /// No step of the plan stands for others.
    NothingToExpand,
    /// What its open steps follow from is not there yet.
    NotProduced { files: Vec<String> },
    /// A planner is writing this plan anew already.
    UnderWay,
    /// The process of the planner could not be started.
    NotStarted { why: String },
    /// The plan was changed while the planner wrote.
    ChangedMeanwhile,
    /// No request of this name waits for answers.
    NoSuchPlanning { id: String },
    /// A prompt of the project cannot be used.
    Prompt(PromptError),
    /// A model gave no answer that can be used.
    NoAnswer { why: String, usage: Usage },
    /// The person stopped it.
    Stopped,
}

/// What is wrong, as one clause. What to do about it is the surfaces' to say.
impl fmt::Display for PlanningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyTask => write!(f, "the task is empty"),
            Self::LongTask { bytes, most } => write!(
                f,
                "the task has {} KB, and a planner is told at most {} KB",
                bytes / 1024,
                most / 1024
            ),
            Self::NoAgent { role, .. } => {
                write!(f, "no agent is configured for the role `{role}`")
            }
            Self::NoModel { provider } => write!(
                f,
                "`[llm] provider` is `{provider}`, and `[llm] model` names none of its models"
            ),
            Self::NoKey { provider, .. } => write!(f, "the key of `{provider}` is not known"),
            Self::KeyCommand { why } => write!(f, "`[llm] key_command` gave no key: {why}"),
            Self::NoPlannerFor { dialect } => {
                write!(f, "planners do not write the dialect `{dialect}`")
            }
            Self::NothingSaid => write!(f, "nobody has said what is to be changed"),
            Self::NothingToExpand => write!(f, "no step of the plan stands for others"),
            Self::NotProduced { .. } => {
                write!(f, "what the open steps follow from is not there yet")
            }
            Self::UnderWay => write!(f, "a planner is writing this plan anew already"),
            Self::NotStarted { why } => write!(f, "the planner could not be started: {why}"),
            Self::ChangedMeanwhile => write!(
                f,
                "the plan was changed while the planner wrote; nothing was written"
            ),
            Self::NoSuchPlanning { id } => write!(f, "no request `{id}` waits for answers"),
            Self::Prompt(error) => error.fmt(f),
            Self::NoAnswer { why, .. } => f.write_str(why),
            Self::Stopped => write!(f, "the planner was stopped"),
        }
    }
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
