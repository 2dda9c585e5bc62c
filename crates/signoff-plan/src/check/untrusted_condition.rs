//! A condition reads an agent's words.
//!
//! ## Why
//! An agent must not steer the plan: whatever it has read could talk it into skipping a step, into
//! a loop over other things, or into other arguments of a tool.
//!
//! ## Example
//! ```text
//! **when:** steps["review"].output == "looks good"
//! ```
//!
//! ## Instead
//! Let something decide that cannot be talked to: what a contract prints (`steps["review"].stdout`), a
//! tool's result, or a person (`**ask:**`). An agent's text may go into the arguments of a tool only where
//! a person sees it first: `approval: required`.

use super::context::{Context, StepView};
use super::plan_references::{ExpressionField, span_within};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Step, Work};
use crate::reference::TokenKind;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for (index, expression) in &context.references.expressions {
        let Some(step) = context.step(*index) else {
            continue;
        };
        for read in expression.reads.iter().flat_map(|reads| &reads.steps) {
            if read.field == "stdout" || !is_agent(context, read.id) {
                continue;
            }
            let what = match expression.field {
                ExpressionField::When => "condition",
                ExpressionField::ForEach => "loop",
            };
            let text = expression.text;
            let words = read.id_span.to(read.field_span);
            let span = span_within(&text.value, text.span, words);
            let message = format!(
                "the {what} of step `{}` reads the words of agent step `{}`",
                step.id(),
                read.id
            );
            let found = step.problem(Code::UntrustedCondition, span, message);
            problems.push(found.help(format!(
                "read what its contract prints, `steps[\"{}\"].stdout`, or ask a person",
                read.id
            )));
        }
    }
    for (index, referred) in &context.references.references {
        if let (TokenKind::Whole(reference) | TokenKind::Inside(reference), Some(step)) =
            (&referred.kind, context.step(*index))
            && runs_without_approval(step)
            && is_agent(context, reference.id)
        {
            let message = format!(
                "step `{}` gives the words of agent step `{}` to a tool, and nobody sees them first",
                step.id(),
                reference.id
            );
            let found = step.problem(Code::UntrustedCondition, referred.span, message);
            problems.push(found.help("add `approval: required`"));
        }
    }
}

/// Whether a step calls a tool without asking a person.
fn runs_without_approval(step: StepView<'_>) -> bool {
    matches!(step.resolved.work, Work::Tool { .. }) && !step.resolved.approval
}

fn is_agent(context: &Context<'_>, id: &str) -> bool {
    let step: Option<&Step> = context
        .position(id)
        .and_then(|at| context.plan.steps.get(at));
    step.is_some_and(|step| matches!(step.work, Work::Agent { .. }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    const AGENT: &str =
        "### 1. A\n**id:** a\n**target:** coder\n**task:** x\n**contract:** `make`\n";

    #[test]
    fn agents_do_not_steer() {
        let text = |condition: &str| plan(&format!("{AGENT}### 2. B\n**when:** {condition}\n"));
        check(
            Code::UntrustedCondition,
            &text("steps.a.stdout == 'x'"),
            &[],
        );
        for field in ["output", "text", "json"] {
            check(
                Code::UntrustedCondition,
                &text(&format!("steps[\"a\"].{field} == 'x'")),
                &[&format!(
                    "a\"].{field} | the condition of step `step-2` reads the words of agent step `a` | \
                     read what its contract prints, `steps[\"a\"].stdout`, or ask a person"
                )],
            );
        }
        check(
            Code::UntrustedCondition,
            &plan(&format!(
                "{AGENT}### 2. B\n**for_each:** steps.a.json.files[1:]\n**task:** x\n"
            )),
            &[
                "a.json | the loop of step `step-2` reads the words of agent step `a` | \
               read what its contract prints, `steps[\"a\"].stdout`, or ask a person",
            ],
        );
    }

    #[test]
    fn their_words_reach_tools_only_past_a_person() {
        let text = |more: &str| {
            plan(&format!(
                "{AGENT}### 2. B\n{more}**tool:** write_file\n**args:** {{\"path\": \"x\", \"content\": \"${{a}}!\"}}\n"
            ))
        };
        check(
            Code::UntrustedCondition,
            &text("**approval:** required\n"),
            &[],
        );
        check(
            Code::UntrustedCondition,
            &text(""),
            &[
                "${a} | step `step-2` gives the words of agent step `a` to a tool, and nobody sees them first | \
               add `approval: required`",
            ],
        );
    }
}
