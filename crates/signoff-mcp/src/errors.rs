//! Failures of tools, as a model can act on them.

use std::fmt::Write as _;

use serde_json::Value;
use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_api::error as api;
use signoff_plan::diagnostic;
use signoff_plan::source::Source;
use signoff_runtime::Error;
use signoff_runtime::error::ThreadError;

/// Words an error of the runtime as the command line does; the text is the plan that the call named.
pub type ErrorWording = fn(Error, Option<&str>) -> api::Error;

/// Why a tool did not do what it was asked to: in words, and as a shape with a published schema.
#[derive(Debug, Clone)]
pub(crate) struct ToolError {
    pub(crate) text: String,
    pub(crate) value: Value,
}

impl ToolError {
    /// A failure of this surface.
    pub(crate) fn new(code: &str, message: &str, hints: &[&str]) -> Self {
        let hints = hints.iter().map(|hint| (*hint).to_owned()).collect();
        Self::from_shape(&api::Error::new(code, message, Vec::new(), hints))
    }

    /// An error of the runtime. All problems of a plan are reported at once.
    pub(crate) fn of(error: Error, plan: Option<&str>, wording: ErrorWording) -> Self {
        match error {
            Error::Invalid {
                source,
                diagnostics,
            } => Self::from_problems(&api_diagnostics(&source, &diagnostics), &[]),
            Error::NotLaunched {
                said: Some(said), ..
            } => Self::from_shape(&said),
            Error::Thread(error) => match *error {
                ThreadError::Problems { plans, unreadable } => {
                    let found = plans.iter();
                    let found = found.flat_map(|(source, found)| api_diagnostics(source, found));
                    let unread = unreadable.into_iter();
                    let unread: Vec<String> =
                        unread.map(|error| wording(error, None).message).collect();
                    Self::from_problems(&found.collect::<Vec<_>>(), &unread)
                }
                other => Self::from_shape(&wording(Error::from(other), plan)),
            },
            other => Self::from_shape(&wording(other, plan)),
        }
    }

    pub(crate) fn from_shape(error: &api::Error) -> Self {
        let mut text = format!("error[{}]: {}", error.code, error.message);
        for detail in &error.details {
            let _ = write!(text, "\n  {detail}");
        }
        for hint in &error.hints {
            let _ = write!(text, "\n  → {hint}");
        }
        Self {
            text,
            value: value_of(error),
        }
    }

    fn from_problems(found: &[Diagnostic], unreadable: &[String]) -> Self {
        let shape = Diagnostics::new(found.to_vec());
        let mut text = problem_lines(&shape);
        for why in unreadable {
            let _ = write!(text, "\nerror[unreadable]: {why}");
        }
        text.push_str("\nNothing was changed. Correct every error and call the tool again.");
        Self {
            text,
            value: value_of(&shape),
        }
    }
}

/// Every problem with its place, its code and what helps.
pub(crate) fn problem_lines(found: &Diagnostics) -> String {
    let mut text = format!("{} errors, {} warnings", found.errors, found.warnings);
    for one in &found.diagnostics {
        let place = format!("{}:{}:{}", one.file, one.line, one.column);
        let _ = write!(
            text,
            "\n{}[{}] {place}: {}",
            one.severity, one.code, one.message
        );
        if let Some(help) = &one.help {
            let _ = write!(text, "\n  help: {help}");
        }
    }
    text
}

fn api_diagnostics(source: &Source, found: &[diagnostic::Diagnostic]) -> Vec<Diagnostic> {
    let shape = |one| Diagnostic::new(one, source);
    found.iter().map(shape).collect()
}

/// A shape as JSON.
pub(crate) fn value_of(shape: &impl serde::Serialize) -> Value {
    serde_json::to_value(shape).expect("shapes of the API have names for keys")
}
