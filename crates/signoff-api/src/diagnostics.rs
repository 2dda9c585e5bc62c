//! `signoff.diagnostics/1`: what `verify --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_plan::diagnostic;
use signoff_plan::source::Source;

pub const SCHEMA: &str = "signoff.diagnostics/1";

/// Every problem of the files that were checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the wire format")]
pub struct Diagnostics {
    pub schema: String,
    pub errors: usize,
    pub warnings: usize,
    pub diagnostics: Vec<Diagnostic>,
}

/// One problem; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnostic {
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    pub message: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub step: Option<String>,
    pub help: Option<String>,
}

impl Diagnostics {
    pub fn new(diagnostics: Vec<Diagnostic>) -> Self {
        let count = |severity: &str| {
            let same = diagnostics.iter().filter(|one| one.severity == severity);
            same.count()
        };
        Self {
            schema: SCHEMA.to_owned(),
            errors: count("error"),
            warnings: count("warning"),
            diagnostics,
        }
    }
}

impl Diagnostic {
    pub fn new(diagnostic: &diagnostic::Diagnostic, source: &Source) -> Self {
        let (line, column) = source.line_column(diagnostic.span.start);
        let (end_line, end_column) = source.line_column(diagnostic.span.end);
        Self {
            code: diagnostic.code.as_str().to_owned(),
            severity: diagnostic.severity.as_str().to_owned(),
            message: diagnostic.message.clone(),
            file: source.name_at(diagnostic.span.start),
            line,
            column,
            end_line,
            end_column,
            step: diagnostic.step.clone(),
            help: diagnostic.help.clone(),
        }
    }
}
