//! Which programs a text starts, and which files of the workspace it runs as scripts.
//!
//! The text alone decides: what depends on a variable or on the output of a command is
//! [`Script::Unknown`], and that is reported before signing. Where a directory may or may not have
//! been entered, the script is looked for in both.

mod argument;
mod directory;
mod files;
mod inline;
mod interpreters;
mod start;
mod walk;

#[cfg(test)]
mod tests;

use self::walk::Walker;
use super::full;
use super::parser::{self, ParseResult, ParseStop, ParsedText};
use crate::source::Spanned;

/// A file that a text runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// A path from the root of the workspace, without `.` and `..`; absolute if it was written so.
    File(String),
    /// A pattern over such paths.
    Pattern(String),
    /// A module that Python looks for in this directory, among others.
    Module {
        /// The directory, from the root of the workspace.
        directory: String,
        /// Its name, with dots.
        name: String,
    },
    /// A word whose file the text does not show.
    Unknown(String),
}

/// A program that a text starts, without the wrappers (`env`, `timeout`, `uv run`) before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Its name as written.
    pub program: String,
    /// Its arguments; `None` where the text does not tell.
    pub arguments: Vec<Option<String>>,
    /// It stands in a loop or a function, so that it may be started any number of times.
    pub repeats: bool,
}

/// What a text starts. Spans are offsets into the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Programs {
    /// Every program, in the order of the text.
    pub invocations: Vec<Invocation>,
    /// Every file that is run, where it is named.
    pub scripts: Vec<Spanned<Script>>,
    /// A part of the text was not read.
    pub unread: bool,
}

/// How deep texts may stand in each other (`bash -c "bash -c …"`).
const DEPTH: usize = 8;

/// Reads which programs a shell text starts and which files it runs.
pub fn programs(text: &str) -> Programs {
    programs_in(&parser::parse(text), text)
}

/// The same by our own parser alone, for a text of somebody who may want to harm its reader: the grammar that reads the rest is
/// written in C.
pub fn programs_by_own_parser(text: &str) -> Programs {
    let mut walker = Walker::new(text, DEPTH);
    walker.only_own_parser = true;
    found_by(walker, &parser::parse(text), text)
}

/// The same for a text that was parsed already.
pub(super) fn programs_in(parsed: &ParseResult<ParsedText<'_>>, text: &str) -> Programs {
    found_by(Walker::new(text, DEPTH), parsed, text)
}

fn found_by<'t>(
    mut walker: Walker<'t>,
    parsed: &ParseResult<ParsedText<'_>>,
    text: &'t str,
) -> Programs {
    read_parsed(&mut walker, parsed, text);
    let mut found = walker.finish();
    found
        .scripts
        .sort_by(|a, b| (a.span, &a.value).cmp(&(b.span, &b.value)));
    found.scripts.dedup();
    found
}

fn read(walker: &mut Walker<'_>, text: &str) {
    read_parsed(walker, &parser::parse(text), text);
}

fn read_parsed(walker: &mut Walker<'_>, parsed: &ParseResult<ParsedText<'_>>, text: &str) {
    match parsed {
        Ok(parsed) => {
            walker.scripts(&parsed.scripts);
            walker.nested_texts(&parsed.nested);
        }
        // A text that is not valid shell runs nothing, and the checks report it; of one within a text a shell runs the lines
        // before the mistake.
        Err(ParseStop::Error(_)) if walker.stands_at.is_none() => {}
        Err(ParseStop::Declined | ParseStop::Error(_)) if walker.only_own_parser => {
            walker.found.unread = true;
        }
        Err(ParseStop::Declined | ParseStop::Error(_)) => {
            for words in full::commands(text) {
                walker.loose_command(&words);
            }
            walker.nested_texts(&full::nested_commands(text));
        }
    }
}
