//! The spellings of a plan. Each recognises itself, reads text into a [`Draft`] and never fails at it.

mod proposal;
mod record;
mod thread;
mod toolplan;
mod workunit;

use std::fmt;

use crate::check::{not_utf8, too_large};
use crate::draft::Draft;
use crate::model::{Depends, FailAction, OnFail};
use crate::source::Source;

/// A spelling of the plan language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// The native single file: markdown with one heading per step (seed 002).
    Workunit,
    /// A directory: `plan.md` and `tasks/NN-slug.md` (seed 004).
    Thread,
    /// One markdown file with a numbered list of steps (seed 003).
    Proposal,
    /// YAML or JSON with indexed steps (seed 000).
    Record,
    /// JSON with tool steps (seed 001).
    Toolplan,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &[Self] = &[
        Self::Workunit,
        Self::Thread,
        Self::Proposal,
        Self::Record,
        Self::Toolplan,
    ];

    /// Its name, as `--dialect` takes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workunit => "workunit",
            Self::Thread => "thread",
            Self::Proposal => "proposal",
            Self::Record => "record",
            Self::Toolplan => "toolplan",
        }
    }

    /// The dialect of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|dialect| dialect.as_str() == name)
    }

    /// What the step at `at` waits for if it does not say.
    pub fn unsaid_dependencies(self, at: usize) -> Depends {
        match self {
            Self::Workunit | Self::Proposal | Self::Record => Depends::AllBefore,
            Self::Thread | Self::Toolplan => Depends::on(at, Vec::new()),
        }
    }

    /// What happens when a contract does not hold, if the step does not say. The seeds differ.
    pub const fn default_on_fail(self) -> OnFail {
        let (retries, then) = match self {
            Self::Workunit | Self::Thread => return OnFail::DEFAULT,
            Self::Record => (0, FailAction::Replan),
            Self::Proposal => (0, FailAction::Abort),
            Self::Toolplan => (2, FailAction::Recover),
        };
        OnFail { retries, then }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The dialect of this content, if it is a plan at all.
pub fn recognise(source: &Source) -> Option<Dialect> {
    // From the most to the least distinctive.
    let recognisers: [(Dialect, fn(&Source) -> bool); 5] = [
        (Dialect::Thread, thread::recognise),
        (Dialect::Toolplan, toolplan::recognise),
        (Dialect::Record, record::recognise),
        (Dialect::Proposal, proposal::recognise),
        (Dialect::Workunit, workunit::recognise),
    ];
    recognisers
        .into_iter()
        .find_map(|(dialect, recognises)| recognises(source).then_some(dialect))
}

/// Recognises the dialect from the content and reads it. What is nothing we know is read as the
/// native dialect, whose problems say what is missing.
pub fn parse(source: &Source) -> Draft {
    parse_as(source, recognise(source).unwrap_or(Dialect::Workunit))
}

/// Reads a plan in a given dialect.
pub fn parse_as(source: &Source, dialect: Dialect) -> Draft {
    if source.bytes().len() > too_large::FILE_BYTES {
        let mut draft = Draft::empty(dialect);
        draft
            .problems
            .push(too_large::file(dialect, source.bytes().len()));
        return draft;
    }
    let mut draft = match dialect {
        Dialect::Workunit => workunit::parse(source),
        Dialect::Thread => thread::parse(source),
        Dialect::Proposal => proposal::parse(source),
        Dialect::Record => record::parse(source),
        Dialect::Toolplan => toolplan::parse(source),
    };
    if let Some(offset) = source.first_invalid_byte() {
        draft.problems.push(not_utf8::at(dialect, offset));
    }
    too_large::limit_paths(&mut draft);
    crate::diagnostic::sort(&mut draft.problems);
    draft
}
