//! A contract calls a command that is not installed.
//!
//! ## Why
//! The contract could never pass, and the run would find out only after the agent has worked.
//!
//! ## Example
//! ```text
//! ruf check src/
//! ```
//!
//! ## Instead
//! Install the command, or correct its name. Only literal names are looked up: commands by path,
//! shell functions, variables, and texts that change `PATH` are left alone.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(shell), Some(contract)) = (step.shell, &step.written.contract) else {
            continue;
        };
        if shell.changes_path {
            continue;
        }
        for (name, span) in &shell.commands {
            // A path may lead to what the step itself is to make.
            if name.contains('/') || context.workspace.command_exists(name) {
                continue;
            }
            let span = contract.command.source_span(*span);
            let message = format!(
                "the contract of step `{}` calls `{name}`, which is not installed",
                step.id()
            );
            let found = step.problem(Code::ContractCommandMissing, span, message);
            problems.push(found.help("install it, or correct the name"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn literal_names_are_looked_up() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        check(
            Code::ContractCommandMissing,
            &contract("cargo test && ./missing-x; $missing"),
            &[],
        );
        check(
            Code::ContractCommandMissing,
            &contract("PATH=x missing-tool"),
            &[],
        );
        check(
            Code::ContractCommandMissing,
            &contract("cargo test &&\n  missing-tool x"),
            &[
                "missing-tool | the contract of step `step-1` calls `missing-tool`, which is not installed | \
             install it, or correct the name",
            ],
        );
    }
}
