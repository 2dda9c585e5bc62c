//! Where a value came from.

use std::fmt;
use std::path::PathBuf;

/// Which layer a value came from, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    BuiltIn,
    /// The user's own file.
    User,
    /// `.pi/plans.json` of a `.pi` store.
    Pi,
    /// `.signoff/config.toml`
    Project,
    /// A variable `SIGNOFF_SECTION_KEY`.
    Environment,
}

impl Origin {
    /// Whether this layer may only make things stricter: it comes with a repository, or from
    /// whatever started the process, and not from the user.
    pub(super) fn may_only_tighten(self) -> bool {
        match self {
            Self::BuiltIn | Self::User => false,
            Self::Pi | Self::Project | Self::Environment => true,
        }
    }

    /// The layer as the subject of a sentence.
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::BuiltIn => "what is built in",
            Self::User => "a user",
            Self::Pi | Self::Project => "a project",
            Self::Environment => "the environment",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::Pi => "pi",
            Self::Project => "project",
            Self::Environment => "environment",
        })
    }
}

/// Where something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingLocation {
    /// Line and column from 1, the column in characters.
    File {
        path: PathBuf,
        line: usize,
        column: usize,
    },
    /// The name of an environment variable.
    Variable(String),
}

impl fmt::Display for SettingLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line, column } => {
                write!(f, "{}:{line}:{column}", path.display())
            }
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
    /// Nothing for what is built in.
    pub location: Option<SettingLocation>,
}

impl<T> Setting<T> {
    /// A built-in value.
    pub fn built_in(value: T) -> Self {
        Self::of(value, Origin::BuiltIn, None)
    }

    /// A value of a layer.
    pub fn of(value: T, origin: Origin, location: Option<SettingLocation>) -> Self {
        Self {
            value,
            origin,
            location,
        }
    }

    /// Where it came from, in words.
    pub(super) fn source(&self) -> String {
        match &self.location {
            Some(location) => location.to_string(),
            None => self.origin.to_string(),
        }
    }
}
