//! A path leads out of the workspace.
//!
//! ## Why
//! Plans read and write within the workspace they are run in, and nowhere else.
//!
//! ## Example
//! ```text
//! **subscriptions:** file:../secrets.env
//! **produces:** /etc/motd
//! **args:** {"path": "../notes.txt"}
//! ```
//!
//! ## Instead
//! A path relative to the workspace, without `..` that leaves it.

use super::context::Context;
use super::text_arguments::for_each_text_argument;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
pub(super) use crate::workspace::is_outside;
use crate::workspace::leaves;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let files = step.written.subscriptions.iter().filter_map(|text| {
            let path = text.value.strip_prefix("file:")?;
            Some((path.split("#L").next().unwrap_or(path), text))
        });
        let globs = step.written.produces.iter().chain(&step.written.protects);
        let globs = globs.map(|text| (text.value.as_str(), text));
        for (path, text) in files.chain(globs) {
            let text: &Spanned<String> = text;
            let by_link = !path.contains(['*', '?', '{', '[']);
            if is_outside(path) || (by_link && context.workspace.leads_outside(path)) {
                let message = format!(
                    "step `{}` names `{path}`, which is outside the workspace",
                    step.id()
                );
                let found = step.problem(Code::PathOutsideWorkspace, text.span, message);
                problems.push(found.help("name a path relative to the workspace"));
            }
        }
        for_each_text_argument(step, &mut |given| {
            if given.argument.path && leaves(context.workspace, given.text) {
                let (id, tool, path) = (step.id(), given.tool.name, given.text);
                let message = format!(
                    "step `{id}` calls `{tool}` with `{path}`, which is outside the workspace"
                );
                let found = step.problem(Code::PathOutsideWorkspace, given.span, message);
                problems.push(found.help("name a path relative to the workspace"));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn text_alone_decides() {
        for path in [
            "../a",
            "a/../../b",
            "/etc",
            "~/x",
            "C:\\x",
            "\\\\host\\x",
            "a\\..\\..\\b",
        ] {
            assert!(is_outside(path), "{path}");
        }
        for path in ["a", "./a", "a/../b", "a/..", "..a/b", "a..b"] {
            assert!(!is_outside(path), "{path}");
        }
    }

    #[test]
    fn every_kind_of_path_is_checked() {
        check(
            Code::PathOutsideWorkspace,
            &plan(
                "### 1. A\n**subscriptions:** file:../a.md#L1\n**produces:** /x\n**protects:** src/**\n",
            ),
            &[
                "file:../a.md#L1 | step `step-1` names `../a.md`, which is outside the workspace | \
                 name a path relative to the workspace",
                "/x | step `step-1` names `/x`, which is outside the workspace | \
                 name a path relative to the workspace",
            ],
        );
    }

    #[test]
    fn paths_that_tools_are_given_are_checked() {
        let call = |tool: &str, args: &str| {
            format!(r#"{{"steps": [{{"id": "a", "tool": "{tool}", "args": {args}}}]}}"#)
        };
        check(
            Code::PathOutsideWorkspace,
            &call("move_file", r#"{"from": "a/../../b", "to": "x/../b"}"#),
            &[
                "a/../../b | step `a` calls `move_file` with `a/../../b`, which is outside the \
                 workspace | name a path relative to the workspace",
            ],
        );
        for (tool, args) in [
            ("read_file", r#"{"path": "${b.content}/../../x"}"#),
            ("read_file", r#"{"path": "/may/be/inside"}"#),
            ("delete_file", r#"{"path": "link"}"#),
            ("write_file", r#"{"path": "x", "content": "../x"}"#),
        ] {
            check(Code::PathOutsideWorkspace, &call(tool, args), &[]);
        }
    }

    #[test]
    fn links_are_followed() {
        let text = plan("### 1. A\n**subscriptions:** file:link\n");
        check(
            Code::PathOutsideWorkspace,
            &text,
            &[
                "file:link | step `step-1` names `link`, which is outside the workspace | \
               name a path relative to the workspace",
            ],
        );
        check(Code::MissingFile, &text, &[]);
    }
}
