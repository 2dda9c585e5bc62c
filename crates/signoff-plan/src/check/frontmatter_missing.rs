//! The file does not begin with frontmatter.
//!
//! ## Why
//! It is how a plan is told from any other text, and where its status stands.
//!
//! ## Example
//! ```text
//! # Fix the login
//! ```
//!
//! ## Instead
//! ```text
//! ---
//! type: plan
//! status: draft
//! owner: orchestrator
//! ---
//!
//! # Fix the login
//! ```

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::source::Span;

const TEMPLATE: &str = "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n";

/// There is no frontmatter.
pub(crate) fn at(dialect: Dialect, span: Span) -> Diagnostic {
    let message = "this is no plan: it does not begin with frontmatter";
    Diagnostic::new(Code::FrontmatterMissing, dialect, span, message)
        .help("begin the file with `---`, `type: plan`, `status: draft`, `owner: …`, `---`, a line each")
        .fix(Span::at(span.start), TEMPLATE)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_plan_begins_with_frontmatter() {
        const HELP: &str = "begin the file with `---`, `type: plan`, `status: draft`, `owner: …`, `---`, a line each";
        check(Code::FrontmatterMissing, &plan(""), &[]);
        check(
            Code::FrontmatterMissing,
            &format!("\u{feff}{}", plan("")),
            &[],
        );
        for text in ["", "# T\nx", "\n---\ntype: plan\n---\n"] {
            let line = text.lines().next().unwrap_or_default();
            let expected =
                format!("{line} | this is no plan: it does not begin with frontmatter | {HELP}");
            check(Code::FrontmatterMissing, text, &[&expected]);
        }
    }
}
