//! Tools, called as a run calls them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod approvals;
mod bench;
mod commands;
mod escapes;
mod files;
mod http;
mod looking;
mod servers;
mod stdio_server;
