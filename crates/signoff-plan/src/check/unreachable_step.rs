//! A step can never start.
//!
//! ## Why
//! It waits for something that never happens: for steps that wait for each other, or for the value of a
//! step that its own condition rules out.
//!
//! ## Example
//! ```text
//! ### 1. Measure
//! **id:** measure
//! **when:** false
//! ### 2. Report
//! **tool:** write_file
//! **args:** {"path": "report.md", "content": "$measure.text"}
//! ```
//!
//! ## Instead
//! Remove the dependency, the condition, or the step. A step that is skipped holds up only those that use
//! its value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::context::Context;
use super::plan_references::{Expression, ExpressionField};
use crate::diagnostic::{Code, Diagnostic};
use crate::expression::constant;
use crate::reference::TokenKind;
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    problems.extend(behind_cycles(context));
    // Most plans use no values.
    if context.references.expressions.is_empty() {
        return;
    }
    let never = never_run(context);
    if never.is_empty() {
        return;
    }
    for used in used_values(context) {
        let source = context.position(used.source);
        let (Some(source), Some(step)) = (
            source.filter(|at| never.contains(at)),
            context.step(used.step),
        ) else {
            continue;
        };
        let message = format!(
            "step `{}` can never run: it uses what step `{}` gives, whose condition is never true",
            step.id(),
            used.source
        );
        let found = step.problem(Code::UnreachableStep, used.span, message);
        let condition = context
            .step(source)
            .and_then(|step| step.written.when.as_ref());
        problems.push(match condition {
            Some(when) => found.with_related(when.span, "never true"),
            None => found,
        });
    }
}

/// The steps behind a cycle, as one problem: they may be all the rest of the plan.
fn behind_cycles(context: &Context<'_>) -> Option<Diagnostic> {
    let shown: BTreeSet<usize> = context.graph.cycles().into_iter().flatten().collect();
    if shown.is_empty() {
        return None;
    }
    let steps = context.steps();
    let mut stuck =
        steps.filter(|step| context.graph.is_stuck(step.index) && !shown.contains(&step.index));
    let first = stuck.next()?;
    let others = match stuck.count() {
        0 => String::new(),
        1 => " and another step".to_owned(),
        count => format!(" and {count} other steps"),
    };
    let message = format!(
        "step `{}`{others} can never start: what is waited for waits for itself",
        first.id()
    );
    Some(first.problem(Code::UnreachableStep, first.span(), message))
}

/// Positions of the steps whose condition is false whatever happens.
fn never_run(context: &Context<'_>) -> BTreeSet<usize> {
    let never = |expression: &&(usize, Expression<'_>)| {
        let (_, Expression { field, text, reads }) = expression;
        let value = reads
            .as_ref()
            .ok()
            .and_then(|reads| constant(&text.value, reads, &context.plan.params));
        *field == ExpressionField::When && value == Some(Ok(Value::Bool(false)))
    };
    let expressions = context.references.expressions.iter();
    expressions.filter(never).map(|(index, _)| *index).collect()
}

/// A step that uses the value of another one.
struct UsedValue<'a> {
    step: usize,
    /// The id of the other one.
    source: &'a str,
    span: Span,
}

/// Which steps use the values of which others; each pair once.
fn used_values<'a>(context: &'a Context<'_>) -> Vec<UsedValue<'a>> {
    let mut first: BTreeMap<(usize, &str), Span> = BTreeMap::new();
    for (index, referred) in &context.references.references {
        if let TokenKind::Whole(reference) | TokenKind::Inside(reference) = &referred.kind {
            first.entry((*index, reference.id)).or_insert(referred.span);
        }
    }
    for (index, expression) in &context.references.expressions {
        for read in expression.reads.iter().flat_map(|reads| &reads.steps) {
            first
                .entry((*index, read.id))
                .or_insert(expression.text.span);
        }
    }
    first
        .into_iter()
        .map(|((step, source), span)| UsedValue { step, source, span })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn nothing_behind_a_cycle_starts() {
        let cycle = "### 1. A\n**depends_on:** 2\n### 2. B\n**depends_on:** 1\n";
        check(Code::UnreachableStep, &plan(cycle), &[]);
        check(
            Code::UnreachableStep,
            &plan(&format!(
                "{cycle}### 3. C\n### 4. D\n### 5. E\n**depends_on:** none\n"
            )),
            &[
                "C | step `step-3` and another step can never start: what is waited for waits for itself | -",
            ],
        );
    }

    #[test]
    fn nor_does_what_uses_a_value_that_never_comes() {
        let text = |content: &str| {
            plan(&format!(
                "### 1. A\n**id:** a\n**when:** 1 > 2\n**tool:** read_file\n**args:** {{\"path\": \"x\"}}\n\
                 ### 2. B\n**tool:** write_file\n**args:** {{\"path\": \"x\", \"content\": \"{content}\"}}\n"
            ))
        };
        check(Code::UnreachableStep, &text("x"), &[]);
        check(
            Code::UnreachableStep,
            &text("$a.content"),
            &[
                "$a.content | step `step-2` can never run: it uses what step `a` gives, whose condition is never true | -",
            ],
        );
    }
}
