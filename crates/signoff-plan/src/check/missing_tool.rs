//! The plan asks for a tool that nothing here provides.
//!
//! ## Why
//! An agent that is told to use only this tool may not have it: the step then fails, or is done in another
//! way. An agent may have tools that are not known here, so this does not stop anything.
//!
//! ## Example
//! ```text
//! tools_required:
//!   - odoo-toolbox
//! ```
//!
//! ## Instead
//! Install the program, configure the server (`[mcp.servers.odoo-toolbox]`), or name a tool that is there. If
//! the agent itself brings the tool, nothing needs to be done.

use super::context::Context;
use super::unknown_tool::asked_server;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::suggest::nearest;
use crate::tools::{BUILT_IN, is_provided};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let others = context.workspace.tools();
    let is_missing = |name: &str| {
        // A typo is reported as one.
        let names = BUILT_IN.iter().map(|tool| tool.name);
        let is_slip = || nearest(name, names.chain(others.iter().map(String::as_str))).is_some();
        !name.trim().is_empty()
            && !is_provided(name, context.workspace)
            && !context.workspace.command_exists(name)
            && !is_slip()
            // What an asked server lacks is an error of its own.
            && asked_server(name, &others).is_none()
    };
    let help = "no built-in tool, no configured server and no program on PATH has this name; the agent must bring it";
    for Spanned { value, span } in context.draft.tools.iter().flatten() {
        if is_missing(value) {
            let message = format!("the plan asks for tool `{value}`, which nothing here provides");
            problems.push(
                context
                    .problem(Code::MissingTool, *span, message)
                    .help(help),
            );
        }
    }
    for step in context.steps() {
        for Spanned { value, span } in step.written.tools.iter().flatten() {
            if is_missing(value) {
                let message = format!(
                    "step `{}` asks for tool `{value}`, which nothing here provides",
                    step.id()
                );
                problems.push(step.problem(Code::MissingTool, *span, message).help(help));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn what_nothing_provides_is_said() {
        let proposal = |tools: &str| {
            format!(
                "---\nid: PLAN-1\ntitle: T\nstatus: draft\nversion: 1\ntools_required: [{tools}]\n---\n## Steps\n1. A\n"
            )
        };
        // Every command is there but those that are called missing.
        check(
            Code::MissingTool,
            &proposal("read_file, read_*, tracker, tracker.search, go-easy"),
            &[],
        );
        let help = "no built-in tool, no configured server and no program on PATH has this name; the agent must bring it";
        check(
            Code::MissingTool,
            &proposal("missing-toolbox"),
            &[&format!(
                "missing-toolbox | the plan asks for tool `missing-toolbox`, which nothing here provides | {help}"
            )],
        );
        check(
            Code::MissingTool,
            &plan("### 1. A\n**task:** x\n**tools:** missing-one\n"),
            &[&format!(
                "missing-one | step `step-1` asks for tool `missing-one`, which nothing here provides | {help}"
            )],
        );
    }
}
