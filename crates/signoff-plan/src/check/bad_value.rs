//! A field holds something it cannot mean.
//!
//! ## Why
//! A value that is misread, or quietly ignored, makes the run differ from what was signed.
//!
//! ## Example
//! ```text
//! **timeout:** ten minutes
//! **critical:** maybe
//! **subscriptions:** src/app.py
//! ### 5. Deploy        (as the third step)
//! ```
//!
//! ## Instead
//! What the message names: `**timeout:** 10m`, `**critical:** no`,
//! `**subscriptions:** file:src/app.py`, `### 3. Deploy`.

use std::collections::BTreeMap;

use super::Lack;
use super::context::{Context, StepView};
use super::words::{PRIORITIES, SHELLS};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::draft::{Spanned, Step};
use crate::source::Span;
use crate::suggest::{misspelt, nearest};
use crate::yaml::Node;

fn problem(dialect: Dialect, span: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, dialect, span, message)
}

/// The file says that it is something else.
pub(crate) fn type_of_file(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("`type` is `{}`, which is no plan", word.value);
    problem(dialect, word.span, message)
        .help("write `type: plan`")
        .fix(word.span, "plan")
}

/// A field of the frontmatter is a list or a mapping.
pub(crate) fn no_text(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    problem(
        dialect,
        span,
        format!("`{}` must be text, not {found}", key.value),
    )
}

/// A field of the frontmatter is no list.
pub(crate) fn no_list(dialect: Dialect, key: &Spanned<String>, value: &Node) -> Diagnostic {
    let message = format!("`{}` must be a list, not {}", key.value, value.describe());
    let found = problem(dialect, value.span, message);
    match value.text().filter(|text| !text.value.contains('\n')) {
        Some(text) => found
            .help(format!("write `[{}]`", text.value))
            .fix(value.span, format!("[{}]", text.value)),
        None => found,
    }
}

/// Text that must be JSON is none.
pub(crate) fn json(dialect: Dialect, what: &str, span: Span, why: &str) -> Diagnostic {
    problem(dialect, span, format!("{what} must be JSON: {why}"))
}

/// A field of a step is not indented under it.
pub(crate) fn not_indented(dialect: Dialect, name: &Spanned<String>, line: usize) -> Diagnostic {
    let message = format!("`{}` belongs to no step: it is not indented", name.value);
    problem(dialect, name.span, message)
        .help("indent it by three spaces, under its step")
        .fix(Span::at(line), "   ")
}

/// A field of the frontmatter is no mapping.
pub(crate) fn no_mapping(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    let message = format!(
        "`{}` must be a mapping of names to values, not {found}",
        key.value
    );
    problem(
        dialect,
        if span.is_empty() { key.span } else { span },
        message,
    )
}

/// A value is of another kind than its field.
pub(crate) fn kind(
    dialect: Dialect,
    field: &str,
    span: Span,
    wanted: &str,
    found: &str,
) -> Diagnostic {
    problem(
        dialect,
        span,
        format!("`{field}` must be {wanted}, not {found}"),
    )
}

/// A dependency of a record is no index.
pub(crate) fn not_an_index(dialect: Dialect, span: Span, found: &str) -> Diagnostic {
    let message = format!("`dependsOn` names steps by their index, not by {found}");
    problem(dialect, span, message).help("write the `index` of the other step, such as `0`")
}

/// A question to a person names an agent as well.
pub(crate) fn ask_and_agent(dialect: Dialect, agent: &Spanned<String>) -> Diagnostic {
    let message = format!(
        "a step has one kind of work: it cannot `ask` a person and suggest agent `{}`",
        agent.value
    );
    problem(dialect, agent.span, message).help("make two steps of it")
}

/// A label is given twice.
pub(crate) fn repeated(dialect: Dialect, name: &str, span: Span, first: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` is given twice"))
        .related(first, "given here first")
        .help("keep one; text that is no field can go into a fenced block")
}

/// A label has no value.
pub(crate) fn empty(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` has no value"))
        .help("give it a value, or leave the label out")
}

/// The word `none` stands beside other items.
pub(crate) fn none_beside_others(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    let message = format!("`none` in `{name}` stands alone or not at all");
    problem(dialect, span, message).help("take it away, or the other names")
}

/// A list is written in brackets.
pub(crate) fn bracketed(dialect: Dialect, name: &str, text: &Spanned<String>) -> Diagnostic {
    let message = format!("`{name}` is a list of names without brackets");
    let inside = text.value.trim_start_matches('[').trim_end_matches(']');
    let names: Vec<_> = inside
        .split(',')
        .map(|item| item.trim().trim_matches(['"', '\'']))
        .filter(|item| !item.is_empty())
        .collect();
    let names = names.join(", ");
    let found = problem(dialect, text.span, message);
    if names.is_empty() {
        found.help("leave the field out")
    } else {
        found
            .help(format!("write `{names}`"))
            .fix(text.span, names.as_str())
    }
}

/// A contract has more than one block.
pub(crate) fn second_contract(dialect: Dialect, span: Span, first: Span) -> Diagnostic {
    problem(
        dialect,
        span,
        "a contract is one fenced block; this is a second one".to_owned(),
    )
    .related(first, "the first one")
    .help("join the commands with `&&` in one block")
}

/// A contract is written in something else than shell.
pub(crate) fn contract_language(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("a contract is shell text, not `{}`", word.value);
    let found = problem(dialect, word.span, message);
    match nearest(&word.value, SHELLS) {
        Some(meant) => found.suggest(Some(meant)),
        None => found
            .help("mark the block as `shell`, `bash` or `sh`, and call other languages from there"),
    }
}

/// A heading among the steps has no number.
pub(crate) fn no_number(dialect: Dialect, step: &Step, position: usize) -> Diagnostic {
    let title = step.title.value.as_str();
    let message = format!("heading `{title}` has no step number");
    problem(dialect, step.heading, message).help(format!(
        "write `### {position}. {title}`, or `####` for a heading inside a step"
    ))
}

/// A heading was meant to begin a step.
pub(crate) fn step_heading(dialect: Dialect, span: Span, written: &str, text: &str) -> Diagnostic {
    let message = format!("`{written}` is no heading of a step, though fields of one follow");
    let proper = format!("### {text}");
    problem(dialect, span, message)
        .help(format!("write `{proper}`"))
        .fix(span, proper)
}

/// A heading ends the steps, but something of a step stands under it.
pub(crate) fn ends_steps(
    dialect: Dialect,
    heading: &Spanned<String>,
    what: &str,
    follows: Span,
) -> Diagnostic {
    let message = format!(
        "heading `{}` ends `## Steps`, but {what} follows it",
        heading.value
    );
    problem(dialect, heading.span, message)
        .related(follows, "this follows")
        .help("if it is part of a task, put it into a fenced block or write `####`; otherwise move it")
}

/// A numbered heading stands before the steps.
pub(crate) fn not_under_steps(dialect: Dialect, heading: &Spanned<String>) -> Diagnostic {
    let message = format!("heading `{}` is not under `## Steps`", heading.value);
    problem(dialect, heading.span, message)
        .help("move it there if it is a step; otherwise take the number away")
}

/// A field of a step stands where there is no step.
pub(crate) fn field_of_no_step(dialect: Dialect, name: &Spanned<String>) -> Diagnostic {
    let message = format!("field `{}` is not under a step", name.value);
    problem(dialect, name.span, message)
        .help("put it under a heading such as `### 1. Title`; text that is no field can go into a fenced block")
}

/// A priority that is nearly one of the usual words. Others are the author's own.
pub(super) fn priority(dialect: Dialect, text: &Spanned<String>) -> Option<Diagnostic> {
    let word = text.value.to_lowercase();
    let meant = nearest(&word, PRIORITIES).filter(|_| !PRIORITIES.contains(&word.as_str()))?;
    let message = format!("priority `{}` is no usual word", text.value);
    let mut found = problem(dialect, text.span, message).suggest(Some(meant));
    found.severity = Severity::Warning;
    Some(found)
}

/// A glob whose brackets do not match.
fn glob(text: &str) -> Option<char> {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '{' | '[' => open.push(c),
            '}' if open.pop() != Some('{') => return Some(c),
            ']' if open.pop() != Some('[') => return Some(c),
            _ => {}
        }
    }
    open.pop()
}

fn globs(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for text in step.written.produces.iter().chain(&step.written.protects) {
            if let Some(bracket) = glob(&text.value) {
                let message = format!("`{bracket}` in glob `{}` has no partner", text.value);
                problems.push(step.problem(Code::BadValue, text.span, message));
            }
        }
    }
}

/// The lines of a subscription end before they begin.
fn backwards(dialect: Dialect, text: &Spanned<String>) -> Option<Diagnostic> {
    let (path, lines) = text.value.strip_prefix("file:")?.split_once("#L")?;
    let (from, to) = lines.split_once("-L")?;
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    (from > to && to > 0).then(|| {
        let message = format!("lines `L{from}-L{to}` end before they begin");
        problem(dialect, text.span, message).suggest(Some(&format!("file:{path}#L{to}-L{from}")))
    })
}

/// A subscription is neither a file nor a topic.
pub(super) fn subscription(dialect: Dialect, text: &Spanned<String>) -> Diagnostic {
    if let Some(found) = backwards(dialect, text) {
        return found;
    }
    let message = format!(
        "subscription `{}` is neither a file nor a topic",
        text.value
    );
    let found = problem(dialect, text.span, message);
    let reads = |text: &str| super::resolve::subscription(text).is_some();
    if let Some((slip, meant)) = misspelt(&text.value, &["file", "topic"], reads) {
        return found.suggest_in(text, slip, meant);
    }
    let found = found.help("write `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`");
    let bare_path = !text.value.contains([':', '#', ' ']);
    if bare_path {
        found.fix(Span::at(text.span.start), "file:")
    } else {
        found
    }
}

/// A number is none, or too small.
pub(super) fn number(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    least: u64,
) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!(
        "`{field}` must be a whole number from {least} on, not `{}`",
        text.value
    );
    problem(dialect, text.span, message)
}

/// A duration cannot be read.
pub(super) fn duration(dialect: Dialect, field: &str, text: &Spanned<String>) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!("`{field}` must be a duration, not `{}`", text.value);
    let found = problem(dialect, text.span, message);
    let reads = |text: &str| crate::duration::parse(text).is_some();
    if let Some((slip, meant)) = misspelt(&text.value, &crate::duration::UNITS, reads) {
        return found.suggest_in(text, slip, meant);
    }
    found.help("write numbers with units, the largest first: `90s`, `10m`, `20 minutes`, `1h 30m`")
}

/// A limit that is longer than this limits nothing.
pub(super) const LONGEST: std::time::Duration = std::time::Duration::from_hours(366 * 24);

/// A duration that no clock will see the end of.
pub(super) fn too_long(dialect: Dialect, field: &str, text: &Spanned<String>) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!("`{field}` is longer than a year: `{}`", text.value);
    problem(dialect, text.span, message).help("leave it out for the configured limit")
}

/// A field that takes one of several words holds another one.
pub(super) fn word(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    words: &[&str],
) -> Diagnostic {
    let field = dialect.field_name(field);
    let names: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    let message = format!(
        "`{field}` must be one of {}, not `{}`",
        names.join(", "),
        text.value
    );
    let suggestion = nearest(&text.value, words.iter().copied());
    problem(dialect, text.span, message).suggest(suggestion)
}

/// A step says in two ways what is to be done.
pub(super) fn two_kinds_of_work(dialect: Dialect, step: &Step) -> Option<Diagnostic> {
    let tool = step.tool.as_ref().map(|tool| ("tool", tool.span));
    let ask = step.ask.as_ref().map(|ask| ("ask", ask.span));
    let target = step.target.as_ref().map(|target| ("target", target.span));
    let task = step.task.as_ref().map(|task| ("task", task.span));
    let given: Vec<_> = [tool, ask, target.or(task)].into_iter().flatten().collect();
    let [(first, first_span), (second, second_span), ..] = given.as_slice() else {
        return orphan(dialect, step);
    };
    let message =
        format!("a step has one kind of work, but both `{first}` and `{second}` are given");
    let found = problem(dialect, *second_span, message).related(*first_span, "the other one");
    Some(found.help("make two steps of it"))
}

/// Arguments without a tool, or answers without a question.
fn orphan(dialect: Dialect, step: &Step) -> Option<Diagnostic> {
    if let (Some(args), None) = (&step.args, &step.tool) {
        let message = "`args` are given, but no `tool`".to_owned();
        return Some(problem(dialect, args.span, message).lacks(Lack::Here(&["tool"])));
    }
    if let (Some(choice), None) = (step.choices.first(), &step.ask) {
        let message = "`choices` are given, but nothing to `ask`".to_owned();
        return Some(problem(dialect, choice.span, message).lacks(Lack::Here(&["ask"])));
    }
    None
}

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let priority = context.draft.priority.as_ref();
    problems.extend(priority.and_then(|text| self::priority(context.draft.dialect, text)));
    for step in context.steps() {
        choices(step, problems);
        let priority = step
            .written
            .record
            .iter()
            .find(|(name, _)| *name == "priority");
        let text = priority.and_then(|(_, value)| {
            let word = value.value.as_str()?.to_owned();
            Some(Spanned::new(word, value.span))
        });
        let found = text.and_then(|text| self::priority(context.draft.dialect, &text));
        problems.extend(found.map(|found| found.step(step.id())));
    }
    globs(context, problems);
    numbering(context, problems);
}

/// Who answers must be able to tell the answers apart.
fn choices(step: StepView<'_>, problems: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    for choice in &step.written.choices {
        if let Some(before) = first.get(choice.value.as_str()) {
            let message = format!("choice `{}` is given twice", choice.value);
            let found = step.problem(Code::BadValue, choice.span, message);
            problems.push(found.related(*before, "given here first"));
            continue;
        }
        first.insert(choice.value.as_str(), choice.span);
    }
}

/// Numbers must be positions: references by number would be ambiguous otherwise.
fn numbering(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        // After a heading that stands for several steps nobody knows the numbers.
        if step.written.unexpanded.is_some() {
            return;
        }
        let position = step.index + 1;
        let Some(number) = &step.written.number else {
            continue;
        };
        if usize::try_from(number.value) != Ok(position) {
            let message = format!(
                "step `{}` is numbered {} but is number {position}",
                step.id(),
                number.value
            );
            let found = step.problem(Code::BadValue, number.span, message);
            problems.push(
                found
                    .help(format!("write `{position}.`"))
                    .fix(number.span, position.to_string()),
            );
        }
    }
}

#[cfg(test)]
mod tests;
