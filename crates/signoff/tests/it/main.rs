//! The real binary, in real directories with real processes.
//!
//! What can be shown without starting it is tested in the crate that does it.

mod attacks;
mod commands;
mod crashes;
mod running;
mod screens;
mod serve;
#[cfg(feature = "distributed")]
mod sharing;
mod support;
mod trees;
