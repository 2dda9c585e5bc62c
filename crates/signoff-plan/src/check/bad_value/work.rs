//! A step says in two ways what is to be done, or in none.

use super::problem;
use crate::diagnostic::{Diagnostic, MissingFieldScope};
use crate::draft::{DraftStep, Spanned};
use crate::spelling::Dialect;

/// A question to a person names an agent as well.
pub(crate) fn ask_and_agent(dialect: Dialect, agent: &Spanned<String>) -> Diagnostic {
    let message = format!(
        "a step has one kind of work: it cannot `ask` a person and suggest agent `{}`",
        agent.value
    );
    problem(dialect, agent.span, message).help("make two steps of it")
}

/// A step has two kinds of work.
pub(in crate::check) fn two_kinds_of_work(
    dialect: Dialect,
    step: &DraftStep,
) -> Option<Diagnostic> {
    let tool = step.tool.as_ref().map(|tool| ("tool", tool.span));
    let ask = step.ask.as_ref().map(|ask| ("ask", ask.span));
    let target = step.target.as_ref().map(|target| ("target", target.span));
    let task = step.task.as_ref().map(|task| ("task", task.span));
    let given: Vec<_> = [tool, ask, target.or(task)].into_iter().flatten().collect();
    let [(first, first_span), (second, second_span), ..] = given.as_slice() else {
        return orphaned_field(dialect, step);
    };
    let message =
        format!("a step has one kind of work, but both `{first}` and `{second}` are given");
    let found = problem(dialect, *second_span, message).with_related(*first_span, "the other one");
    Some(found.help("make two steps of it"))
}

/// Arguments without a tool, or answers without a question.
fn orphaned_field(dialect: Dialect, step: &DraftStep) -> Option<Diagnostic> {
    if let (Some(args), None) = (&step.args, &step.tool) {
        let message = "`args` are given, but no `tool`".to_owned();
        return Some(
            problem(dialect, args.span, message)
                .with_missing_field(MissingFieldScope::Here(&["tool"])),
        );
    }
    if let (Some(choice), None) = (step.choices.first(), &step.ask) {
        let message = "`choices` are given, but nothing to `ask`".to_owned();
        return Some(
            problem(dialect, choice.span, message)
                .with_missing_field(MissingFieldScope::Here(&["ask"])),
        );
    }
    None
}
