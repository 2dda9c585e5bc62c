//! A loop (`for_each`) cannot be read, or has a limit it cannot have.
//!
//! ## Why
//! Nobody could tell how often the step is to run.
//!
//! ## Example
//! ```text
//! **for_each:** "src/a.rs, src/b.rs"
//! ```
//!
//! ## Instead
//! An expression that yields a list: `["src/a.rs", "src/b.rs"]`, `params.files`, or
//! `steps["list"].output.files`. It may have 100 items, or as many as `max_items` says. `{{ item }}` and
//! `{{ index }}` in title, task and arguments stand for the item and its number, from 0.

use serde_json::Value;

use super::bad_condition::expression_problem;
use super::context::{Context, StepView};
use super::plan_references::{Expression, ExpressionField, span_within};
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::expression::{ExpressionReads, PlaceholderContent, constant};
use crate::model::Step;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let loops = context.references.expressions.iter();
    for (index, expression) in loops.filter(|(_, one)| one.field == ExpressionField::ForEach) {
        let Some(step) = context.step(*index) else {
            continue;
        };
        match &expression.reads {
            Ok(reads) => problems.extend(items(context, step, expression, reads)),
            Err(mistakes) => {
                problems.extend(
                    mistakes
                        .iter()
                        .map(|one| expression_problem(step, expression, one)),
                );
            }
        }
    }
    for (index, template) in &context.references.templates {
        if let (PlaceholderContent::Loop(inside), Some(step)) =
            (template.content, context.step(*index))
            && step.resolved.for_each.is_none()
        {
            let message = format!(
                "step `{}` reads `{{{{ {inside} }}}}`, but is not a loop",
                step.id()
            );
            let found = step.problem(Code::BadLoop, template.span, message);
            let found = found.with_missing_field(MissingFieldScope::Here(&["for_each"]));
            let each = step.dialect().field_name("for_each");
            problems.push(found.help(format!(
                "add `{each}`, or write `{{{{ \"{{{{ {inside} }}}}\" }}}}` for the text itself"
            )));
        }
    }
    for step in context.steps() {
        if let (Some(limit), None) = (&step.written.max_items, &step.written.for_each) {
            let [items, each] =
                ["max_items", "for_each"].map(|name| step.dialect().field_name(name));
            let message = format!("step `{}` has `{items}`, but is not a loop", step.id());
            let found = step.problem(Code::BadLoop, limit.span, message);
            let found = found.with_missing_field(MissingFieldScope::Here(&["for_each"]));
            problems.push(found.help(format!("add `{each}`, or remove it")));
        }
    }
}

fn items(
    context: &Context<'_>,
    step: StepView<'_>,
    expression: &Expression<'_>,
    reads: &ExpressionReads<'_>,
) -> Option<Diagnostic> {
    let text = expression.text;
    let problem = |span, why: String| {
        let message = format!("the loop of step `{}` does not work: {why}", step.id());
        step.problem(Code::BadLoop, span, message)
    };
    if let Some(span) = reads.loop_variables.first() {
        let name = span.slice(&text.value);
        let why = format!("`{name}` is known only inside the loop");
        return Some(problem(span_within(&text.value, text.span, *span), why));
    }
    let items = step.dialect().field_name("max_items");
    let most = step.resolved.max_items.unwrap_or(Step::MAX_ITEMS);
    let params = &context.plan.params;
    match constant(&text.value, reads, params)? {
        Ok(Value::Array(list)) => {
            let count = list.len();
            let many = u64::try_from(count).is_ok_and(|count| count > most);
            many.then(|| {
                let why = format!("it has {count} items, and may have {most}");
                problem(text.span, why)
                    .help(format!("set `{items}` to {count}, or shorten the list"))
            })
        }
        Ok(_) => {
            let found = problem(text.span, "it is not a list".to_owned());
            Some(found.help("write a list, as in `[\"a\", \"b\"]`"))
        }
        Err(failed) => Some(problem(text.span, failed.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn fields(fields: &str, expected: &[&str]) {
        check(
            Code::BadLoop,
            &plan(&format!(
                "### 1. A\n**id:** a\n{fields}\n**task:** x {{{{ item }}}}\n"
            )),
            expected,
        );
    }

    #[test]
    fn loops_go_over_lists() {
        fields("**for_each:** [\"a\", \"b\"]", &[]);
        fields("**for_each:** range(3)", &[]);
        fields(
            "**for_each:** \"a\"",
            &[
                "\"a\" | the loop of step `a` does not work: it is not a list | write a list, as in `[\"a\", \"b\"]`",
            ],
        );
        fields(
            "**for_each:** [1, 2, 3]\n**max_items:** 2",
            &[
                "[1, 2, 3] | the loop of step `a` does not work: it has 3 items, and may have 2 | \
               set `max_items` to 3, or shorten the list",
            ],
        );
        fields(
            "**for_each:** prams.x",
            &[
                "prams | the loop of step `a` cannot be read: there is no `prams` to read | did you mean `params`?",
            ],
        );
        fields(
            "**for_each:** item.x",
            &[
                "item | the loop of step `a` does not work: `item` is known only inside the loop | -",
            ],
        );
    }

    #[test]
    fn what_belongs_to_a_loop_stands_in_one() {
        fields(
            "**max_items:** 3",
            &[
                "3 | step `a` has `max_items`, but is not a loop | add `for_each`, or remove it",
                "{{ item }} | step `a` reads `{{ item }}`, but is not a loop | \
                 add `for_each`, or write `{{ \"{{ item }}\" }}` for the text itself",
            ],
        );
    }
}
