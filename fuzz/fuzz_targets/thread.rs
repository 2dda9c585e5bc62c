#![no_main]

#[path = "../../crates/signoff-plan/tests/all/exercise/mod.rs"]
mod exercise;

use signoff_plan::dialect::Dialect;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::plan(bytes, Dialect::Thread));
