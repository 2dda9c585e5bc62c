//! `signoff.error/1`: a failure of a command, on stderr.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.error/1";

/// What went wrong and what to type next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Error {
    pub schema: String,
    /// Stable kebab-case name.
    pub code: String,
    pub message: String,
    /// What exactly: differences, fields, places.
    pub details: Vec<String>,
    /// What to do next.
    pub hints: Vec<String>,
}

impl Error {
    pub fn new(code: &str, message: &str, details: Vec<String>, hints: Vec<String>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            code: code.to_owned(),
            message: message.to_owned(),
            details,
            hints,
        }
    }
}
