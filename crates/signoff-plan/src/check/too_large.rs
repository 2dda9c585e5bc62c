//! The file or the plan is over a limit.
//!
//! ## Why
//! Nobody reviews a plan of that size, and every surface has to hold it in memory.
//!
//! ## Example
//! A log file of 100 MiB, or a plan of 300000 steps.
//!
//! ## Instead
//! Several plans. A file may have 16 MiB, or 64 MiB where it is JSON or YAML; a plan 200000 steps and
//! 400000 paths in them. A step for each of many things is better written with `for_each`. A contract may
//! have 16 KiB: a longer one is a script, which belongs into a file. The context of a proposal may have 50 KiB,
//! with its tool outputs: more belongs into files that are named under `### Artifacts`.
//!
//! Comparing what steps wait for and what they produce has a limit too, which only plans meet that name
//! very many patterns with wildcards, or very many files that do not exist. Name a folder (`out/`) instead
//! of each pattern below it.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Draft;
use crate::source::Span;
use crate::spelling::Dialect;

/// How many steps a plan may have.
pub const STEPS: usize = 200_000;
/// How many subscriptions and globs the steps of a plan may have together.
pub const PATHS: usize = 400_000;
/// How many bytes a contract may have.
pub const CONTRACT_BYTES: usize = 16 * 1024;

/// How many bytes of context a proposal may hold itself, with the outputs of tools.
pub const CONTEXT_BYTES: usize = 50 * 1024;

/// How many bytes a plan may have. What machines write may be longer.
pub const fn file_bytes(dialect: Dialect) -> usize {
    const MEBIBYTE: usize = 1024 * 1024;
    match dialect {
        Dialect::Record | Dialect::Toolplan => 64 * MEBIBYTE,
        Dialect::Workunit | Dialect::Thread | Dialect::Proposal => 16 * MEBIBYTE,
    }
}

/// The file has too many bytes to be read.
pub(crate) fn file(dialect: Dialect, bytes: usize) -> Diagnostic {
    let limit = file_bytes(dialect);
    let message = format!("the file has {bytes} bytes; a plan may have {limit}");
    Diagnostic::new(Code::TooLarge, dialect, Span::at(0), message)
}

/// The plan has too many steps; those from here on are not read.
pub(crate) fn steps(dialect: Dialect, span: Span) -> Diagnostic {
    let message = format!("the plan has more than {STEPS} steps");
    Diagnostic::new(Code::TooLarge, dialect, span, message).help(format!(
        "write several plans, or one step with `{}`",
        dialect.spell("for_each")
    ))
}

/// Leaves out paths over the limit, and says so.
pub(crate) fn limit_paths(draft: &mut Draft) {
    let mut left = PATHS;
    let steps = draft.steps.iter_mut();
    for step in steps.filter_map(|step| step.details.as_mut()) {
        for list in [
            &mut step.subscriptions,
            &mut step.produces,
            &mut step.protects,
        ] {
            if let Some(first) = list.get(left) {
                let message = format!("the steps of the plan name more than {PATHS} paths");
                let found = Diagnostic::new(Code::TooLarge, draft.dialect, first.span, message);
                draft.problems.push(found);
                list.truncate(left);
            }
            left = left.saturating_sub(list.len());
        }
    }
}

/// A check that compares steps was given up: what it did not come to must not look as if it were fine.
pub(super) fn unfinished_comparison(context: &Context<'_>) -> Option<Diagnostic> {
    let given_up = context.graph.is_exhausted()
        || context.available.is_exhausted()
        || context.pairs_left_out.get();
    given_up.then(|| {
        let message = "the plan is too large to compare all that its steps wait for and produce; \
                       missing files, wrong order or overlaps may not all be shown";
        let found = context.problem(Code::TooLarge, context.plan_span(), message);
        found.help("write several plans, or name folders instead of many patterns")
    })
}

/// The context of a proposal is over its limit.
fn long_context(context: &Context<'_>) -> Option<Diagnostic> {
    let outputs = context.plan.record.get("tool_outputs");
    let outputs = outputs.map_or(0, |outputs| outputs.to_string().len());
    let bytes = context.plan.context.as_ref().map_or(0, String::len) + outputs;
    if context.draft.dialect != Dialect::Proposal || bytes <= CONTEXT_BYTES {
        return None;
    }
    let written = context.draft.context.as_ref();
    let span = written.map_or(context.plan_span(), |text| Span::at(text.span.start));
    let message = format!("the context has {bytes} bytes; a proposal may hold {CONTEXT_BYTES}");
    let found = context.problem(Code::TooLarge, span, message);
    Some(found.help("put it into a file, and name that under `### Artifacts`: `- NAME → PATH`"))
}

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    problems.extend(long_context(context));
    for step in context.steps() {
        if let Some(contract) = &step.written.contract
            && contract.command.text.len() > CONTRACT_BYTES
        {
            let message = format!(
                "the contract of step `{}` has more than {CONTRACT_BYTES} bytes",
                step.id()
            );
            let found = step.problem(Code::TooLarge, contract.span, message);
            problems.push(found.help("put it into a script, and call that"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::testing::{check, checked, plan};
    use super::*;
    use crate::dialect::parse;
    use crate::draft::{DraftStep, Spanned};
    use crate::source::Source;

    #[test]
    fn the_context_of_a_proposal_has_a_limit() {
        let proposal = |bytes: usize| {
            let context = "x".repeat(bytes);
            format!(
                "---\nid: PLAN-1\ntitle: T\nstatus: draft\nversion: 1\ntools_required: []\n---\n## Context\n{context}\n\n### Tool Outputs\n```json\n\"12345678\"\n```\n\n## Steps\n1. A\n"
            )
        };
        let found = |bytes| {
            let found = checked(&proposal(bytes)).diagnostics;
            found.iter().any(|one| one.code == Code::TooLarge)
        };
        assert!(!found(CONTEXT_BYTES - 10));
        assert!(found(CONTEXT_BYTES - 9));
    }

    #[test]
    fn files_have_a_limit() {
        let checked = checked(&"x".repeat(file_bytes(Dialect::Workunit) + 1));
        let messages: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|p| p.message.as_str())
            .collect();
        assert_eq!(
            messages,
            ["the file has 16777217 bytes; a plan may have 16777216"]
        );
    }

    #[test]
    fn contracts_have_a_limit() {
        let long = "a | ".repeat(CONTRACT_BYTES);
        check(
            Code::TooLarge,
            &plan(&format!("### 1. A\n**contract:**\n```\n{long}\n```\n")),
            &[
                "contract | the contract of step `step-1` has more than 16384 bytes | put it into a script, and call that",
            ],
        );
    }

    #[test]
    fn what_is_not_compared_is_said_once() {
        let produces = |count: usize| {
            let patterns: Vec<_> = (0..count).map(|at| format!("x{at}*y{at}")).collect();
            plan(&format!(
                "### 1. A\n**contract:** `make`\n**produces:** {}\n",
                patterns.join(", ")
            ))
        };
        check(Code::TooLarge, &produces(100), &[]);
        check(
            Code::TooLarge,
            &produces(500),
            &[
                "Title | the plan is too large to compare all that its steps wait for and produce; \
                 missing files, wrong order or overlaps may not all be shown | \
                 write several plans, or name folders instead of many patterns",
            ],
        );
    }

    #[test]
    fn paths_have_a_limit() {
        let path = Spanned::new("a.md".to_owned(), Span::new(3, 7));
        let mut draft = Draft::empty(Dialect::Workunit);
        draft.steps.push(DraftStep::default());
        draft.steps[0].produces = vec![path.clone(); PATHS];
        draft.steps[0].protects = vec![path; 2];
        limit_paths(&mut draft);
        assert_eq!(draft.steps[0].protects, []);
        let [problem] = draft.problems.as_slice() else {
            panic!("one problem, and not {:?}", draft.problems);
        };
        assert_eq!(problem.span, Span::new(3, 7));
        let message = "the steps of the plan name more than 400000 paths";
        assert_eq!(problem.message, message);
    }

    #[test]
    fn plans_have_a_limit() {
        let mut steps = String::new();
        for number in 1..=STEPS + 2 {
            writeln!(steps, "### {number}. A").expect("a string takes all");
        }
        let text = plan(&steps);
        let draft = parse(&Source::new("plan.md", text.clone().into()));
        assert_eq!(draft.steps.len(), STEPS);
        let found: Vec<_> = draft
            .problems
            .iter()
            .filter(|problem| problem.code == Code::TooLarge)
            .map(|problem| (problem.span.slice(&text), problem.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [("### 200001. A", "the plan has more than 200000 steps")]
        );
    }
}
