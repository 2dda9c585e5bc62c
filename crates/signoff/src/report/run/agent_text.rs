//! What an agent at work does right now, and what it has used: `coder · editing src/parse.rs · 14k tokens · $0.09`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use signoff_api::progress::AgentProgress;
use signoff_engine::{Run, TokenUsage};
use signoff_runtime::drive::ActiveAgent;

use crate::report::columns::{truncate, width};
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

/// What an agent does, and what it has used. The second is what a person pays for, so the first is cut where both do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentText {
    doing: String,
    figures: Vec<String>,
}

impl AgentText {
    /// All of it.
    pub(crate) fn full_text(&self) -> String {
        let parts: Vec<&str> = std::iter::once(&self.doing)
            .chain(&self.figures)
            .map(String::as_str)
            .collect();
        parts.join(" · ")
    }

    /// As much of it as fits.
    pub(crate) fn fitting_text(&self, columns: usize) -> String {
        let figures: usize = self.figures.iter().map(|text| width(text) + 3).sum();
        let doing = truncate(
            &self.doing,
            columns.saturating_sub(figures).max(columns / 3),
        );
        let text = Self {
            doing,
            figures: self.figures.clone(),
        };
        truncate(&text.full_text(), columns)
    }
}

/// What the agent of a step does and has used.
pub(crate) fn agent_text(run: &Run, agent: &ActiveAgent) -> AgentText {
    let role = run.definition(agent.step).map_or("agent", role);
    progress_text(role, &agent.progress)
}

/// The same with the step's name, as a line of its own.
pub(crate) fn agent_line(run: &Run, agent: &ActiveAgent) -> String {
    let name = run.step(agent.step).map(|(step, state)| name(step, state));
    let name = paint(TITLE, name.unwrap_or_default());
    format!(
        "  {name}  {}",
        paint(DIM, agent_text(run, agent).full_text())
    )
}

/// What an agent of this role does and has used.
pub(crate) fn progress_text(role: &str, progress: &AgentProgress) -> AgentText {
    let mut used = TokenUsage::default();
    for usage in &progress.usage {
        used.add(TokenUsage::of_model(usage));
    }
    let share = progress.progress.map(|share| format!("{share} %"));
    let used = used.is_counted().then(|| used.to_string());
    AgentText {
        doing: format!("{} · {}", sanitize(role), sanitize(&progress.doing)),
        figures: share.into_iter().chain(used).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_costs_is_shown_before_what_it_does() {
        let text = AgentText {
            doing: "coder · editing src/parse.rs".to_owned(),
            figures: vec!["14k tokens · $0.09".to_owned()],
        };
        let whole = "coder · editing src/parse.rs · 14k tokens · $0.09";
        assert_eq!(text.full_text(), whole);
        assert_eq!(text.fitting_text(60), whole);
        assert_eq!(
            text.fitting_text(40),
            "coder · editing sr… · 14k tokens · $0.09"
        );
        assert_eq!(text.fitting_text(12), "cod… · 14k…");
    }
}
