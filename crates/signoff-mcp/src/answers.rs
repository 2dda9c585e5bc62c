//! What tools answer: text for a model, and the same as a shape with a published schema.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;
use signoff_runtime::project::Secrets;

use crate::errors::{ToolError, value_of};

/// What a tool answers.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) value: Value,
}

impl Answer {
    /// A shape of `signoff-api`, and what it says in words.
    pub(crate) fn new(text: impl Into<String>, shape: &impl Serialize) -> Self {
        Self {
            text: text.into(),
            value: value_of(shape),
        }
    }

    /// A shape that speaks for itself.
    pub(crate) fn json(shape: &impl Serialize) -> Self {
        let value = value_of(shape);
        Self {
            text: value.to_string(),
            value,
        }
    }

    /// The same with something that a person should know.
    pub(crate) fn with_notes(mut self, notes: &[String]) -> Self {
        for note in notes {
            self.text.push_str("\nnote: ");
            self.text.push_str(note);
        }
        self
    }
}

/// The result of a call, without secrets.
pub(crate) fn to_result(answer: Result<Answer, ToolError>, secrets: &Secrets) -> CallToolResult {
    let (text, mut value, failed) = match answer {
        Ok(answer) => (answer.text, answer.value, false),
        Err(error) => (error.text, error.value, true),
    };
    hide(&mut value, secrets);
    let content = vec![ContentBlock::text(secrets.hide(&text))];
    let mut result = if failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(value);
    result
}

fn hide(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(hidden) = secrets.hide(text) {
                *text = hidden;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|one| hide(one, secrets)),
        Value::Object(fields) => fields.values_mut().for_each(|one| hide(one, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
