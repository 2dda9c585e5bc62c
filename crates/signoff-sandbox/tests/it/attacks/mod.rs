//! Commands that attack: each as root and as an ordinary user, at every level, and with the defence off, where it has
//! to succeed. What a level does not stop is asserted too. With `SIGNOFF_ATTACK_TABLE=FILE` every outcome is added to a
//! file: attack, user, level and end, parted by tabs.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod attacked_files;
mod endurance;
mod files;
mod host;
mod nested;
mod outcome;
mod privilege;
mod reach;
mod tool;
mod tracing;
