//! A contract that cannot fail, or hides a failure.
//!
//! ## Why
//! It proves nothing: the step would be done whatever the agent did. Of several commands on lines of
//! their own only the last one counts, and of a pipeline too.
//!
//! ## Example
//! ```text
//! pytest || true
//! ```
//!
//! ## Instead
//! A command that fails while the work is not done: `pytest`. Join several with `&&`, or begin with
//! `set -eo pipefail`. Conditions on the output make a contract that always exits with 0 meaningful again.

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Condition;
use crate::shell::Verdict;
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(shell), Some(contract)) = (step.shell, &step.resolved.contract) else {
            continue;
        };
        let only_exit_code = contract
            .expect
            .iter()
            .all(|condition| *condition == Condition::DEFAULT);
        if only_exit_code {
            problems.extend(problem_of(step, shell.verdict));
        }
    }
}

fn problem_of(step: StepView<'_>, verdict: Verdict) -> Option<Diagnostic> {
    let command = &step.written.contract.as_ref()?.command;
    let id = step.id();
    let (span, message, help) = match verdict {
        Verdict::CanFail => return None,
        Verdict::CannotFail => (
            Span::new(0, command.text.trim_end().len()),
            format!("the contract of step `{id}` cannot fail, so it proves nothing"),
            "run something that fails while the work is not done",
        ),
        Verdict::IgnoresEarlier(span) => {
            let line = first_line(&command.text, span);
            let message = format!(
                "in the contract of step `{id}` only the last command counts: a failure of `{}` is ignored",
                line.slice(&command.text)
            );
            let help = "join the commands with `&&`, or begin with `set -e`";
            (line, message, help)
        }
        Verdict::IgnoresPiped(span) => {
            let line = first_line(&command.text, span);
            let message = format!(
                "in the contract of step `{id}` only the last command of `{}` counts, and that one does not fail",
                line.slice(&command.text)
            );
            (line, message, "begin with `set -o pipefail`")
        }
    };
    let found = step.problem(Code::ContractVacuous, command.source_span(span), message);
    Some(found.help(help))
}

fn first_line(text: &str, span: Span) -> Span {
    let line = span.slice(text).lines().next().unwrap_or_default();
    Span::new(span.start, span.start + line.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_contract_must_be_able_to_fail() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:** `{text}`\n"));
        check(Code::ContractVacuous, &contract("pytest"), &[]);
        check(
            Code::ContractVacuous,
            &contract("pytest || true"),
            &[
                "pytest || true | the contract of step `step-1` cannot fail, so it proves nothing | \
             run something that fails while the work is not done",
            ],
        );
        check(
            Code::ContractVacuous,
            &(contract("cat x || true") + "stdout contains \"ok\"\n"),
            &[],
        );
    }

    #[test]
    fn only_the_last_command_counts() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        check(
            Code::ContractVacuous,
            &contract("make test\ntest -s x"),
            &[
                "make test | in the contract of step `step-1` only the last command counts: \
                 a failure of `make test` is ignored | join the commands with `&&`, or begin with `set -e`",
            ],
        );
        check(
            Code::ContractVacuous,
            &contract("pytest | tee log"),
            &[
                "pytest | tee log | in the contract of step `step-1` only the last command of `pytest | tee log` counts, \
                 and that one does not fail | begin with `set -o pipefail`",
            ],
        );
        check(
            Code::ContractVacuous,
            &contract("make test &&\ntest -s x"),
            &[],
        );
    }

    #[test]
    fn branches_and_definitions_alone_prove_nothing() {
        for (text, vacuous) in [
            ("if test -s x; then echo ok; fi", true),
            ("if test -s x; then echo ok; else echo no; fi", true),
            ("if test -s x; then test -s y; fi", false),
            ("if ! test -s x; then exit 1; fi", false),
            ("case $x in a) echo a;; *) true;; esac", true),
            ("for x in a b; do echo $x; done", true),
            ("until test -s x; do :; done", false),
            ("f() { test -s x; }", true),
            ("f() { test -s x; }; f", false),
            ("set +e; false; exit 0", true),
            ("set +e; make; test -s x", false),
            ("set -e; false; exit 0", false),
        ] {
            let text = plan(&format!("### 1. A\n**contract:** `{text}`\n"));
            let checked = super::super::testing::checked(&text);
            let mut found = checked.diagnostics.iter().map(|one| one.code);
            assert_eq!(
                found.any(|code| code == Code::ContractVacuous),
                vacuous,
                "{text}"
            );
        }
    }

    #[test]
    fn the_caret_ends_with_the_command() {
        let text = plan("### 1. A\n**contract:**\n```sh\ntrue\n\n```\n");
        check(
            Code::ContractVacuous,
            &text,
            &[
                "true | the contract of step `step-1` cannot fail, so it proves nothing | \
               run something that fails while the work is not done",
            ],
        );
    }
}
