//! One command at a time, as people and programs type it.

mod agent_session;
mod agentctl;
mod cli;
mod config;
mod connect;
mod convert;
mod docs;
mod explain;
mod graph;
mod guard;
mod import;
mod levels;
mod lifecycle;
mod list;
mod mcp;
mod new;
mod plan_paths;
mod planning;
mod proofs;
mod replanning;
mod runs;
mod store_scale;
mod tools;
mod trust;
mod truth;
mod verify_formats;
