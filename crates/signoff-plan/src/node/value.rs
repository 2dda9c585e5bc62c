//! YAML values as JSON, by the core schema of YAML 1.2.

use serde_json::{Number, Value};

use super::{Node, NodeKind};

impl Node {
    /// The JSON value this means. `no` and `1.10` in quotes stay text; without, only `true`,
    /// `false`, `null` and numbers are anything else.
    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Scalar { text, plain: false } => Value::from(text.as_str()),
            NodeKind::Scalar { text, plain: true } => plain_value(text),
            NodeKind::Sequence(items) => items.iter().map(Self::to_json).collect(),
            NodeKind::Mapping(entries) => entries
                .iter()
                .map(|entry| (entry.key.value.clone(), entry.value.to_json()))
                .collect(),
        }
    }
}

/// What text without quotes means.
pub(crate) fn plain_value(text: &str) -> Value {
    match text {
        "null" | "Null" | "NULL" | "~" | "" => Value::Null,
        "true" | "True" | "TRUE" => Value::from(true),
        "false" | "False" | "FALSE" => Value::from(false),
        _ => number(text).map_or_else(|| Value::from(text), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Number::from(whole));
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Number::from(whole));
    }
    let decimal = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    if !text.chars().all(decimal) {
        return None;
    }
    text.parse().ok().and_then(Number::from_f64)
}
