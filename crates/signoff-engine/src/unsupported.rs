//! What this version reads and checks but cannot run yet. Such a plan is refused before its first
//! step: a field that is parsed and then ignored would be a lie about what was enforced.

use signoff_plan::dialect::Dialect;
use signoff_plan::model::{Condition, Plan, Step, Work};

/// A field the engine would have to ignore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The step, or the plan itself.
    pub step: Option<String>,
    pub what: &'static str,
}

/// Everything in this plan that this version cannot carry out. What its dialect tells the agents is
/// carried out: nothing more is promised of it.
pub fn unsupported(plan: &Plan, dialect: Dialect) -> Vec<Unsupported> {
    let mut found = Vec::new();
    let tells_tools = dialect == Dialect::Proposal;
    let of_plan = [
        (
            plan.tools.is_some() && !tells_tools,
            "a tool scope (`Tools`)",
        ),
        (!plan.params.is_empty(), "`params`"),
        (plan.executor_model.is_some(), "a model for its agents"),
    ];
    found.extend(
        of_plan
            .into_iter()
            .filter(|(present, _)| *present)
            .map(|(_, what)| Unsupported { step: None, what }),
    );
    for step in &plan.steps {
        found.extend(
            of_step(step, dialect)
                .into_iter()
                .filter(|(present, _)| *present)
                .map(|(_, what)| Unsupported {
                    step: Some(step.id.clone()),
                    what,
                }),
        );
    }
    found
}

fn of_step(step: &Step, dialect: Dialect) -> [(bool, &'static str); 12] {
    let tells_tools = dialect == Dialect::Proposal;
    let expects_tests = step
        .contract
        .iter()
        .flat_map(|contract| &contract.expect)
        .any(|condition| matches!(condition, Condition::TestsRunAtLeast(_)));
    [
        (matches!(step.work, Work::Tool { .. }), "a tool step"),
        (
            matches!(step.work, Work::Ask { .. }) && step.contract.is_some(),
            "an `ask` step with a contract",
        ),
        (step.for_each.is_some(), "`for_each`"),
        (
            step.tools.is_some() && !tells_tools,
            "a tool scope (`tools`)",
        ),
        (!step.protects.is_empty(), "`protects`"),
        (!step.locks.is_empty(), "`locks`"),
        (step.isolation.is_some(), "`isolation`"),
        (!step.budget.is_empty(), "a step budget"),
        (expects_tests, "`tests_run`"),
        (step.max_items.is_some(), "`max_items`"),
        (
            step.instructions.is_some() && dialect != Dialect::Record,
            "`instructions`",
        ),
        (step.hint.is_some() && !tells_tools, "`tool_hint`"),
    ]
}
