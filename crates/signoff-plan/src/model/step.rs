//! One step of a plan.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use serde_json::Value;

use super::{Budget, Contract, OnFail};
use crate::sparse::Sparse;

/// One step. [`Step::new`] has the defaults. What most steps do not have stands in [`StepDetails`],
/// whose fields can be used as if they were its own.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub struct Step {
    /// Explicit id, else `step-N`.
    pub id: String,
    /// Position, from 1.
    pub number: usize,
    /// What stands in place of a number where the step stands for steps that are not written yet (`3–N`, `N+1`).
    pub unexpanded: Option<String>,
    /// Title, without marks.
    pub title: String,
    /// The file says it is done; only a contract can confirm that.
    pub claimed: bool,
    /// The steps this one waits for; [`Plan::dependencies`](super::Plan::dependencies) lists them.
    pub depends_on: Depends,
    /// What is done.
    pub work: Work,
    /// What decides whether it is done.
    pub contract: Option<Contract>,
    /// What happens when the contract does not hold.
    pub on_fail: OnFail,
    /// A person must approve before the work starts.
    pub approval: bool,
    /// `false`: after its retries the run goes on without it.
    pub critical: bool,
    /// What earlier runs left in the file.
    pub record: StepRecord,
    /// Everything else.
    pub details: Sparse<StepDetails>,
}

/// What most steps do not have.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub struct StepDetails {
    /// What else the file says of how far it is: `failed`, `skipped`, `running`, `ready`, `blocked`.
    /// A mark, never believed.
    pub mark: Option<String>,
    /// Context for the agent's prompt.
    pub subscriptions: Vec<Subscription>,
    /// Globs the step writes.
    pub produces: Vec<String>,
    /// Globs of files that must not change while it runs.
    pub protects: Vec<String>,
    /// Tool scope; `None` is the plan's.
    pub tools: Option<Vec<String>>,
    /// Condition to run at all.
    pub when: Option<String>,
    /// Expression that yields a list; the step runs once per item.
    pub for_each: Option<String>,
    /// Limit of a loop; `None` is [`Step::MAX_ITEMS`].
    pub max_items: Option<u64>,
    /// Time limit of one attempt; `None` is the configured one.
    pub timeout: Option<Duration>,
    /// Limits over this step.
    pub budget: Budget,
    /// Named locks held while it runs.
    pub locks: Vec<String>,
    /// Where its work happens; `None` is the configured way.
    pub isolation: Option<String>,
    /// Role of the model that reads the agent's work when it is done, and advises.
    pub reviewer: Option<String>,
    /// Acceptance criteria.
    pub acceptance: Vec<String>,
    /// Subtasks.
    pub subtasks: Vec<String>,
    /// Further instructions.
    pub instructions: Option<String>,
    /// Tool named in passing.
    pub hint: Option<Hint>,
}

crate::blank!(StepDetails);

impl Deref for Step {
    type Target = StepDetails;

    fn deref(&self) -> &StepDetails {
        &self.details
    }
}

impl DerefMut for Step {
    fn deref_mut(&mut self) -> &mut StepDetails {
        &mut self.details
    }
}

impl Step {
    /// How many items a loop may have unless it says otherwise.
    pub const MAX_ITEMS: u64 = 100;

    /// A step with nothing but a title.
    pub fn new(id: String, number: usize) -> Self {
        Self {
            id,
            number,
            critical: true,
            ..Self::default()
        }
    }

    /// Does it stand for any number of steps (`3–N`), and not for one whose number is not known yet (`N+1`)?
    pub fn is_template(&self) -> bool {
        let token = self.unexpanded.as_deref().unwrap_or_default();
        token.contains(['-', '–', '—', '…', '.'])
    }

    /// Takes away what the file says of how far it is.
    pub fn clear_marks(&mut self) {
        self.claimed = false;
        if let Some(details) = self.details.as_mut() {
            details.mark = None;
            self.details.condense();
        }
    }
}

/// What is done in a step.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub enum Work {
    /// A fresh agent process. No role = the arbiter's choice, else `default`.
    Agent {
        /// The role.
        role: Option<String>,
        /// The prompt.
        task: String,
    },
    /// The harness calls a tool itself.
    Tool {
        /// Its name.
        tool: String,
        /// Its arguments.
        args: Value,
    },
    /// A person answers.
    Ask {
        /// What is asked.
        question: String,
        /// Answers to choose from; empty = free text.
        choices: Vec<String>,
    },
    /// Nothing but the contract.
    #[default]
    Check,
}

impl Work {
    /// `agent`, `tool`, `ask` or `check`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "agent",
            Self::Tool { .. } => "tool",
            Self::Ask { .. } => "ask",
            Self::Check => "check",
        }
    }
}

/// The hint of a proposal: `(tool: operation → target)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Hint {
    /// Tool.
    pub tool: Option<String>,
    /// Operation, maybe several words.
    pub operation: Option<String>,
    /// What it acts on.
    pub target: Option<String>,
}

/// What earlier runs left in the file about a step, by field name: see [`STEP_RECORD`].
// A map of its own would take a kilobyte for each of a hundred thousand steps.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub struct StepRecord(Vec<(&'static str, Value)>);

impl StepRecord {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(field, _)| *field == name);
        found.map(|(_, value)| value)
    }

    /// Sets a field.
    pub fn insert(&mut self, name: &'static str, value: Value) {
        match self.0.binary_search_by_key(&name, |(field, _)| *field) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Takes a field away.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(field, _)| *field != name);
    }

    /// Takes all fields away.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All of it as one object.
    pub fn to_value(&self) -> Value {
        let members = self.0.iter();
        members
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }
}

impl FromIterator<(&'static str, Value)> for StepRecord {
    fn from_iter<I: IntoIterator<Item = (&'static str, Value)>>(fields: I) -> Self {
        let mut record = Self::default();
        for (name, value) in fields {
            record.insert(name, value);
        }
        record
    }
}

/// Fields of [`Step::record`]: what earlier runs left in the file. None is part of the digest.
pub const STEP_RECORD: [&str; 10] = [
    "affected_files",
    "completed_at",
    "error",
    "estimated_effort",
    "executed_by",
    "output",
    "priority",
    "result",
    "started_at",
    "tags",
];

/// What a step waits for.
// Most plans are sequential: ten thousand lists of all the steps before would be fifty million ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Depends {
    /// Every step before it.
    #[default]
    AllBefore,
    /// The steps at these positions, in plan order; never all steps before.
    On(Vec<u32>),
}

impl Depends {
    /// What the step at `at` waits for if it names these positions.
    pub fn from_positions(at: usize, mut positions: Vec<u32>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        let in_order = (0..)
            .zip(&positions)
            .all(|(index, position)| index == *position);
        if positions.len() == at && in_order {
            Self::AllBefore
        } else {
            Self::On(positions)
        }
    }
}

/// Context put into the prompt of an agent step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subscription {
    /// A file, or some lines of it.
    File {
        /// Path within the workspace.
        path: String,
        /// First and last line, from 1, both included.
        lines: Option<(u32, u32)>,
    },
    /// A note `topics/NAME.md`.
    Topic(String),
}

impl fmt::Display for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, lines: None } => write!(f, "file:{path}"),
            Self::File {
                path,
                lines: Some((from, to)),
            } => write!(f, "file:{path}#L{from}-L{to}"),
            Self::Topic(name) => write!(f, "topic:{name}"),
        }
    }
}
