//! A contract that cannot fail.
//!
//! ## Why
//! It proves nothing: the step would be done whatever the agent did.
//!
//! ## Example
//! ```text
//! pytest || true
//! ```
//!
//! ## Instead
//! A command that fails while the work is not done: `pytest`. Conditions on the output make a
//! contract that always exits with 0 meaningful again.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Condition;
use crate::shell::is_vacuous;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(written), Some(contract)) = (&step.written.contract, &step.resolved.contract)
        else {
            continue;
        };
        let only_exit_code = contract
            .expect
            .iter()
            .all(|condition| *condition == Condition::DEFAULT);
        if step.shell.is_some() && only_exit_code && is_vacuous(&contract.command) {
            let message = format!(
                "the contract of step `{}` cannot fail, so it proves nothing",
                step.id()
            );
            let found = step.problem(Code::ContractVacuous, written.command.span(), message);
            problems.push(found.help("run something that fails while the work is not done"));
        }
    }
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
}
