//! Whether a plan says that a step makes a file.

use serde_json::Value;
use signoff_plan::glob;
use signoff_plan::model::{Step, Work};

/// What a step's fields say that it makes. Its task does not count: only a reader who understands it
/// knows whether a sentence allows, forbids or only mentions a file.
#[derive(Debug)]
pub(super) struct DeclaredProducts<'a> {
    produces: &'a [String],
    /// Arguments of a tool, which a person has signed as they are.
    arguments: Vec<&'a str>,
}

impl<'a> DeclaredProducts<'a> {
    pub(super) fn new(step: &'a Step) -> Self {
        let mut arguments = Vec::new();
        if let Work::Tool { args, .. } = &step.work {
            note_texts(args, &mut arguments);
        }
        Self {
            produces: &step.produces,
            arguments,
        }
    }

    pub(super) fn produces(&self, path: &str) -> bool {
        let mut patterns = self.produces.iter();
        let mut arguments = self.arguments.iter();
        patterns.any(|pattern| glob::matches(pattern, path))
            || arguments.any(|argument| super::plain_path(argument) == path)
    }
}

/// Notes every text of a value.
fn note_texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| note_texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| note_texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
