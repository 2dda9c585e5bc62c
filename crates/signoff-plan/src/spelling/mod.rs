//! How each dialect spells a plan: its name, its keys, its words and its defaults.
//!
//! Only tables; [`crate::dialect`], [`crate::write`] and [`crate::edit`] use them.

pub(crate) mod keys;
pub(crate) mod object;
pub(crate) mod proposal;
pub(crate) mod status;
pub(crate) mod thread;
pub(crate) mod words;
pub(crate) mod workunit;

use std::fmt;

pub(crate) use self::keys::{label, label_of, members};
use crate::model::{BriefingStyle, Depends, FailAction, OnFail, Work};

/// A spelling of the plan language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dialect {
    /// The native single file: markdown with one heading per step.
    #[default]
    Workunit,
    /// A directory: `plan.md` and `tasks/NN-slug.md`.
    Thread,
    /// One markdown file with a numbered list of steps.
    Proposal,
    /// YAML or JSON with indexed steps.
    Record,
    /// JSON with tool steps.
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

    /// The name of a step's field in this dialect, from its name in the native dialect.
    pub fn field_name(self, field: &str) -> String {
        let key = label_of(field).and_then(|field| self.step_key(field));
        // If an object is itself a field, its name stands for all of it; otherwise the member is named.
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

    /// The same with the syntax of a field around it.
    pub fn spell(self, field: &str) -> String {
        match self {
            Self::Workunit => format!("**{field}:**"),
            Self::Proposal => format!("- {field}:"),
            Self::Thread => format!("{}:", self.field_name(field)),
            Self::Record | Self::Toolplan => self.field_name(field),
        }
    }

    /// The default dependencies of the step at `at`.
    pub fn default_dependencies(self, at: usize) -> Depends {
        if self.is_sequential() {
            Depends::AllBefore
        } else {
            Depends::from_positions(at, Vec::new())
        }
    }

    /// Whether a step that does not say what it waits for waits for every step before it.
    pub(crate) const fn is_sequential(self) -> bool {
        match self {
            Self::Workunit | Self::Proposal | Self::Record => true,
            Self::Thread | Self::Toolplan => false,
        }
    }

    /// The failure policy of a step that says nothing of its own, does this work, and is critical or not.
    pub fn default_on_fail(self, work: &Work, critical: bool) -> OnFail {
        let (retries, then) = match self {
            Self::Workunit | Self::Thread => (OnFail::DEFAULT.retries, OnFail::DEFAULT.then),
            Self::Record => (0, FailAction::Replan),
            Self::Proposal => (0, FailAction::Abort),
            Self::Toolplan if critical => (2, FailAction::Recover),
            // Nobody has to decide how a run goes on that goes on anyway.
            Self::Toolplan => (2, OnFail::DEFAULT.then),
        };
        let policy = OnFail {
            retries,
            then,
            ..OnFail::DEFAULT
        };
        policy.default_for(work)
    }

    /// What agents receive beside their task where a plan says nothing of its own.
    pub(crate) const fn default_briefing(self) -> BriefingStyle {
        match self {
            Self::Workunit | Self::Toolplan => BriefingStyle::Task,
            Self::Thread => BriefingStyle::Thread,
            Self::Proposal => BriefingStyle::Proposal,
            Self::Record => BriefingStyle::Record,
        }
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
