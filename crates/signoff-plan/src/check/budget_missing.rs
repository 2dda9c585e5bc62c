//! A plan with agents has no budget.
//!
//! ## Why
//! Agents cost money and time. Without a limit a plan that goes wrong goes on.
//!
//! ## Example
//! A plan with agent steps and no `**Budget:**` line.
//!
//! ## Instead
//! `**Budget:** max 200k tokens, $1.50, 20 minutes` under the title.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::model::Work;
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let agents = context
        .plan
        .steps
        .iter()
        .filter(|step| matches!(step.work, Work::Agent { .. }));
    let own_budgets = agents.clone().all(|step| !step.budget.is_empty());
    let agents = agents.count();
    // They have no place for one.
    if matches!(context.draft.dialect, Dialect::Thread | Dialect::Proposal) {
        return;
    }
    // A budget that cannot be read is reported as such.
    if agents == 0 || own_budgets || context.draft.budget.is_some() {
        return;
    }
    let steps = if agents == 1 { "step" } else { "steps" };
    let message = format!("the plan has {agents} agent {steps} and no budget");
    let found = context.problem(Code::BudgetMissing, context.plan_span(), message);
    let found = found.with_missing_field(MissingFieldScope::Here(&["budget"]));
    let limits = "max 200k tokens, $1.50, 20 minutes";
    problems.push(found.help(match context.draft.dialect {
        Dialect::Record | Dialect::Toolplan => format!("add `budget` with `{limits}`"),
        Dialect::Workunit | Dialect::Thread | Dialect::Proposal => {
            format!("add `**Budget:** {limits}`")
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn agents_want_a_budget() {
        let without = |steps: &str| plan(steps).replace("**Budget:** $9, 1h\n", "");
        check(Code::BudgetMissing, &plan("### 1. A\n**task:** x\n"), &[]);
        check(
            Code::BudgetMissing,
            &without("### 1. A\n**ask:** x?\n"),
            &[],
        );
        check(
            Code::BudgetMissing,
            &without("### 1. A\n**task:** x\n**budget:** $1\n"),
            &[],
        );
        check(
            Code::BudgetMissing,
            &without("### 1. A\n**task:** x\n### 2. B\n**task:** y\n"),
            &["Title | the plan has 2 agent steps and no budget | \
             add `**Budget:** max 200k tokens, $1.50, 20 minutes`"],
        );
    }
}
