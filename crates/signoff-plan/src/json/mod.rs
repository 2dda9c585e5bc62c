//! JSON as the same small tree that YAML is read into: every key and value knows its place.
//!
//! Reading never fails. What is wrong is a [`Problem`], what can be understood around it is there all
//! the same: a comma too many must not hide the next mistake.

mod collection;
mod located;
mod number;
mod parser;
mod render;
mod scan;
mod text;

use serde_json::Value;

pub(crate) use self::located::{
    LocatedPart, LocatedValue, keys_within, value_spans, value_spans_within,
};
pub(crate) use self::parser::{parse, parse_items};
pub(crate) use self::render::{Separators, inline};
pub(crate) use self::scan::{ObjectKeys, is_steps, outline};
#[cfg(doc)]
use crate::node::Problem;

/// Whether `// …` up to the end of the line counts as nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comments {
    /// It does: planners and people write them.
    Tolerated,
    /// It is a problem, as JSON has it.
    Refused,
}

/// What a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// How deep values may nest.
const DEPTH: usize = 64;
/// After so many mistakes the text is something else than JSON.
const PROBLEMS: usize = 100;

#[cfg(test)]
mod tests;
