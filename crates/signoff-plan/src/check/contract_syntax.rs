//! A contract is not valid shell.
//!
//! ## Why
//! It could never pass, whatever the agent does.
//!
//! Of each contract the first mistake is shown, and of every contract one. Bash stops there too: what a
//! missing quote or `fi` makes of the lines after it nobody can tell, and a second message would more
//! often be about the first mistake than about another. `verify` again after mending it.
//!
//! ## Example
//! ```text
//! test -f a.md && && test -f b.md
//! ```
//!
//! ## Instead
//! What `bash -n` accepts. The caret stands where the text stops making sense.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

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
    }
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
}
