//! The resolved plan: ids, dependencies and defaults are explicit. Dialects produce a
//! [`Draft`](crate::draft::Draft), [`check`](crate::check) turns it into this.
//!
//! These types are neither a file format nor a wire format: the dialects and `signoff-api` are.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// A whole plan, as every part of the system after the checks sees it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Explicit id; a plan without one is known by its path.
    pub id: Option<String>,
    /// Title as written; see [`Plan::display_title`] for the fallback.
    pub title: Option<String>,
    /// The original request.
    pub task: Option<String>,
    /// Narrative: why, and what to know.
    pub context: Option<String>,
    /// The status written in the file: a mark, never believed.
    pub status: Option<String>,
    /// Version; what it counts depends on the dialect.
    pub version: Option<u64>,
    /// The role that owns execution.
    pub owner: Option<String>,
    /// Id of the plan this one replaces.
    pub previous: Option<String>,
    /// Limits over the whole plan.
    pub budget: Budget,
    /// Priority, in the author's word.
    pub priority: Option<String>,
    /// Tool scope; `None` is every configured tool.
    pub tools: Option<Vec<String>>,
    /// What the work must respect.
    pub constraints: Vec<String>,
    /// Template parameters with their defaults.
    pub params: BTreeMap<String, Value>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// Model for agents that do not name their own.
    pub executor_model: Option<String>,
    /// What is kept about the plan and decides nothing, by field name: see [`PLAN_RECORD`].
    pub record: BTreeMap<String, Value>,
    /// The steps, in plan order.
    pub steps: Vec<Step>,
}

/// Fields of [`Plan::record`]. None of them is part of the digest.
pub const PLAN_RECORD: [&str; 18] = [
    "artifacts",
    "complexity",
    "created_at",
    "created_by",
    "current_step_index",
    "estimated_duration",
    "execution_ended_at",
    "execution_session",
    "execution_started_at",
    "informed_by",
    "other",
    "planner_model",
    "rejections",
    "result_summary",
    "tags",
    "task_id",
    "tool_outputs",
    "updated_at",
];

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

impl Plan {
    /// The title, else the task, else the id.
    pub fn display_title(&self) -> &str {
        self.title
            .as_deref()
            .or(self.task.as_deref())
            .or(self.id.as_deref())
            .unwrap_or("untitled")
    }

    /// Positions of the steps that the step at `at` waits for, in plan order.
    pub fn dependencies(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let depends = self.steps.get(at).map(|step| &step.depends_on);
        let (all, some): (usize, &[u32]) = match depends {
            Some(Depends::AllBefore) => (at, &[]),
            Some(Depends::On(positions)) => (0, positions),
            None => (0, &[]),
        };
        (0..all).chain(some.iter().filter_map(|at| usize::try_from(*at).ok()))
    }

    /// Ids of the steps that the step at `at` waits for, in plan order.
    pub fn dependency_ids(&self, at: usize) -> impl Iterator<Item = &str> + '_ {
        self.dependencies(at)
            .filter_map(|at| Some(self.steps.get(at)?.id.as_str()))
    }

    /// Whether spelling out "every step before" would take more names than anybody reads: in a long
    /// sequence they grow with the square of its steps.
    pub fn has_too_many_names(&self) -> bool {
        let steps = self.steps.iter().enumerate();
        let all_before = steps.filter(|(_, step)| step.depends_on == Depends::AllBefore);
        all_before.map(|(at, _)| at).sum::<usize>() > NAMES
    }

    /// Ids of the steps that the step at `at` waits for, without those that follow from the rest:
    /// whoever waits for a step that waits for every one before it, waits for these too.
    pub fn nearest_dependency_ids(&self, at: usize) -> impl Iterator<Item = &str> + '_ {
        let waits_for_all = |at: &usize| {
            let step = self.steps.get(*at);
            step.is_some_and(|step| step.depends_on == Depends::AllBefore)
        };
        let (all, named) = if waits_for_all(&at) {
            let first = (0..at).rev().find(waits_for_all);
            (first.unwrap_or(0)..at, None)
        } else {
            (0..0, Some(self.dependency_ids(at)))
        };
        let all = all.filter_map(|at| Some(self.steps.get(at)?.id.as_str()));
        all.chain(named.into_iter().flatten())
    }

    /// Position of the step with this id.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id == id)
    }
}

/// Whether a text can be the id of a plan or a step.
pub fn is_id(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.chars().all(part)
}

/// How many steps may be named to spell out "every step before", over all steps together.
const NAMES: usize = 500_000;

/// Limits over a plan or one step; absent = unlimited.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budget {
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// US dollars, in hundredths of a cent, so that equality and digests are exact.
    pub usd_e4: Option<u64>,
    /// Time by the clock, waiting on a person excluded.
    pub wall: Option<Duration>,
    /// Agent processes started.
    pub agents: Option<u64>,
}

impl Budget {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a step waits for.
// Most plans are sequential: ten thousand lists of all the steps before would be fifty million ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Depends {
    /// Every step before it.
    #[default]
    AllBefore,
    /// The steps at these positions, in plan order; never all steps before.
    On(Vec<u32>),
}

impl Depends {
    /// What the step at `at` waits for if it names these positions.
    pub fn on(at: usize, mut positions: Vec<u32>) -> Self {
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

/// One step. [`Step::new`] has what holds where nothing is said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// Explicit id, else `step-N`.
    pub id: String,
    /// Position, from 1.
    pub number: usize,
    /// Title, without marks.
    pub title: String,
    /// The file says it is done; only a contract can confirm that.
    pub claimed: bool,
    /// What else the file says of how far it is: `failed`, `skipped`, `running`, `ready`, `blocked`.
    /// A mark, never believed.
    pub mark: Option<String>,
    /// The steps this one waits for; [`Plan::dependencies`] lists them.
    pub depends_on: Depends,
    /// What is done.
    pub work: Work,
    /// What decides whether it is done.
    pub contract: Option<Contract>,
    /// What happens when the contract does not hold.
    pub on_fail: OnFail,
    /// Context for the agent's prompt.
    pub subscriptions: Vec<Subscription>,
    /// Globs the step writes.
    pub produces: Vec<String>,
    /// Globs nobody may change while it runs.
    pub protects: Vec<String>,
    /// Tool scope; `None` is the plan's.
    pub tools: Option<Vec<String>>,
    /// A person must approve before the work starts.
    pub approval: bool,
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
    /// `false`: after its retries the run goes on without it.
    pub critical: bool,
    /// Named locks held while it runs.
    pub locks: Vec<String>,
    /// Where its work happens; `None` is the configured way.
    pub isolation: Option<String>,
    /// Acceptance criteria.
    pub acceptance: Vec<String>,
    /// Subtasks.
    pub subtasks: Vec<String>,
    /// Further instructions.
    pub instructions: Option<String>,
    /// Tool named in passing.
    pub hint: Option<Hint>,
    /// What earlier runs left in the file, by field name: see [`STEP_RECORD`].
    pub record: BTreeMap<String, Value>,
}

impl Step {
    /// How many items a loop may have unless it says otherwise.
    pub const MAX_ITEMS: u64 = 100;

    /// A step of which nothing is said but what it is called.
    pub fn new(id: String, number: usize) -> Self {
        Self {
            id,
            number,
            critical: true,
            ..Self::default()
        }
    }
}

/// What is done in a step.
#[derive(Debug, Clone, PartialEq, Default)]
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hint {
    /// Tool.
    pub tool: Option<String>,
    /// Operation, maybe several words.
    pub operation: Option<String>,
    /// What it acts on.
    pub target: Option<String>,
}

/// The command that decides whether a step is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// Shell text with LF line ends, otherwise byte-exact.
    pub command: String,
    /// `None` = the configured shell.
    pub shell: Option<String>,
    /// Never empty after the checks: `exit_code == 0` is filled in.
    pub expect: Vec<Condition>,
    /// Time limit; `None` is the configured one.
    pub timeout: Option<Duration>,
    /// Run once before the work, to see it red.
    pub baseline: bool,
    /// Fewer tests than before are no reason to fail.
    pub fewer_tests_allowed: bool,
    /// The contract need not hold again at the end of the run.
    pub holds_once: bool,
}

impl Contract {
    /// A contract of which nothing is said but its command.
    pub fn new(command: String) -> Self {
        Self {
            command,
            shell: None,
            expect: vec![Condition::DEFAULT],
            timeout: None,
            baseline: true,
            fewer_tests_allowed: false,
            holds_once: false,
        }
    }
}

/// One typed condition on what a contract run showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `exit_code == N`
    ExitCode(i32),
    /// `stdout contains "…"`
    StdoutContains(String),
    /// `stdout == "…"`
    StdoutEquals(String),
    /// `stderr contains "…"`
    StderrContains(String),
    /// `tests_run >= N`
    TestsRunAtLeast(u64),
}

impl Condition {
    /// What holds where a contract says nothing.
    pub const DEFAULT: Self = Self::ExitCode(0);
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExitCode(code) => write!(f, "exit_code == {code}"),
            Self::StdoutContains(text) => write!(f, "stdout contains {}", quoted(text)),
            Self::StdoutEquals(text) => write!(f, "stdout == {}", quoted(text)),
            Self::StderrContains(text) => write!(f, "stderr contains {}", quoted(text)),
            Self::TestsRunAtLeast(count) => write!(f, "tests_run >= {count}"),
        }
    }
}

/// Text as a JSON string, which is how conditions spell it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// What happens when a contract does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnFail {
    /// Attempts after the first one.
    pub retries: u32,
    /// What happens once they are used up.
    pub then: FailAction,
}

impl OnFail {
    /// The policy of the native dialect, and what the digest leaves out.
    pub const DEFAULT: Self = Self {
        retries: 2,
        then: FailAction::Escalate,
    };
}

impl Default for OnFail {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for OnFail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.retries {
            0 => f.write_str(self.then.name()),
            retries => write!(f, "retry({retries}), then {}", self.then.name()),
        }
    }
}

/// What happens once the retries are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailAction {
    /// A person decides.
    Escalate,
    /// The run ends as failed.
    Abort,
    /// The step is skipped, its dependents blocked.
    Skip,
    /// A new plan is written.
    Replan,
    /// A recovery is attempted.
    Recover,
}

impl FailAction {
    /// Every action.
    pub const ALL: [Self; 5] = [
        Self::Escalate,
        Self::Abort,
        Self::Skip,
        Self::Replan,
        Self::Recover,
    ];

    /// The word for it in every dialect.
    pub fn name(self) -> &'static str {
        match self {
            Self::Escalate => "escalate",
            Self::Abort => "abort",
            Self::Skip => "skip",
            Self::Replan => "replan",
            Self::Recover => "recover",
        }
    }
}

/// Context put into the prompt of an agent step.
#[derive(Debug, Clone, PartialEq, Eq)]
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
