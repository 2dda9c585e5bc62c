//! The tools that a plan leaves its agents. What tools do is known in one place, which the guard uses too.

pub(super) use signoff_plan::guard::{Ability, Agent, ServerTool, ToolScope};
