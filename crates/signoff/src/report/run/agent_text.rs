//! What an agent at work does right now, and what it has used: `coder · editing src/parse.rs · 14k tokens · $0.09`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use signoff_api::progress::AgentProgress;
use signoff_engine::{Run, TokenUsage};
use signoff_runtime::drive::ActiveAgent;

use crate::report::step_name::{name, role};
use crate::style::{DIM, TITLE, paint, sanitize};

/// How often a line about the same agent is written where nothing can be redrawn.
const EVERY: Duration = Duration::from_mins(1);

/// When agents were last spoken of, by step.
#[derive(Debug, Default)]
pub(crate) struct AgentLines {
    spoken: BTreeMap<usize, Instant>,
}

impl AgentLines {
    /// Is it time for a line about this step's agent? The first one comes after a while: its start has a line already.
    pub(crate) fn is_due(&mut self, step: usize) -> bool {
        let now = Instant::now();
        let last = self.spoken.entry(step).or_insert(now);
        let is_due = now.duration_since(*last) >= EVERY;
        if is_due {
            *last = now;
        }
        is_due
    }
}

/// What the agent of a step does and has used.
pub(crate) fn agent_text(run: &Run, agent: &ActiveAgent) -> String {
    let role = run.definition(agent.step).map_or("agent", role);
    progress_text(role, &agent.progress)
}

/// The same with the step's name, as a line of its own.
pub(crate) fn agent_line(run: &Run, agent: &ActiveAgent) -> String {
    let name = run.step(agent.step).map(|(step, state)| name(step, state));
    let name = paint(TITLE, name.unwrap_or_default());
    format!("  {name}  {}", paint(DIM, agent_text(run, agent)))
}

/// What an agent of this role does and has used.
pub(crate) fn progress_text(role: &str, progress: &AgentProgress) -> String {
    let mut parts = vec![sanitize(role), sanitize(&progress.doing)];
    parts.extend(progress.progress.map(|share| format!("{share} %")));
    let mut used = TokenUsage::default();
    for usage in &progress.usage {
        used.add(TokenUsage::of_model(usage));
    }
    parts.extend(used.is_counted().then(|| used.to_string()));
    parts.join(" · ")
}
