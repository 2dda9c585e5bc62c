//! Limits over the whole plan: agents started and wall clock. Tokens and money count what drivers
//! report, and the `command` driver reports none.

use signoff_plan::model::Work;

use crate::Millis;
use crate::event::{Event, Recorded};
use crate::input::Choice;
use crate::state::{Run, StepStatus};

/// What a run has used so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Spent {
    agents: u64,
    /// Time of the stretches that have ended; waiting on a person is not counted.
    wall: Millis,
    /// Start of the present stretch.
    since: Millis,
    latest: Millis,
    /// How often a person granted the budget once more.
    grants: u64,
}

impl Spent {
    pub(crate) fn note(&mut self, recorded: &Recorded) {
        if let Event::RunStarted { .. } | Event::RunResumed { .. } = recorded.event {
            self.wall += self.latest.saturating_sub(self.since);
            self.since = recorded.at;
        }
        // An answer comes while nothing runs; it must not stretch the time that counts.
        if let Event::InboxAnswered { choice, .. } = recorded.event {
            self.grants += u64::from(choice == Choice::Allow);
            return;
        }
        self.agents += u64::from(matches!(recorded.event, Event::WorkItem { .. }));
        self.latest = recorded.at;
    }

    fn wall_at(&self, now: Millis) -> Millis {
        self.wall + now.saturating_sub(self.since)
    }
}

/// Wall clock left for the agent about to start, if the plan limits it.
pub fn wall_left(run: &Run, now: Millis) -> Option<Millis> {
    Some(wall_limit(run)?.saturating_sub(run.spent.wall_at(now)))
}

fn wall_limit(run: &Run) -> Option<Millis> {
    let wall = run.plan().budget.wall?;
    let millis = Millis::try_from(wall.as_millis()).unwrap_or(Millis::MAX);
    Some(millis.saturating_mul(run.spent.grants + 1))
}

/// What to ask a person if the budget allows no further agent.
pub(crate) fn exceeded(run: &Run, now: Millis) -> Option<String> {
    let remaining = run
        .steps()
        .filter(|(step, state)| {
            matches!(step.work, Work::Agent { .. })
                && matches!(
                    state.status,
                    StepStatus::Pending | StepStatus::Ready | StepStatus::Running
                )
        })
        .count();
    if let Some(limit) = run.plan().budget.agents {
        let limit_now = limit.saturating_mul(run.spent.grants + 1);
        if run.spent.agents >= limit_now {
            return Some(format!(
                "budget used up: {} of {limit_now} agents started, {remaining} agent steps remain; `allow` grants {limit} more",
                run.spent.agents
            ));
        }
    }
    if wall_left(run, now) == Some(0) {
        let used = run.spent.wall_at(now) / 1000;
        let more = run.plan().budget.wall.map_or(0, |wall| wall.as_secs());
        return Some(format!(
            "budget used up: {used} s of wall clock, {remaining} agent steps remain; `allow` grants {more} s more"
        ));
    }
    None
}
