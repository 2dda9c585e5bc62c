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
//! A closing fence of the same kind and at least the same length. A block that holds fences itself
//! needs a longer fence around it.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::markdown::Document;
use crate::source::Span;

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
}
