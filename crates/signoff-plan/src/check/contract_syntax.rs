//! A contract is not valid shell.
//!
//! ## Why
//! It could never pass, whatever the agent does.
//!
//! Of each contract the first mistake is shown, and of every contract one. Bash stops there too: what a
//! missing quote or `fi` makes of the lines after it is unknown, and a second message would more
//! often be about the first mistake than about another. `verify` again after mending it.
//!
//! ## Example
//! ```text
//! test -f a.md && && test -f b.md
//! ```
//!
//! ## Instead
//! What `bash -n` accepts. The caret stands where the text stops making sense. A block that names
//! `sh` is run by `sh`, which has no `[[`, no lists, no `<(…)` and no `<<<`: name `bash` to use them.

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::shell::ShellError;
use crate::source::Span;
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(shell), Some(contract)) = (step.shell, &step.written.contract) else {
            continue;
        };
        for error in &shell.errors {
            let span = contract.command.source_span(error.span);
            let message = format!(
                "the contract of step `{}` is not valid shell: {}",
                step.id(),
                error.message
            );
            problems.push(step.problem(Code::ContractSyntax, span, message));
        }
        let resolved = step.resolved.contract.as_ref();
        if resolved.is_some_and(|contract| contract.shell.as_deref() == Some("sh")) {
            for beyond in &shell.beyond_sh {
                problems.push(only_bash(
                    step,
                    contract.command.source_span(beyond.span),
                    beyond,
                ));
            }
        }
    }
}

/// What `sh` reads otherwise than bash, or not at all.
fn only_bash(step: StepView<'_>, span: Span, beyond: &ShellError) -> Diagnostic {
    let message = format!(
        "the contract of step `{}` is for `sh`, but {}",
        step.id(),
        beyond.message
    );
    let found = step.problem(Code::ContractSyntax, span, message);
    found.help(match step.dialect() {
        Dialect::Workunit | Dialect::Proposal => "or name `bash` behind the fence instead of `sh`",
        Dialect::Thread | Dialect::Record | Dialect::Toolplan => "or leave out `shell: sh`",
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn the_caret_stands_inside_the_command() {
        check(
            Code::ContractSyntax,
            &plan("### 1. A\n**contract:**\n```sh\ntrue &&\n  a && && b\n```\n"),
            &[
                "&& | the contract of step `step-1` is not valid shell: `&&` is not expected here | -",
            ],
        );
    }

    #[test]
    fn even_in_an_indented_block_with_carriage_returns() {
        let text = plan("### 1. A\n**contract:**\n- ```sh\n  a\n  echo \"x\n  ```\n")
            .replace('\n', "\r\n");
        check(
            Code::ContractSyntax,
            &text,
            &[
                "\"x | the contract of step `step-1` is not valid shell: this quote is never closed | -",
            ],
        );
    }

    #[test]
    fn sh_is_no_bash() {
        let contract = |shell: &str, text: &str| {
            plan(&format!(
                "### 1. A\n**contract:**\n```{shell}\n{text}\n```\n"
            ))
        };
        for (text, caret) in [
            ("a=(1 2)", "a=("),
            ("cat <(ls)", "<("),
            ("cat <<< x", "<<<"),
            ("[[ -f x ]]", "[["),
            ("(( 1 > 0 ))", "(("),
            ("ls |& grep x", "|&"),
            ("ls &> x", "&>"),
            ("function f { ls; }", "function"),
            ("for ((;;)); do ls; done", "(("),
        ] {
            let text = contract("sh", text);
            let found = super::super::testing::checked(&text).diagnostics;
            let found = found.iter().filter(|one| one.code == Code::ContractSyntax);
            let carets: Vec<_> = found.map(|one| one.span.slice(&text)).collect();
            assert_eq!(carets, [caret], "{text}");
            check(Code::ContractSyntax, &text.replace("```sh", "```bash"), &[]);
        }
        check(
            Code::ContractSyntax,
            &contract("sh", "[[ -f x ]]"),
            &[
                "[[ | the contract of step `step-1` is for `sh`, but `sh` takes `[[` for a command, \
               which it does not find: write `[ … ]` | or name `bash` behind the fence instead of `sh`",
            ],
        );
        check(
            Code::ContractSyntax,
            &contract("sh", "[ -f x ] && ((ls); ls)"),
            &[],
        );
    }

    #[test]
    fn subshells_may_begin_with_subshells() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:** `{text}`\n"));
        check(Code::ContractSyntax, &contract("((ls); (test -s x))"), &[]);
        check(
            Code::ContractSyntax,
            &contract("(( 1 +"),
            &[
                "(( 1 + | the contract of step `step-1` is not valid shell: `((` is never closed with `))` | -",
            ],
        );
    }
}
