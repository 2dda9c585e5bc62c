//! Answers with a type: a model is asked for JSON of a schema, shown what is wrong with its answer, and asked again. An
//! answer fits as a whole or counts for nothing.

use std::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signoff_plan::tools::schema_problems;

use crate::complete::{Complete, CompleteError, Completion, Truncation, Usage};
use crate::planner::quotable_start;
use crate::prompt::{PromptError, PromptName, Prompts};
use crate::reply::{ObjectProblem, read_object};

/// An answer of this type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedReply<T> {
    /// The answer.
    pub value: T,
    /// How often the model was asked.
    pub rounds: u32,
    /// What all rounds used.
    pub usage: Usage,
}

/// Why there is no answer of the type. Displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedError {
    /// A prompt cannot be used.
    Prompt(PromptError),
    /// The model did not answer.
    ModelFailed(CompleteError),
    /// No answer fits, and the bound is reached.
    Unusable {
        /// How often the model was asked.
        rounds: u32,
        /// What is wrong with the last answer.
        problems: Vec<String>,
        /// What all rounds used.
        usage: Usage,
    },
}

impl TypedError {
    /// What was used all the same.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Prompt(_) => Usage::default(),
            Self::ModelFailed(error) => error.usage.clone(),
            Self::Unusable { usage, .. } => usage.clone(),
        }
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt(error) => error.fmt(f),
            Self::ModelFailed(error) => error.fmt(f),
            Self::Unusable {
                rounds, problems, ..
            } => {
                let times = if *rounds == 1 { "time" } else { "times" };
                write!(
                    f,
                    "the model was asked {rounds} {times} and gave no usable answer: {}",
                    problems.join("; ")
                )
            }
        }
    }
}

impl std::error::Error for TypedError {}

impl From<PromptError> for TypedError {
    fn from(error: PromptError) -> Self {
        Self::Prompt(error)
    }
}

/// Asks a question until an answer fits its type and `check` has nothing against it, at most `max_rounds` times.
pub fn ask_typed<T: DeserializeOwned + JsonSchema>(
    model: &mut dyn Complete,
    prompts: &Prompts,
    question: &str,
    max_rounds: u32,
    check: &mut dyn FnMut(&T) -> Vec<String>,
) -> Result<TypedReply<T>, TypedError> {
    let schema = schema_of::<T>();
    let mut usage = Usage::default();
    let mut answer = String::new();
    let mut problems: Vec<String> = Vec::new();
    let rounds = max_rounds.max(1);
    for round in 1..=rounds {
        let form = form(prompts, &schema, &answer, &problems)?;
        let completion = match model.complete(&format!("{question}\n{form}")) {
            Ok(completion) => completion,
            Err(mut error) => {
                usage.add(&error.usage);
                error.usage = usage;
                return Err(TypedError::ModelFailed(error));
            }
        };
        usage.add(&completion.usage);
        match read::<T>(&completion, &schema, check) {
            Ok(value) => {
                return Ok(TypedReply {
                    value,
                    rounds: round,
                    usage,
                });
            }
            Err(found) => problems = found,
        }
        answer = completion.text;
    }
    Err(TypedError::Unusable {
        rounds,
        problems,
        usage,
    })
}

fn form(
    prompts: &Prompts,
    schema: &Value,
    answer: &str,
    problems: &[String],
) -> Result<String, PromptError> {
    let schema = serde_json::to_string_pretty(schema).expect("a schema is JSON");
    let problems: Vec<String> = problems.iter().map(|one| format!("- {one}")).collect();
    let values = json!({
        "schema": schema,
        "answer": quotable_start(answer),
        "problems": problems.join("\n"),
    });
    prompts.fill(PromptName::Typed, &values)
}

/// The schema of a type, whole: models and our checks of values know no references.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

fn read<T: DeserializeOwned>(
    completion: &Completion,
    schema: &Value,
    check: &mut dyn FnMut(&T) -> Vec<String>,
) -> Result<T, Vec<String>> {
    let cut = completion.cut.map(|cut| match cut {
        Truncation::TooLarge { bytes } => ObjectProblem::TooLarge { bytes },
        Truncation::TokenLimit => ObjectProblem::Cut,
    });
    if let Some(problem) = cut {
        return Err(vec![problem.to_string()]);
    }
    let object = read_object(&completion.text).map_err(|problem| vec![problem.to_string()])?;
    let object = Value::Object(object);
    let misfits = schema_problems(&object, schema);
    if !misfits.is_empty() {
        return Err(misfits);
    }
    // The schema checks leave out alternatives; reading does not.
    let value: T = serde_json::from_value(object).map_err(|why| vec![why.to_string()])?;
    match check(&value) {
        problems if problems.is_empty() => Ok(value),
        problems => Err(problems),
    }
}
