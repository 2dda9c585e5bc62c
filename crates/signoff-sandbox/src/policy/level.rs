//! How strongly a command is confined.

use std::fmt;

/// What the sandbox enforces on this machine. Evidence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// Only limits, and a session of its own. Files and network are not confined.
    None,
    /// Refuses TCP, and writes outside of writable paths, but not changes of permissions, times and attributes. Nothing
    /// inside of a writable path is protected, and nothing is hidden.
    Landlock,
    /// Enforces the whole policy by `bwrap`, except overlays.
    Bubblewrap,
    /// Enforces the whole policy by namespaces that we make ourselves.
    Namespaces,
}

impl Level {
    /// Whether read-only paths inside of writable ones are protected, and hidden paths are hidden.
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
