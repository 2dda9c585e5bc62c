//! An agent step has no contract.
//!
//! ## Why
//! Only a contract can show that an agent's work is done. Without one a person must accept it.
//!
//! ## Example
//! ```text
//! ### 1. Build
//! **task:** Build it.
//! ```
//!
//! ## Instead
//! A `**contract:**` with a command that fails before the work and passes after it.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::model::Work;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let agent = matches!(step.resolved.work, Work::Agent { .. });
        if agent && step.resolved.contract.is_none() && !step.written.contract_missing_command {
            let message = format!(
                "step `{}` has no contract, so a person must accept it",
                step.id()
            );
            let found = step.problem(Code::MissingContract, step.span(), message);
            let found = found.with_missing_field(MissingFieldScope::Here(&["contract"]));
            problems.push(found.help(format!(
                "add `{}` with a command that passes only when the work is done",
                context.draft.dialect.spell("contract")
            )));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn agent_steps_want_a_contract() {
        check(Code::MissingContract, &plan("### 1. A\n**ask:** x?\n"), &[]);
        check(
            Code::MissingContract,
            &plan("### 1. A\n**task:** x\n**contract:** `make`\n"),
            &[],
        );
        check(
            Code::MissingContract,
            &plan("### 1. A\n**task:** x\n"),
            &[
                "A | step `step-1` has no contract, so a person must accept it | \
             add `**contract:**` with a command that passes only when the work is done",
            ],
        );
    }
}
