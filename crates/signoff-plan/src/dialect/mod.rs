//! The spellings of a plan. Each recognises itself, reads text into a [`Draft`] and never fails at it.

mod block;
#[cfg(test)]
mod documented;
mod narrative;
pub(crate) mod object;
mod opening;
pub(crate) mod proposal;
mod record;
pub(crate) mod rejection;
pub(crate) mod thread;
mod toolplan;
pub(crate) mod workunit;

use std::fmt;

pub use self::record::{base_id, replanned_id};
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

    /// What a field of a step, by its name in the native dialect, is called here.
    pub fn field_name(self, field: &str) -> String {
        match (self, field) {
            (Self::Thread, "target") => "agent".to_owned(),
            (Self::Workunit | Self::Thread | Self::Proposal, field) => field.to_owned(),
            (Self::Record, "target") => "suggestedAgent".to_owned(),
            (Self::Record, "task") => "description".to_owned(),
            (Self::Record, "accept") => "acceptanceCriteria".to_owned(),
            (Self::Record | Self::Toolplan, "contract_timeout") => "timeout".to_owned(),
            (Self::Record | Self::Toolplan, field) => camel_case(field),
        }
    }

    /// The same with the marks that make it a field.
    pub fn spelled(self, field: &str) -> String {
        match self {
            Self::Workunit => format!("**{field}:**"),
            Self::Proposal => format!("- {field}:"),
            Self::Thread => format!("{}:", self.field_name(field)),
            Self::Record | Self::Toolplan => self.field_name(field),
        }
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

/// `depends_on` as `dependsOn`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined
}

/// Every name that a dialect knows, by what it is a field of.
#[cfg(test)]
pub(crate) fn names(dialect: Dialect) -> Vec<(&'static str, Vec<&'static str>)> {
    match dialect {
        Dialect::Workunit => workunit::names(),
        Dialect::Thread => thread::names(),
        Dialect::Proposal => proposal::names(),
        Dialect::Record => record::names(),
        Dialect::Toolplan => toolplan::names(),
    }
}

/// Whether a content is of a dialect.
type Recognise = fn(&Source) -> bool;

/// The dialect of this content, if it is a plan at all.
pub fn recognise(source: &Source) -> Option<Dialect> {
    // From the most to the least distinctive.
    let recognisers: [(Dialect, Recognise); 5] = [
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

/// Recognises the dialect from the content and reads it. What is nothing we know is read as what its
/// name or its first sign promises, else as the native dialect: its problems say what is missing.
pub fn parse(source: &Source) -> Draft {
    let dialect = recognise(source).unwrap_or_else(|| promised(source));
    parse_as(source, dialect)
}

/// The dialect that a content of no dialect was most likely meant to be.
fn promised(source: &Source) -> Dialect {
    let ending = source.name().rsplit_once('.').map(|(_, ending)| ending);
    let text = source.text().get(source.byte_order_mark_len()..);
    let text = text.unwrap_or_default().trim_ascii_start();
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("json") => Dialect::Toolplan,
        // Frontmatter may come in a file of any name.
        Some("yaml" | "yml") if !text.starts_with("---") => Dialect::Record,
        _ if text.starts_with(['{', '[']) => Dialect::Toolplan,
        _ => Dialect::Workunit,
    }
}

/// Reads a plan in a given dialect.
pub fn parse_as(source: &Source, dialect: Dialect) -> Draft {
    if source.bytes().len() > too_large::file_bytes(dialect) {
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
