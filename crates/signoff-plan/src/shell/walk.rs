//! Goes through a text and notes what the checks ask for.

use super::calls::{self, CallCollector};
use super::syntax::{Command, CommandKind, CommandList, Pipeline, SimpleCommand, Word};
use super::{ShellError, files};

/// Notes everything that some scripts name. What is in back-ticks, substitutions and functions
/// counts like the rest.
pub(super) fn scripts(scripts: &[CommandList<'_>], found: &mut CallCollector) {
    for script in scripts {
        for item in &script.items {
            pipeline(&item.first, found);
            for (_, next) in &item.rest {
                pipeline(next, found);
            }
        }
    }
}

fn pipeline(pipeline: &Pipeline<'_>, found: &mut CallCollector) {
    for part in &pipeline.parts {
        command(part, found);
    }
}

fn command(command: &Command<'_>, found: &mut CallCollector) {
    match &command.kind {
        CommandKind::Simple(simple) => note_simple(simple, found),
        CommandKind::Group(script) => scripts(std::slice::from_ref(script), found),
        CommandKind::Branch(parts, choices) | CommandKind::Loop(parts, choices, _) => {
            scripts(parts, found);
            words(choices, found);
        }
        CommandKind::Test(operands) => {
            words(operands, found);
            files::note_operands(operands, found);
        }
        CommandKind::Arithmetic(inside) => scripts(inside, found),
        CommandKind::Function(name, body) => {
            found.functions.insert(name.clone().into_owned());
            self::command(body, found);
        }
    }
    for redirect in &command.redirects {
        words(std::slice::from_ref(&redirect.target), found);
        if redirect.file {
            files::note_file(&redirect.target, found);
        }
    }
}

fn note_simple(simple: &SimpleCommand<'_>, found: &mut CallCollector) {
    for assignment in &simple.assignments {
        found.changes_path |= assignment.name == "PATH";
        words(&assignment.values, found);
    }
    words(&simple.words, found);
    calls::note_command(&simple.words, found);
    files::note_arguments(&simple.words, found);
}

fn words(words: &[Word<'_>], found: &mut CallCollector) {
    for word in words {
        scripts(&word.scripts, found);
    }
}

/// What bash takes, and what still cannot work: `[` without its end.
pub(super) fn brackets(all: &[CommandList<'_>], text: &str) -> Vec<ShellError> {
    let mut errors = Vec::new();
    each_simple(all, |simple| errors.extend(bracket(simple, text)));
    errors.sort_by_key(|error| error.span);
    errors
}

/// Every simple command, wherever it stands, in no order.
pub(super) fn each_simple<'s, 'a>(
    all: &'s [CommandList<'a>],
    mut note: impl FnMut(&'s SimpleCommand<'a>),
) {
    let mut open: Vec<&CommandList<'_>> = all.iter().collect();
    while let Some(script) = open.pop() {
        for item in &script.items {
            let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
            for pipeline in std::iter::once(&item.first).chain(rest) {
                for command in &pipeline.parts {
                    let target = command.redirects.iter().map(|redirect| &redirect.target);
                    open.extend(target.flat_map(|word| &word.scripts));
                    visit_inside(command, &mut open, &mut note);
                }
            }
        }
    }
}

fn visit_inside<'s, 'a>(
    command: &'s Command<'a>,
    open: &mut Vec<&'s CommandList<'a>>,
    note: &mut impl FnMut(&'s SimpleCommand<'a>),
) {
    match &command.kind {
        CommandKind::Simple(simple) => {
            note(simple);
            let values = simple.assignments.iter().flat_map(|one| &one.values);
            open.extend(simple.words.iter().chain(values).flat_map(|w| &w.scripts));
        }
        CommandKind::Group(script) => open.push(script),
        CommandKind::Branch(parts, words) | CommandKind::Loop(parts, words, _) => {
            open.extend(parts.iter().chain(words.iter().flat_map(|w| &w.scripts)));
        }
        CommandKind::Test(words) => open.extend(words.iter().flat_map(|word| &word.scripts)),
        CommandKind::Arithmetic(scripts) => open.extend(scripts),
        CommandKind::Function(_, body) => visit_inside(body, open, note),
    }
}

fn bracket(simple: &SimpleCommand<'_>, text: &str) -> Option<ShellError> {
    let (first, last) = (simple.words.first()?, simple.words.last()?);
    let name = first.span.slice(text);
    if name == "[" && last.text() != Some("]") {
        return Some(ShellError {
            span: last.span,
            message: "`]` is missing".to_owned(),
        });
    }
    let rest = name.strip_prefix('[').filter(|rest| !rest.is_empty())?;
    let operator = rest.starts_with(['-', '!', '$', '"', '\'']);
    let closed = last.span.slice(text).ends_with(']') && simple.words.len() > 1;
    ((operator || closed) && !rest.starts_with('[')).then(|| ShellError {
        span: first.span,
        message: format!("a space is missing after `[` in `{name}`"),
    })
}
