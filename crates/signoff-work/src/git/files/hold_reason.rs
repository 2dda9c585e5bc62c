//! Why a file of the checkout is left as it is.

use std::fmt;

/// Why a file was left as it is in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldReason {
    /// A person changed it too, and the two changes do not go together.
    Conflict,
    /// A file that git ignores is in its place.
    Ignored,
    /// A directory, a link or a special file is in its place, or in the place of a directory that it lies in.
    InTheWay,
    /// It has to pass this filter of the person's configuration, a program that the harness does not run.
    Filter(String),
    /// It was written again and again meanwhile.
    Changing,
    /// This program runs it by itself once it is there, and nobody asked for it.
    RunsByItself(String),
    /// The file system refuses.
    Refused(String),
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("it was changed here too, and the changes conflict"),
            Self::Ignored => f.write_str("a file that git ignores is in its place"),
            Self::InTheWay => f.write_str("a directory, a link or a special file is in its place"),
            Self::Filter(filter) => write!(
                f,
                "it has to pass the filter `{filter}`, a program that is not run here"
            ),
            Self::RunsByItself(program) => {
                write!(
                    f,
                    "{program} runs it by itself, and no step's `produces` names it"
                )
            }
            Self::Changing => f.write_str("it changes just now"),
            Self::Refused(said) => f.write_str(said),
        }
    }
}
