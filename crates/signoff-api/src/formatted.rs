//! `signoff.fmt/1`: which files `fmt` changed, or would.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.fmt/1";

/// Every file that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formatted {
    pub schema: String,
    /// Files that have the usual form already.
    pub unchanged: Vec<String>,
    /// Files that were changed, or with `--check` would be.
    pub changed: Vec<String>,
    /// Files that could not be brought into it.
    pub refused: Vec<RefusedFile>,
}

/// A file that was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Refused")]
pub struct RefusedFile {
    pub path: String,
    pub why: String,
}
