//! `signoff.run/1`: where a run stands, as `status` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;

use crate::event::{
    EvidenceFacts, Grade, Isolation, Outcome, PauseReason, WorkLocation, step_status,
};
use crate::inbox::Item;
use crate::progress::AgentProgress;
use crate::usage::{AgentUsage, UsageTotals};

pub const SCHEMA: &str = "signoff.run/1";

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the wire format")]
pub struct Run {
    pub schema: String,
    pub run: String,
    pub plan: String,
    pub title: String,
    /// State of the plan: `executing`, `stalled`, `completed` or `failed`.
    pub status: String,
    pub outcome: Option<Outcome>,
    /// Why it stands still although it has not ended.
    pub paused: Option<PauseReason>,
    pub digest: String,
    pub terms: String,
    pub started_at: String,
    pub updated_at: String,
    /// Share of the steps that have ended, 0–100.
    pub progress: u8,
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
    /// What of its files could not be written to the checkout, each with the reason; `land` says how to settle it.
    #[serde(default)]
    pub held: Vec<String>,
    /// What its agents used in all attempts; `null` where they reported nothing.
    #[serde(default)]
    pub usage: Option<UsageTotals>,
    /// What the agents at work have told so far.
    #[serde(default)]
    pub at_work: Vec<AgentAtWork>,
    pub steps: Vec<RunStep>,
    pub inbox: Vec<Item>,
}

/// An agent at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentAtWork {
    pub step: String,
    pub attempt: u32,
    pub agent: AgentProgress,
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Step")]
pub struct RunStep {
    pub id: String,
    pub title: String,
    /// Where nobody drives the run nothing is `running` or `verifying`: what was is `ready`.
    pub status: String,
    pub attempts: u32,
    pub evidence: Option<Grade>,
    pub facts: Option<EvidenceFacts>,
    /// Why it failed, was skipped or is blocked; `interrupted` or `paused` if it has begun and nobody
    /// drives the run; what it waits for that other runs have.
    pub reason: Option<String>,
    /// Where it sits now, in a run that works in worktrees.
    #[serde(default)]
    pub seat: Option<WorkLocation>,
    /// The worktree that it has to itself, where there is one.
    #[serde(default)]
    pub worktree: Option<String>,
    /// The commit that its work was merged as.
    #[serde(default)]
    pub commit: Option<String>,
    /// When it began; RFC 3339, UTC.
    #[serde(default)]
    pub started_at: Option<String>,
    /// When it last ended.
    #[serde(default)]
    pub ended_at: Option<String>,
    /// The role of its last agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model that the last agent was asked to use, otherwise the one that it reported.
    #[serde(default)]
    pub model: Option<String>,
    /// What its agents used in all attempts; `null` where they reported nothing.
    #[serde(default)]
    pub usage: Option<AgentUsage>,
}

impl RunStep {
    /// The steps of a run at these positions. `driven`: a process works on it. `worktree`: the step's own, if it is there. `time`: as it is written.
    pub fn of(
        run: &engine::Run,
        positions: impl Iterator<Item = usize>,
        driven: bool,
        worktree: impl Fn(usize) -> Option<String>,
        time: impl Fn(engine::Millis) -> String,
    ) -> Vec<Self> {
        let write_time = time;
        let time = |at: engine::Millis| (at > 0).then(|| write_time(at));
        let halted = |at| run.halt_reason(at).filter(|_| !driven).map(str::to_owned);
        positions
            .filter_map(|at| Some((at, run.step(at)?)))
            .map(|(at, (definition, state))| Self {
                id: definition.id.clone(),
                title: definition.title.clone(),
                status: step_status(run.displayed_status(at, driven)).to_owned(),
                attempts: state.attempts,
                evidence: state.outcome.grade(),
                facts: state.outcome.facts().cloned(),
                reason: (state.outcome.reason.clone())
                    .or_else(|| halted(at))
                    .or_else(|| run.shared_limit_text(at, &write_time).filter(|_| driven)),
                seat: run.work_location(at),
                worktree: worktree(at),
                commit: state.attempt.commit.clone(),
                started_at: time(state.history.began_at),
                ended_at: time(state.history.ended_at),
                agent: state.usage.agent.clone(),
                model: state.usage.model.clone(),
                usage: AgentUsage::of(&state.usage.total),
            })
            .collect()
    }
}
