//! The file or the plan is over a limit.
//!
//! ## Why
//! Nobody reviews a plan of that size, and every surface has to hold it in memory.
//!
//! ## Example
//! A log file of 10 MiB, or a plan of 2000 steps.
//!
//! ## Instead
//! Several plans. A file may have 4 MiB, a plan 1000 steps; a step for each of many things is
//! better written with `**for_each:**`.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::source::Span;

/// How many bytes a file may have.
pub const FILE_BYTES: usize = 4 * 1024 * 1024;
/// How many steps a plan may have.
pub const STEPS: usize = 1000;

/// The file has too many bytes to be read.
pub(crate) fn file(dialect: Dialect, bytes: usize) -> Diagnostic {
    let message = format!("the file has {bytes} bytes; a plan may have {FILE_BYTES}");
    Diagnostic::new(Code::TooLarge, dialect, Span::at(0), message)
}

/// The plan has too many steps; those from here on are not read.
pub(crate) fn steps(dialect: Dialect, span: Span) -> Diagnostic {
    let message = format!("the plan has more than {STEPS} steps");
    Diagnostic::new(Code::TooLarge, dialect, span, message)
        .help("write several plans, or one step with `**for_each:**`")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::testing::{check, checked, plan};
    use super::*;

    #[test]
    fn files_have_a_limit() {
        let checked = checked(&"x".repeat(FILE_BYTES + 1));
        let messages: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|p| p.message.as_str())
            .collect();
        assert_eq!(
            messages,
            ["the file has 4194305 bytes; a plan may have 4194304"]
        );
    }

    #[test]
    fn plans_have_a_limit() {
        let mut steps = String::new();
        for number in 1..=STEPS + 2 {
            writeln!(steps, "### {number}. A\n**task:** x").expect("a string takes all");
        }
        check(
            Code::TooLarge,
            &plan(&steps),
            &[
                "### 1001. A | the plan has more than 1000 steps | write several plans, or one step with `**for_each:**`",
            ],
        );
    }
}
