//! A field that must be there is not.
//!
//! ## Why
//! `type` tells a plan from other files, `status` and `owner` are what other tools look for, and a
//! step needs something to do or something to check.
//!
//! ## Example
//! ```text
//! ---
//! type: plan
//! ---
//! ```
//!
//! ## Instead
//! ```text
//! ---
//! type: plan
//! status: draft
//! owner: orchestrator
//! ---
//! ```

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::draft::Spanned;
use crate::model::Work;
use crate::source::Span;
use crate::spelling::Dialect;

/// A contract without a command.
pub(crate) fn command(dialect: Dialect, label: Span) -> Diagnostic {
    let message = "the contract has no command";
    let help = match dialect {
        Dialect::Record | Dialect::Toolplan => "add `command`",
        Dialect::Workunit => "put the command into a fenced block under the label",
        Dialect::Thread => "write it behind the colon, or after `|` on the lines below",
        Dialect::Proposal => "put it between back-ticks, or into a fenced block below",
    };
    Diagnostic::new(Code::MissingField, dialect, label, message)
        .help(help)
        .with_missing_field(MissingFieldScope::Here(&["command"]))
}

/// A contract whose command is written as if it were prose.
pub(crate) fn back_ticks(dialect: Dialect, command: Span, text: &str) -> Diagnostic {
    let message = "the contract has no command: what is not in back-ticks is text";
    let quoted = format!("`{text}`");
    let found = Diagnostic::new(Code::MissingField, dialect, command, message);
    if text.contains('`') {
        return found.help("put the command into a fenced block below");
    }
    found
        .help(format!("if it is the command, write {quoted}"))
        .fix(command, quoted)
}

/// A key that must be there is not.
pub(crate) fn member(
    dialect: Dialect,
    owner: &str,
    name: &'static [&'static str; 1],
    span: Span,
) -> Diagnostic {
    let [field] = name;
    let message = format!("{owner} has no `{field}`");
    Diagnostic::new(Code::MissingField, dialect, span, message)
        .help(format!("add `{field}`"))
        .with_missing_field(MissingFieldScope::Here(name))
}

/// A field that only makes sense with a contract.
pub(crate) fn contract_for(dialect: Dialect, field: &str, span: Span) -> Diagnostic {
    let message = format!("`{field}` is given, but there is no contract");
    Diagnostic::new(Code::MissingField, dialect, span, message)
        .with_missing_field(MissingFieldScope::Here(&["contract"]))
}

/// A directory has no `plan.md`.
pub(crate) fn plan_file(dialect: Dialect) -> Diagnostic {
    let message = "the directory has no `plan.md`";
    Diagnostic::new(Code::MissingField, dialect, Span::at(0), message)
        .help("write one: `---`, `title: …`, `---`, then what the plan is about")
}

/// A task file has no id; `id` would do, at the end of the frontmatter.
pub(crate) fn task_id(
    dialect: Dialect,
    span: Span,
    name: &str,
    id: &str,
    end: usize,
) -> Diagnostic {
    let message = format!("task file `{name}` has no `id`");
    let found = Diagnostic::new(Code::MissingField, dialect, span, message);
    let found = found.with_missing_field(MissingFieldScope::Here(&["id"]));
    if id.is_empty() {
        return found.help("add `id: NAME`");
    }
    found
        .help(format!("add `id: {id}`"))
        .fix(Span::at(end), format!("id: {id}\n"))
}

/// Steps name tools, but the plan lists none that they may use.
pub(crate) fn scope(dialect: Dialect, header: Span, end: usize, tools: &[&str]) -> Diagnostic {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    let message = format!(
        "the frontmatter has no `tools_required`, so no step may use {}",
        names.join(", ")
    );
    let line = format!("tools_required: [{}]", tools.join(", "));
    Diagnostic::new(Code::MissingField, dialect, header, message)
        .help(format!("add `{line}`"))
        .fix(Span::at(end), line + "\n")
        .with_missing_field(MissingFieldScope::Here(&["tools_required"]))
}

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    match context.draft.dialect {
        Dialect::Workunit => frontmatter(context, problems),
        // Each has its own required fields, which its reader reports.
        Dialect::Thread | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {}
    }
    for step in context.steps() {
        problems.extend(nothing_at_all(step));
        if step.written.title.value.is_empty() {
            let message = format!("step `{}` has no title", step.id());
            problems.push(step.problem(Code::MissingField, step.written.heading, message));
        }
    }
}

fn frontmatter(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let draft = context.draft;
    // If the frontmatter cannot be read, it is unknown what is missing.
    let unreadable = draft
        .problems
        .iter()
        .any(|problem| problem.code == Code::FrontmatterInvalid);
    let Some(end) = draft.anchors.insert_status.filter(|_| !unreadable) else {
        return;
    };
    let fields: [(&'static [&'static str; 1], _, _); 3] = [
        (&["type"], "plan", &draft.kind),
        (&["status"], "draft", &draft.status),
        (&["owner"], "", &draft.owner),
    ];
    for (field, usual, written) in fields {
        let [name] = field;
        match written {
            Some(Spanned { value, span }) if value.is_empty() => {
                let message = format!("`{name}` has no value");
                let found = context.problem(Code::MissingField, *span, message);
                problems.push(found.help(what_to_write("write", name, usual)));
            }
            Some(_) => {}
            None => {
                let message = format!("the frontmatter has no `{name}`");
                let found = context.problem(Code::MissingField, draft.anchors.header, message);
                let found = found
                    .help(what_to_write("add", name, usual))
                    .with_missing_field(MissingFieldScope::Here(field));
                problems.push(if usual.is_empty() {
                    found
                } else {
                    found.fix(Span::at(end), format!("{name}: {usual}\n"))
                });
            }
        }
    }
}

/// What to write; who owns a plan only its author knows.
fn what_to_write(verb: &str, name: &str, usual: &str) -> String {
    if usual.is_empty() {
        format!("{verb} `{name}: NAME`, the role that owns execution")
    } else {
        format!("{verb} `{name}: {usual}`")
    }
}

fn nothing_at_all(step: StepView<'_>) -> Option<Diagnostic> {
    // A contract without a command is reported as such.
    let empty = step.resolved.work == Work::Check
        && step.written.contract.is_none()
        && !step.written.contract_missing_command;
    empty.then(|| {
        let message = format!(
            "step `{}` has nothing to do and nothing to check",
            step.id()
        );
        step.problem(Code::MissingField, step.span(), message)
            .with_missing_field(MissingFieldScope::Here(&[
                "task", "target", "tool", "ask", "contract",
            ]))
            .help(match step.dialect() {
                Dialect::Toolplan => "add `tool` and `args`, `ask` or `contract`",
                Dialect::Record => "add `description`, `ask` or `contract`",
                Dialect::Workunit | Dialect::Thread | Dialect::Proposal => {
                    "add `**task:**`, `**tool:**`, `**ask:**` or `**contract:**`"
                }
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    const STEP: &str = "### 1. A\n**task:** x\n";

    #[test]
    fn the_frontmatter_has_three_fields() {
        check(Code::MissingField, &plan(STEP), &[]);
        check(
            Code::MissingField,
            &plan(STEP).replace("owner: me\n", ""),
            &[
                "--- | the frontmatter has no `owner` | add `owner: NAME`, the role that owns execution",
            ],
        );
        check(
            Code::MissingField,
            &plan(STEP).replace("status: draft", "status:"),
            &["status | `status` has no value | write `status: draft`"],
        );
        check(Code::MissingField, "# T\n", &[]);
    }

    #[test]
    fn a_step_does_something() {
        check(
            Code::MissingField,
            &plan("### 1. A\n"),
            &[
                "A | step `step-1` has nothing to do and nothing to check | \
             add `**task:**`, `**tool:**`, `**ask:**` or `**contract:**`",
            ],
        );
        check(
            Code::MissingField,
            &plan("### 1. \n**task:** x\n"),
            &["### 1.  | step `step-1` has no title | -"],
        );
    }

    #[test]
    fn a_contract_has_a_command() {
        check(
            Code::MissingField,
            &plan("### 1. A\n**task:** x\n**contract:**\nexit_code == 0\n"),
            &[
                "contract | the contract has no command | put the command into a fenced block under the label",
            ],
        );
        check(
            Code::MissingField,
            &plan("### 1. A\n**task:** x\n**baseline:** no\n"),
            &["no | `baseline` is given, but there is no contract | -"],
        );
    }
}
