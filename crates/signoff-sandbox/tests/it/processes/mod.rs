//! Real processes, started and ended.
#![expect(clippy::unwrap_used, reason = "tests")]

mod commands;
mod confined;
mod crash;
mod ending;
mod gate;
mod interactive;
mod kept_mounts;
mod leftovers;
mod memory;
mod output;
mod overlays;
mod piped;
mod shell;
mod trees;
mod trials;
