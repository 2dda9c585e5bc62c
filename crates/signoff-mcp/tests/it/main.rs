//! The server against the SDK's own client, in one process.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

mod approving;
mod asking;
mod hostile;
mod planning;
mod reading;
mod world;
