#![no_main]

#[path = "../../crates/signoff-work/tests/it/agents/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::streams(bytes));
