//! The sessions of coding agents that people talk to: the text at their start, and the plans that they show.
//!
//! Start reading at [`introduction`] and [`shown_plan`].

mod introduction;
mod shown_plan;
mod stuck_plans;
mod tool_inventory;

pub use self::introduction::{Introduction, introduction, reminder};
pub use self::shown_plan::{PlanAnswer, shown_plan};
use crate::project::ProcessContext;

/// A session of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentSession<'a> {
    /// What the hook was started with.
    pub process: &'a ProcessContext,
    /// The name of the agent.
    pub agent: &'a str,
    /// The agent's id of the session, if it says so.
    pub id: Option<&'a str>,
    /// Nothing may be changed.
    pub in_plan_mode: bool,
}
