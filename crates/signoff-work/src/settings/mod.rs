//! Settings files of other programs, edited without touching anything but our own entries: comments, order, line ends,
//! indentation, a byte order mark and a missing last newline stay byte for byte.
//!
//! Every edit is checked: the text is read again, and if it does not say exactly what was meant, the edit is refused.

pub mod json;
pub mod toml;

use std::fmt;

/// Why a file is not edited. It stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Uneditable {
    /// The text is not what it should be; where, counted from 1.
    Malformed {
        /// Line of the fault.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// Something else is where the entry belongs.
    Occupied {
        /// The path of it, such as `hooks.PreToolUse`.
        at: String,
    },
    /// The edited text would not say what was meant.
    Unclear,
}

impl fmt::Display for Uneditable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { line, why } => write!(f, "line {line}: {why}"),
            Self::Occupied { at } => write!(f, "`{at}` has another form than expected"),
            Self::Unclear => f.write_str("it is written in a way that cannot be edited safely"),
        }
    }
}

impl std::error::Error for Uneditable {}

/// How lines end in this text.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The line of a byte, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|byte| **byte == b'\n').count()
}
