//! The maximum cost of a run.

use std::time::Duration;

use signoff_plan::model::{Plan, Step, Work};
use signoff_plan::{budget, duration};
use signoff_runtime::live::rehearsal::most_agents;

use crate::report::count::count;

/// The maximum number of agents that a run starts.
pub(crate) fn agents(plan: &Plan) -> u64 {
    let worst = plan.steps.iter().map(most_agents);
    worst.fold(0, u64::saturating_add)
}

/// The maximum cost in one line, and a second line for how tokens and money are counted.
pub(crate) fn lines(plan: &Plan, configured: Duration) -> Vec<String> {
    let mut words = Vec::new();
    let agents = agents(plan);
    if agents > 0 {
        let agents = usize::try_from(agents).unwrap_or(usize::MAX);
        let each = limits(plan, configured);
        words.push(format!("{}, each {each}", count(agents, "agent")));
    } else {
        words.push("no agents".to_owned());
    }
    let limits = budget::format(&plan.budget);
    if !limits.is_empty() {
        words.push(format!("the budget allows {limits}"));
    }
    let mut lines = vec![format!("at worst: {}", words.join("; "))];
    if agents > 0 && (plan.budget.tokens.is_some() || plan.budget.usd_e4.is_some()) {
        lines.push(
            "counted: tokens and money that agents report; `driver = \"command\"` reports none"
                .to_owned(),
        );
    }
    lines
}

/// How long one agent may work.
fn limits(plan: &Plan, configured: Duration) -> String {
    let steps = plan.steps.iter().filter(|step| is_agent(step));
    let limits = steps.map(|step| step.timeout.unwrap_or(configured));
    let (least, most) = limits.fold((Duration::MAX, Duration::ZERO), |(least, most), limit| {
        (least.min(limit), most.max(limit))
    });
    if least == most {
        format!("up to {}", duration::format(most))
    } else {
        format!(
            "up to {} or {}",
            duration::format(least),
            duration::format(most)
        )
    }
}

fn is_agent(step: &Step) -> bool {
    matches!(step.work, Work::Agent { .. })
}
