//! Typed answers of the project's models.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use signoff_llm::{TypedError, TypedReply, ask_typed};

use super::model::Model;
use super::prompts;
use crate::error::{Error, PlanningError};
use crate::project::Project;

/// Asks a model for an answer of a type, at most `[llm] max_rounds` times. `check` says what is wrong with one that fits.
pub fn ask_model<T: DeserializeOwned + JsonSchema>(
    project: &Project,
    model: &mut Model<'_>,
    question: &str,
    check: &mut dyn FnMut(&T) -> Vec<String>,
) -> Result<TypedReply<T>, Error> {
    let rounds = project.config.llm.max_rounds.value;
    let reply = ask_typed(model, &prompts(project)?, question, rounds, check);
    reply.map_err(|error| match (model.take_failure(), error) {
        (Some(failure), _) => failure,
        (None, TypedError::Prompt(error)) => error.into(),
        (None, error) => PlanningError::NoAnswer {
            why: error.to_string(),
            usage: error.usage(),
        }
        .into(),
    })
}
