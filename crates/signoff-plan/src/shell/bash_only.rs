//! What bash reads and `sh` does not, as far as people use it.

use super::ShellError;
use crate::source::Span;

/// A form that only bash has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BashOnly {
    /// `a=(1 2)`
    Array,
    /// `(( a > 1 ))`
    Arithmetic,
    /// `for ((i = 0; …))`
    CountingLoop,
    /// `function name …`
    Function,
    /// `<<< text`
    HereString,
    /// `|&`
    PipeBoth,
    /// `<(…)` and `>(…)`
    ProcessSubstitution,
    /// `&> file`
    RedirectBoth,
    /// `select`
    Select,
    /// `[[ … ]]`
    Test,
}

impl BashOnly {
    /// The place of one of them, with what `sh` makes of it.
    pub(super) fn at(self, span: Span) -> ShellError {
        let message = match self {
            Self::Array => "`sh` has no lists such as `NAME=(…)`",
            Self::Arithmetic => "`sh` takes `((…))` for two subshells and runs what is inside",
            Self::CountingLoop => "`sh` has no `for ((…))`",
            Self::Function => {
                "`sh` takes `function` for a command, which it does not find: write `NAME() { …; }`"
            }
            Self::HereString => "`sh` has no `<<<`",
            Self::PipeBoth => "`sh` has no `|&`: write `2>&1 |`",
            Self::ProcessSubstitution => "`sh` has no `<(…)` and `>(…)`",
            Self::RedirectBoth => {
                "`sh` takes `&>` for the end of a command in the background: write `> FILE 2>&1`"
            }
            Self::Select => "`sh` has no `select`",
            Self::Test => "`sh` takes `[[` for a command, which it does not find: write `[ … ]`",
        };
        ShellError {
            span,
            message: message.to_owned(),
        }
    }

    /// The form that a node of the full grammar is, if it is one.
    pub(super) fn of_node(kind: &str, text: &str) -> Option<Self> {
        Some(match kind {
            "array" => Self::Array,
            "c_style_for_statement" => Self::CountingLoop,
            "herestring_redirect" => Self::HereString,
            "process_substitution" => Self::ProcessSubstitution,
            "test_command" if text.starts_with("[[") => Self::Test,
            _ => return None,
        })
    }
}
