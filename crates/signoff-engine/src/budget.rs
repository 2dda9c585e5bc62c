//! Limits over the whole plan: agents started and wall clock. Tokens and money count what drivers
//! report, and the `command` driver reports none.

use signoff_plan::model::Work;

use crate::Millis;
use crate::state::{Run, StepStatus};

impl Run {
    /// Agents started so far.
    pub fn agents_started(&self) -> u64 {
        self.usage.agents
    }

    /// Wall clock used up to the last event, without the times when no process drove the run.
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

/// The question to a person if the budget does not allow another agent for this step.
pub(crate) fn budget_question(run: &Run, at: usize, now: Millis) -> Option<String> {
    of_step(run, at).or_else(|| of_plan(run, now))
}

/// Each attempt of the step starts an agent.
fn of_step(run: &Run, at: usize) -> Option<String> {
    let (step, state) = run.step(at)?;
    let limit = step.budget.agents?;
    (state.activation.agents >= limit).then(|| {
        format!(
            "budget of step `{}` used up: {} of {limit} agents started; `allow` grants {limit} more",
            step.id, state.activation.agents
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
