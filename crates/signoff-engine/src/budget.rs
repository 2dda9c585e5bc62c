//! Limits over the plan and its steps: agents started, wall clock, tokens and money. Tokens and money
//! count what drivers report; the `command` driver reports none.

mod amounts;
mod enforcement;

use signoff_plan::model::Work;

pub(crate) use self::amounts::{Commitments, reservation};
pub use self::enforcement::{LiveUsage, OverBudget, agents_over_budget};
use crate::Millis;
use crate::event::BudgetLimit;
use crate::state::{Run, Stage, StepState, StepStatus, TokenUsage, UsageSums};

impl Run {
    /// Agents started so far.
    pub fn agents_started(&self) -> u64 {
        self.usage.agents
    }

    /// Wall clock used up to the last event, without the times when no process drove the run.
    pub fn wall_used(&self) -> Millis {
        self.usage.wall_at(self.usage.latest)
    }

    /// Tokens and money that all agents used, in all attempts.
    pub fn token_usage(&self) -> TokenUsage {
        self.usage.sums.total
    }

    /// The same, and by whom.
    pub fn usage_sums(&self) -> &UsageSums {
        &self.usage.sums
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

/// Has the plan no tokens or no money left?
pub(crate) fn is_used_up(run: &Run) -> bool {
    amounts::Resource::ALL.into_iter().any(|resource| {
        let limit = resource.plan_limit(run);
        limit.is_some_and(|limit| resource.used_amount(&run.usage.sums.total) >= limit)
    })
}

/// The question to a person if the budget has no room for a planner who is to write a new version.
pub(crate) fn draft_budget_question(run: &Run) -> Option<String> {
    let is_allowed = run.replan().is_some_and(|replan| replan.may_exceed_budget);
    amounts::too_little_for_draft(run).filter(|_| !is_allowed)
}

/// What a person is asked before another agent starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BudgetQuestion {
    pub(crate) text: String,
    /// What `allow` extends.
    pub(crate) limit: BudgetLimit,
}

/// The question to a person if the budget does not allow another agent for this step.
pub(crate) fn budget_question(run: &Run, at: usize, now: Millis) -> Option<BudgetQuestion> {
    let asked = |limit| move |text| BudgetQuestion { text, limit };
    let unknown = || amounts::unknown_cost(run, at).map(asked(BudgetLimit::UnknownCost));
    let of_step = || of_step(run, at).map(asked(BudgetLimit::Step));
    let of_plan = || of_plan(run, now, at).map(asked(BudgetLimit::Plan));
    unknown().or_else(of_step).or_else(of_plan)
}

/// Each attempt of the step starts an agent.
fn of_step(run: &Run, at: usize) -> Option<String> {
    let (step, state) = run.step(at)?;
    let limit = step.budget.agents;
    let agents = limit.filter(|&limit| state.activation.agents >= limit);
    let agents = agents.map(|limit| {
        format!(
            "budget of step `{}` used up: {} of {limit} agents started; `allow` grants {limit} more",
            step.id, state.activation.agents
        )
    });
    agents.or_else(|| amounts::used_up_by_step(step, state))
}

fn of_plan(run: &Run, now: Millis, at: usize) -> Option<String> {
    agents_used_up(run)
        .or_else(|| wall_too_short(run, now, at))
        .or_else(|| amounts::too_little(run, at, &Commitments::of(run)))
}

fn agents_used_up(run: &Run) -> Option<String> {
    let limit = run.plan().budget.agents?;
    let limit_now = agent_limit(run)?;
    let started = run.usage.agents;
    (started >= limit_now).then(|| {
        format!(
            "budget used up: {started} of {limit_now} agents started, {}; `allow` grants {limit} more",
            remaining_text(run)
        )
    })
}

/// Agents that may be started in all.
fn agent_limit(run: &Run) -> Option<u64> {
    let limit = run.plan().budget.agents?;
    Some(limit.saturating_mul(run.usage.grants + 1))
}

/// The share of the plan's budget for agents that start together.
pub(crate) struct Allowance {
    /// Agents that may still start, where the plan limits them.
    agents: Option<u64>,
    committed: Commitments,
}

impl Allowance {
    pub(crate) fn of(run: &Run) -> Self {
        let limit = agent_limit(run);
        Self {
            agents: limit.map(|limit| limit.saturating_sub(run.usage.agents)),
            committed: Commitments::of(run),
        }
    }

    /// Takes what the agent of this step needs, if there is enough beside the others.
    pub(crate) fn reserve_for(&mut self, run: &Run, at: usize) -> bool {
        let fits =
            self.agents != Some(0) && amounts::too_little(run, at, &self.committed).is_none();
        if fits {
            self.agents = self.agents.map(|agents| agents - 1);
            self.committed.add(run, at);
        }
        fits
    }
}

fn wall_too_short(run: &Run, now: Millis, at: usize) -> Option<String> {
    let limit = wall_limit(run)?;
    let used = run.usage.wall_at(now);
    let (more, remaining) = (run.plan().budget.wall?.as_secs(), remaining_text(run));
    if used >= limit {
        let used = used / 1000;
        return Some(format!(
            "budget used up: {used} s of wall clock, {remaining}; `allow` grants {more} s more"
        ));
    }
    let left = limit - used;
    let estimate = wall_estimate(run, at).filter(|estimate| estimate.wall > left)?;
    let step = &run.definition(at)?.id;
    Some(format!(
        "budget too small for step `{step}`: {} s of wall clock are left, and it takes about {} s ({}); {remaining}; `allow` grants {more} s more",
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

/// How an estimate is known.
const OWN: &str = "its own budget";
const MEAN: &str = "the mean of the agent steps that are done";

/// The step's own budget, else the mean of the agent steps that are done. Before one is done, an equal share of what is
/// left is assumed, which always fits.
fn wall_estimate(run: &Run, at: usize) -> Option<Estimate> {
    let own = run.definition(at)?.budget.wall.map(|wall| Estimate {
        wall: millis(wall),
        basis: OWN,
    });
    own.or_else(|| {
        Some(Estimate {
            wall: run.usage.mean_work()?,
            basis: MEAN,
        })
    })
}

/// `2 agent steps remain`.
fn remaining_text(run: &Run) -> String {
    match remaining_agent_steps(run) {
        1 => "1 agent step remains".to_owned(),
        count => format!("{count} agent steps remain"),
    }
}

/// How many agent steps are not done.
fn remaining_agent_steps(run: &Run) -> usize {
    let open = run.steps().filter(|(step, state)| {
        matches!(step.work, Work::Agent { .. })
            && matches!(
                state.status,
                StepStatus::Pending | StepStatus::Ready | StepStatus::Running
            )
    });
    open.count()
}

/// Does the step's agent work right now?
fn is_working(state: &StepState) -> bool {
    matches!(state.stage, Stage::Working { .. })
}
