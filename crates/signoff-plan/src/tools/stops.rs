//! Where a run will stop and ask a person, as far as the plan tells before it runs.

use serde_json::Value;

use super::tree_at::FilesBefore;
use super::{Approval, BuiltIn, Grant, Tool, allows, built_in};
use crate::Workspace;
use crate::expression::{Placeholder, PlaceholderContent, placeholders, read};
use crate::model::{Plan, Step, Work};
use crate::reference::is_dynamic;

/// The tools that a step may call; without a scope, every configured one.
pub fn scope<'p>(plan: &'p Plan, step: &'p Step) -> Option<&'p [String]> {
    step.tools.as_deref().or(plan.tools.as_deref())
}

/// Whether whoever signs the plan agrees to a call of this tool: it is named in full, and the call is
/// known then.
pub fn is_agreed(plan: &Plan, step: &Step, tool: &str) -> bool {
    is_named(plan, step, tool) && !is_assembled(step)
}

/// Whether a tool is named in full.
pub fn is_named(plan: &Plan, step: &Step, tool: &str) -> bool {
    scope(plan, step).is_some_and(|scope| allows(scope, tool) == Some(Grant::Named))
}

/// Is a shell command assembled from the results of other steps? Parameters, and lists that the
/// plan spells out, were signed.
fn is_assembled(step: &Step) -> bool {
    let Work::Tool { tool, args } = &step.work else {
        return false;
    };
    let command = text(args, "command").unwrap_or_default();
    let list = step.for_each.as_deref().map(read);
    let given = list.is_some_and(|reads| !reads.is_ok_and(|reads| reads.steps.is_empty()));
    let item = |placeholder: &Placeholder<'_>| matches!(placeholder.content, PlaceholderContent::Loop(text) if text.starts_with("item"));
    let of_item = given && placeholders(command).iter().any(item);
    let runs = built_in(tool).is_some_and(|tool| tool.id == BuiltIn::RunCommand);
    runs && (is_dynamic(command) || of_item)
}

/// When a run stops at each step and asks a person, each reason as the words after "asks"; empty if it
/// does not stop there.
pub fn stop_reasons(plan: &Plan, workspace: &dyn Workspace) -> Vec<Vec<String>> {
    let files = FilesBefore::new(plan, workspace);
    let steps = plan.steps.iter().enumerate();
    steps
        .map(|(at, step)| step_stops(plan, (at, step), workspace, &files))
        .collect()
}

fn step_stops(
    plan: &Plan,
    (at, step): (usize, &Step),
    workspace: &dyn Workspace,
    files: &FilesBefore<'_>,
) -> Vec<String> {
    let mut reasons = Vec::new();
    if step.unexpanded.is_some() {
        reasons.push("for the steps that it stands for: they are not written yet".to_owned());
        return reasons;
    }
    if step.approval {
        reasons.push("before it starts".to_owned());
    }
    match &step.work {
        Work::Ask { .. } => reasons.push("a question".to_owned()),
        Work::Agent { .. } if step.contract.is_none() => {
            reasons.push("whether it is done: it has no contract".to_owned());
        }
        // One question covers both.
        Work::Tool { tool, args } if !step.approval && !is_agreed(plan, step, tool) => {
            // A loop that writes the same file each time meets its own.
            let is_there = |path: &str| {
                if step.for_each.is_some() || files.exists(at, path) {
                    return TargetExists::Yes;
                }
                let beside = files.created_beside(at, path);
                let beside = beside.and_then(|other| plan.steps.get(other));
                beside.map_or(TargetExists::No, |other| TargetExists::IfFirst(&other.id))
            };
            reasons.extend(call_stops(tool, args, workspace, is_there));
        }
        Work::Tool { .. } | Work::Agent { .. } | Work::Check => {}
    }
    reasons
}

/// Whether a file is there when a call would write it.
enum TargetExists<'p> {
    Yes,
    /// If this step comes first, and either may.
    IfFirst(&'p str),
    No,
}

/// Why a call needs agreement.
fn call_stops<'p>(
    tool: &str,
    args: &Value,
    workspace: &dyn Workspace,
    is_there: impl Fn(&str) -> TargetExists<'p>,
) -> Option<String> {
    let Some(built_in) = built_in(tool) else {
        let asks = !workspace.tool_read_only(tool);
        return asks.then(|| format!("before it calls `{tool}`, which may change something"));
    };
    match built_in.approval {
        Approval::Never => None,
        Approval::Always => Some(before(built_in, args)),
        Approval::IfExists { argument } => {
            let path = text(args, argument)?;
            if is_open(path) {
                return Some("if it would overwrite a file".to_owned());
            }
            match is_there(path) {
                TargetExists::Yes => Some(format!("before it overwrites `{path}`")),
                TargetExists::IfFirst(other) => {
                    Some(format!("if `{other}` wrote `{path}` before it"))
                }
                TargetExists::No => None,
            }
        }
        Approval::Unless { argument, values } => {
            let value = text(args, argument)?;
            (!values.contains(&value)).then(|| before(built_in, args))
        }
    }
}

fn before(tool: &Tool, args: &Value) -> String {
    format!("before it {}", tool.change(args))
}

/// Is the value known only when the plan runs?
pub(super) fn is_open(text: &str) -> bool {
    is_dynamic(text) || !placeholders(text).is_empty()
}

pub(super) fn text<'v>(args: &'v Value, name: &str) -> Option<&'v str> {
    args.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check as check_plan;
    use crate::dialect::parse;
    use crate::source::Source;

    /// A workspace in which only `there.txt` exists.
    struct OneFile;

    impl Workspace for OneFile {
        fn path_exists(&self, path: &str) -> bool {
            path == "there.txt"
        }
        fn topic_exists(&self, _: &str) -> bool {
            false
        }
        fn command_exists(&self, _: &str) -> bool {
            true
        }
        fn agent_exists(&self, _: &str) -> bool {
            true
        }
        fn tool_known(&self, _: &str) -> bool {
            true
        }
        fn tool_read_only(&self, name: &str) -> bool {
            name == "srv.get"
        }
        fn agents(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[track_caller]
    fn check(step: &str, expected: &[&str]) {
        let text = format!(
            "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# T\n\n## Steps\n\n### 1. S\n\n{step}\n"
        );
        let source = Source::new("plan.md", text.into_bytes());
        let checked = check_plan(&parse(&source), &OneFile);
        let plan = &checked.plan;
        assert_eq!(stop_reasons(plan, &OneFile)[0], expected, "{step}");
    }

    fn call(tool: &str, args: &str) -> String {
        format!("**tool:** {tool}\n**args:**\n```json\n{args}\n```\n")
    }

    #[test]
    fn calls_that_change_something_stop_a_run() {
        for (tool, args, expected) in [
            ("read_file", r#"{"path": "there.txt"}"#, None),
            (
                "delete_file",
                r#"{"path": "a"}"#,
                Some("before it deletes `a`"),
            ),
            (
                "run_command",
                r#"{"command": "make"}"#,
                Some("before it runs `make`"),
            ),
            ("write_file", r#"{"path": "new.txt", "content": ""}"#, None),
            (
                "write_file",
                r#"{"path": "there.txt", "content": ""}"#,
                Some("before it overwrites `there.txt`"),
            ),
            ("http_request", r#"{"url": "http://localhost"}"#, None),
            (
                "http_request",
                r#"{"url": "http://localhost", "method": "POST"}"#,
                Some("before it sends `POST` to `http://localhost`"),
            ),
            ("srv.get", "{}", None),
            (
                "srv.put",
                "{}",
                Some("before it calls `srv.put`, which may change something"),
            ),
        ] {
            check(&call(tool, args), expected.as_slice());
        }
    }

    #[test]
    fn a_tool_that_is_named_in_full_does_not_ask() {
        let delete = call("delete_file", r#"{"path": "a"}"#);
        check(&format!("{delete}**tools:** delete_file\n"), &[]);
        check(
            &format!("{delete}**tools:** delete_*\n"),
            &["before it deletes `a`"],
        );
        let approved = format!("{delete}**approval:** yes\n");
        check(&approved, &["before it starts"]);
    }

    #[test]
    fn people_are_asked_by_other_steps_too() {
        check("**ask:** Which one?\n", &["a question"]);
        check(
            "**target:** coder\n**task:**\nDo it.\n",
            &["whether it is done: it has no contract"],
        );
        check("**contract:**\n```shell\ntrue\n```\n", &[]);
    }

    /// Steps as `id depends-on tool args`: which of them ask.
    #[track_caller]
    fn check_tools(steps: &[(&str, &str, &str, &str)], expected: &[&str]) {
        let step = |(at, (id, after, tool, args)): (usize, &(&str, &str, &str, &str))| {
            let n = at + 1;
            let call = call(tool, args);
            format!("### {n}. S\n\n**id:** {id}\n**depends_on:** {after}\n{call}\n")
        };
        let steps: String = steps.iter().enumerate().map(step).collect();
        let text =
            format!("---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# T\n\n## Steps\n\n{steps}");
        let source = Source::new("plan.md", text.clone().into_bytes());
        let plan = check_plan(&parse(&source), &OneFile).plan;
        let reasons = stop_reasons(&plan, &OneFile);
        let asking = plan.steps.iter().zip(reasons);
        let asking = asking.filter(|(_, why)| !why.is_empty());
        let asking: Vec<_> = asking.map(|(step, _)| step.id.clone()).collect();
        assert_eq!(asking, expected, "{text}");
    }

    #[test]
    fn what_the_plan_itself_wrote_is_overwritten() {
        let write = r#"{"path": "zz.txt", "content": ""}"#;
        let dotted = r#"{"path": "./zz.txt", "content": ""}"#;
        check_tools(
            &[
                ("n", "none", "write_file", write),
                ("between", "n", "read_file", r#"{"path": "zz.txt"}"#),
                ("m", "between", "write_file", dotted),
                (
                    "aside",
                    "none",
                    "write_file",
                    r#"{"path": "a", "content": ""}"#,
                ),
                (
                    "moves",
                    "m",
                    "move_file",
                    r#"{"from": "zz.txt", "to": "a"}"#,
                ),
                (
                    "behind",
                    "moves, aside",
                    "move_file",
                    r#"{"from": "x", "to": "a"}"#,
                ),
            ],
            // Of `aside` and `moves`, the one that comes second asks.
            &["m", "aside", "moves", "behind"],
        );
    }

    #[test]
    fn either_of_two_unordered_writers_may_ask() {
        let write = |path: &str| format!(r#"{{"path": "{path}", "content": ""}}"#);
        let (plain, dotted, around) = (write("z"), write("./z"), write("d/../z"));
        let alone = write("d/z");
        check_tools(
            &[
                ("a", "none", "write_file", &plain),
                ("b", "none", "write_file", &dotted),
                ("c", "none", "write_file", &around),
                ("alone", "none", "write_file", &alone),
            ],
            &["a", "b", "c"],
        );
        let text = format!(
            "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# T\n\n## Steps\n\n\
             ### 1. S\n\n**id:** a\n{}### 2. S\n\n**id:** b\n**depends_on:** none\n{}",
            call("write_file", &plain),
            call("write_file", &around)
        );
        let source = Source::new("plan.md", text.into_bytes());
        let plan = check_plan(&parse(&source), &OneFile).plan;
        let expected = [
            ["if `b` wrote `z` before it"],
            ["if `a` wrote `d/../z` before it"],
        ];
        assert_eq!(stop_reasons(&plan, &OneFile), expected);
    }

    #[test]
    fn what_the_plan_removed_is_written_without_a_question() {
        let there = r#"{"path": "there.txt", "content": ""}"#;
        check_tools(
            &[
                (
                    "d",
                    "none",
                    "move_file",
                    r#"{"from": "there.txt", "to": "b"}"#,
                ),
                ("again", "d", "write_file", there),
                ("twice", "again", "write_file", there),
                ("unordered", "none", "write_file", there),
            ],
            // `again` asks if `unordered` comes between `d` and itself.
            &["again", "twice", "unordered"],
        );
    }
}
