#![no_main]

#[path = "../../crates/signoff-llm/tests/it/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::reply(bytes));
