//! The parts that events are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;

/// Declares a wire enum that mirrors an engine enum of the same variants, with both conversions:
/// the two may drift apart only by failing to compile.
macro_rules! mirrored {
    ($(#[$doc:meta])* $name:ident = $engine:ty { $($variant:ident),+ $(,)? } $style:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = $style)]
        pub enum $name { $($variant),+ }

        impl From<$engine> for $name {
            fn from(value: $engine) -> Self {
                match value { $(<$engine>::$variant => Self::$variant),+ }
            }
        }

        impl From<$name> for $engine {
            fn from(value: $name) -> Self {
                match value { $($name::$variant => Self::$variant),+ }
            }
        }
    };
}

mirrored! {
    /// Only `pass` advances a plan.
    Verdict = engine::Verdict { Pass, Fail, Inconclusive } "snake_case"
}
mirrored! {
    /// How we know that a step is done.
    Grade = engine::Grade { Proved, Held, Observed, Accepted } "snake_case"
}
mirrored! {
    /// How a run ended.
    Outcome = engine::Outcome { Completed, Partial, Failed } "snake_case"
}
mirrored! {
    /// Why a person is asked.
    ItemKind = engine::ItemKind {
        Escalation, Acceptance, Budget, Approval, Question, UnknownCall, Revision,
    } "snake_case"
}
mirrored! {
    /// A person's answer.
    Choice = engine::Choice {
        Retry, Fixed, Accept, Refuse, Allow, Approve, Deny, Reply, Happened, Revise, Skip, Abort,
    } "snake_case"
}
mirrored! {
    /// When a person is asked about agent steps that have no contract.
    Accept = engine::Accept { End, Step } "snake_case"
}
mirrored! {
    /// What becomes of an agent step whose contract holds before the work.
    Green = engine::Green { Run, Skip, Ask } "snake_case"
}
mirrored! {
    /// Which tree a run works on: the checkout, or a worktree of its own.
    Isolation = engine::Isolation { Shared, Worktree } "snake_case"
}
mirrored! {
    /// When what a run did comes into the checkout: each step's files at once, or all of it at the end.
    Land = engine::Land { Step, End } "snake_case"
}
mirrored! {
    /// Whether contracts find what earlier contracts of the run built in ignored directories.
    Cache = engine::Cache { Cold, Warm } "snake_case"
}
mirrored! {
    /// Where a step sits in a run that works in worktrees: in its own, in the run's tree, or in the merge queue.
    Seat = engine::Seat { Worktree, RunTree, MergeQueue } "snake_case"
}
mirrored! {
    /// Seed 002's kinds of work.
    WorkKind = engine::WorkKind { Code, Review } "SCREAMING_SNAKE_CASE"
}
mirrored! {
    /// Why a run stands still.
    PauseReason = engine::PauseReason { Waiting, Interrupted, Changed, Requested, Limited } "snake_case"
}

/// What qualifies a grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Confinement really enforced.
    pub sandbox: String,
    /// Was marked done by someone else.
    pub claimed: bool,
    /// The harness died while the agent worked.
    pub interrupted: bool,
    /// The agent did not end well, yet its contract went red → green.
    pub agent_failed: bool,
    pub repaired_by: Option<String>,
    pub accepted_by: Option<String>,
    /// Files changed in this step that the contract reads or that configure its runner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judge_changed: Vec<String>,
    /// The work changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_change: bool,
    /// Tests that ran before and after the work: a hint read from output, never the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsSeen>,
    /// Files that the contract changed when it ran; they were thrown away with its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract_writes: Vec<String>,
    /// The git tree that the verdict was made on, or the last one known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The commit that the step was merged as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why the contract holds and yet does not prove the step; absent where it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_proved: Vec<String>,
    /// How the tree was shown to the contract: `overlay`, `copy` or `shared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
}

/// Numbers of tests that ran, as far as the output told them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestsSeen {
    pub before: Option<u64>,
    pub after: Option<u64>,
}

impl From<engine::TestsSeen> for TestsSeen {
    fn from(engine::TestsSeen { before, after }: engine::TestsSeen) -> Self {
        Self { before, after }
    }
}

impl From<TestsSeen> for engine::TestsSeen {
    fn from(TestsSeen { before, after }: TestsSeen) -> Self {
        Self { before, after }
    }
}

impl From<engine::Facts> for Facts {
    fn from(facts: engine::Facts) -> Self {
        let engine::Facts {
            sandbox,
            claimed,
            interrupted,
            agent_failed,
            repaired_by,
            accepted_by,
            judge_changed,
            no_change,
            tests,
            contract_writes,
            tree,
            commit,
            not_proved,
            room,
        } = facts;
        Self {
            sandbox,
            claimed,
            interrupted,
            agent_failed,
            repaired_by,
            accepted_by,
            judge_changed,
            no_change,
            tests: tests.map(Into::into),
            contract_writes,
            tree,
            commit,
            not_proved,
            room,
        }
    }
}

impl From<Facts> for engine::Facts {
    fn from(facts: Facts) -> Self {
        let Facts {
            sandbox,
            claimed,
            interrupted,
            agent_failed,
            repaired_by,
            accepted_by,
            judge_changed,
            no_change,
            tests,
            contract_writes,
            tree,
            commit,
            not_proved,
            room,
        } = facts;
        Self {
            sandbox,
            claimed,
            interrupted,
            agent_failed,
            repaired_by,
            accepted_by,
            judge_changed,
            no_change,
            tests: tests.map(Into::into),
            contract_writes,
            tree,
            commit,
            not_proved,
            room,
        }
    }
}

/// Settings the run was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    pub backoff_ms: u64,
    pub baseline: bool,
    #[serde(default = "all_the_same")]
    pub green: Green,
    /// Runs of the first versions asked at each step and did not say so.
    #[serde(default = "at_each_step")]
    pub accept: Accept,
    /// Steps under way at once; runs of the first versions had one.
    #[serde(default = "one")]
    pub jobs: usize,
    pub sandbox: String,
    /// Which tree it works on; runs of the first versions worked in the checkout.
    #[serde(default = "in_place")]
    pub isolation: Isolation,
    /// Runs of the first versions came into the checkout at the end.
    #[serde(default = "at_the_end")]
    pub land: Land,
    /// In runs of the first versions none did.
    #[serde(default = "cold")]
    pub cache: Cache,
}

fn cold() -> Cache {
    Cache::Cold
}

fn at_the_end() -> Land {
    Land::End
}

fn in_place() -> Isolation {
    Isolation::Shared
}

fn all_the_same() -> Green {
    Green::Run
}

fn one() -> usize {
    1
}

fn at_each_step() -> Accept {
    Accept::Step
}

impl From<engine::Settings> for Settings {
    fn from(settings: engine::Settings) -> Self {
        let engine::Settings {
            backoff,
            baseline,
            green,
            accept,
            jobs,
            sandbox,
            isolation,
            land,
            cache,
        } = settings;
        Self {
            backoff_ms: backoff,
            baseline,
            green: green.into(),
            accept: accept.into(),
            jobs,
            sandbox,
            isolation: isolation.into(),
            land: land.into(),
            cache: cache.into(),
        }
    }
}

impl From<Settings> for engine::Settings {
    fn from(settings: Settings) -> Self {
        let Settings {
            backoff_ms,
            baseline,
            green,
            accept,
            jobs,
            sandbox,
            isolation,
            land,
            cache,
        } = settings;
        Self {
            backoff: backoff_ms,
            baseline,
            green: green.into(),
            accept: accept.into(),
            jobs,
            sandbox,
            isolation: isolation.into(),
            land: land.into(),
            cache: cache.into(),
        }
    }
}

/// How a process ended: `{"exit_code": 1}`, `{"signal": 9}`, `"timed_out"` or
/// `{"not_started": "why"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    ExitCode(i32),
    Signal(i32),
    TimedOut,
    NotStarted(String),
}

impl From<engine::ProcessEnd> for Ended {
    fn from(ended: engine::ProcessEnd) -> Self {
        match ended {
            engine::ProcessEnd::Exited(code) => Self::ExitCode(code),
            engine::ProcessEnd::Signaled(signal) => Self::Signal(signal),
            engine::ProcessEnd::TimedOut => Self::TimedOut,
            engine::ProcessEnd::NotStarted(reason) => Self::NotStarted(reason),
        }
    }
}

impl From<Ended> for engine::ProcessEnd {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::ExitCode(code) => Self::Exited(code),
            Ended::Signal(signal) => Self::Signaled(signal),
            Ended::TimedOut => Self::TimedOut,
            Ended::NotStarted(reason) => Self::NotStarted(reason),
        }
    }
}

/// What the harness saw when it ran a contract; the texts are the last part of long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    pub ended: Ended,
    pub stdout: String,
    pub stderr: String,
    /// Output so long that its middle was not kept.
    #[serde(default)]
    pub cut: bool,
    pub duration_ms: u64,
    /// Files that the command changed; they were thrown away with its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Tests that ran, where the output tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsRun>,
    /// The git tree it was made on, if there is git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What the step had changed by then, where that was looked at once more (it was cut off, or
    /// repaired by hand).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// How the tree was shown to the command: `overlay`, `copy` or `shared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// It reused what an earlier evaluation had built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm: bool,
    /// It found in ignored directories what attempts had left there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored_work: bool,
    /// Why nobody knows what it saw: something changed in the checkout while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// Ignored paths that were kept from it because a person changed them since the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// How many tests ran, and which runner says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestsRun {
    /// Before the work those that passed or failed; after it those that passed.
    pub run: u64,
    /// Those that failed, and what could not even be loaded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// Those that were skipped, ignored or expected to fail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u32,
    pub runner: String,
    /// The names of those that count in `run`, where all of them were told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl From<engine::TestsRun> for TestsRun {
    fn from(
        engine::TestsRun {
            run,
            failed,
            skipped,
            runner,
            names,
        }: engine::TestsRun,
    ) -> Self {
        Self {
            run,
            failed,
            skipped,
            runner,
            names,
        }
    }
}

impl From<TestsRun> for engine::TestsRun {
    fn from(
        TestsRun {
            run,
            failed,
            skipped,
            runner,
            names,
        }: TestsRun,
    ) -> Self {
        Self {
            run,
            failed,
            skipped,
            runner,
            names,
        }
    }
}

impl From<engine::Observation> for Observed {
    fn from(seen: engine::Observation) -> Self {
        let engine::Observation {
            ended,
            stdout,
            stderr,
            cut,
            duration_ms,
            wrote,
            tests,
            tree,
            changes,
            room,
            warm,
            ignored_work,
            void,
            left_out,
        } = seen;
        Self {
            ended: ended.into(),
            stdout,
            stderr,
            cut,
            duration_ms,
            wrote,
            tests: tests.map(Into::into),
            tree,
            changes: changes.map(|changes| (*changes).into()),
            room,
            warm,
            ignored_work,
            void,
            left_out,
        }
    }
}

impl From<Observed> for engine::Observation {
    fn from(seen: Observed) -> Self {
        let Observed {
            ended,
            stdout,
            stderr,
            cut,
            duration_ms,
            wrote,
            tests,
            tree,
            changes,
            room,
            warm,
            ignored_work,
            void,
            left_out,
        } = seen;
        Self {
            ended: ended.into(),
            stdout,
            stderr,
            cut,
            duration_ms,
            wrote,
            tests: tests.map(Into::into),
            tree,
            changes: changes.map(|changes| Box::new(changes.into())),
            room,
            warm,
            ignored_work,
            void,
            left_out,
        }
    }
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    pub tool: String,
    pub args: serde_json::Value,
    /// Making it twice does no harm.
    pub repeatable: bool,
    /// It may change the tree.
    pub changes_tree: bool,
}

impl From<engine::Call> for Call {
    fn from(call: engine::Call) -> Self {
        let engine::Call {
            tool,
            args,
            repeatable,
            changes_tree,
        } = call;
        Self {
            tool,
            args,
            repeatable,
            changes_tree,
        }
    }
}

impl From<Call> for engine::Call {
    fn from(call: Call) -> Self {
        let Call {
            tool,
            args,
            repeatable,
            changes_tree,
        } = call;
        Self {
            tool,
            args,
            repeatable,
            changes_tree,
        }
    }
}

/// How a call ended: `{"done": RESULT}` or `{"failed": {…}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    Done(serde_json::Value),
    Failed {
        message: String,
        /// It may go better the next time.
        transient: bool,
        /// It was cut off, and may have taken place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unknown: bool,
    },
}

impl From<engine::CallEnd> for CallEnd {
    fn from(end: engine::CallEnd) -> Self {
        match end {
            engine::CallEnd::Done(value) => Self::Done(value),
            engine::CallEnd::Failed {
                message,
                transient,
                unknown,
            } => Self::Failed {
                message,
                transient,
                unknown,
            },
        }
    }
}

impl From<CallEnd> for engine::CallEnd {
    fn from(end: CallEnd) -> Self {
        match end {
            CallEnd::Done(value) => Self::Done(value),
            CallEnd::Failed {
                message,
                transient,
                unknown,
            } => Self::Failed {
                message,
                transient,
                unknown,
            },
        }
    }
}

/// What changed while the work was under way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Paths; absent = nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Protected files among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    #[serde(flatten)]
    pub details: ChangeDetails,
}

/// What is worth knowing of changed files beyond their names. Each list holds some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ChangeDetails {
    /// Symbolic links that lead out of the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links_out: Vec<String>,
    /// Files that Python loads in the place of a module that was there before, and compiled ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hides: Vec<String>,
    /// New files that are Python modules with the name of one of Python's own or of a runner's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_modules: Vec<String>,
    /// Those of them that do not lie in a package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loose_modules: Vec<String>,
    /// Symbolic links that differ or lead to something that differs, with what they lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkEnd>,
    /// New files that configure a runner by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Those of them that lie where no runner could be started before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<String>,
    /// Manifests that differ in what says which tests there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selects: Vec<String>,
}

/// A symbolic link that leads to something inside of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkEnd {
    pub link: String,
    /// What it leads to in the end; empty = the root.
    pub end: String,
}

impl From<engine::ChangeDetails> for ChangeDetails {
    fn from(details: engine::ChangeDetails) -> Self {
        let engine::ChangeDetails {
            links_out,
            hides,
            new_modules,
            loose_modules,
            links,
            added,
            apart,
            selects,
        } = details;
        Self {
            links_out,
            hides,
            new_modules,
            loose_modules,
            links: links
                .into_iter()
                .map(|engine::LinkEnd { link, end }| LinkEnd { link, end })
                .collect(),
            added,
            apart,
            selects,
        }
    }
}

impl From<ChangeDetails> for engine::ChangeDetails {
    fn from(details: ChangeDetails) -> Self {
        let ChangeDetails {
            links_out,
            hides,
            new_modules,
            loose_modules,
            links,
            added,
            apart,
            selects,
        } = details;
        Self {
            links_out,
            hides,
            new_modules,
            loose_modules,
            links: links
                .into_iter()
                .map(|LinkEnd { link, end }| engine::LinkEnd { link, end })
                .collect(),
            added,
            apart,
            selects,
        }
    }
}

impl From<engine::Changes> for Changes {
    fn from(changes: engine::Changes) -> Self {
        let engine::Changes {
            files,
            protected,
            details,
        } = changes;
        Self {
            files,
            protected,
            details: (*details).into(),
        }
    }
}

impl From<Changes> for engine::Changes {
    fn from(changes: Changes) -> Self {
        let Changes {
            files,
            protected,
            details,
        } = changes;
        Self {
            files,
            protected,
            details: Box::new(details.into()),
        }
    }
}

/// Identity of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    pub pid: u32,
    pub starttime: u64,
    pub boot_id: String,
}

impl From<engine::Process> for Process {
    fn from(process: engine::Process) -> Self {
        let engine::Process {
            pid,
            starttime,
            boot_id,
        } = process;
        Self {
            pid,
            starttime,
            boot_id,
        }
    }
}

impl From<Process> for engine::Process {
    fn from(process: Process) -> Self {
        let Process {
            pid,
            starttime,
            boot_id,
        } = process;
        Self {
            pid,
            starttime,
            boot_id,
        }
    }
}

/// Seed 002's `WorkItem`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkItem {
    pub agent_id: String,
    #[serde(rename = "type")]
    pub kind: WorkKind,
    pub input: WorkInput,
    pub payload: WorkPayload,
}

/// The prompt (only its beginning where it is long) and the sha256 of its whole text, which is kept
/// beside the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkInput {
    pub prompt: String,
    pub prompt_sha256: String,
}

/// Where a `WorkItem` comes from and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkPayload {
    pub subscriptions: Vec<String>,
    pub plan_id: String,
    pub step: usize,
}

impl From<engine::WorkItem> for WorkItem {
    fn from(item: engine::WorkItem) -> Self {
        let engine::WorkItem {
            agent_id,
            kind,
            prompt,
            prompt_sha256,
            subscriptions,
            plan_id,
            number,
        } = item;
        Self {
            agent_id,
            kind: kind.into(),
            input: WorkInput {
                prompt,
                prompt_sha256,
            },
            payload: WorkPayload {
                subscriptions,
                plan_id,
                step: number,
            },
        }
    }
}

impl From<WorkItem> for engine::WorkItem {
    fn from(item: WorkItem) -> Self {
        let WorkItem {
            agent_id,
            kind,
            input,
            payload,
        } = item;
        Self {
            agent_id,
            kind: kind.into(),
            prompt: input.prompt,
            prompt_sha256: input.prompt_sha256,
            subscriptions: payload.subscriptions,
            plan_id: payload.plan_id,
            number: payload.step,
        }
    }
}

/// The word for a step's status.
pub fn step_status(status: engine::StepStatus) -> &'static str {
    match status {
        engine::StepStatus::Pending => "pending",
        engine::StepStatus::Blocked => "blocked",
        engine::StepStatus::Ready => "ready",
        engine::StepStatus::Running => "running",
        engine::StepStatus::Verifying => "verifying",
        engine::StepStatus::Waiting => "waiting",
        engine::StepStatus::Completed => "completed",
        engine::StepStatus::Failed => "failed",
        engine::StepStatus::Skipped => "skipped",
    }
}

/// The word for what an item of the inbox is about.
pub fn item_kind_name(kind: engine::ItemKind) -> &'static str {
    match kind {
        engine::ItemKind::Escalation => "escalation",
        engine::ItemKind::Acceptance => "acceptance",
        engine::ItemKind::Budget => "budget",
        engine::ItemKind::Approval => "approval",
        engine::ItemKind::Question => "question",
        engine::ItemKind::UnknownCall => "unknown_call",
        engine::ItemKind::Revision => "revision",
    }
}

/// The word for an outcome.
pub fn outcome_name(outcome: engine::Outcome) -> &'static str {
    match outcome {
        engine::Outcome::Completed => "completed",
        engine::Outcome::Partial => "partial",
        engine::Outcome::Failed => "failed",
    }
}
