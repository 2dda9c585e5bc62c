//! A plan *as written*: what a dialect read, with the place of every value, before names are
//! resolved and defaults filled in.
//!
//! All dialects parse into this. Values with a grammar of their own (budgets, durations, failure
//! policies, conditions) stay text here: the checks read them, so that each is worded in one place.

mod field_at;

use std::ops::{Deref, DerefMut};

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::source::Span;
pub use crate::source::{CommandText, Piece, Spanned};
use crate::sparse::Sparse;
use crate::spelling::Dialect;

/// A plan as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// The spelling it was read from.
    pub dialect: Dialect,
    /// What could not be understood. Parsing never fails: the rest is here all the same.
    pub problems: Vec<Diagnostic>,
    /// Where to point when something that should be there is not.
    pub anchors: Anchors,
    /// What the file says it is (`type: plan`).
    pub kind: Option<Spanned<String>>,
    /// Explicit id.
    pub id: Option<Spanned<String>>,
    /// Title.
    pub title: Option<Spanned<String>>,
    /// The original request.
    pub task: Option<Spanned<String>>,
    /// Narrative, as one text.
    pub context: Option<Spanned<String>>,
    /// Status: a mark.
    pub status: Option<Spanned<String>>,
    /// Version.
    pub version: Option<Spanned<String>>,
    /// The role that owns execution.
    pub owner: Option<Spanned<String>>,
    /// Id of the plan this one replaces.
    pub previous: Option<Spanned<String>>,
    /// Budget, in the grammar of [`crate::check::budget_invalid`].
    pub budget: Option<Spanned<String>>,
    /// Priority.
    pub priority: Option<Spanned<String>>,
    /// Tool scope.
    pub tools: Option<Vec<Spanned<String>>>,
    /// Constraints.
    pub constraints: Vec<Spanned<String>>,
    /// Template parameters with their defaults.
    pub params: Vec<(Spanned<String>, Value)>,
    /// Risks.
    pub risks: Vec<Spanned<String>>,
    /// Model for agents that do not name their own.
    pub executor_model: Option<Spanned<String>>,
    /// Whose signatures the plan asks for.
    pub approval_required_from: Vec<Spanned<String>>,
    /// What agents receive beside their task.
    pub briefing: Option<Spanned<String>>,
    /// What is kept and decides nothing, by the names of [`crate::model::PLAN_RECORD`].
    pub record: Vec<(&'static str, Spanned<Value>)>,
    /// The steps, in the order they stand in.
    pub steps: Vec<DraftStep>,
}

impl Draft {
    /// A plan of which nothing has been read yet.
    pub fn empty(dialect: Dialect) -> Self {
        Self {
            dialect,
            ..Self::default()
        }
    }
}

/// Places that no value stands in, for messages and for edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anchors {
    /// The frontmatter, or where it would be.
    pub header: Span,
    /// Where a new `status` line can be inserted.
    pub insert_status: Option<usize>,
    /// Where the body begins.
    pub body: Span,
}

/// A step as written. What most steps do not have stands in [`DraftDetails`], whose fields can be used as
/// if they were its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftStep {
    /// Everything that belongs to the step.
    pub span: Span,
    /// The line that names it.
    pub heading: Span,
    /// Its number, if it has one.
    pub number: Option<Spanned<u64>>,
    /// What stands in place of a number where one heading means several steps (`3–N`, `N+1`).
    pub unexpanded: Option<Spanned<String>>,
    /// Title, without marks.
    pub title: Spanned<String>,
    /// Explicit id.
    pub id: Option<Spanned<String>>,
    /// Ids or numbers of other steps; `None` = not said, empty = none.
    pub depends_on: Option<Vec<Spanned<String>>>,
    /// Role of the agent.
    pub target: Option<Spanned<String>>,
    /// What the agent is asked to do.
    pub task: Option<Spanned<String>>,
    /// Tool the harness calls.
    pub tool: Option<Spanned<String>>,
    /// Arguments of the tool.
    pub args: Option<Spanned<Value>>,
    /// Places of everything in `args`, in the order it is written: the value itself; of an object each
    /// key and then its value, of a list each value; text without its quotes. Empty = not known.
    pub args_spans: Vec<Span>,
    /// Something stands in the place of `args` that could not be read; that has been reported.
    pub args_unread: bool,
    /// Marks that say how far the step is.
    pub marks: StepMarks,
    /// The contract.
    pub contract: Option<Box<DraftContract>>,
    /// A contract is begun, but has no command; that has been reported.
    pub contract_missing_command: bool,
    /// What earlier runs left, by the names of [`crate::model::STEP_RECORD`].
    pub record: Vec<(&'static str, Spanned<Value>)>,
    /// Everything else.
    pub(crate) details: Sparse<DraftDetails>,
}

impl Deref for DraftStep {
    type Target = DraftDetails;

    fn deref(&self) -> &DraftDetails {
        &self.details
    }
}

impl DerefMut for DraftStep {
    fn deref_mut(&mut self) -> &mut DraftDetails {
        &mut self.details
    }
}

/// What most steps do not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftDetails {
    /// Question for a person.
    pub ask: Option<Spanned<String>>,
    /// Answers to choose from.
    pub choices: Vec<Spanned<String>>,
    /// Failure policy.
    pub on_fail: Option<Spanned<String>>,
    /// `file:` and `topic:` references.
    pub subscriptions: Vec<Spanned<String>>,
    /// Globs the step writes.
    pub produces: Vec<Spanned<String>>,
    /// Globs of files that must not change while it runs.
    pub protects: Vec<Spanned<String>>,
    /// Tool scope.
    pub tools: Option<Vec<Spanned<String>>>,
    /// Whether a person must approve first.
    pub approval: Option<Spanned<String>>,
    /// Condition to run at all.
    pub when: Option<Spanned<String>>,
    /// Expression that yields a list.
    pub for_each: Option<Spanned<String>>,
    /// Limit of a loop.
    pub max_items: Option<Spanned<String>>,
    /// Time limit.
    pub timeout: Option<Spanned<String>>,
    /// Budget of this step.
    pub budget: Option<Spanned<String>>,
    /// `no`: the run goes on without it.
    pub critical: Option<Spanned<String>>,
    /// Named locks held while it runs.
    pub locks: Vec<Spanned<String>>,
    /// Where its work happens.
    pub isolation: Option<Spanned<String>>,
    /// Role of the model that reads the work when it is done.
    pub reviewer: Option<Spanned<String>>,
    /// Acceptance criteria.
    pub acceptance: Vec<Spanned<String>>,
    /// Subtasks.
    pub subtasks: Vec<Spanned<String>>,
    /// Detailed instructions.
    pub instructions: Option<Spanned<String>>,
    /// The hint of a proposal: tool, operation, target.
    pub hint: DraftHint,
}

crate::blank!(DraftDetails);

/// The hint of a proposal: `(tool: operation → target)`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DraftHint {
    /// Name of the tool.
    pub tool: Option<Spanned<String>>,
    /// What the tool is to do; may be several words.
    pub operation: Option<Spanned<String>>,
    /// What it is to do it to.
    pub target: Option<Spanned<String>>,
}

/// A contract as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftContract {
    /// The label or block it was read from.
    pub span: Span,
    /// Shell text.
    pub command: CommandText,
    /// Language named for the text, if any.
    pub shell: Option<Spanned<String>>,
    /// Conditions, one text each.
    pub expect: Vec<Spanned<String>>,
    /// Time limit.
    pub timeout: Option<Spanned<String>>,
    /// Whether it is run before the work.
    pub baseline: Option<Spanned<String>>,
    /// Whether fewer tests than before are allowed.
    pub fewer_tests: Option<Spanned<String>>,
    /// Whether it must hold again at the end.
    pub holds: Option<Spanned<String>>,
}

/// Marks that say how far a step is; never believed, never part of the digest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepMarks {
    /// `✅` in the heading, with the space that goes with it.
    pub ticks: Vec<Span>,
    /// Status lines.
    pub statuses: Vec<StatusMark>,
    /// Where a tick can be inserted.
    pub insert_tick: usize,
    /// Where a status line can be inserted: at the end of the last line with text.
    pub insert_status: usize,
}

/// A status line of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMark {
    /// The word.
    pub word: Spanned<String>,
    /// The whole line, without its line end.
    pub line: Span,
}
