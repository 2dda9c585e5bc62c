//! Limits over the whole plan: agents started and wall clock. Tokens and money count what drivers
//! report, and the `command` driver reports none.

use signoff_plan::model::Work;

use crate::Millis;
use crate::event::{Event, Recorded};
use crate::input::Choice;
use crate::state::{Run, StepStatus};

/// What a run has used so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    agents: u64,
    /// Time of the stretches that have ended; waiting on a person is not counted.
    wall: Millis,
    /// Start of the present stretch.
    since: Millis,
    latest: Millis,
    /// How often a person granted the budget once more.
    grants: u64,
}

impl Usage {
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
        // The same holds for landing and undoing, which may come days later.
        if let Event::LandingStarted { .. } | Event::RunLanded { .. } | Event::RunUndone { .. } =
            recorded.event
        {
            return;
        }
        self.agents += u64::from(matches!(recorded.event, Event::WorkItem { .. }));
        self.latest = recorded.at;
    }

    /// The time of the last event that counts.
    pub(crate) fn latest(&self) -> Millis {
        self.latest
    }

    fn wall_at(&self, now: Millis) -> Millis {
        self.wall + now.saturating_sub(self.since)
    }
}

impl Run {
    /// Agents started so far.
    pub fn agents_started(&self) -> u64 {
        self.usage.agents
    }

    /// Wall clock used up to the last event, without the stretches in which nobody drove the run.
    pub fn wall_used(&self) -> Millis {
        self.usage.wall_at(self.usage.latest)
    }
}

/// Wall clock left for the agent about to start, if the plan or its step limits it.
pub fn wall_left(run: &Run, at: usize, now: Millis) -> Option<Millis> {
    let plan = wall_limit(run).map(|limit| limit.saturating_sub(run.usage.wall_at(now)));
    let step = run
        .definition(at)
        .and_then(|step| step.budget.wall)
        .map(millis);
    plan.into_iter().chain(step).min()
}

fn millis(wall: std::time::Duration) -> Millis {
    Millis::try_from(wall.as_millis()).unwrap_or(Millis::MAX)
}

fn wall_limit(run: &Run) -> Option<Millis> {
    let wall = run.plan().budget.wall?;
    Some(millis(wall).saturating_mul(run.usage.grants + 1))
}

/// What to ask a person if the budget allows this step no further agent.
pub(crate) fn exceeded(run: &Run, at: usize, now: Millis) -> Option<String> {
    of_step(run, at).or_else(|| of_plan(run, now))
}

/// Each attempt of the step starts an agent.
fn of_step(run: &Run, at: usize) -> Option<String> {
    let (step, state) = run.step(at)?;
    let limit = step.budget.agents?;
    (state.turn.agents >= limit).then(|| {
        format!(
            "budget of step `{}` used up: {} of {limit} agents started; `allow` grants {limit} more",
            step.id, state.turn.agents
        )
    })
}

fn of_plan(run: &Run, now: Millis) -> Option<String> {
    let limited = run.plan().budget.agents.is_some() || run.plan().budget.wall.is_some();
    if !limited {
        return None;
    }
    if let Some(limit) = run.plan().budget.agents {
        let limit_now = limit.saturating_mul(run.usage.grants + 1);
        if run.usage.agents >= limit_now {
            let remaining = remaining(run);
            return Some(format!(
                "budget used up: {} of {limit_now} agents started, {remaining} agent steps remain; `allow` grants {limit} more",
                run.usage.agents
            ));
        }
    }
    if wall_limit(run)? <= run.usage.wall_at(now) {
        let used = run.usage.wall_at(now) / 1000;
        let more = run.plan().budget.wall.map_or(0, |wall| wall.as_secs());
        let remaining = remaining(run);
        return Some(format!(
            "budget used up: {used} s of wall clock, {remaining} agent steps remain; `allow` grants {more} s more"
        ));
    }
    None
}

fn remaining(run: &Run) -> usize {
    let open = run.steps().filter(|(step, state)| {
        matches!(step.work, Work::Agent { .. })
            && matches!(
                state.status,
                StepStatus::Pending | StepStatus::Ready | StepStatus::Running
            )
    });
    open.count()
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
        for (at, event) in [
            (
                3000,
                Event::RunFinished {
                    outcome: Outcome::Completed,
                },
            ),
            (
                90_000,
                Event::LandingStarted {
                    commit: "c".to_owned(),
                    by: by(),
                },
            ),
            (
                90_001,
                Event::RunLanded {
                    commit: "c".to_owned(),
                    by: by(),
                },
            ),
        ] {
            usage.note(&Recorded { seq: 0, at, event });
        }
        assert_eq!(usage.wall_at(usage.latest()), 2000);
    }
}
