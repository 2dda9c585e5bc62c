//! What the harness saw when it ran a contract.

use serde::{Deserialize, Serialize};

use crate::changes::Changes;

/// How a process ended: `{"exit_code": 1}`, `{"signal": 9}`, `"timed_out"`,
/// `"over_budget"` or `{"not_started": "why"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Ended")
)]
pub enum ProcessEnd {
    #[serde(rename = "exit_code")]
    Exited(i32),
    #[serde(rename = "signal")]
    Signaled(i32),
    TimedOut,
    /// The harness stopped an agent at a limit of tokens or money.
    OverBudget,
    /// It could not be started; the reason.
    NotStarted(String),
}

impl ProcessEnd {
    pub fn succeeded(&self) -> bool {
        *self == Self::Exited(0)
    }
}

impl std::fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signaled(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => write!(f, "time limit reached"),
            Self::OverBudget => write!(f, "stopped at its budget"),
            Self::NotStarted(reason) => write!(f, "not started: {reason}"),
        }
    }
}

/// What the harness saw when it ran a contract; in the journal, the texts are the last part of long
/// output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Observed")
)]
pub struct Observation {
    pub ended: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
    /// Output so long that its middle was not kept.
    #[serde(default)]
    pub cut: bool,
    pub duration_ms: u64,
    /// Files that the command changed; they were thrown away with its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Tests that ran, as far as the output tells; found out when the observation is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsRun>,
    /// The git tree it was made on, if there is git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What the step had changed when it ran, where that was looked at once more: after an attempt
    /// that was cut off, and after a person's repair.
    // Boxed: it is rarely there, and elsewhere costs a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Box<Changes>>,
    /// How the tree was shown to the command: `overlay`, `copy` or `shared`; absent = not recorded.
    #[serde(rename = "room", default, skip_serializing_if = "Option::is_none")]
    pub overlay_mode: Option<String>,
    /// The machine that ran it, where several share the run: its name, key and own terms.
    // Boxed: it is rarely there, and elsewhere costs a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Box<str>>,
    /// It reused what an earlier evaluation had built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm: bool,
    /// It found in ignored directories what attempts had left there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored_work: bool,
    /// Why it is unknown what it saw: something changed in the checkout while it ran. It is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// Ignored paths that were kept from it because a person changed them since the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// How many tests ran, and which runner says so: numbers of different runners cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The names of those that count in `run`, where all of them were printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Text kept in the journal of each stream, from its end.
const JOURNALED: usize = 4000;

/// Output that a condition may read.
const READABLE: usize = 64 * 1024;

impl Observation {
    /// An observation of which only the end of the command is known.
    pub fn new(ended: ProcessEnd) -> Self {
        Self {
            ended,
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
            duration_ms: 0,
            wrote: Vec::new(),
            tests: None,
            tree: None,
            changes: None,
            overlay_mode: None,
            machine: None,
            warm: false,
            ignored_work: false,
            void: None,
            left_out: Vec::new(),
        }
    }

    /// Why a failure of this run does not count.
    pub fn inconclusive_reason(&self) -> Option<String> {
        let left_out = || {
            let names: Vec<String> = self
                .left_out
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            (!names.is_empty()).then(|| {
                format!(
                    "{} changed in the checkout since the run began and was left out of this contract: let `[run] prepare` or the contract make it, or leave it alone and answer `retry`",
                    names.join(", ")
                )
            })
        };
        self.void.clone().or_else(left_out)
    }

    /// What the journal keeps: the end of the output, which people and retries need.
    pub(crate) fn shorten(self) -> Self {
        Self {
            stdout: tail(self.stdout),
            stderr: tail(self.stderr),
            ..self
        }
    }

    /// What the journal keeps if a condition reads the output: more of it, with `cut` if it is not complete.
    pub(crate) fn readable(self) -> Self {
        Self {
            cut: self.cut || self.stdout.len() > READABLE,
            stdout: readable(self.stdout),
            stderr: tail(self.stderr),
            ..self
        }
    }
}

/// The last part of a text that is too long to record.
pub(crate) fn tail(text: String) -> String {
    last(text, JOURNALED)
}

/// As much of a text as conditions and references may read.
pub(crate) fn readable(text: String) -> String {
    last(text, READABLE)
}

fn last(text: String, limit: usize) -> String {
    let mut from = text.len().saturating_sub(limit);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    match text.get(from..) {
        Some(end) if from > 0 => end.to_owned(),
        Some(_) | None => text,
    }
}
