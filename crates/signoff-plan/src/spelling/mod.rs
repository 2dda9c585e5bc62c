//! How each dialect spells a plan: its name, its keys and words, and what it means where it says nothing.
//!
//! Only tables: what reads and writes by them stands in [`crate::dialect`], [`crate::write`] and
//! [`crate::edit`].

pub(crate) mod keys;
pub(crate) mod object;
pub(crate) mod proposal;
pub(crate) mod status;
pub(crate) mod thread;
pub(crate) mod words;
pub(crate) mod workunit;

use std::fmt;

pub(crate) use self::keys::{label, label_of, members};
use crate::model::{Depends, FailAction, OnFail};

/// A spelling of the plan language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dialect {
    /// The native single file: markdown with one heading per step (seed 002).
    #[default]
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
        let key = label_of(field).and_then(|field| self.step_key(field));
        // Of an object that is a field the whole is meant, of any other member the member.
        let key = key.map(|key| match key {
            "contract.command" | "ask.question" => key.split('.').next().unwrap_or(key),
            key => key.split('.').next_back().unwrap_or(key),
        });
        match (key, self) {
            (Some(key), _) => key.to_owned(),
            (None, Self::Record | Self::Toolplan) => camel_case(field),
            (None, Self::Workunit | Self::Thread | Self::Proposal) => field.to_owned(),
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
