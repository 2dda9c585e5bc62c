//! An agent, or a person, is given nothing to do.
//!
//! ## Why
//! The task is all that the agent gets.
//!
//! ## Example
//! ```text
//! ### 1. Build
//! **target:** coder
//! ```
//!
//! ## Instead
//! A `**task:**` that says what to do. A step that only checks has no `**target:**`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::model::Work;
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let (text, lacking, who): (_, &'static [_], _) = match &step.resolved.work {
            Work::Agent { task, .. } => (task, &["task"], "agent"),
            Work::Ask { question, .. } => (question, &["ask", "question"], "person"),
            Work::Tool { .. } | Work::Check => continue,
        };
        if text.trim().is_empty() {
            let written = step.written.task.as_ref().or(step.written.ask.as_ref());
            let span = written
                .or(step.written.target.as_ref())
                .map_or(step.span(), |text| text.span);
            let message = format!("step `{}` gives its {who} nothing to do", step.id());
            let found = step.problem(Code::EmptyTask, span, message);
            let found = found.with_missing_field(MissingFieldScope::Here(lacking));
            let field = lacking.first().copied().unwrap_or_default();
            let field = context.draft.dialect.field_name(field);
            problems.push(found.help(match context.draft.dialect {
                Dialect::Workunit => format!("say it under `**{field}:**`"),
                Dialect::Thread => "say it after the frontmatter".to_owned(),
                Dialect::Proposal => "say it behind the number".to_owned(),
                Dialect::Record | Dialect::Toolplan => format!("say it in `{field}`"),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn agents_need_a_task() {
        check(
            Code::EmptyTask,
            &plan("### 1. A\n**target:** coder\n**task:** x\n"),
            &[],
        );
        check(
            Code::EmptyTask,
            &plan("### 1. A\n**contract:** `make`\n"),
            &[],
        );
        check(
            Code::EmptyTask,
            &plan("### 1. A\n**target:** coder\n"),
            &["coder | step `step-1` gives its agent nothing to do | say it under `**task:**`"],
        );
        check(
            Code::EmptyTask,
            &plan("### 1. A\n**task:**\n\n**on_fail:** abort\n"),
            &["task | step `step-1` gives its agent nothing to do | say it under `**task:**`"],
        );
    }
}
