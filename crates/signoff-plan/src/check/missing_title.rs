//! The plan has no title.
//!
//! ## Why
//! People sign plans, and lists of plans show titles.
//!
//! ## Example
//! Frontmatter followed by `## Steps`.
//!
//! ## Instead
//! `# What this plan achieves` after the frontmatter; in a thread, `title: …` in that of `plan.md`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::source::Span;
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // A file that is not a plan needs no title.
    let readable = context.draft.anchors.insert_status.is_some();
    if context.plan.title.is_some() || !readable {
        return;
    }
    let anchors = context.draft.anchors;
    let (span, help) = match context.draft.dialect {
        Dialect::Workunit => (
            Span::at(anchors.body.start),
            "add `# Title` after the frontmatter",
        ),
        Dialect::Thread => {
            let written = context.draft.title.as_ref().map(|title| title.span);
            let help = "write `title: …` in the frontmatter of `plan.md`";
            (written.unwrap_or(anchors.header), help)
        }
        // Their plans may have none.
        Dialect::Proposal | Dialect::Record | Dialect::Toolplan => return,
    };
    let found = context.problem(Code::MissingTitle, span, "the plan has no title");
    problems.push(
        found
            .help(help)
            .with_missing_field(MissingFieldScope::Here(&["title"])),
    );
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
