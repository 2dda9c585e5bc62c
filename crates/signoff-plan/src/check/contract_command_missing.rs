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
//! shell functions, variables, and texts that change `PATH` are left alone. Entries of `PATH` that lie in
//! the project, such as that of an activated virtual environment, are not searched: an agent could put
//! another program there. Name such a command by its path: `.venv/bin/pytest`. So are commands that the
//! contract asks for first (`command -v rg && rg …`), and those that a step before it names: that one may
//! install them.

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Work;
use crate::source::Spanned;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(shell), Some(contract)) = (step.shell, &step.written.contract) else {
            continue;
        };
        if shell.changes_path {
            continue;
        }
        for Spanned { value: name, span } in &shell.commands {
            if context.available.command_exists(name) || comes_with_the_plan(context, step, name) {
                continue;
            }
            let span = contract.command.source_span(*span);
            let calls = format!("the contract of step `{}` calls `{name}`", step.id());
            let (message, help) = match context.available.command_inside(name) {
                Some(path) => (
                    format!(
                        "{calls}, which PATH has only inside the project, where contracts do not look: an agent could replace it"
                    ),
                    format!("write `{path}`"),
                ),
                None => (
                    format!("{calls}, which is not installed"),
                    "install it, or correct the name".to_owned(),
                ),
            };
            let found = step.problem(Code::ContractCommandMissing, span, message);
            problems.push(found.help(help));
        }
    }
}

/// Whether a step before it names the command, or the step itself is to install or make it.
fn comes_with_the_plan(context: &Context<'_>, step: StepView<'_>, name: &str) -> bool {
    let named = context.available.named_by(name);
    if context.graph.waits_for_any(step.index, named) {
        return true;
    }
    let made = |pattern: &String| pattern.rsplit('/').next() == Some(name);
    let installs = match &step.resolved.work {
        Work::Agent { task, .. } => {
            let word =
                |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-') == name;
            task.to_lowercase().contains("install") && task.split_whitespace().any(word)
        }
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => false,
    };
    installs || step.resolved.produces.iter().any(made)
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

    #[test]
    fn commands_that_come_with_the_plan_are_not_missed() {
        let two = |first: &str, second: &str| {
            plan(&format!(
                "### 1. A\n{first}\n### 2. B\n{second}\n**contract:** `missing-tool x`\n"
            ))
        };
        for text in [
            two("**task:** Install `missing-tool`.", ""),
            two("**contract:** `command -v missing-tool`", ""),
            two("**produces:** ~/.cargo/bin/missing-tool", ""),
            two("", "**task:** Install missing-tool, then use it."),
        ] {
            check(Code::ContractCommandMissing, &text, &[]);
        }
        let message = "missing-tool | the contract of step `step-2` calls `missing-tool`, which is not installed | \
                       install it, or correct the name";
        for text in [
            two("**task:** Install other-tool.", ""),
            two("**task:** Install `missing-tool`.", "**depends_on:** none"),
            two("", "**task:** Make `missing-tool x` pass."),
        ] {
            check(Code::ContractCommandMissing, &text, &[message]);
        }
    }

    #[test]
    fn a_contract_may_ask_for_a_command() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:** `{text}`\n"));
        check(
            Code::ContractCommandMissing,
            &contract("command -v missing-tool && missing-tool x"),
            &[],
        );
    }
}
