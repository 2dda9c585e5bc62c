//! `signoff.runs/1`: the runs there are, as `runs` lists them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Isolation, Outcome, PauseReason};

pub const SCHEMA: &str = "signoff.runs/1";

/// The runs, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    pub schema: String,
    pub runs: Vec<RunSummary>,
}

/// One run; `status` shows all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Run")]
pub struct RunSummary {
    pub run: String,
    pub plan: Option<String>,
    pub title: Option<String>,
    /// `executing`, `stalled`, `completed` or `failed`; `unreadable` where `problem` says why.
    pub status: String,
    pub outcome: Option<Outcome>,
    /// Why it stands still although it has not ended.
    pub paused: Option<PauseReason>,
    pub started_at: Option<String>,
    pub updated_at: Option<String>,
    /// Share of the steps that have ended, 0–100.
    pub progress: Option<u8>,
    /// How many questions wait on a person.
    pub waiting: usize,
    /// Which tree it works on.
    #[serde(default)]
    pub isolation: Option<Isolation>,
    /// The branch that has its commits, where it works in worktrees and has begun.
    #[serde(default)]
    pub branch: Option<String>,
    /// Its tree, where that is a worktree and there.
    #[serde(default)]
    pub worktree: Option<String>,
    /// The commit that it was brought into the checkout as.
    #[serde(default)]
    pub landed: Option<String>,
    /// It was taken back.
    #[serde(default)]
    pub undone: bool,
    /// How many of its files could not be written to the checkout.
    #[serde(default)]
    pub held: usize,
    pub problem: Option<String>,
}

impl Runs {
    pub fn new(runs: Vec<RunSummary>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            runs,
        }
    }
}

impl RunSummary {
    /// A run that can be read.
    pub fn new(run: crate::run::Run) -> Self {
        let waiting = if run.outcome.is_none() {
            run.inbox.len()
        } else {
            0
        };
        Self {
            run: run.run,
            plan: Some(run.plan),
            title: Some(run.title),
            status: run.status,
            outcome: run.outcome,
            paused: run.paused,
            started_at: Some(run.started_at),
            updated_at: Some(run.updated_at),
            progress: Some(run.progress),
            waiting,
            isolation: run.isolation,
            branch: run.branch,
            worktree: run.worktree,
            landed: run.landed,
            undone: run.undone,
            held: run.held.len(),
            problem: None,
        }
    }

    /// One that cannot be: it is listed all the same.
    pub fn unreadable(run: String, problem: String) -> Self {
        Self {
            run,
            plan: None,
            title: None,
            status: "unreadable".to_owned(),
            outcome: None,
            paused: None,
            started_at: None,
            updated_at: None,
            progress: None,
            waiting: 0,
            isolation: None,
            branch: None,
            worktree: None,
            landed: None,
            undone: false,
            held: 0,
            problem: Some(problem),
        }
    }
}
