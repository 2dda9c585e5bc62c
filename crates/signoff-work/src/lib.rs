//! Does: starts agents, runs contracts, calls tools, writes prompts. Judges nothing: it reports what it
//! saw.
//!
//! Start reading at [`contract::Evaluation`], [`agent::AgentDriver`] or [`tools::Toolbox`].

pub mod agent;
pub mod attachment;
pub mod beneath;
mod call;
pub mod confine;
pub mod contract;
pub mod environment;
pub mod git;
pub mod http;
pub mod layers;
pub mod mcp;
pub mod project;
pub mod prompt;
pub mod scripted;
pub mod secrets;
pub mod settings;
pub mod tools;
pub mod tree;
pub mod webhook;
