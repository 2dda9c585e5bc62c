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
    /// The program, or a sub-command of it, is not in the list.
    UnknownProgram(String),
    /// An argument is not in the list.
    UnknownArgument(String),
    /// An argument writes a file, runs a program or deletes something.
    Effect(String, &'static str),
    /// What an argument will be is not known from the text.
    Unforeseeable(String),
}

impl fmt::Display for NotReadOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.command.trim();
        match &self.reason {
            Refusal::Unreadable => write!(f, "the command cannot be read: `{command}`"),
            Refusal::UnknownProgram(name) => write!(f, "`{name}` is not known to only read"),
            Refusal::UnknownArgument(argument) => {
                write!(f, "`{argument}` in `{command}` is not known to only read")
            }
            Refusal::Effect(part, effect) => write!(f, "`{part}` in `{command}` {effect}"),
            Refusal::Unforeseeable(part) => {
                write!(
                    f,
                    "what `{part}` in `{command}` becomes is not known beforehand"
                )
            }
        }
    }
}

impl std::error::Error for NotReadOnly {}
