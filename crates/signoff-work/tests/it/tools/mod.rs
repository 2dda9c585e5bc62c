//! Tools, called as a run calls them.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests"
)]

mod approvals;
mod bench;
mod commands;
mod escapes;
mod files;
mod http;
mod http_servers;
mod looking;
mod real_server;
mod servers;
mod stdio_server;
