//! `signoff serve`: the real binary on a real socket.

#![expect(clippy::panic, reason = "all of this is of tests")]

mod api;
mod browser;
mod safety;
mod streams;
