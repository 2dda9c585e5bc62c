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
use crate::source::Span;
use crate::spelling::Dialect;

/// The byte at this offset is not UTF-8.
pub(crate) fn at(dialect: Dialect, offset: usize) -> Diagnostic {
    // Empty, because the text ends here for everybody who shows it.
    let message = "the file is not UTF-8 from here on";
    Diagnostic::new(Code::NotUtf8, dialect, Span::at(offset), message)
        .help("save the file as UTF-8")
        .cutting_off(true)
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

    #[test]
    fn what_may_stand_behind_it_is_not_missed() {
        for bytes in [
            b"---\ntype: plan\nowner: m\xe4\n---\n# T\n".to_vec(),
            b"---\ntype: plan\nstatus: draft\nowner: me\n---\n# T\xe4\n\n## Steps\n".to_vec(),
            (0..=255).collect(),
        ] {
            let draft = parse(&Source::new("plan.md", bytes));
            let checked = super::super::check(&draft, &super::super::testing::TestWorkspace);
            let codes: Vec<_> = checked
                .diagnostics
                .iter()
                .map(|one| one.code.as_str())
                .collect();
            assert_eq!(codes, ["not-utf8"]);
        }
    }
}
