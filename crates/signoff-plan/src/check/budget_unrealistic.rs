//! A budget is too small for its steps.
//!
//! ## Why
//! Under a thousand tokens, a cent or ten seconds per agent step no agent gets anything done: the
//! run would only stop to ask for more.
//!
//! ## Example
//! ```text
//! **Budget:** 2k tokens        (with five agent steps)
//! ```
//!
//! ## Instead
//! At least 1k tokens, $0.01, 10 seconds and one agent for each agent step.

use std::time::Duration;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Budget, Work};

const TOKENS: u64 = 1000;
const USD_E4: u64 = 100;
const WALL: Duration = Duration::from_secs(10);

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let is_agent = |work: &Work| matches!(work, Work::Agent { .. });
    let agents = context
        .plan
        .steps
        .iter()
        .filter(|step| is_agent(&step.work))
        .count();
    if let Some(written) = &context.draft.budget
        && let Some(why) = too_small(&context.plan.budget, agents)
    {
        let message = format!("the plan's budget is too small for {agents} agent steps: {why}");
        problems.push(context.problem(Code::BudgetUnrealistic, written.span, message));
    }
    for step in context.steps().filter(|step| is_agent(&step.resolved.work)) {
        if let Some(written) = &step.written.budget
            && let Some(why) = too_small(&step.resolved.budget, 1)
        {
            let message = format!("the budget of step `{}` is too small: {why}", step.id());
            problems.push(step.problem(Code::BudgetUnrealistic, written.span, message));
        }
    }
}

fn too_small(budget: &Budget, agents: usize) -> Option<&'static str> {
    let count = u64::try_from(agents).unwrap_or(u64::MAX);
    let under = |limit: Option<u64>, each: u64| {
        limit.is_some_and(|limit| limit < each.saturating_mul(count))
    };
    let wall = WALL.saturating_mul(u32::try_from(agents).unwrap_or(u32::MAX));
    if under(budget.tokens, TOKENS) {
        Some("under 1k tokens each")
    } else if under(budget.usd_e4, USD_E4) {
        Some("under $0.01 each")
    } else if budget.wall.is_some_and(|limit| limit < wall) {
        Some("under 10 seconds each")
    } else if under(budget.agents, 1) {
        Some("fewer agents than agent steps")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn budget(text: &str, expected: &[&str]) {
        let plan = plan("### 1. A\n**task:** x\n### 2. B\n**task:** y\n");
        check(
            Code::BudgetUnrealistic,
            &plan.replace("$9, 1h", text),
            expected,
        );
    }

    #[test]
    fn each_agent_step_needs_a_little() {
        budget("2k tokens, $0.02, 20s, 2 agents", &[]);
        budget(
            "1999 tokens",
            &[
                "1999 tokens | the plan's budget is too small for 2 agent steps: under 1k tokens each | -",
            ],
        );
        budget(
            "$0.01",
            &["$0.01 | the plan's budget is too small for 2 agent steps: under $0.01 each | -"],
        );
        budget(
            "19s",
            &["19s | the plan's budget is too small for 2 agent steps: under 10 seconds each | -"],
        );
        budget(
            "1 agent",
            &[
                "1 agent | the plan's budget is too small for 2 agent steps: fewer agents than agent steps | -",
            ],
        );
    }

    #[test]
    fn so_does_a_step_with_its_own() {
        check(
            Code::BudgetUnrealistic,
            &plan("### 1. A\n**task:** x\n**budget:** 5s\n"),
            &["5s | the budget of step `step-1` is too small: under 10 seconds each | -"],
        );
    }
}
