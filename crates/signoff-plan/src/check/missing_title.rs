//! The plan has no title.
//!
//! ## Why
//! People sign plans, and lists of plans show titles.
//!
//! ## Example
//! Frontmatter followed by `## Steps`.
//!
//! ## Instead
//! `# What this plan achieves` after the frontmatter.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // A file that is no plan at all needs no title.
    let readable = context.draft.anchors.insert_status.is_some();
    if context.plan.title.is_none() && readable {
        let body = context.draft.anchors.body;
        let found = context.problem(
            Code::MissingTitle,
            Span::at(body.start),
            "the plan has no title",
        );
        problems.push(found.help("add `# Title` after the frontmatter"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_plan_has_a_title() {
        check(Code::MissingTitle, &plan(""), &[]);
        check(
            Code::MissingTitle,
            &plan("").replace("# Title\n", ""),
            &[" | the plan has no title | add `# Title` after the frontmatter"],
        );
        check(
            Code::MissingTitle,
            &plan("").replace("# Title\n", "#\n"),
            &[" | the plan has no title | add `# Title` after the frontmatter"],
        );
    }
}
