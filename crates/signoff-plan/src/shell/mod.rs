//! Reads shell text without running it: is it valid, which commands and files does it name, can
//! it fail at all.
//!
//! Used for contracts, and by the guard in front of agents. What cannot be known from the text
//! (variables, globs, generated commands) is left out, never guessed.

mod bash_only;
mod built_in;
mod calls;
mod files;
mod full;
mod parser;
mod quoting;
mod read_only;
mod scripts;
mod single;
mod syntax;
mod verdict;
mod walk;

use std::collections::BTreeSet;

pub use self::built_in::is_built_in;
use self::calls::CallCollector;
use self::parser::{ParseStop, ParsedText};
pub use self::quoting::{Quoting, quoting_at};
pub(crate) use self::read_only::commands_read;
pub use self::read_only::{NotReadOnly, Refusal, RefusedEffect, read_only, read_only_programs};
pub use self::scripts::{Invocation, Programs, Script, programs, programs_by_own_parser};
pub use self::single::{SingleCommand, single_command};
use self::syntax::NestedText;
pub use self::verdict::Verdict;
use crate::source::{Span, Spanned};

/// What a shell text holds. Spans are offsets into that text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Where it is not valid shell.
    pub errors: Vec<ShellError>,
    /// External commands it calls by a literal name, wrappers such as `env` seen through, without
    /// those it asks for first (`command -v …`).
    pub commands: Vec<Spanned<String>>,
    /// Files it names literally.
    pub files: Vec<Spanned<String>>,
    /// Functions it defines.
    pub functions: BTreeSet<String>,
    /// Whether it changes where commands are found, so that names cannot be looked up beforehand.
    pub changes_path: bool,
    /// What bash reads and `sh` does not, or takes for something else.
    pub beyond_sh: Vec<ShellError>,
    /// What its exit code can tell.
    pub verdict: Verdict,
    /// The programs it starts and the files it runs, as [`programs`] finds them.
    pub programs: Programs,
}

/// A place that is not valid shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellError {
    /// Where.
    pub span: Span,
    /// What, in a few words.
    pub message: String,
}

/// Reads a shell text.
pub fn analyse(text: &str) -> Analysis {
    let parsed = parser::parse(text);
    let programs = scripts::programs_in(&parsed, text);
    let analysis = match parsed {
        Ok(ParsedText {
            scripts,
            nested,
            beyond_sh,
            hidden: _,
        }) => {
            let mut found = CallCollector::default();
            walk::scripts(&scripts, &mut found);
            note_nested(&nested, &mut found);
            let mut analysis = found.into_analysis();
            analysis.errors = walk::brackets(&scripts, text);
            analysis.verdict = verdict::of(&scripts, text);
            analysis.beyond_sh = beyond_sh;
            analysis
        }
        // What a broken text calls is unknown.
        Err(ParseStop::Error(error)) => Analysis {
            errors: vec![error],
            ..Analysis::default()
        },
        Err(ParseStop::Declined) => full::analyse(text),
    };
    Analysis {
        programs,
        ..analysis
    }
}

/// Notes what texts within a text call. What is wrong in them is not an error before they are run.
fn note_nested(nested: &[NestedText], found: &mut CallCollector) {
    for NestedText { text, span } in nested {
        let mut inner = CallCollector::default();
        match parser::parse(text) {
            Ok(parsed) => {
                walk::scripts(&parsed.scripts, &mut inner);
                note_nested(&parsed.nested, &mut inner);
            }
            // A shell runs the lines before a mistake.
            Err(ParseStop::Declined | ParseStop::Error(_)) => full::collect(text, &mut inner),
        }
        found.absorb(inner, *span);
    }
}

/// Reads a shell text with the full grammar alone, for comparing the two.
#[doc(hidden)]
pub fn analyse_fully(text: &str) -> Analysis {
    full::analyse(text)
}

/// Whether [`analyse`] can do without the full grammar.
#[doc(hidden)]
pub fn is_common(text: &str) -> bool {
    parser::parse(text) != Err(ParseStop::Declined)
}

#[cfg(test)]
mod tests;
