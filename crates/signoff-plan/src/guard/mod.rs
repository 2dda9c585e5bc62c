//! Decides whether a tool call of a coding agent passes: by the agent's mode, by the tools that are guarded, and inside a
//! run by the step's scope.
//!
//! Whatever is not known to be harmless is not. Start reading at [`decide`].

mod ability;
mod agent;
mod call;
mod commands;
mod decide;
mod git_directories;
mod own_commands;
mod paths;
mod plan_mode;
mod tool_scope;

#[cfg(test)]
mod tests;

pub use self::ability::{Ability, ToolNames};
pub use self::agent::Agent;
pub use self::call::ToolCall;
pub use self::decide::{
    Denial, GuardMode, GuardRule, GuardRules, SessionFiles, StepScope, decide, decide_in_run,
};
pub use self::own_commands::{OwnCommand, own_command};
pub use self::plan_mode::check_line;
pub use self::tool_scope::{ServerTool, ToolScope};
