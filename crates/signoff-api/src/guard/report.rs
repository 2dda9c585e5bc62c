//! `signoff.guard_decision/1`, `signoff.guard_report/1` and `signoff.guard_check/1`, `signoff.guard_plan_mode/1`: what the guard decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const LOG_SCHEMA: &str = "signoff.guard_decision/1";
pub const REPORT_SCHEMA: &str = "signoff.guard_report/1";
pub const CHECK_SCHEMA: &str = "signoff.guard_check/1";

pub const PLAN_MODE_SCHEMA: &str = "signoff.guard_plan_mode/1";

/// What `guard plan-mode` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardPlanMode {
    pub schema: String,
    pub session: String,
    /// Whether the session is in plan mode, as far as Signoff decides it: an agent may be in a plan mode of its own.
    pub on: bool,
}

/// One line of the guard's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoggedDecision {
    pub schema: String,
    /// When, in UTC.
    pub at: String,
    /// `claude`, `codex`, `gemini`, `opencode` or `pi`; `null` if the payload did not say.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The project's root; `null` outside of one.
    pub project: Option<String>,
    pub tool: Option<String>,
    /// What the call is about: its command, path or address, shortened and without secrets.
    pub subject: Option<String>,
    /// `denied`, or `would_deny` where the guard only logs.
    pub decision: String,
    /// The rule, as a word: `plan-mode`, `guarded`, `scope`, `person-only` or `error`.
    pub rule: String,
    /// What the agent was told.
    pub reason: String,
}

/// What `guard report` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardReport {
    pub schema: String,
    /// The file that was read.
    pub log: String,
    /// The first and the last decision; `null` if there is none.
    pub since: Option<String>,
    pub until: Option<String>,
    pub denied: u64,
    /// Calls that passed because the guard only logs.
    pub would_deny: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// The most frequent first.
    pub rows: Vec<ReportRow>,
}

/// Decisions of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportRow {
    pub agent: Option<String>,
    pub tool: Option<String>,
    pub rule: String,
    pub decision: String,
    pub count: u64,
    /// The newest of them.
    pub last: String,
    /// What the newest was about.
    pub subject: Option<String>,
}

/// What `guard check` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardCheck {
    pub schema: String,
    pub command: String,
    /// Whether an agent in plan mode may run it.
    pub passes: bool,
    /// Why not.
    pub reason: Option<String>,
}
