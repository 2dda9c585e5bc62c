//! A step names a role that is not configured.
//!
//! ## Why
//! There would be no agent to do the work.
//!
//! ## Example
//! ```text
//! **target:** codr
//! ```
//!
//! ## Instead
//! A role from the configuration, or the name of an agent that Signoff has a driver for: `claude` (or
//! `claude-code`), `codex`, `gemini`, `opencode`, `pi`. Without `**target:**` the arbiter or the role
//! `default` takes the step.

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Work;
use crate::suggest::nearest;

const DEFAULT: &str = "default";

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let roles = context.workspace.agents();
    for step in context.steps() {
        problems.extend(reviewer(context, step, &roles));
        let Work::Agent { role, .. } = &step.resolved.work else {
            continue;
        };
        let name = role.as_deref().unwrap_or(DEFAULT);
        if context.workspace.agent_exists(name) {
            continue;
        }
        let span = step
            .written
            .target
            .as_ref()
            .map_or(step.span(), |target| target.span);
        let found = match role {
            Some(role) => {
                let message = format!(
                    "step `{}` is for `{role}`, which is not a configured role",
                    step.id()
                );
                let found = step.problem(Code::UnknownAgent, span, message);
                with_help(found, role, &roles)
            }
            None => {
                let message = format!(
                    "step `{}` names no role, and there is no `{DEFAULT}`",
                    step.id()
                );
                let field = context.draft.dialect.spell("target");
                let help = format!(
                    "run `signoff init`, which finds installed agents, or add `{field}`, or {}{}",
                    configure(DEFAULT),
                    known_roles(&roles)
                );
                step.problem(Code::UnknownAgent, span, message).help(help)
            }
        };
        problems.push(found);
    }
}

fn reviewer(context: &Context<'_>, step: StepView<'_>, roles: &[String]) -> Option<Diagnostic> {
    let role = step.resolved.reviewer.as_deref()?;
    if context.workspace.agent_exists(role) {
        return None;
    }
    let written = step.written.reviewer.as_ref();
    let span = written.map_or(step.span(), |reviewer| reviewer.span);
    let message = format!(
        "the reviewer of step `{}` is `{role}`, which is not a configured role",
        step.id()
    );
    let found = step.problem(Code::UnknownAgent, span, message);
    Some(with_help(found, role, roles))
}

fn with_help(found: Diagnostic, role: &str, roles: &[String]) -> Diagnostic {
    match nearest(role, roles.iter().map(String::as_str)) {
        Some(name) => found.suggest(Some(name)),
        None => found.help(format!("{}{}", configure(role), known_roles(roles))),
    }
}

/// Where a role is configured, and how.
fn configure(role: &str) -> String {
    format!("add `[agents.{role}]` with `driver` to `.signoff/config.toml`")
}

fn known_roles(roles: &[String]) -> String {
    if roles.is_empty() {
        return String::new();
    }
    let names: Vec<_> = roles.iter().map(|role| format!("`{role}`")).collect();
    format!("; configured are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn roles_are_configured() {
        check(
            Code::UnknownAgent,
            &plan("### 1. A\n**target:** coder\n### 2. B\n**task:** x\n"),
            &[],
        );
        check(
            Code::UnknownAgent,
            &plan("### 1. A\n**target:** codr\n"),
            &[
                "codr | step `step-1` is for `codr`, which is not a configured role | did you mean `coder`?",
            ],
        );
        check(
            Code::UnknownAgent,
            &plan("### 1. A\n**target:** coder\n**reviewer:** revewer\n"),
            &[
                "revewer | the reviewer of step `step-1` is `revewer`, which is not a configured role | did you mean `reviewer`?",
            ],
        );
        check(
            Code::UnknownAgent,
            &plan("### 1. A\n**target:** painter\n"),
            &[
                "painter | step `step-1` is for `painter`, which is not a configured role | \
             add `[agents.painter]` with `driver` to `.signoff/config.toml`; configured are `coder`, `reviewer`, `executor`, `default`",
            ],
        );
    }
}
