//! A fenced block, or a comment, is never closed.
//!
//! ## Why
//! Everything after it is swallowed: steps and contracts that look written would not exist.
//!
//! ## Example
//! ```text
//! ~~~shell
//! cargo test
//!
//! ### 2. Deploy
//! ```
//!
//! ## Instead
//! A closing fence of the same kind and at least the same length. A block that holds fences itself, or
//! the heading and fields of a step, needs a longer fence around it.

use crate::diagnostic::{Code, Diagnostic};
use crate::markdown::Document;
use crate::source::Span;
use crate::spelling::Dialect;

/// Every block and comment of a file that is never closed.
pub(crate) fn in_document(dialect: Dialect, document: &Document<'_>) -> Vec<Diagnostic> {
    let open = document.fences.iter().filter(|fence| !fence.closed);
    let fences = open.map(|open| {
        let line = document.slice(open.span).lines().next();
        let end = open.span.start + line.map_or(0, str::len);
        fence(dialect, Span::new(open.span.start, end))
    });
    let comments = document.open_comments.iter();
    fences
        .chain(comments.map(|opening| comment(dialect, *opening)))
        .collect()
}

/// A fence that is never closed.
fn fence(dialect: Dialect, opening: Span) -> Diagnostic {
    let message = "this fenced block is never closed; what follows is read as part of it";
    Diagnostic::new(Code::UnterminatedFence, dialect, opening, message)
        .help("close it with a fence of the same kind and length")
}

/// A fence that is closed only by one that belongs to something else: it holds a step.
pub(crate) fn swallowed_step(
    dialect: Dialect,
    opening: Span,
    closing: Span,
    step: &str,
) -> Diagnostic {
    let message = format!("this fenced block is not closed before `{step}`");
    Diagnostic::new(Code::UnterminatedFence, dialect, opening, message)
        .with_related(closing, "it ends only here")
        .help("close it with a fence of the same kind and length; one that is to hold a step has four marks")
}

/// Takes away what only follows from a block that is not closed where it should be: from there on
/// fences end blocks that they should begin.
pub(super) fn remove_follow_ups(problems: &mut Vec<Diagnostic>) {
    let open = problems.iter();
    let open = open.filter(|problem| problem.code == Code::UnterminatedFence);
    let open: Vec<usize> = open.map(|problem| problem.span.start).collect();
    let Some(first) = open.iter().copied().min() else {
        return;
    };
    problems.retain(|problem| {
        let behind = problem.span.start > first;
        let follows = matches!(
            problem.code,
            Code::BadExpect
                | Code::ContractCommandMissing
                | Code::ContractSyntax
                | Code::ContractVacuous
        );
        // One that is never closed was begun by what should have closed another.
        let begun = problem.code == Code::UnterminatedFence && problem.related.is_empty();
        // A block that is taken for a second contract.
        let second = problem.code == Code::BadValue && open.contains(&problem.span.start);
        !behind || !(follows || begun || second)
    });
}

/// A comment that is never closed.
fn comment(dialect: Dialect, opening: Span) -> Diagnostic {
    let message = "this comment is never closed; what follows is read as part of it";
    Diagnostic::new(Code::UnterminatedFence, dialect, opening, message).help("close it with `-->`")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn what_is_opened_is_closed() {
        check(
            Code::UnterminatedFence,
            &plan("### 1. A\n```sh\n```\n<!-- x -->\n"),
            &[],
        );
        check(
            Code::UnterminatedFence,
            &plan("### 1. A\n**contract:**\n```sh\nmake\n\n### 2. B\n"),
            &[
                "```sh | this fenced block is never closed; what follows is read as part of it | \
             close it with a fence of the same kind and length",
            ],
        );
        check(
            Code::UnterminatedFence,
            &plan("<!-- x\n### 1. A\n"),
            &[
                "<!-- | this comment is never closed; what follows is read as part of it | close it with `-->`",
            ],
        );
    }

    #[test]
    fn a_block_that_swallows_a_step_is_the_only_fault() {
        let second = "### 2. B\n**task:** y\n**contract:**\n```sh\ntest -s y\n```\n";
        let text = plan(&format!(
            "### 1. A\n**task:** x\n**contract:**\n```sh\ntest -s x\n\n{second}"
        ));
        check(
            Code::UnterminatedFence,
            &text,
            &[
                "```sh | this fenced block is not closed before `### 2. B` | \
               close it with a fence of the same kind and length; one that is to hold a step has four marks",
            ],
        );
        assert_eq!(super::super::testing::checked(&text).diagnostics.len(), 1);
        let bare = text.replace("```sh", "```");
        let found = super::super::testing::checked(&bare).diagnostics;
        assert!(
            found.iter().all(|one| one.code == Code::UnterminatedFence),
            "{found:?}"
        );
        let closed = plan(&format!(
            "### 1. A\n**task:** x\n\n```\n### 2. see\n```\n{second}"
        ));
        check(Code::UnterminatedFence, &closed, &[]);
        for fence in ["````", "~~~~sh"] {
            let end = fence.trim_end_matches("sh");
            let meant = plan(&format!("### 1. A\n**task:**\n{fence}\n{second}{end}\n"));
            check(Code::UnterminatedFence, &meant, &[]);
        }
    }
}
