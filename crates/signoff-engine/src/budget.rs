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
    of_step(run, at).or_else(|| of_plan(run, now, at))
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

fn of_plan(run: &Run, now: Millis, at: usize) -> Option<String> {
    agents_used_up(run).or_else(|| wall_too_short(run, now, at))
}

fn agents_used_up(run: &Run) -> Option<String> {
    let limit = run.plan().budget.agents?;
    let limit_now = agent_limit(run)?;
    let started = run.usage.agents;
    (started >= limit_now).then(|| {
        format!(
            "budget used up: {started} of {limit_now} agents started, {} agent steps remain; `allow` grants {limit} more",
            remaining(run)
        )
    })
}

/// Agents that may be started in all.
fn agent_limit(run: &Run) -> Option<u64> {
    let limit = run.plan().budget.agents?;
    Some(limit.saturating_mul(run.usage.grants + 1))
}

/// How many agents may start now, where the plan limits them.
pub(crate) fn agents_left(run: &Run) -> Option<u64> {
    Some(agent_limit(run)?.saturating_sub(run.usage.agents))
}

fn wall_too_short(run: &Run, now: Millis, at: usize) -> Option<String> {
    let limit = wall_limit(run)?;
    let used = run.usage.wall_at(now);
    let (more, remaining) = (run.plan().budget.wall?.as_secs(), remaining(run));
    if used >= limit {
        let used = used / 1000;
        return Some(format!(
            "budget used up: {used} s of wall clock, {remaining} agent steps remain; `allow` grants {more} s more"
        ));
    }
    let left = limit - used;
    let estimate = wall_estimate(run, at).filter(|estimate| estimate.wall > left)?;
    let step = &run.definition(at)?.id;
    Some(format!(
        "budget too small for step `{step}`: {} s of wall clock are left, and it takes about {} s ({}); {remaining} agent steps remain; `allow` grants {more} s more",
        left / 1000,
        estimate.wall.div_ceil(1000),
        estimate.basis
    ))
}

/// How long a step is expected to take.
struct Estimate {
    wall: Millis,
    /// How we know.
    basis: &'static str,
}

/// The step's own budget, else the mean of the agent steps that are done. Before one is done, an equal share of what is
/// left fits by itself.
fn wall_estimate(run: &Run, at: usize) -> Option<Estimate> {
    let own = run.definition(at)?.budget.wall.map(|wall| Estimate {
        wall: millis(wall),
        basis: "its own budget",
    });
    own.or_else(|| {
        Some(Estimate {
            wall: run.usage.mean_work()?,
            basis: "the mean of the agent steps that are done",
        })
    })
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
