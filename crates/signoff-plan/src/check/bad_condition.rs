//! A condition (`when`) cannot be read.
//!
//! ## Why
//! Nobody could tell whether the step is to run.
//!
//! ## Example
//! ```text
//! **when:** steps[build].output.ok
//! ```
//!
//! ## Instead
//! An expression that is true or false: `steps["build"].output.ok`. It can read `params.NAME`,
//! `steps["ID"].output` of tools and questions, `steps["ID"].stdout` of contracts, and in a loop `item` and
//! `index`; `and`, `or`, `not`, comparisons, `in`, and filters such as `| length` join them.

use super::context::{Context, StepView};
use super::plan_references::{Expression, ExpressionField, span_within};
use crate::diagnostic::{Code, Diagnostic};
use crate::expression::{ExpressionError, ExpressionReads, StepRead, constant};
use crate::model::{Step, Work};
use crate::suggest::nearest;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for (index, expression) in &context.references.expressions {
        let Some(step) = context.step(*index) else {
            continue;
        };
        let reads = match (&expression.reads, expression.field) {
            (Ok(reads), _) => reads,
            (Err(mistakes), ExpressionField::When) => {
                let found = mistakes
                    .iter()
                    .map(|one| expression_problem(step, expression, one));
                problems.extend(found);
                continue;
            }
            (Err(_), ExpressionField::ForEach) => continue,
        };
        fields(context, step, expression, reads, problems);
        if expression.field == ExpressionField::When {
            condition(context, step, expression, reads, problems);
        }
    }
}

/// What is wrong with an expression, in words.
pub(super) fn expression_problem(
    step: StepView<'_>,
    expression: &Expression<'_>,
    mistake: &ExpressionError,
) -> Diagnostic {
    let (code, what) = match expression.field {
        ExpressionField::When => (Code::BadCondition, "condition"),
        ExpressionField::ForEach => (Code::BadLoop, "loop"),
    };
    let text = expression.text;
    let span = span_within(&text.value, text.span, mistake.span);
    let message = format!(
        "the {what} of step `{}` cannot be read: {}",
        step.id(),
        mistake.message
    );
    let found = step.problem(code, span, message);
    if span.len() == mistake.span.len() {
        found.suggest(mistake.meant)
    } else {
        match mistake.meant {
            Some(name) => found.help(format!("did you mean `{name}`?")),
            None => found,
        }
    }
}

/// Reports fields that a step does not have. Those of agents are another matter.
fn fields(
    context: &Context<'_>,
    step: StepView<'_>,
    expression: &Expression<'_>,
    reads: &ExpressionReads<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    for read in &reads.steps {
        let other = context.position(read.id);
        let other = other.and_then(|at| context.plan.steps.get(at));
        let Some(why) = other.and_then(|other| missing_field(other, read)) else {
            continue;
        };
        let code = match expression.field {
            ExpressionField::When => Code::BadCondition,
            ExpressionField::ForEach => Code::BadLoop,
        };
        let text = expression.text;
        let span = span_within(&text.value, text.span, read.field_span);
        let message = format!("step `{}` has no `{}` to read: {why}", read.id, read.field);
        let found = step.problem(code, span, message);
        let exact = span.len() == read.field.len();
        let meant = nearest(read.field, ["output", "stdout"]).filter(|_| exact);
        problems.push(found.suggest(meant));
    }
}

fn missing_field(step: &Step, read: &StepRead<'_>) -> Option<&'static str> {
    let agent = matches!(step.work, Work::Agent { .. });
    match read.field {
        "stdout" if step.contract.is_some() => None,
        "stdout" => Some("it has no contract"),
        // Worded as `untrusted-condition`.
        "output" | "text" | "json" if agent => None,
        "output" if matches!(step.work, Work::Check) => {
            Some("it does no work; what its contract prints is `stdout`")
        }
        "output" => None,
        _ => Some("only `output` of tools and questions, and `stdout` of contracts"),
    }
}

fn condition(
    context: &Context<'_>,
    step: StepView<'_>,
    expression: &Expression<'_>,
    reads: &ExpressionReads<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    let text = expression.text;
    if let Some(span) = reads.loop_variables.first()
        && step.resolved.for_each.is_none()
    {
        let name = span.slice(&text.value);
        let message = format!(
            "the condition of step `{}` reads `{name}`, but the step is not a loop",
            step.id()
        );
        let span = span_within(&text.value, text.span, *span);
        let found = step.problem(Code::BadCondition, span, message);
        problems.push(found.help("only a step with `for_each` has items"));
    }
    let why = match constant(&text.value, reads, &context.plan.params) {
        None | Some(Ok(serde_json::Value::Bool(_))) => return,
        Some(Ok(_)) => "it is neither true nor false".to_owned(),
        Some(Err(failed)) => failed.message,
    };
    let message = format!("the condition of step `{}` does not work: {why}", step.id());
    let found = step.problem(Code::BadCondition, text.span, message);
    problems.push(found.help("compare it with something, as in `params.x == 'yes'`"));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn when(condition: &str, expected: &[&str]) {
        let text = plan(&format!(
            "### 1. A\n**id:** ask\n**ask:** Go?\n### 2. T\n**id:** t\n**contract:** `make`\n\
             ### 3. B\n**when:** {condition}\n"
        ));
        check(Code::BadCondition, &text, expected);
    }

    #[test]
    fn conditions_are_expressions() {
        for text in [
            "true",
            "steps[\"ask\"].output == 'yes'",
            "steps.t.stdout|trim != ''",
            "not false",
        ] {
            when(text, &[]);
        }
        when(
            "steps[ask].output",
            &[
                "steps | the condition of step `step-3` cannot be read: `steps` is read as `steps[\"ID\"].output` or `steps[\"ID\"].stdout` | -",
                "ask | the condition of step `step-3` cannot be read: there is no `ask` to read | -",
            ],
        );
        when(
            "parms.x == 1",
            &[
                "parms | the condition of step `step-3` cannot be read: there is no `parms` to read | did you mean `params`?",
            ],
        );
        when(
            "true and",
            &[
                "and | the condition of step `step-3` cannot be read: unexpected end of input, expected expression | -",
            ],
        );
    }

    #[test]
    fn steps_have_only_some_fields() {
        when(
            "steps.ask.outptu == 'x'",
            &[
                "outptu | step `ask` has no `outptu` to read: only `output` of tools and questions, and `stdout` of contracts | did you mean `output`?",
            ],
        );
        when(
            "steps.ask.stdout == 'x'",
            &["stdout | step `ask` has no `stdout` to read: it has no contract | -"],
        );
        when(
            "steps.t.output == 'x'",
            &[
                "output | step `t` has no `output` to read: it does no work; what its contract prints is `stdout` | -",
            ],
        );
    }

    #[test]
    fn what_can_be_known_now_is_checked_now() {
        let help = "compare it with something, as in `params.x == 'yes'`";
        when(
            "1",
            &[&format!(
                "1 | the condition of step `step-3` does not work: it is neither true nor false | {help}"
            )],
        );
        when(
            "item == 1",
            &[
                "item | the condition of step `step-3` reads `item`, but the step is not a loop | only a step with `for_each` has items",
            ],
        );
    }
}
