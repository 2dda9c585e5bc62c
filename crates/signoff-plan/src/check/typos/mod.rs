//! A slip of the pen in any name or word gets a caret under it, and the right one suggested.
//!
//! The names come from the lists that the dialects read by, so that a new field must join: one that
//! the plan of its dialect does not use fails the test.

mod names;
mod words;

use super::testing::TestWorkspace;
use crate::check::check;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, parse, recognise};
use crate::source::Source;

/// A plan that uses every name of its dialect, and has no problem.
const fn plan(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Workunit => include_str!("../../../tests/fixtures/typos/workunit.md"),
        Dialect::Thread => include_str!("../../../tests/fixtures/typos/thread.txt"),
        Dialect::Proposal => include_str!("../../../tests/fixtures/typos/proposal.md"),
        Dialect::Record => include_str!("../../../tests/fixtures/typos/record.yaml"),
        Dialect::Toolplan => include_str!("../../../tests/fixtures/typos/toolplan.json"),
    }
}

/// The files of a directory are divided by form feeds: name, newline, content.
fn source(text: &str, dialect: Dialect) -> Source {
    if dialect != Dialect::Thread {
        return Source::new("plan", text.into());
    }
    let files = text.split('\u{c}').map(|file| {
        let (name, content) = file.split_once('\n').expect("a name");
        (name.to_owned(), content.as_bytes().to_vec())
    });
    Source::directory("plan", files.collect())
}

fn problems(source: &Source) -> Vec<Diagnostic> {
    let mut found = check(&parse(source), &TestWorkspace).diagnostics;
    // It is about a word that is right.
    found.retain(|problem| problem.code != Code::MarkIgnored);
    found
}

/// Where a word stands in a plan.
struct WordPosition<'a> {
    dialect: Dialect,
    /// The plan, without a problem.
    text: &'a str,
    /// Where the word begins.
    at: usize,
    word: &'a str,
    /// Words that would be right in its place.
    others: &'a [&'a str],
}

/// Everything that is wrong with how slips in a word are answered, a line each.
fn complaints(position: &WordPosition<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for typo in misspellings(position.word) {
        if !position.others.iter().any(|other| key(other) == key(&typo)) {
            found.extend(complaint(position, &typo));
        }
    }
    found
}

/// What is wrong with the answer to one slip, if anything.
fn complaint(position: &WordPosition<'_>, typo: &str) -> Option<String> {
    let end = position.at + position.word.len();
    let (before, after) = (&position.text[..position.at], &position.text[end..]);
    let source = source(&format!("{before}{typo}{after}"), position.dialect);
    let right = self::source(position.text, position.dialect);
    let dialect = parse(&source).dialect;
    if dialect != position.dialect {
        return Some(format!("`{typo}` makes it {dialect:?}"));
    }
    let problems = problems(&source);
    let answers = |problem: &Diagnostic| {
        let text = source.text();
        let fixed = problem.fix.as_ref().map(|fix| {
            let (before, after) = (&text[..fix.span.start], &text[fix.span.end..]);
            format!("{before}{}{after}", fix.text)
        });
        problem.span.slice(text) == typo && fixed.as_deref() == Some(right.text())
    };
    let said = || {
        let said = problems.iter().map(|problem| {
            let help = problem.help.as_deref().unwrap_or("-");
            let caret = problem.span.slice(source.text());
            format!(
                "\n    {caret:?} {}: {} | {help}",
                problem.code, problem.message
            )
        });
        said.collect::<String>()
    };
    match problems.as_slice() {
        [only] if answers(only) => None,
        _ => Some(format!("`{typo}` for `{}`:{}", position.word, said())),
    }
}

/// The word with two letters exchanged, or one left out, at each place.
fn misspellings(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut typos = Vec::new();
    for at in 0..letters.len() {
        let mut dropped = letters.clone();
        dropped.remove(at);
        typos.push(dropped);
        let mut swapped = letters.clone();
        if at + 1 < letters.len() && letters[at] != letters[at + 1] {
            swapped.swap(at, at + 1);
            typos.push(swapped);
        }
    }
    let mut typos: Vec<String> = typos.iter().map(|typo| typo.iter().collect()).collect();
    typos.retain(|typo| !typo.trim().is_empty() && typo.trim() == typo && typo != word);
    typos.sort();
    typos.dedup();
    typos
}

/// A name as it is compared: many may be written in either case, and with spaces.
fn key(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

#[test]
fn the_plans_have_no_problems() {
    for dialect in Dialect::ALL {
        let source = source(plan(*dialect), *dialect);
        assert_eq!(recognise(&source), Some(*dialect));
        assert_eq!(problems(&source), [], "{dialect}");
    }
}
