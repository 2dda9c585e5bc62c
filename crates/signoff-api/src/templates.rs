//! `signoff.templates/1`: what `new --list --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.templates/1";

/// Every template that a plan can be begun from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Templates {
    pub schema: String,
    pub templates: Vec<Template>,
}

/// One template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Template {
    pub name: String,
    /// What plans it makes.
    pub about: String,
    /// Its file; `null` if it is built in.
    pub path: Option<String>,
    /// What has to be given with `--set`.
    pub params: Vec<Param>,
}

/// A place in a template that is filled when a plan is begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Param {
    pub name: String,
    /// The default; `null`: a value is required.
    pub default: Option<String>,
}
