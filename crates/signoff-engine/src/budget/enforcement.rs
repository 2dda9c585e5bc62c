//! Which agents must be stopped while they work.

use std::collections::BTreeMap;

use super::amounts::Resource;
use super::is_working;
use crate::state::Run;

/// What a running agent has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveUsage {
    /// As [`TokenUsage::tokens`](crate::TokenUsage::tokens) counts them.
    pub tokens: u64,
    /// The known part of the cost; `None` = unknown.
    pub usd_e6: Option<u64>,
}

/// An agent that must be stopped now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverBudget {
    /// Position of its step.
    pub step: usize,
    pub why: String,
}

/// The agents that must be stopped, given what the running ones have used so far, by the positions of their steps: those
/// that reached their step's limit, and all of them once they reach the plan's together.
pub fn agents_over_budget(run: &Run, live: &BTreeMap<usize, LiveUsage>) -> Vec<OverBudget> {
    let is_live = |at: &usize| run.step(*at).is_some_and(|(_, state)| is_working(state));
    let live = live.iter().filter(|(at, _)| is_live(at));
    let live: Vec<(usize, LiveUsage)> = live.map(|(&at, &used)| (at, used)).collect();
    let of_plan = over_plan(run, &live);
    live.into_iter()
        .filter_map(|(step, used)| {
            let why = over_step(run, step, used).or_else(|| of_plan.clone())?;
            Some(OverBudget { step, why })
        })
        .collect()
}

fn over_step(run: &Run, at: usize, live: LiveUsage) -> Option<String> {
    let (step, state) = run.step(at)?;
    Resource::ALL.into_iter().find_map(|resource| {
        let limit = resource.limit(&step.budget)?;
        let before = resource.used_amount(&state.activation.spent);
        let used = before.saturating_add(live_amount(resource, live));
        (used >= limit).then(|| {
            let share = resource.share_text(used, limit);
            format!("step `{}` used {share}", step.id)
        })
    })
}

fn over_plan(run: &Run, live: &[(usize, LiveUsage)]) -> Option<String> {
    Resource::ALL.into_iter().find_map(|resource| {
        let limit = resource.plan_limit(run)?;
        let now = live.iter().map(|(_, used)| live_amount(resource, *used));
        let used = now.fold(
            resource.used_amount(&run.usage.sums.total),
            u64::saturating_add,
        );
        (used >= limit).then(|| format!("the plan used {}", resource.share_text(used, limit)))
    })
}

/// What is unknown cannot reach a limit; a person is asked about it before the next agent.
fn live_amount(resource: Resource, live: LiveUsage) -> u64 {
    match resource {
        Resource::Tokens => live.tokens,
        Resource::Dollars => live.usd_e6.unwrap_or(0),
    }
}
