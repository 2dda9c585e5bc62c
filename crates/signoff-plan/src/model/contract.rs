//! What decides whether a step is done, and what happens if it is not.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::Work;

/// The command that decides whether a step is done.
#[derive(Debug, Clone, PartialEq, Hash)]
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
    /// Having fewer tests than before is not a failure.
    pub fewer_tests_allowed: bool,
    /// The contract need not hold again at the end of the run.
    pub holds_once: bool,
}

impl Contract {
    /// A contract with nothing but a command.
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
            Self::StdoutContains(text) => write!(f, "stdout contains {}", quote(text)),
            Self::StdoutEquals(text) => write!(f, "stdout == {}", quote(text)),
            Self::StderrContains(text) => write!(f, "stderr contains {}", quote(text)),
            Self::TestsRunAtLeast(count) => write!(f, "tests_run >= {count}"),
        }
    }
}

/// Text as a JSON string, which is how conditions spell it.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// What happens when a contract does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OnFail {
    /// Attempts after the first one.
    pub retries: u32,
    /// Which failures they are for.
    pub failures: RetriedFailures,
    /// What happens once they are used up.
    pub then: FailAction,
}

impl OnFail {
    /// The policy of the native dialect.
    pub const DEFAULT: Self = Self {
        retries: 2,
        failures: RetriedFailures::Every,
        then: FailAction::Escalate,
    };

    /// The same policy for a step that does this work and says nothing of its own: a call that failed
    /// for good would fail again, so only passing troubles are worth another one.
    #[must_use]
    pub fn default_for(self, work: &Work) -> Self {
        let failures = match work {
            Work::Tool { .. } if self.retries > 0 => RetriedFailures::Transient,
            Work::Tool { .. } | Work::Agent { .. } | Work::Ask { .. } | Work::Check => {
                RetriedFailures::Every
            }
        };
        Self { failures, ..self }
    }
}

/// The failures after which a step is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetriedFailures {
    /// Whatever went wrong.
    Every,
    /// Failures of tool calls that may be temporary: a time limit, a lost connection, a server that is busy.
    Transient,
}

impl Default for OnFail {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for OnFail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let then = self.then.name();
        match (self.retries, self.failures) {
            (0, _) => f.write_str(then),
            (retries, RetriedFailures::Every) => write!(f, "retry({retries}), then {then}"),
            (retries, RetriedFailures::Transient) => {
                write!(f, "retry({retries}, transient), then {then}")
            }
        }
    }
}

/// What happens once the retries are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
