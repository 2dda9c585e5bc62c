//! `signoff serve`: the real binary on a real socket.

#![expect(clippy::panic, reason = "all of this is of tests")]

mod api;
pub(crate) mod browser;
mod forms;
mod pages;
mod regenerate;
mod safety;
mod streams;
