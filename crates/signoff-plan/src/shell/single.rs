//! A text that is one plain command and nothing else.

use super::parser;
use super::syntax::{Assignment, CommandKind, Redirect, Word};

/// A command whose words are all told by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleCommand {
    /// Variables that are set for it alone.
    pub variables: Vec<(String, String)>,
    /// Its name and its arguments; at least the name.
    pub words: Vec<String>,
}

/// Reads a text that is one simple command whose words are all told by the text. It may be given an input (`<`, `<<<`, a
/// here-document in which nothing is run) and join its outputs (`2>&1`); it writes no file.
pub fn single_command(text: &str) -> Option<SingleCommand> {
    let parsed = parser::parse(text).ok()?;
    let [script] = parsed.scripts.as_slice() else {
        return None;
    };
    let [item] = script.items.as_slice() else {
        return None;
    };
    let is_alone = item.rest.is_empty() && !item.background && !item.first.negated;
    let [command] = item.first.parts.as_slice() else {
        return None;
    };
    let CommandKind::Simple(simple) = &command.kind else {
        return None;
    };
    let reads = |redirect: &Redirect<'_>| only_reads(text, redirect);
    if !is_alone || simple.words.is_empty() || !command.redirects.iter().all(reads) {
        return None;
    }
    let variables = simple.assignments.iter().map(variable);
    let words = simple.words.iter().map(literal);
    Some(SingleCommand {
        variables: variables.collect::<Option<_>>()?,
        words: words.collect::<Option<_>>()?,
    })
}

fn variable(assignment: &Assignment<'_>) -> Option<(String, String)> {
    let [value] = assignment.values.as_slice() else {
        return None;
    };
    Some((assignment.name.to_owned(), literal(value)?))
}

fn literal(word: &Word<'_>) -> Option<String> {
    let text = word.text().filter(|_| word.scripts.is_empty())?;
    Some(text.to_owned())
}

fn only_reads(text: &str, redirect: &Redirect<'_>) -> bool {
    let runs_nothing = redirect.target.scripts.is_empty();
    let before = text.get(..redirect.target.span.start).unwrap_or_default();
    let is_input = before.trim_end().ends_with('<');
    runs_nothing && (!redirect.file || (is_input && redirect.target.text().is_some()))
}
