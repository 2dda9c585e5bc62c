//! What the exit code of a text can tell.

use super::syntax::{
    AndOrList, Command, CommandKind, CommandList, Connector, Pipeline, SimpleCommand, Word,
};
use crate::source::Span;

/// What the exit code of a text can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// It depends on the state of the world, as far as can be seen.
    #[default]
    CanFail,
    /// It is 0, whatever the state of the world: `true`, `… || true`, `test 1 = 1`.
    CannotFail,
    /// It is that of the last command; this one stands alone before it and may fail unnoticed.
    IgnoresEarlier(Span),
    /// It is that of a filter such as `tee`; what is piped into it may fail unnoticed.
    IgnoresPiped(Span),
}

/// Only says what is certain; anything unclear can fail.
pub(super) fn of(scripts: &[CommandList<'_>], text: &str) -> Verdict {
    let Some(script) = scripts.first() else {
        return Verdict::CanFail;
    };
    if changes_the_rules(scripts, script.items.last()) {
        return Verdict::CanFail;
    }
    if script_succeeds(script) {
        return Verdict::CannotFail;
    }
    // A script that reads exit codes handles them.
    if text.contains("$?") || text.contains("PIPESTATUS") || text.contains("set +") {
        return Verdict::CanFail;
    }
    let Some((last, earlier)) = script.items.split_last() else {
        return Verdict::CanFail;
    };
    if let Some(item) = earlier.iter().find(|item| is_a_check(item)) {
        return Verdict::IgnoresEarlier(item.span);
    }
    match failure_hiding_filter(last) {
        Some(span) => Verdict::IgnoresPiped(span),
        None => Verdict::CanFail,
    }
}

/// Whether the text can end before its last command, or sets options that change what it returns.
fn changes_the_rules(scripts: &[CommandList<'_>], last: Option<&AndOrList<'_>>) -> bool {
    let last = last.map(|item| item.span);
    let mut found = false;
    for script in scripts {
        each_simple(script, &mut |simple, span| {
            let name = simple.words.first().and_then(Word::text);
            let leaves = matches!(name, Some("exit" | "return" | "exec")) && Some(span) != last;
            found |= leaves && !simple_succeeds(simple);
            found |= matches!(name, Some("trap" | "shopt"));
            found |= name == Some("set") && !only_unsets(simple);
        });
    }
    found
}

/// Whether `set` only takes options back, as in `set +e`.
fn only_unsets(simple: &SimpleCommand<'_>) -> bool {
    let mut arguments = simple.words.iter().skip(1);
    let unsets = |word: &Word<'_>| word.text().is_some_and(|text| text.starts_with('+'));
    simple.words.len() > 1 && arguments.all(unsets)
}

/// Calls back for every simple command, those in functions and substitutions included.
fn each_simple<'a>(script: &CommandList<'a>, visit: &mut impl FnMut(&SimpleCommand<'a>, Span)) {
    for item in &script.items {
        let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&item.first).chain(rest) {
            for command in &pipeline.parts {
                each_simple_in(command, visit);
            }
        }
    }
}

fn each_simple_in<'a>(command: &Command<'a>, visit: &mut impl FnMut(&SimpleCommand<'a>, Span)) {
    match &command.kind {
        CommandKind::Simple(simple) => visit(simple, command.span),
        CommandKind::Group(script) => each_simple(script, visit),
        CommandKind::Branch(parts, _) | CommandKind::Loop(parts, _, _) => {
            for part in parts {
                each_simple(part, visit);
            }
        }
        CommandKind::Function(_, body) => each_simple_in(body, visit),
        CommandKind::Test(_) | CommandKind::Arithmetic(_) => {}
    }
}

fn script_succeeds(script: &CommandList<'_>) -> bool {
    script
        .items
        .last()
        .is_none_or(|item| item.background || item_succeeds(item))
}

fn item_succeeds(item: &AndOrList<'_>) -> bool {
    let mut succeeds = pipeline_succeeds(&item.first);
    for (joint, next) in &item.rest {
        succeeds = match joint {
            Connector::And => succeeds && pipeline_succeeds(next),
            Connector::Or => succeeds || pipeline_succeeds(next),
        };
    }
    succeeds
}

fn pipeline_succeeds(pipeline: &Pipeline<'_>) -> bool {
    match (pipeline.parts.last(), pipeline.negated) {
        (Some(last), false) => command_succeeds(last),
        (Some(last), true) => command_fails(last),
        (None, negated) => !negated,
    }
}

fn command_succeeds(command: &Command<'_>) -> bool {
    match &command.kind {
        CommandKind::Simple(simple) => simple_succeeds(simple),
        CommandKind::Group(script) => script_succeeds(script),
        CommandKind::Test(words) => constant_test(words) == Some(true),
        // Where no branch is taken it succeeds too.
        CommandKind::Branch(parts, _) | CommandKind::Loop(parts, _, _) => {
            let mut bodies = parts.iter().filter(|part| !part.decides).peekable();
            bodies.peek().is_some() && bodies.all(script_succeeds)
        }
        // To define is not to call.
        CommandKind::Function(..) => true,
        CommandKind::Arithmetic(_) => false,
    }
}

fn command_fails(command: &Command<'_>) -> bool {
    match &command.kind {
        CommandKind::Simple(simple) => match simple.words.as_slice() {
            [only] => only.text() == Some("false"),
            words => simple_test(words) == Some(false),
        },
        CommandKind::Test(words) => constant_test(words) == Some(false),
        CommandKind::Group(_)
        | CommandKind::Branch(..)
        | CommandKind::Loop(..)
        | CommandKind::Function(..)
        | CommandKind::Arithmetic(_) => false,
    }
}

fn simple_succeeds(simple: &SimpleCommand<'_>) -> bool {
    let values = simple.assignments.iter().flat_map(|one| &one.values);
    // Commands that compute the arguments may matter.
    if simple.words.iter().chain(values).any(runs_code) {
        return false;
    }
    let Some((first, arguments)) = simple.words.split_first() else {
        return true;
    };
    match first.text() {
        Some("true" | ":" | "echo" | "printf") => true,
        Some("exit") => matches!(arguments, [code] if code.text() == Some("0")),
        Some("test" | "[") => simple_test(&simple.words) == Some(true),
        _ => false,
    }
}

fn runs_code(word: &Word<'_>) -> bool {
    !word.scripts.is_empty()
}

/// The outcome of `test …` and `[ … ]`, if it is certain.
fn simple_test(words: &[Word<'_>]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    match first.text()? {
        "test" => constant_test(rest),
        "[" => constant_test(rest.split_last()?.1),
        _ => None,
    }
}

fn constant_test(words: &[Word<'_>]) -> Option<bool> {
    let pattern = |word: &Word<'_>| !word.quoted && word.text().is_some_and(is_pattern);
    if words.iter().any(pattern) {
        return None;
    }
    let values: Vec<&str> = words.iter().map(Word::text).collect::<Option<_>>()?;
    constant(&values)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn constant(words: &[&str]) -> Option<bool> {
    let number = |text: &str| text.parse::<i64>().ok();
    match words {
        [] => Some(false),
        ["!", rest @ ..] => constant(rest).map(|outcome| !outcome),
        [text] => Some(!text.is_empty()),
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        [a, "=" | "==", b] => Some(a == b),
        [a, "!=", b] => Some(a != b),
        [a, operator, b] => {
            let (a, b) = (number(a)?, number(b)?);
            Some(match *operator {
                "-eq" => a == b,
                "-ne" => a != b,
                "-lt" => a < b,
                "-le" => a <= b,
                "-gt" => a > b,
                "-ge" => a >= b,
                _ => return None,
            })
        }
        _ => None,
    }
}

/// Commands that prepare something; their failure shows in what comes after them.
const PREPARING: &[&str] = &[
    ".", ":", "alias", "cd", "chmod", "cp", "declare", "echo", "eval", "export", "kill", "ln",
    "local", "mkdir", "mktemp", "mv", "popd", "printf", "pushd", "read", "readonly", "rm", "sleep",
    "source", "touch", "true", "typeset", "umask", "unset", "wait",
];

/// Commands that pass on what they are given and succeed at it.
const FILTERS: &[&str] = &[
    "cat", "column", "head", "less", "more", "nl", "sort", "tac", "tail", "tee", "uniq", "wc",
];

/// Whether an item stands for itself and can fail: nothing catches its failure.
fn is_a_check(item: &AndOrList<'_>) -> bool {
    let caught = item.rest.iter().any(|(joint, _)| *joint == Connector::Or);
    if item.background || caught || item_succeeds(item) {
        return false;
    }
    let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
    std::iter::once(&item.first)
        .chain(rest)
        .filter_map(|pipeline| pipeline.parts.last())
        .any(|command| match &command.kind {
            // What goes into a file is looked at later.
            CommandKind::Simple(simple) => {
                !command.redirects.iter().any(|redirect| redirect.file)
                    && name_not_in(simple, PREPARING)
            }
            CommandKind::Test(_) => true,
            CommandKind::Group(_)
            | CommandKind::Branch(..)
            | CommandKind::Loop(..)
            | CommandKind::Function(..)
            | CommandKind::Arithmetic(_) => false,
        })
}

fn name_not_in(simple: &SimpleCommand<'_>, names: &[&str]) -> bool {
    let name = simple.words.first().and_then(Word::text);
    name.is_some_and(|name| !names.contains(&name))
}

/// The pipeline of an item whose failure a filter at its end hides.
fn failure_hiding_filter(item: &AndOrList<'_>) -> Option<Span> {
    let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
    let mut pipelines = std::iter::once(&item.first).chain(rest);
    if item.rest.iter().any(|(joint, _)| *joint == Connector::Or) {
        return None;
    }
    pipelines.find_map(|pipeline| {
        let (last, before) = pipeline.parts.split_last()?;
        let simple = |command: &Command<'_>, wanted: bool| match &command.kind {
            CommandKind::Simple(simple) if wanted => {
                !name_not_in(simple, FILTERS) && !simple.words.is_empty()
            }
            CommandKind::Simple(simple) => {
                name_not_in(simple, FILTERS) && name_not_in(simple, &["echo", "printf"])
            }
            CommandKind::Group(_)
            | CommandKind::Test(_)
            | CommandKind::Branch(..)
            | CommandKind::Loop(..)
            | CommandKind::Function(..)
            | CommandKind::Arithmetic(_) => false,
        };
        let checked = before.iter().find(|command| simple(command, false))?;
        (simple(last, true) && !pipeline.negated).then(|| checked.span.to(last.span))
    })
}
