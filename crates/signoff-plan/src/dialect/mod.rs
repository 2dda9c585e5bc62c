//! The spellings of a plan. Each reads text into a [`Draft`]; parsing never fails.

mod workunit;

use std::fmt;

use crate::check::{not_utf8, too_large};
use crate::draft::Draft;
use crate::source::Source;

/// A spelling of the plan language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// The native single file: markdown with one heading per step (seed 002).
    Workunit,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &[Self] = &[Self::Workunit];

    /// Its name, as `--dialect` takes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workunit => "workunit",
        }
    }

    /// Recognises a dialect from the content.
    // A file that is nothing we know is read as the native one, whose problems say what is missing.
    pub const fn detect(_source: &Source) -> Self {
        Self::Workunit
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The dialect of this content, if it is a plan at all: for picking plans out of a directory.
pub fn recognise(source: &Source) -> Option<Dialect> {
    let draft = parse(source);
    draft
        .kind
        .is_some_and(|kind| kind.value == "plan")
        .then_some(draft.dialect)
}

/// Recognises the dialect from the content and reads it.
pub fn parse(source: &Source) -> Draft {
    let dialect = Dialect::detect(source);
    if source.bytes().len() > too_large::FILE_BYTES {
        let mut draft = Draft::empty(dialect);
        draft
            .problems
            .push(too_large::file(dialect, source.bytes().len()));
        return draft;
    }
    let mut draft = match dialect {
        Dialect::Workunit => workunit::parse(source),
    };
    if let Some(offset) = source.first_invalid_byte() {
        draft.problems.push(not_utf8::at(dialect, offset));
    }
    too_large::limit_paths(&mut draft);
    crate::diagnostic::sort(&mut draft.problems);
    draft
}
