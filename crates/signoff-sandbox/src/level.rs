//! How strongly a command is confined.

use std::fmt;

/// What the sandbox enforces on this machine; evidence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// A session of its own and limits; files and network are not confined.
    None,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
        }
    }
}
