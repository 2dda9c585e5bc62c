//! `signoff serve`: the real binary on a real socket.

#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod api;
mod browser;
mod safety;
mod streams;
