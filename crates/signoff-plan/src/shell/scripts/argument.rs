//! Words of a command as far as the text tells their value.

use crate::shell::parser;
use crate::shell::syntax::{CommandKind, Word};
use crate::source::Span;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptArgument {
    /// Its value, if the text tells.
    pub(super) text: Option<String>,
    /// As it is written.
    pub(super) written: String,
    pub(super) span: Span,
}

/// Spellings of the current directory.
const HERE: [&str; 4] = ["${PWD}", "$PWD", "$(pwd)", "`pwd`"];

impl ScriptArgument {
    pub(super) fn new(word: &Word<'_>, text: &str) -> Self {
        let written = word.span.slice(text).to_owned();
        let value = word.text().map(str::to_owned);
        let value = value
            .or_else(|| from_here(&written))
            .or_else(|| plain_c(&written));
        Self {
            // A template is filled in when the step runs.
            text: value.filter(|value| !value.contains("{{")),
            written,
            span: word.span,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether it hands the arguments of a function or a script on.
    pub(super) fn forwards_arguments(&self) -> bool {
        let bare = self.written.trim_matches('"');
        matches!(bare, "$@" | "$*" | "$1" | "${@}" | "${*}" | "${1}")
    }
}

/// The value of `$'…'` without escapes.
fn plain_c(written: &str) -> Option<String> {
    let inside = written.strip_prefix("$'")?.strip_suffix('\'')?;
    (!inside.contains(['\\', '\''])).then(|| inside.to_owned())
}

/// The value of a word that depends on nothing but the current directory.
fn from_here(written: &str) -> Option<String> {
    let mut plain = written.to_owned();
    for spelling in HERE {
        plain = replace_variable(&plain, spelling);
    }
    if plain == written {
        return None;
    }
    let parsed = parser::parse(&plain).ok()?;
    let item = parsed.scripts.first()?.items.first()?;
    let CommandKind::Simple(simple) = &item.first.parts.first()?.kind else {
        return None;
    };
    match simple.words.as_slice() {
        [only] => Some(only.text()?.to_owned()),
        _ => None,
    }
}

/// Replaces a spelling by `.`, unless it is only the beginning of another name (`$PWDX`).
fn replace_variable(text: &str, spelling: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(spelling) {
        let is_longer = spelling == "$PWD"
            && after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        found.push_str(before);
        found.push_str(if is_longer { spelling } else { "." });
        rest = after;
    }
    found + rest
}

/// A word with its braces expanded: `{a,b}.sh` is `a.sh` and `b.sh`.
pub(super) fn expand_braces(text: &str) -> Vec<String> {
    let parts = text.split_once('{').and_then(|(before, rest)| {
        let (inside, after) = rest.split_once('}')?;
        (inside.contains(',') && !inside.contains('{')).then_some((before, inside, after))
    });
    match parts {
        Some((before, inside, after)) => inside
            .split(',')
            .flat_map(|choice| expand_braces(&format!("{before}{choice}{after}")))
            .take(LIMIT)
            .collect(),
        None => vec![text.to_owned()],
    }
}

/// How many words a pair of braces may stand for.
const LIMIT: usize = 256;
