//! A template stands unquoted in shell text.
//!
//! ## Why
//! Its value would be read as shell: a parameter `x; rm -rf .` would do just that.
//!
//! ## Example
//! ```text
//! grep -q {{ params.version }} CHANGELOG.md
//! ```
//!
//! ## Instead
//! Between quotes, for which the value is escaped: `grep -q "{{ params.version }}" CHANGELOG.md`. The item
//! of a loop comes as `$SIGNOFF_ITEM`, in JSON, and never as text of the command.

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::expression::{Placeholder, PlaceholderContent, placeholders};
use crate::shell::{Quoting, quoting_at};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let Some(contract) = &step.written.contract else {
            continue;
        };
        let text = &contract.command.text;
        if text.contains("{{") {
            let found = placeholders(text).into_iter();
            problems.extend(found.filter_map(|placeholder| injection(step, text, placeholder)));
        }
    }
}

fn injection(step: StepView<'_>, text: &str, placeholder: Placeholder<'_>) -> Option<Diagnostic> {
    let contract = step.written.contract.as_ref()?;
    let span = contract.command.source_span(placeholder.span);
    let written = placeholder.span.slice(text);
    let problem = |why: &str| {
        let message = format!("`{written}` in the contract of step `{}` {why}", step.id());
        step.problem(Code::TemplateInjection, span, message)
    };
    match placeholder.content {
        PlaceholderContent::Loop(_) => Some(
            problem("would be read as shell")
                .help("read it from `$SIGNOFF_ITEM`, which holds it as JSON"),
        ),
        PlaceholderContent::Params(_)
            if quoting_at(text, placeholder.span.start) == Quoting::None =>
        {
            Some(
                problem("stands in no quotes, and would be read as shell")
                    .help(format!("write `\"{written}\"`"))
                    .fix(span, format!("\"{written}\"")),
            )
        }
        PlaceholderContent::Params(_)
        | PlaceholderContent::Literal(_)
        | PlaceholderContent::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn contract(text: &str, expected: &[&str]) {
        let plan = plan(&format!(
            "### 1. A\n**for_each:** [1]\n**contract:**\n```sh\n{text}\n```\n"
        ));
        check(Code::TemplateInjection, &plan, expected);
    }

    #[test]
    fn values_stand_in_quotes() {
        for text in [
            "grep '{{ params.x }}' a",
            "grep \"v{{ params.x }}\" a",
            "docker inspect -f {{.State}} a",
            "true",
        ] {
            contract(text, &[]);
        }
        contract(
            "a && grep {{ params.x }} b",
            &[
                "{{ params.x }} | `{{ params.x }}` in the contract of step `step-1` stands in no quotes, and would be read as shell | \
               write `\"{{ params.x }}\"`",
            ],
        );
        contract(
            "a \"$(b {{ params.x }})\"",
            &[
                "{{ params.x }} | `{{ params.x }}` in the contract of step `step-1` stands in no quotes, and would be read as shell | \
               write `\"{{ params.x }}\"`",
            ],
        );
    }

    #[test]
    fn items_come_as_environment() {
        contract(
            "test -f '{{ item }}'",
            &[
                "{{ item }} | `{{ item }}` in the contract of step `step-1` would be read as shell | \
               read it from `$SIGNOFF_ITEM`, which holds it as JSON",
            ],
        );
    }
}
