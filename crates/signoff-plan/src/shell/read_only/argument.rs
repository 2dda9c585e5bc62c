//! A word of a command, by what is known of it before it runs.

use crate::shell::syntax::{Command, CommandKind, Word};

/// A word of a command, by what is known of it before it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedArgument<'w> {
    /// As it is written.
    pub(super) raw: &'w str,
    /// Its value, if nothing is filled in.
    pub(super) text: Option<&'w str>,
    /// What its value certainly begins with.
    start: &'w str,
    /// Whether it may become several words, or none.
    pub(super) many: bool,
    splits: bool,
    /// It is filled in by a command whose output is never an option.
    names_commits: bool,
}

/// Variables that hold an absolute path in every session.
const DIRECTORIES: [&str; 4] = ["$HOME", "${HOME}", "$PWD", "${PWD}"];

impl<'w> CheckedArgument<'w> {
    pub(super) fn new(word: &'w Word<'_>, source: &'w str) -> Self {
        let raw = word.span.slice(source);
        // The name of a program, and no pattern as nothing closes it.
        let has_pattern = word.has_pattern && raw != "[";
        let text = word.text().filter(|_| !has_pattern);
        let directory = directory_start(raw);
        let splits = word.splits && directory.is_none();
        Self {
            raw,
            text,
            start: text.or(directory).unwrap_or_else(|| literal_start(raw)),
            many: splits || has_pattern,
            splits,
            names_commits: names_commits(word, raw),
        }
    }

    /// Words that the text does not show: any number, with any content.
    pub(super) const fn unknown(raw: &'w str) -> Self {
        Self {
            raw,
            text: None,
            start: "",
            many: true,
            splits: true,
            names_commits: false,
        }
    }

    /// The value of the option that this word holds.
    pub(super) fn with_value(&self, value: &'w str) -> Self {
        Self {
            text: Some(value),
            start: value,
            ..*self
        }
    }

    /// Whether a program may take it for an option.
    pub(super) fn may_be_option(&self) -> bool {
        match self.text {
            Some(text) => text.len() > 1 && text.starts_with('-'),
            None if self.names_commits => false,
            None => self.splits || self.start.is_empty() || self.start.starts_with('-'),
        }
    }

    /// The name of a long option whose value is not known: `--format` of `--format="$x"`.
    pub(super) fn option_with_unknown_value(&self) -> Option<&'w str> {
        let (name, _) = self.start.split_once('=')?;
        (self.text.is_none() && !self.splits && name.starts_with('-')).then_some(name)
    }

    /// Whether its value certainly begins with this.
    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        self.start.starts_with(prefix)
    }

    /// Whether its value may begin with this.
    pub(super) fn may_start_with(&self, prefix: &str) -> bool {
        match self.text {
            Some(text) => text.starts_with(prefix),
            None => self.start.starts_with(prefix) || prefix.starts_with(self.start),
        }
    }
}

/// Whether a word is nothing but `$(git merge-base …)` or `$(git rev-parse …)` of names: what these print are ids of commits,
/// or the names themselves, and no option of any program begins so.
fn names_commits(word: &Word<'_>, raw: &str) -> bool {
    let quoted = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    let inside = quoted.unwrap_or(raw).strip_prefix("$(");
    let inside = inside.and_then(|raw| raw.strip_suffix(')'));
    // With nothing beside it that would be the beginning if it printed nothing.
    let is_alone = |inside: &str| !inside.contains(['(', ')', '$', '`', '\\', '\'', '"', '<', '>']);
    let [script] = word.scripts.as_slice() else {
        return false;
    };
    let command = match script.items.as_slice() {
        [item] if item.rest.is_empty() && !item.background => item.first.parts.as_slice(),
        _ => return false,
    };
    let [
        Command {
            kind: CommandKind::Simple(simple),
            ..
        },
    ] = command
    else {
        return false;
    };
    let words: Option<Vec<&str>> = simple.words.iter().map(Word::text).collect();
    let Some(["git", command, names @ ..]) = words.as_deref() else {
        return false;
    };
    let options: &[&str] = match *command {
        "merge-base" => &["--all", "--octopus", "--fork-point"],
        "rev-parse" => &["--verify", "--short"],
        _ => return false,
    };
    let is_named = |name: &&str| !name.starts_with('-') || options.contains(name);
    let has_name = names.iter().any(|name| !name.starts_with('-'));
    inside.is_some_and(is_alone)
        && simple.assignments.is_empty()
        && has_name
        && names.iter().all(is_named)
}

/// `/` for a word that begins with a directory of the session and has nothing else filled in.
fn directory_start(raw: &str) -> Option<&'static str> {
    let inside = raw.strip_prefix('"').unwrap_or(raw);
    let named = DIRECTORIES
        .iter()
        .find_map(|name| inside.strip_prefix(name));
    let rest = named?;
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (ends && !rest.contains(['$', '`'])).then_some("/")
}

/// The characters at the beginning of a word that mean themselves in every shell.
fn literal_start(raw: &str) -> &str {
    let inside = raw.strip_prefix(['"', '\'']).unwrap_or(raw);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:,%=-~".contains(c);
    let length = inside.find(|c| !plain(c)).unwrap_or(inside.len());
    inside.get(..length).unwrap_or_default()
}
