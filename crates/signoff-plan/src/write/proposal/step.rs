//! One step: an item of the numbered list, with its fields below.

use crate::dialect::proposal::{escape_brackets, is_field};
use crate::markdown::{Document, LineKind};
use crate::model::{Condition, Contract, Hint, Step, Work};
use crate::spelling::Dialect;
use crate::write::policy;

/// Adds a step.
pub(super) fn write(out: &mut String, number: usize, step: &Step, tools: &[String]) {
    let marker = format!("{number}. ");
    let indent = " ".repeat(marker.len());
    let title = one_line(&step.title);
    let task = match &step.work {
        Work::Agent { task, .. } => task.as_str(),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => title.as_str(),
    };
    let (first, rest) = split_task(&title, task, marker.len());
    let mut last: Vec<&str> = first.split('\n').collect();
    let ending = last.pop().unwrap_or_default();
    let ending = match &step.hint {
        Some(hint) => format!("{ending} {}", self::hint(hint)),
        None => escape_brackets(ending, tools),
    };
    out.push_str(&marker);
    for line in last {
        push(out, &[line, "\n", &indent]);
    }
    out.push_str(ending.trim_start());
    out.push('\n');
    match rest {
        TaskRemainder::Nothing => {}
        TaskRemainder::Description(text) => {
            out.push('\n');
            push_indented(out, text, &indent);
        }
        TaskRemainder::Task => field(out, "task", task, &indent),
    }
    fields(out, step, &indent);
}

/// What of a task stands elsewhere than behind the number.
enum TaskRemainder<'a> {
    Nothing,
    /// Paragraphs after the first.
    Description(&'a str),
    /// All of it, as a field of its own.
    Task,
}

/// The first paragraph, and where the rest goes. A task that begins with the title is the
/// description; any other is a field.
fn split_task<'a>(title: &'a str, task: &'a str, columns: usize) -> (&'a str, TaskRemainder<'a>) {
    if task == title {
        return (title, TaskRemainder::Nothing);
    }
    let (first, rest) = match task.split_once("\n\n") {
        Some((first, rest)) => (first, TaskRemainder::Description(rest)),
        None => (task, TaskRemainder::Nothing),
    };
    let words: Vec<_> = first.split('\n').map(str::trim).collect();
    // An empty line would end the description, and a field would be taken for one.
    let as_it_is = words.join(" ") == title
        && words.iter().all(|line| !line.is_empty())
        && !task.split('\n').any(is_field)
        && is_closed_in_item(task, columns)
        // Less indented than it was, a line of the paragraph could begin a block or be a heading.
        && [task, &words.join("\n")].iter().all(|text| is_closed(text) && !ends_the_list(text));
    if as_it_is {
        (first, rest)
    } else {
        (title, TaskRemainder::Task)
    }
}

fn fields(out: &mut String, step: &Step, indent: &str) {
    if let Some(contract) = &step.contract {
        self::contract(out, contract, indent);
    }
    if let Some(policy) = policy(step, Dialect::Proposal) {
        field(out, "on_fail", &policy, indent);
    }
    if let Some(when) = &step.when {
        field(out, "when", &short_value(when), indent);
    }
}

/// A value on one line, which keeps back-ticks of its own.
pub(crate) fn short_value(text: &str) -> String {
    if !text.starts_with('`') {
        return one_line(text);
    }
    let marks = "`".repeat(longest_run(text) + 1);
    format!("{marks} {text} {marks}")
}

/// Adds a contract and its conditions.
pub(crate) fn contract(out: &mut String, contract: &Contract, indent: &str) {
    let command = &contract.command;
    let short = !command.contains(['`', '\n']) && command.trim() == command && !command.is_empty();
    if short && contract.shell.is_none() {
        field(out, "contract", &format!("`{command}`"), indent);
    } else {
        let fence = "`".repeat(longest_run(command).max(2) + 1);
        let language = contract.shell.as_deref().filter(|shell| *shell == "sh");
        let language = language.unwrap_or("bash");
        push(out, &[indent, "- contract:\n"]);
        let block = format!("{fence}{language}\n{command}\n{fence}");
        push_indented(out, &block, &format!("{indent}  "));
    }
    if contract.expect != [Condition::DEFAULT] {
        for condition in &contract.expect {
            field(out, "expect", &condition.to_string(), indent);
        }
    }
}

/// Adds `- name: value`, or the value on lines of its own below.
pub(crate) fn field(out: &mut String, name: &str, value: &str, indent: &str) {
    if !value.contains('\n') && value.trim() == value && is_closed(&format!("- {name}: {value}")) {
        push(out, &[indent, "- ", name, ": ", value, "\n"]);
        return;
    }
    push(out, &[indent, "- ", name, ":\n"]);
    let nested = format!("{indent}  ");
    if is_closed_in_item(&format!("{name}:\n{value}"), nested.len()) {
        push_indented(out, value, &nested);
    } else {
        // A block that nothing in the text can close, so that it does not swallow what follows.
        let fence = "`".repeat(longest_run(value).max(2) + 1);
        push_indented(out, &format!("{fence}\n{value}\n{fence}"), &nested);
    }
}

/// Adds several stretches of text.
pub(super) fn push(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}

fn push_indented(out: &mut String, text: &str, indent: &str) {
    for line in text.split('\n') {
        if !line.is_empty() {
            out.push_str(indent);
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// `(tool: operation → target)`
pub(crate) fn hint(hint: &Hint) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let mut text = format!("({}:", part(&hint.tool));
    if let Some(operation) = &hint.operation {
        push(&mut text, &[" ", operation]);
    }
    if let Some(target) = &hint.target {
        push(&mut text, &[" → ", target]);
    }
    text + ")"
}

/// A text on one line that begins no block and no comment.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split('\n').map(str::trim).collect();
    let line = words.join(" ").trim().to_owned();
    let document = Document::new(&line, 0);
    let text = document
        .lines
        .iter()
        .all(|line| line.kind == LineKind::Text);
    if text { line } else { format!("\\{line}") }
}

/// Whether every block and comment that a text begins ends in it.
pub(super) fn is_closed(text: &str) -> bool {
    let document = Document::new(text, 0);
    document.open_comments.is_empty() && document.fences.iter().all(|fence| fence.closed)
}

/// The same of the text of an item in a list, whose lines stand behind so many columns: there a tab may be
/// narrower, and what was indented too far to be a block becomes one.
fn is_closed_in_item(text: &str, columns: usize) -> bool {
    let odd = columns % 2;
    let mut item = "1. ".repeat(odd) + &"- ".repeat(columns.saturating_sub(3 * odd) / 2);
    let mut rest = text.split('\n');
    push(&mut item, &[rest.next().unwrap_or_default(), "\n"]);
    for line in rest {
        push_indented(&mut item, line, &" ".repeat(columns));
    }
    is_closed(&item)
}

/// Whether a heading in the text of an item would be one of the file.
fn ends_the_list(text: &str) -> bool {
    let document = Document::new(text, 0);
    let mut headings = document
        .lines
        .iter()
        .filter_map(|line| document.heading(line));
    headings.any(|heading| heading.level <= 2)
}

/// Length of the longest run of back-ticks.
pub(super) fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}
