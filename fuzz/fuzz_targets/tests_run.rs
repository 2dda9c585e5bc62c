#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    signoff_engine::tests_run(text, text);
});
