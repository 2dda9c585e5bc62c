//! The tools that a plan asks for and that nothing provides.

use std::collections::BTreeSet;

use signoff_plan::Workspace;
use signoff_plan::model::{Plan, Work};
use signoff_plan::tools::is_provided;

/// Tools that a plan asks for, in its scopes, its steps or its hints, and that nothing provides.
pub(super) fn missing_tools(plan: &Plan, workspace: &dyn Workspace) -> Vec<String> {
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    asked.extend(plan.tools.iter().flatten().map(String::as_str));
    for step in &plan.steps {
        asked.extend(step.tools.iter().flatten().map(String::as_str));
        asked.extend(step.hint.as_ref().and_then(|hint| hint.tool.as_deref()));
        if let Work::Tool { tool, .. } = &step.work {
            asked.insert(tool);
        }
    }
    asked
        .into_iter()
        .filter(|tool| !tool.trim().is_empty() && !is_provided(tool, workspace))
        .map(str::to_owned)
        .collect()
}
