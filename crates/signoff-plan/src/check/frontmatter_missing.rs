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
use crate::source::Span;
use crate::spelling::Dialect;

const TEMPLATE: &str = "---\ntype: plan\nstatus: draft\n---\n\n";

/// There is no frontmatter.
pub(crate) fn at(dialect: Dialect, span: Span) -> Diagnostic {
    let message = "this is not a plan: it does not begin with frontmatter";
    Diagnostic::new(Code::FrontmatterMissing, dialect, span, message)
        .help("begin the file with `---`, `type: plan`, `status: draft`, `owner: …`, `---`, a line each")
        .fix(Span::at(span.start), TEMPLATE)
}

/// There is no frontmatter in a file of this dialect.
pub(crate) fn of(dialect: Dialect, span: Span) -> Diagnostic {
    let (lines, template) = match dialect {
        Dialect::Proposal => (
            "`id: PLAN-…`, `title: …`, `status: proposed`, `tools_required: []`",
            "---\nid: PLAN-00000000\ntitle: Title\nstatus: proposed\nversion: 1\ntools_required: []\n---\n\n",
        ),
        Dialect::Workunit | Dialect::Thread | Dialect::Record | Dialect::Toolplan => {
            return at(dialect, span);
        }
    };
    let message = "this is not a plan: it does not begin with frontmatter";
    Diagnostic::new(Code::FrontmatterMissing, dialect, span, message)
        .help(format!(
            "begin the file with `---`, {lines}, `---`, a line each"
        ))
        .fix(Span::at(span.start), template)
}

/// There is no frontmatter in this file of a directory; its first field and an example of it.
pub(crate) fn file(
    dialect: Dialect,
    span: Span,
    name: &str,
    field: &str,
    example: &str,
) -> Diagnostic {
    let message = format!("file `{name}` does not begin with frontmatter");
    Diagnostic::new(Code::FrontmatterMissing, dialect, span, message)
        .help(format!(
            "begin the file with `---`, `{field}: …`, `---`, a line each"
        ))
        .fix(
            Span::at(span.start),
            format!("---\n{field}: {example}\n---\n\n"),
        )
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
                format!("{line} | this is not a plan: it does not begin with frontmatter | {HELP}");
            check(Code::FrontmatterMissing, text, &[&expected]);
        }
    }
}
