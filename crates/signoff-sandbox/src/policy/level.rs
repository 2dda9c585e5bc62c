//! How strongly a command is confined.

use std::fmt;

/// What the sandbox enforces on this machine; evidence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// A session of its own and limits; files and network are not confined.
    None,
    /// Writes outside of writable paths and TCP are refused, changes of permissions, times and attributes are not;
    /// nothing inside of a writable path is protected, nothing is hidden.
    Landlock,
    /// All of the policy, by `bwrap`.
    Bubblewrap,
    /// All of the policy, by namespaces that we make ourselves.
    Namespaces,
}

impl Level {
    /// Says whether paths inside of writable ones are protected and hidden ones are hidden.
    pub fn uses_mounts(self) -> bool {
        self >= Self::Bubblewrap
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
        })
    }
}
