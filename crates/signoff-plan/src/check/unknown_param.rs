//! A parameter is used that the plan does not have.
//!
//! ## Why
//! There would be nothing to fill in.
//!
//! ## Example
//! ```text
//! **task:** Release version {{ params.verison }}.
//! ```
//!
//! ## Instead
//! A parameter from the plan's `params`, as in `{{ params.version }}`. For the braces themselves write
//! `{{ "{{ params.x }}" }}`.

use super::context::{Context, StepView};
use super::plan_references::span_within;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::expression::{ParamRead, PlaceholderContent, placeholders, read};
use crate::source::Span;
use crate::spelling::Dialect;
use crate::suggest::nearest;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for (index, expression) in &context.references.expressions {
        let Some(step) = context.step(*index) else {
            continue;
        };
        for param in expression.reads.iter().flat_map(|reads| &reads.params) {
            let text = expression.text;
            let span = span_within(&text.value, text.span, param.span);
            problems.extend(unknown(context, step, param, span));
        }
    }
    for (index, template) in &context.references.templates {
        let Some(step) = context.step(*index) else {
            continue;
        };
        for param in template.reads.iter().flat_map(|reads| &reads.params) {
            problems.extend(unknown(context, step, param, template.span));
        }
        problems.extend(misspelt_template(
            context,
            step,
            template.content,
            template.span,
        ));
    }
    for step in context.steps() {
        contract(context, step, problems);
    }
}

fn contract(context: &Context<'_>, step: StepView<'_>, problems: &mut Vec<Diagnostic>) {
    let Some(written) = &step.written.contract else {
        return;
    };
    let text = &written.command.text;
    if !text.contains("{{") {
        return;
    }
    for placeholder in placeholders(text) {
        let span = written.command.source_span(placeholder.span);
        if let PlaceholderContent::Params(inside) = placeholder.content {
            for param in read(inside).iter().flat_map(|reads| &reads.params) {
                problems.extend(unknown(context, step, param, span));
            }
        }
    }
}

fn unknown(
    context: &Context<'_>,
    step: StepView<'_>,
    param: &ParamRead<'_>,
    span: Span,
) -> Option<Diagnostic> {
    let params = &context.plan.params;
    if params.contains_key(param.name) {
        return None;
    }
    let name = param.name;
    let message = format!(
        "step `{}` reads parameter `{name}`, which the plan does not have",
        step.id()
    );
    let found = step.problem(Code::UnknownParam, span, message);
    let found = found.with_missing_field(MissingFieldScope::Anywhere(&["params"]));
    let suggestion = nearest(name, params.keys().map(String::as_str));
    Some(match suggestion {
        Some(_) if span.len() == name.len() => found.suggest(suggestion),
        Some(meant) => found.help(format!("did you mean `params.{meant}`?")),
        None => found.help(match step.dialect() {
            Dialect::Workunit | Dialect::Record | Dialect::Toolplan => "add it to `params`",
            Dialect::Thread => "a thread has no parameters: write the value itself",
            Dialect::Proposal => "a proposal has no parameters: write the value itself",
        }),
    })
}

/// A template that begins almost like one of ours.
fn misspelt_template(
    context: &Context<'_>,
    step: StepView<'_>,
    content: PlaceholderContent<'_>,
    span: Span,
) -> Option<Diagnostic> {
    let PlaceholderContent::Other(Some(name)) = content else {
        return None;
    };
    let params = (!context.plan.params.is_empty()).then_some("params");
    let round = step.resolved.for_each.as_ref().map(|_| ["item", "index"]);
    let names = params.into_iter().chain(round.into_iter().flatten());
    let meant = nearest(name, names)?;
    let message = format!(
        "a template of step `{}` reads `{name}`, which does not exist",
        step.id()
    );
    let found = step.problem(Code::UnknownParam, span, message);
    Some(found.help(format!("did you mean `{meant}`?")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn what_a_dialect_does_not_have_is_not_advised() {
        check(
            Code::UnknownParam,
            "---\nid: PLAN-1\ntitle: T\nstatus: draft\nversion: 1\ntools_required: []\n---\n\
             ## Steps\n1. Send {{ params.x }}\n",
            &[
                "{{ params.x }} | step `step-1` reads parameter `x`, which the plan does not have | \
               a proposal has no parameters: write the value itself",
            ],
        );
    }

    fn with_params(steps: &str) -> String {
        plan(steps).replacen("owner: me\n", "owner: me\nparams:\n  version: \"1\"\n", 1)
    }

    #[test]
    fn parameters_exist() {
        check(
            Code::UnknownParam,
            &with_params(
                "### 1. Release {{ params.version }}\n**when:** params.verison == '2'\n\
                 **task:** Tag {{ params.tag }} and {{ .Other }}\n**contract:** `grep '{{ params.versio }}' x`\n",
            ),
            &[
                "verison | step `step-1` reads parameter `verison`, which the plan does not have | did you mean `version`?",
                "{{ params.tag }} | step `step-1` reads parameter `tag`, which the plan does not have | add it to `params`",
                "{{ params.versio }} | step `step-1` reads parameter `versio`, which the plan does not have | \
                 did you mean `params.version`?",
            ],
        );
    }

    #[test]
    fn near_misses_of_the_word_itself_are_noticed() {
        check(
            Code::UnknownParam,
            &with_params("### 1. A\n**task:** {{ parms.version }} {{ secrets.x }}\n"),
            &[
                "{{ parms.version }} | a template of step `step-1` reads `parms`, which does not exist | did you mean `params`?",
            ],
        );
        check(
            Code::UnknownParam,
            &plan("### 1. A\n**task:** {{ parms.version }}\n"),
            &[],
        );
    }
}
