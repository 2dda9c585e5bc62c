#![no_main]

#[path = "../../crates/signoff-plan/tests/all/exercise/mod.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::import::import(bytes));
