//! For agents and other programs.

pub(crate) mod agentctl;
pub(crate) mod connection;
pub(crate) mod guard;
pub(crate) mod mcp;
pub(crate) mod mcp_proxy;
pub(crate) mod prompt;
pub(crate) mod scripted_agent;
pub(crate) mod serve;
pub(crate) mod tools;
