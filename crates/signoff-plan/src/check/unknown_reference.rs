//! A reference names a step that does not exist.
//!
//! ## Why
//! The value could never be filled in.
//!
//! ## Example
//! ```text
//! { "id": "write", "tool": "write_file", "args": { "path": "a", "content": "$raed.content" } }
//! ```
//!
//! ## Instead
//! The id of another step: `$read.content`. For a dollar sign itself write `$$`.

use super::context::{Context, StepView};
use super::unknown_dependency::most_suggestions;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::reference::TokenKind;
use crate::source::Span;
use crate::suggest::nearest;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for (index, referred) in &context.references.references {
        let (TokenKind::Whole(reference) | TokenKind::Inside(reference)) = &referred.kind else {
            continue;
        };
        if context.position(reference.id).is_none()
            && let Some(step) = context.step(*index)
        {
            let start = if referred.text.starts_with("${") {
                2
            } else {
                1
            };
            let id = Span::new(start, start + reference.id.len());
            let span = super::plan_references::span_within(referred.text, referred.span, id);
            let mut found = unknown(context, step, reference.id, span, problems.len());
            if found.help.is_none() {
                let escaped = format!("${}", referred.text);
                found = found.help(format!(
                    "name a step, or write `{escaped}` for the text itself"
                ));
            }
            problems.push(found);
        }
    }
    for (index, expression) in &context.references.expressions {
        for read in expression.reads.iter().flat_map(|reads| &reads.steps) {
            if context.position(read.id).is_none()
                && let Some(step) = context.step(*index)
            {
                let text = &expression.text;
                let span =
                    super::plan_references::span_within(&text.value, text.span, read.id_span);
                problems.push(unknown(context, step, read.id, span, problems.len()));
            }
        }
    }
}

fn unknown(
    context: &Context<'_>,
    step: StepView<'_>,
    id: &str,
    span: Span,
    before: usize,
) -> Diagnostic {
    let message = format!(
        "step `{}` refers to step `{id}`, which does not exist",
        step.id()
    );
    let found = step.problem(Code::UnknownReference, span, message);
    if before >= most_suggestions(context.plan.steps.len()) {
        return found;
    }
    let ids = context.plan.steps.iter().map(|step| step.id.as_str());
    let suggestion = nearest(id, ids.filter(|other| *other != step.id()));
    // The place of the id alone, or the edit would take more away.
    let found = found.with_missing_field(MissingFieldScope::Anywhere(&["id"]));
    if span.len() == id.len() {
        found.suggest(suggestion)
    } else {
        match suggestion {
            Some(name) => found.help(format!("did you mean `{name}`?")),
            None => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    fn tool(args: &str) -> String {
        plan(&format!(
            "### 1. A\n**id:** read\n**tool:** read_file\n**args:** {{\"path\": \"a\"}}\n\
             ### 2. B\n**tool:** write_file\n**args:** {args}\n"
        ))
    }

    #[test]
    fn references_name_steps() {
        check(
            Code::UnknownReference,
            &tool(r#"{"path": "x", "content": "$read.content", "n": ["a ${read.n} $$x $9"]}"#),
            &[],
        );
        check(
            Code::UnknownReference,
            &tool(r#"{"path": "${nothing}", "content": "$raed.content"}"#),
            &[
                "nothing | step `step-2` refers to step `nothing`, which does not exist | \
                 name a step, or write `$${nothing}` for the text itself",
                "raed | step `step-2` refers to step `raed`, which does not exist | did you mean `read`?",
            ],
        );
    }

    #[test]
    fn so_do_conditions() {
        check(
            Code::UnknownReference,
            &plan(
                "### 1. A\n**id:** ask\n**ask:** Go?\n### 2. B\n**when:** steps[\"aks\"].output == 'yes'\n",
            ),
            &[
                "aks | step `step-2` refers to step `aks`, which does not exist | did you mean `ask`?",
            ],
        );
    }
}
