//! The file is not UTF-8.
//!
//! ## Why
//! Everything after the first wrong byte is unread, and nobody signs what was not read.
//!
//! ## Example
//! A file saved as Latin-1 or UTF-16.
//!
//! ## Instead
//! Save it as UTF-8, with or without a byte order mark.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::source::Span;

/// The byte at this offset is not UTF-8.
pub(crate) fn at(dialect: Dialect, offset: usize) -> Diagnostic {
    // Empty, because the text ends here for everybody who shows it.
    let message = "the file is not UTF-8 from here on";
    Diagnostic::new(Code::NotUtf8, dialect, Span::at(offset), message)
        .help("save the file as UTF-8")
}

#[cfg(test)]
mod tests {
    use crate::dialect::parse;
    use crate::source::Source;

    #[test]
    fn the_first_wrong_byte_is_shown() {
        let bytes = b"---\ntype: plan\n---\n# caf\xe9\n### 1. x".to_vec();
        let draft = parse(&Source::new("plan.md", bytes));
        let found: Vec<_> = draft
            .problems
            .iter()
            .map(|p| (p.code.as_str(), p.span.start))
            .collect();
        assert_eq!(found, [("not-utf8", 24)]);
        assert_eq!(draft.title.map(|title| title.value).as_deref(), Some("caf"));
    }
}
