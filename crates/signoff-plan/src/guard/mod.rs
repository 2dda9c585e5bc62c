//! Decides whether a tool call of a coding agent passes: by the agent's mode, by the tools that are guarded, and inside a
//! run by the step's scope.
//!
//! Whatever is not known to be harmless is not.

mod agent;

pub use self::agent::Agent;
