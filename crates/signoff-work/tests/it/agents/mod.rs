//! Drivers of agents: their command lines, recorded streams of the real programs, and streams that make no sense.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod dialogue;
mod ends;
mod exercise;
mod guards;
mod launches;
mod robustness;
mod samples;
mod world;
