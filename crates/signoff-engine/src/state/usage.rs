//! What a run has used of its plan's budget.

use crate::Millis;
use crate::event::{Event, RecordedEvent};
use crate::state::{BudgetAmount, Run, TokenUsage, UsageSums};

/// What a run has used so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    pub(crate) agents: u64,
    /// Wall clock of earlier invocations.
    pub(crate) wall: Millis,
    /// When the present invocation started, moved forward by the time in which the run stood still.
    pub(crate) since: Millis,
    pub(crate) latest: Millis,
    /// How often a person granted the budget once more.
    pub(crate) grants: u64,
    /// Agent steps that are done, and how long their agents worked together.
    pub(crate) done_steps: u64,
    pub(crate) done_work: Millis,
    /// What agents used of tokens and money.
    pub(crate) sums: UsageSums,
    /// A person lets the run go on although some cost is unknown.
    pub(crate) unknown_cost_allowed: bool,
    /// What the agent steps that are done used of tokens, and what they cost.
    pub(crate) done_tokens: Mean,
    pub(crate) done_usd_e6: Mean,
    /// What a planner is expected to use for a new version: what it used last, if that is known.
    pub(crate) draft: Option<ExpectedDraft>,
}

/// What a planner used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpectedDraft {
    pub(crate) amount: BudgetAmount,
    /// For a new version in this run, not for the plan before it.
    pub(crate) is_replan: bool,
}

/// A mean over steps that are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mean {
    sum: u64,
    steps: u64,
}

impl Mean {
    pub(crate) fn add(&mut self, value: u64) {
        self.sum = self.sum.saturating_add(value);
        self.steps += 1;
    }

    pub(crate) fn get(self) -> Option<u64> {
        self.sum.checked_div(self.steps)
    }
}

impl Usage {
    /// Records what a planner used. Of its use before the run the largest amount counts; its use in the run is the
    /// better estimate.
    pub(crate) fn note_draft(&mut self, used: &TokenUsage, is_replan: bool) {
        let is_larger =
            |known: &ExpectedDraft| !known.is_replan && known.amount.tokens < used.tokens();
        if is_replan || self.draft.as_ref().is_none_or(is_larger) {
            self.draft = Some(ExpectedDraft {
                amount: BudgetAmount {
                    tokens: used.tokens(),
                    usd_e6: used.usd_e6,
                },
                is_replan,
            });
        }
    }

    /// `stood_still`: nothing was done between the last event and this one, so that time does not count.
    pub(crate) fn count_event(&mut self, recorded: &RecordedEvent, stood_still: bool) {
        if let Event::RunStarted { .. } | Event::RunResumed { .. } = recorded.event {
            self.wall += self.latest.saturating_sub(self.since);
            self.since = recorded.at;
        } else if stood_still {
            self.since += recorded.at.saturating_sub(self.latest);
        }
        self.agents += u64::from(matches!(recorded.event, Event::WorkItem { .. }));
        self.latest = recorded.at;
    }

    /// The mean time that agents worked on a step that is done, if one is.
    pub(crate) fn mean_work(&self) -> Option<Millis> {
        self.done_work.checked_div(self.done_steps)
    }

    /// The time of the last event.
    pub(crate) fn latest(&self) -> Millis {
        self.latest
    }

    pub(crate) fn wall_at(&self, now: Millis) -> Millis {
        self.wall + now.saturating_sub(self.since)
    }
}

/// Does the run wait for a person, or has it stopped? Then the time until the next event is not its own.
pub(crate) fn is_waiting_or_stopped(run: &Run) -> bool {
    let waits = || !run.inbox.items.is_empty() && !run.is_working();
    run.pause.is_some() || run.outcome.is_some() || waits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Outcome;

    #[test]
    fn time_is_counted_until_the_run_has_ended() {
        let mut usage = Usage {
            since: 1000,
            ..Usage::default()
        };
        let by = || "me".to_owned();
        let finished = Event::RunFinished {
            outcome: Outcome::Completed,
        };
        let landed = Event::RunLanded {
            commit: "c".to_owned(),
            by: by(),
        };
        for (at, event, stood_still) in [(3000, finished, false), (90_000, landed, true)] {
            usage.count_event(&RecordedEvent { seq: 0, at, event }, stood_still);
        }
        assert_eq!(usage.wall_at(usage.latest()), 2000);
    }
}
