//! A step is told to change a file that its contract runs.
//!
//! ## Why
//! Files that a contract runs are part of what you sign, and read-only while the step works: otherwise its
//! agent could change what judges it. A task that asks for a change of such a file cannot be done.
//!
//! ## Example
//! ```text
//! **task:** Fix app.py.
//! **contract:** `python3 app.py`
//! ```
//!
//! ## Instead
//! If the file is the work, say that the step makes it: `produces: app.py`. If it is the judge, leave it as it
//! is; the task may name it all the same.

use std::collections::BTreeSet;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::glob;
use crate::model::Work;
use crate::shell::Script;
use crate::source::{Spanned, text_from, text_up_to};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (Some(contract), Work::Agent { task, .. }) =
            (&step.written.contract, &step.resolved.work)
        else {
            continue;
        };
        let command = &contract.command;
        let said = format!("{}\n{task}", step.resolved.title);
        let mut reported = BTreeSet::new();
        for Spanned {
            value: script,
            span,
        } in step.scripts()
        {
            let Script::File(path) = script else {
                continue;
            };
            let mut produces = step.resolved.produces.iter();
            let is_signed = context.workspace.path_exists(path)
                && !produces.any(|pattern| glob::matches(pattern, path));
            if !is_signed || !names(&said, path) || !reported.insert(path.clone()) {
                continue;
            }
            let message = format!(
                "step `{}` cannot change `{path}`, which its task names: its contract runs it",
                step.id()
            );
            let span = command.source_span(*span);
            let found = step.problem(Code::ContractRunsTaskFile, span, message);
            problems.push(found.help(format!(
                "if the step is to change it, add `produces: {path}`"
            )));
        }
    }
}

/// Whether a text names a path, and not a longer one.
fn names(text: &str, path: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/');
    let mut matches = text.match_indices(path);
    matches.any(|(at, _)| {
        let before = text_up_to(text, at);
        let after = text_from(text, at + path.len());
        let before = before.strip_suffix("./").unwrap_or(before);
        let mut rest = after.chars();
        let goes_on = match rest.next() {
            Some('.') => rest.next().is_some_and(is_part),
            Some(next) => is_part(next),
            None => false,
        };
        !goes_on && !before.ends_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_task_that_cannot_be_done_is_said() {
        let step = |task: &str, more: &str| {
            plan(&format!(
                "### 1. A\n**target:** coder\n**task:** {task}\n{more}**contract:**\n```sh\npython3 src/app.py\n```\n"
            ))
        };
        for task in [
            "Fix src/app.py.",
            "Make `./src/app.py` exit with 0",
            "src/app.py",
        ] {
            check(
                Code::ContractRunsTaskFile,
                &step(task, ""),
                &[
                    "src/app.py | step `step-1` cannot change `src/app.py`, which its task names: its contract runs it | if the step is to change it, add `produces: src/app.py`",
                ],
            );
            let makes = step(task, "**produces:** src/*.py\n");
            check(Code::ContractRunsTaskFile, &makes, &[]);
        }
        for task in [
            "Fix it.",
            "Fix src/app.pyc and lib/src/app.py.",
            "Fix src/app.py.txt",
        ] {
            check(Code::ContractRunsTaskFile, &step(task, ""), &[]);
        }
    }
}
