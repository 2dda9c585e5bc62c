//! Whether a command line only reads: the judge of plan mode.
//!
//! A text is read-only if every command in it is a known program ([`programs`]) with arguments that are
//! known to only read. Everything else is not, above all what cannot be understood. The answer holds
//! for bash, zsh and `sh`, because agents use whichever they find: where they differ, the text is
//! refused.

mod argument;
mod awk;
mod conditions;
mod find;
mod judge;
mod options;
mod program;
mod programs;
mod redirects;
mod refusal;
mod sed;
mod variables;
mod wrappers;

use self::judge::Judge;
pub use self::refusal::{Effect as RefusedEffect, NotReadOnly, Refusal};
use super::parser::{self, ParsedText};
use super::walk;

/// Whether a shell text changes nothing: no file, no process, no setting.
///
/// Plain `GET` requests of `curl` and `wget`, and queries of package managers, count as reading.
pub fn read_only(text: &str) -> Result<(), NotReadOnly> {
    let unreadable = |command: &str| NotReadOnly {
        command: command.to_owned(),
        reason: Refusal::Unreadable,
    };
    // A shell may end the text at a NUL, or a line at a carriage return.
    if text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
        return Err(unreadable(text));
    }
    if has_zsh_flags(text) {
        return Err(unreadable(text));
    }
    let ParsedText {
        scripts, hidden, ..
    } = parser::parse(text).map_err(|_| unreadable(text))?;
    if let Some(hidden) = hidden {
        return Err(unreadable(hidden.slice(text)));
    }
    Judge { text }.scripts(&scripts)
}

/// The words of every simple command of a text that only reads, in its order; `None` for a word that the text does not tell.
pub(crate) fn commands_read(text: &str) -> Vec<Vec<Option<String>>> {
    let Ok(parsed) = parser::parse(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    walk::each_simple(&parsed.scripts, |simple| {
        if let Some(first) = simple.words.first() {
            let words = simple
                .words
                .iter()
                .map(|word| word.text().map(str::to_owned));
            found.push((first.span, words.collect()));
        }
    });
    found.sort_by_key(|(span, _)| *span);
    found.into_iter().map(|(_, words)| words).collect()
}

/// Whether zsh reads more into a variable than others do: with `$~x` it runs what the value's pattern says, with `$=x` it
/// splits the value.
fn has_zsh_flags(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('$') {
        rest = after;
        let name = after.strip_prefix('{').unwrap_or(after);
        let in_braces = name.len() < after.len();
        let flagged = name.trim_start_matches(['~', '=', '^']);
        let is_flagged = flagged.len() < name.len();
        let starts = |c: char| c.is_alphanumeric() || c == '_' || c == '{';
        if (is_flagged && flagged.starts_with(starts)) || (in_braces && name.starts_with('(')) {
            return true;
        }
    }
    false
}

/// The programs that may only read, for tests that try them.
#[doc(hidden)]
pub fn read_only_programs() -> Vec<String> {
    programs::names()
}

#[cfg(test)]
mod tests;
