//! A step calls a tool that is not known.
//!
//! ## Why
//! The step could not run, and what it is given could not be checked.
//!
//! ## Example
//! ```text
//! { "id": "config", "tool": "raed_file", "args": { "path": "config.json" } }
//! ```
//!
//! ## Instead
//! A built-in tool (`read_file`, `write_file`, `edit_file`, `delete_file`, `move_file`,
//! `list_directory`, `search_files`, `run_command`, `http_request`) or `server.tool` of a configured
//! server.

use std::collections::BTreeMap;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Work;
use crate::suggest::nearest;
use crate::tools::{BUILT_IN, built_in};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // Each name is asked for once, however many steps call it.
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut others: Option<Vec<String>> = None;
    for step in context.steps() {
        let Work::Tool { tool, .. } = &step.resolved.work else {
            continue;
        };
        let is_known = *known
            .entry(tool)
            .or_insert_with(|| built_in(tool).is_some() || context.workspace.tool_known(tool));
        if is_known {
            continue;
        }
        let others = others.get_or_insert_with(|| context.workspace.tools());
        let names = BUILT_IN.iter().map(|tool| tool.name);
        let names = names.chain(others.iter().map(String::as_str));
        let span = step
            .written
            .tool
            .as_ref()
            .map_or(step.span(), |tool| tool.span);
        let message = if tool.trim().is_empty() {
            format!("step `{}` names no tool", step.id())
        } else {
            format!(
                "step `{}` calls `{tool}`, which is no tool known here",
                step.id()
            )
        };
        let found = step.problem(Code::UnknownTool, span, message);
        problems.push(match nearest(tool, names) {
            Some(name) => found.suggest(Some(name)),
            None => found.help("`signoff explain unknown-tool` lists the built-in tools"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn tools_are_known() {
        for tool in BUILT_IN {
            check(
                Code::UnknownTool,
                &plan(&format!("### 1. A\n**tool:** {}\n", tool.name)),
                &[],
            );
        }
        check(
            Code::UnknownTool,
            &plan("### 1. A\n**tool:** tracker.search\n"),
            &[],
        );
        check(
            Code::UnknownTool,
            r#"{"steps": [{"id": "a", "tool": "raed_file"}, {"id": "b", "tool": "fly"}, {"id": "c", "tool": "tracker.serch"}]}"#,
            &[
                "raed_file | step `a` calls `raed_file`, which is no tool known here | did you mean `read_file`?",
                "fly | step `b` calls `fly`, which is no tool known here | `signoff explain unknown-tool` lists the built-in tools",
                "tracker.serch | step `c` calls `tracker.serch`, which is no tool known here | did you mean `tracker.search`?",
            ],
        );
    }
}
