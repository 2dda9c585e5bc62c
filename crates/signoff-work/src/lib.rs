//! Does: starts agents, runs contracts, writes prompts. Judges nothing: it reports what it saw.
//!
//! Start reading at [`contract::Evaluation`] or [`agent::Invocation`].

pub mod agent;
pub mod attachment;
pub mod contract;
pub mod environment;
mod placeholder;
mod plain;
pub mod prompt;
pub mod scripted;
