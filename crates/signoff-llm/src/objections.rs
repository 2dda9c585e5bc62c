//! What is wrong with a draft, as the planner reads it.

use std::fmt;

use signoff_plan::check::Checked;
use signoff_plan::diagnostic::{Code, Diagnostic, Severity};
use signoff_plan::source::Source;

use crate::reply::ReplyProblem;

/// One thing that is wrong with a draft. Displayed as the planner reads it, in one or two lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// Name of the check, if it is one.
    pub code: Option<&'static str>,
    /// What is wrong, in one line.
    pub message: String,
    /// The line of the plan that it is about.
    pub line: Option<usize>,
    /// What to write instead.
    pub help: Option<String>,
    /// The draft is not done while this is so.
    pub is_blocking: bool,
}

impl Objection {
    /// A blocking one that no check reported.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            code: None,
            message: message.into(),
            line: None,
            help: None,
            is_blocking: true,
        }
    }

    fn of_check(problem: &Diagnostic, source: &Source, of_known_plan: bool) -> Self {
        let (line, _) = source.line_column(problem.span.start);
        Self {
            code: Some(problem.code.as_str()),
            message: problem.message.clone(),
            line: Some(line),
            help: problem.help.clone(),
            is_blocking: is_blocking(problem, of_known_plan),
        }
    }
}

impl From<ReplyProblem> for Objection {
    fn from(problem: ReplyProblem) -> Self {
        Self::new(problem.to_string())
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        let kind = if self.is_blocking { "error" } else { "warning" };
        match self.code {
            Some(code) => write!(f, "{kind}[{code}]: {}", self.message)?,
            None => write!(f, "{kind}: {}", self.message)?,
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// Errors are, and so is what a person may overlook in a hand-written plan but no planner may hand over: steps that
/// nothing judges, steps that are not written, and claims that something is done.
fn is_blocking(problem: &Diagnostic, of_known_plan: bool) -> bool {
    problem.severity == Severity::Error
        || matches!(
            problem.code,
            Code::MissingContract | Code::ContractVacuous | Code::MarkIgnored
        )
        // A person who left steps open may keep them so.
        || problem.code == Code::UnexpandedStep && !of_known_plan
}

/// Everything that is wrong with a checked draft, in the order of its text. A draft `of_known_plan` repeats what that one
/// says of the plan before it, which the harness writes anyway.
pub(crate) fn objections(
    checked: &Checked,
    source: &Source,
    of_known_plan: bool,
) -> Vec<Objection> {
    let problems = checked.diagnostics.iter();
    let mut found: Vec<Objection> = problems
        .filter(|problem| problem.severity != Severity::Note)
        .map(|problem| Objection::of_check(problem, source, of_known_plan))
        .collect();
    // Without a contract `mark-ignored` says it.
    let claimed = checked.plan.steps.iter();
    let claimed = claimed.filter(|step| step.claimed && step.contract.is_some());
    found.extend(claimed.map(|step| {
        let id = &step.id;
        Objection::new(format!(
            "step `{id}` is marked as done, and in a new plan none is"
        ))
    }));
    let previous = checked.plan.previous.as_ref();
    if let Some(previous) = previous.filter(|_| !of_known_plan) {
        let message = format!("a new plan replaces no other, but this one names `{previous}`");
        found.push(Objection::new(message));
    }
    found
}
