//! A contract calls a command of which your `PATH` finds another program, inside the project.
//!
//! ## Why
//! With an activated virtual environment `python` is `.venv/bin/python` to you. Contracts do not search
//! entries of `PATH` that lie in the project, because an agent could put another program there. So they
//! run another Python, perhaps without pytest, and the contract cannot judge any work.
//!
//! ## Example
//! ```text
//! python -m pytest -q
//! ```
//!
//! ## Instead
//! Name the program by its path: `.venv/bin/python -m pytest -q`. If the other one is meant, nothing
//! needs to change. Contracts that change `PATH` themselves (`. .venv/bin/activate`) are left alone.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(shell), Some(contract)) = (step.shell, &step.written.contract) else {
            continue;
        };
        if shell.changes_path {
            continue;
        }
        let mut told: Vec<&str> = Vec::new();
        for Spanned { value: name, span } in &shell.commands {
            let Some(found) = context.available.command_shadowed(name) else {
                continue;
            };
            if told.contains(&name.as_str()) {
                continue;
            }
            told.push(name);
            let message = format!(
                "the contract of step `{}` calls `{name}`, which is `{}` on your PATH; contracts do not look inside \
                 the project, where an agent could replace it, and run `{}`",
                step.id(),
                found.inside,
                found.outside
            );
            let rest = contract.command.text.get(span.end..).unwrap_or_default();
            let help = format!("write `{}{}`", found.inside, arguments(rest));
            let span = contract.command.source_span(*span);
            let problem = step.problem(Code::ContractCommandShadowed, span, message);
            problems.push(problem.help(help));
        }
    }
}

/// What follows a command's name, if that is short and plain enough to be repeated.
fn arguments(rest: &str) -> &str {
    const MOST: usize = 60;
    let end = rest.find(['\n', ';', '&', '|', ')', '`', '<', '>']);
    let arguments = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let arguments = arguments.trim_end();
    if arguments.len() > MOST || !arguments.starts_with(' ') {
        return "";
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn both_programs_are_named_once() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        for text in [
            "cargo test",
            ".venv/bin/shadowed -m pytest",
            ". .venv/bin/activate && shadowed -m pytest",
            "PATH=$PWD/.venv/bin:$PATH shadowed -m pytest",
        ] {
            check(Code::ContractCommandShadowed, &contract(text), &[]);
        }
        let message = "the contract of step `step-1` calls `shadowed`, which is `.venv/bin/shadowed` on your PATH; \
                       contracts do not look inside the project, where an agent could replace it, and run `/usr/bin/shadowed`";
        check(
            Code::ContractCommandShadowed,
            &contract("shadowed -m pytest -q && shadowed -m mypy"),
            &[&format!(
                "shadowed | {message} | write `.venv/bin/shadowed -m pytest -q`"
            )],
        );
        let long = "x".repeat(80);
        for text in ["shadowed", "(shadowed)", &format!("shadowed {long}")] {
            check(
                Code::ContractCommandShadowed,
                &contract(text),
                &[&format!(
                    "shadowed | {message} | write `.venv/bin/shadowed`"
                )],
            );
        }
    }
}
