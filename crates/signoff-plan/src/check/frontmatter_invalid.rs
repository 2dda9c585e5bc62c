//! The frontmatter, or a plan that is YAML or JSON as a whole, is not valid, or holds what plans do not.
//!
//! ## Why
//! The harness reads and writes it; it must know exactly what is there. Aliases,
//! anchors and tags are refused because their meaning cannot be seen where they are used.
//!
//! ## Example
//! ```text
//! ---
//! status: draft
//! status: done
//! ---
//! ```
//!
//! ## Instead
//! One `key: value` per line, each key once; frontmatter is closed by a line `---`. In JSON every key and
//! every text stands in double quotes, and commas stand between values only.

use crate::diagnostic::{Code, Diagnostic};
use crate::node::Problem;
use crate::source::Span;
use crate::spelling::Dialect;

/// The frontmatter is never closed.
pub(crate) fn unclosed_frontmatter(dialect: Dialect, opening: Span) -> Diagnostic {
    let message = "the frontmatter is never closed";
    Diagnostic::new(Code::FrontmatterInvalid, dialect, opening, message)
        .help("end it with a line `---`")
}

/// The YAML cannot be read.
pub(crate) fn yaml(dialect: Dialect, problem: &Problem) -> Diagnostic {
    let message = format!("the frontmatter cannot be read: {}", problem.message);
    Diagnostic::new(Code::FrontmatterInvalid, dialect, problem.span, message)
}

/// A plan that is YAML or JSON as a whole cannot be read as such.
pub(crate) fn data(dialect: Dialect, format: &str, problem: &Problem) -> Diagnostic {
    let message = format!("the plan cannot be read as {format}: {}", problem.message);
    Diagnostic::new(Code::FrontmatterInvalid, dialect, problem.span, message)
        .cutting_off(problem.last)
}

/// A plan that is YAML or JSON as a whole is something else than keys and values.
pub(crate) fn no_object(dialect: Dialect, span: Span, found: &str) -> Diagnostic {
    let message = format!("the plan must be keys and values, not {found}");
    Diagnostic::new(Code::FrontmatterInvalid, dialect, span, message)
        .help("write an object that has `steps`")
        .cutting_off(true)
}

/// The YAML is something else than keys and values.
pub(crate) fn no_mapping(dialect: Dialect, span: Span, found: &str) -> Diagnostic {
    let message = format!("the frontmatter must be keys and values, not {found}");
    Diagnostic::new(Code::FrontmatterInvalid, dialect, span, message)
        .help("write one `key: value` per line")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn every_problem_is_shown_in_place() {
        check(Code::FrontmatterInvalid, &plan(""), &[]);
        check(
            Code::FrontmatterInvalid,
            &plan("").replace("owner: me", "owner: me\nstatus: *x"),
            &[
                "status | the frontmatter cannot be read: `status` is given twice | -",
                "*x | the frontmatter cannot be read: an alias stands for nothing: no value before it has its anchor | -",
            ],
        );
        check(
            Code::FrontmatterInvalid,
            "---\ntype: plan\n# T\n",
            &["--- | the frontmatter is never closed | end it with a line `---`"],
        );
        check(
            Code::FrontmatterInvalid,
            "---\n- a\n---\n",
            &[
                "- a\n | the frontmatter must be keys and values, not a list | write one `key: value` per line",
            ],
        );
    }
}
