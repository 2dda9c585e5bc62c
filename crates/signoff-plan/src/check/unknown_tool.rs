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

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Work;
use crate::suggest::nearest;
use crate::tools::{BUILT_IN, built_in};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    scopes(context, problems);
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
                "step `{}` calls `{tool}`, which is not a tool known here",
                step.id()
            )
        };
        let found = step.problem(Code::UnknownTool, span, message);
        problems.push(match nearest(tool, names) {
            _ if let Some(server) = unasked_server(tool, others) => found.help(format!(
                "nobody has asked server `{server}` for its tools yet: `signoff tools` does"
            )),
            Some(name) => found.suggest(Some(name)),
            None => found.help("`signoff explain unknown-tool` lists the built-in tools"),
        });
    }
}

/// The configured server that a tool is one of, if none of its tools is known.
fn unasked_server<'a>(tool: &'a str, known: &[String]) -> Option<&'a str> {
    let (server, _) = tool.split_once('.')?;
    let of_server = |name: &String| {
        name.strip_prefix(server)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let is_server = known.iter().any(|name| name == server);
    (is_server && !known.iter().any(of_server)).then_some(server)
}

/// The server that a tool would be one of, if it has been asked for its tools.
pub(super) fn asked_server<'a>(tool: &'a str, known: &[String]) -> Option<&'a str> {
    let (server, _) = tool.split_once('.')?;
    let of_server = |name: &String| name.split_once('.').is_some_and(|(one, _)| one == server);
    known.iter().any(of_server).then_some(server)
}

/// Names in scopes that are nearly those of tools, or that a server lacks which was asked for its tools. Any other name may be a server's, which need not
/// be configured where a plan is written.
fn scopes(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let mut others: Option<Vec<String>> = None;
    let mut found_wrong = |name: &str, found: Diagnostic| {
        let known = built_in(name).is_some() || name.contains('*');
        if known || context.workspace.tool_known(name) {
            return None;
        }
        let others = others.get_or_insert_with(|| context.workspace.tools());
        let names = BUILT_IN.iter().map(|tool| tool.name);
        let names = names.chain(others.iter().map(String::as_str));
        // A server of that name covers its tools.
        let server = |tool: &String| tool.split_once('.').is_some_and(|(one, _)| one == name);
        if others.iter().any(server) {
            return None;
        }
        if let Some(near) = nearest(name, names) {
            return Some(found.suggest(Some(near)));
        }
        let server = asked_server(name, others)?;
        let help = format!(
            "server `{server}` has been asked, and has no such tool: `signoff tools` lists them"
        );
        Some(found.help(help))
    };
    for name in context.draft.tools.iter().flatten() {
        let message = format!(
            "the plan allows `{}`, which is not a tool known here",
            name.value
        );
        let found = context.problem(Code::UnknownTool, name.span, message);
        problems.extend(found_wrong(&name.value, found));
    }
    let listed = context.plan.tools.as_deref().unwrap_or_default();
    for step in context.steps() {
        for name in step.written.tools.iter().flatten() {
            let message = format!(
                "step `{}` allows `{}`, which is not a tool known here",
                step.id(),
                name.value
            );
            let found = step.problem(Code::UnknownTool, name.span, message);
            problems.extend(found_wrong(&name.value, found));
        }
        problems.extend(mistyped_hint(step, listed));
    }
}

/// A tool named in passing that is nearly one of those that the plan allows.
fn mistyped_hint(step: StepView<'_>, listed: &[String]) -> Option<Diagnostic> {
    let tool = step.written.hint.tool.as_ref()?;
    if crate::tools::allows(listed, &tool.value).is_some() {
        return None;
    }
    let meant = nearest(&tool.value, listed.iter().map(String::as_str))?;
    let message = format!(
        "step `{}` names `{}`, which the plan's tools do not hold",
        step.id(),
        tool.value
    );
    let found = step.problem(Code::UnknownTool, tool.span, message);
    Some(found.suggest(Some(meant)))
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
            r#"{"steps": [{"id": "a", "tool": "raed_file"}, {"id": "b", "tool": "fly"}, {"id": "c", "tool": "tracker.serch"}, {"id": "d", "tool": "unasked.go"}]}"#,
            &[
                "raed_file | step `a` calls `raed_file`, which is not a tool known here | did you mean `read_file`?",
                "fly | step `b` calls `fly`, which is not a tool known here | `signoff explain unknown-tool` lists the built-in tools",
                "tracker.serch | step `c` calls `tracker.serch`, which is not a tool known here | did you mean `tracker.search`?",
                "unasked.go | step `d` calls `unasked.go`, which is not a tool known here | nobody has asked server `unasked` for its tools yet: `signoff tools` does",
            ],
        );
    }

    #[test]
    fn slips_in_scopes_are_noticed() {
        let scope =
            |text: &str| plan("").replace("**Budget", &format!("**Tools:** {text}\n\n**Budget"));
        check(
            Code::UnknownTool,
            &(scope(
                "read_fiel, write_file, odoo, tracker, tracker.*, tracker.nonexistent, unasked.any",
            ) + "### 1. A\n**task:** x\n**tools:** wirte_file\n"),
            &[
                "read_fiel | the plan allows `read_fiel`, which is not a tool known here | did you mean `read_file`?",
                "tracker.nonexistent | the plan allows `tracker.nonexistent`, which is not a tool known here | server `tracker` has been asked, and has no such tool: `signoff tools` lists them",
                "wirte_file | step `step-1` allows `wirte_file`, which is not a tool known here | did you mean `write_file`?",
            ],
        );
        check(
            Code::UnknownTool,
            "---\nid: PLAN-1\ntitle: T\nstatus: draft\nversion: 1\ntools_required: [odoo-toolbox]\n---\n\
             ## Steps\n1. A (odo-toolbox: search)\n2. B (odoo-toolbox: search)\n3. C (mail: send)\n",
            &[
                "odo-toolbox | step `step-1` names `odo-toolbox`, which the plan's tools do not hold | did you mean `odoo-toolbox`?",
            ],
        );
    }
}
