//! Why a text is not read-only.

use std::fmt;

/// A text that is not known to only read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotReadOnly {
    /// The command in the text, as written.
    pub command: String,
    /// What is wrong with it.
    pub reason: Refusal,
}

/// What makes a command more than reading, or keeps us from knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The text is not valid shell, or has a form that is not understood.
    Unreadable,
    /// This program, or this sub-command of one, is not in the list.
    UnknownProgram(String),
    /// This argument is not in the list.
    UnknownArgument(String),
    /// This part does something else than reading.
    Effect(String, Effect),
    /// What this part becomes when it runs is not known from the text.
    Unforeseeable(String),
    /// The program only reads with one of these arguments.
    Missing(&'static str),
}

/// What a part of a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It writes or deletes files.
    Writes,
    /// It runs other commands.
    Runs,
    /// It goes on in the background.
    StaysBehind,
    /// It changes what later commands are or do.
    ChangesShell,
}

/// Options by which many programs write or run something, for a better message than "not known".
const EFFECTS: [(&str, Effect); 24] = [
    ("--output", Effect::Writes),
    ("--out", Effect::Writes),
    ("--in-place", Effect::Writes),
    ("--upload-file", Effect::Writes),
    ("-o", Effect::Writes),
    ("-O", Effect::Writes),
    ("-i", Effect::Writes),
    ("-delete", Effect::Writes),
    ("-fprint", Effect::Writes),
    ("-fprint0", Effect::Writes),
    ("-fprintf", Effect::Writes),
    ("-fls", Effect::Writes),
    ("-exec", Effect::Runs),
    ("-execdir", Effect::Runs),
    ("-ok", Effect::Runs),
    ("-okdir", Effect::Runs),
    ("--exec", Effect::Runs),
    ("--exec-batch", Effect::Runs),
    ("--pre", Effect::Runs),
    ("--pager", Effect::Runs),
    ("--ext-diff", Effect::Runs),
    ("--textconv", Effect::Runs),
    ("--compress-program", Effect::Runs),
    ("--use-compress-program", Effect::Runs),
];

impl Refusal {
    /// An option that is not in the list of its program.
    pub(super) fn option(argument: &str) -> Self {
        let name = argument.split_once('=').map_or(argument, |(name, _)| name);
        match EFFECTS.iter().find(|(option, _)| *option == name) {
            Some((_, effect)) => Self::Effect(argument.to_owned(), *effect),
            None => Self::UnknownArgument(argument.to_owned()),
        }
    }
}

impl fmt::Display for NotReadOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.command.trim();
        match &self.reason {
            Refusal::Unreadable => write!(f, "the command cannot be read: `{command}`"),
            Refusal::UnknownProgram(name) => write!(f, "`{name}` is not known to only read"),
            Refusal::UnknownArgument(argument) => {
                write!(f, "`{command}`: `{argument}` is not known to only read")
            }
            Refusal::Effect(part, effect) => write!(f, "`{command}`: `{part}` {effect}"),
            Refusal::Unforeseeable(part) => {
                write!(
                    f,
                    "`{command}`: what `{part}` becomes is not known beforehand"
                )
            }
            Refusal::Missing(options) => {
                write!(f, "`{command}` is not known to only read without {options}")
            }
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Writes => "writes or deletes files",
            Self::Runs => "runs other commands",
            Self::StaysBehind => "goes on in the background",
            Self::ChangesShell => "changes what later commands do",
        })
    }
}

impl std::error::Error for NotReadOnly {}
