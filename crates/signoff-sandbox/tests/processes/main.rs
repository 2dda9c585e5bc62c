//! Real processes, started and ended.
#![expect(clippy::unwrap_used, reason = "tests")]

mod attended;
mod commands;
mod confined;
mod conversation;
mod crash;
mod ending;
mod gate;
mod kept_mounts;
mod leftovers;
mod memory;
mod output;
mod overlays;
mod shell;
mod trees;
mod trials;
