//! The number of tests, from what the real runners printed.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use signoff_engine::{SEVERAL, tests_run};

/// Every file of `tests/runners`: how many tests really ran, and who says so; `- -` where nobody does.
const RECORDED: &str = "
cargo-test-colour 5 cargo test
cargo-test-failing 5 cargo test
cargo-test-filtered 0 cargo test
cargo-test-no-build - -
cargo-test-quiet 5 cargo test
cargo-test-some 5 cargo test
cargo-test-threads 5 cargo test
cargo-test-zero 0 cargo test
ctest-all 2 ctest
ctest-disabled 0 ctest
ctest-failing 3 ctest
ctest-nothing 0 ctest
ctest-parallel 3 ctest
ctest-skipped 0 ctest
ctest-some 3 ctest
ctest-zero 0 ctest
go-failing 2 go test, by package
go-failing-json 5 go test
go-failing-verbose 5 go test
go-json 5 go test
go-some 2 go test, by package
go-verbose 5 go test
go-zero 0 go test
go-zero-filtered 0 go test
go-zero-filtered-json 0 go test
go-zero-filtered-verbose 0 go test
gradle-failing 5 gradle
gradle-some - -
jest-colour 3 jest
jest-failing 3 jest
jest-filtered 0 jest
jest-some 3 jest
jest-verbose 2 jest
jest-zero 0 jest
jest-zero-passing 0 jest
junit4-failing 4 junit 4
junit4-some 5 junit 4
junit5-failing 5 junit 5
junit5-some 5 junit 5
maven-colour 5 maven
maven-failing 5 maven
maven-skipped 0 maven
maven-some 5 maven
maven-zero 0 maven
mocha-colour 3 mocha
mocha-dot 3 mocha
mocha-failing 3 mocha
mocha-filtered 0 mocha
mocha-parallel 3 mocha
mocha-some 3 mocha
mocha-tap 3 node test
mocha-zero 0 mocha
nextest-colour 4 cargo nextest
nextest-failing 4 cargo nextest
nextest-failing-all 4 cargo nextest
nextest-one 1 cargo nextest
nextest-some 4 cargo nextest
nextest-zero 0 cargo nextest
nextest-zero-passing 0 cargo nextest
node-failing 2 node test
node-file-broken 0 node test
node-file-ends 0 node test
node-some 2 node test
node-spec 2 node test
node-zero 0 node test
pytest-all-deselected 0 pytest
pytest-all-skipped 0 pytest
pytest-collection-error 0 pytest
pytest-deselected 1 pytest
pytest-failing 2 pytest
pytest-parallel 6 pytest
pytest-quiet 4 pytest
pytest-some 4 pytest
pytest-verbose-colour 4 pytest
pytest-zero 0 pytest
pytest-zero-quiet 0 pytest
rspec-colour 3 rspec
rspec-failing 3 rspec
rspec-filtered 0 rspec
rspec-outside 0 rspec
rspec-some 3 rspec
rspec-zero 0 rspec
unittest-failing 2 unittest
unittest-some 1 unittest
unittest-unloaded 0 unittest
unittest-zero 0 unittest
vitest-colour 3 vitest
vitest-failing 3 vitest
vitest-filtered 0 vitest
vitest-some 3 vitest
vitest-verbose 3 vitest
vitest-zero 0 vitest
vitest-zero-passing 0 vitest
";

fn folder(name: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths
        .filter(|path| path.extension().is_none_or(|ending| ending != "md"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            let bytes = std::fs::read(&path).expect("readable");
            (
                name.into_owned(),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        })
        .collect()
}

/// `5 cargo test`, or `- -`.
fn told(stdout: &str, stderr: &str) -> String {
    match tests_run(stdout, stderr) {
        Some(count) => format!("{} {}", count.run, count.runner),
        None => "- -".to_owned(),
    }
}

#[test]
fn every_recorded_output_tells_how_many_tests_ran() {
    let told: Vec<String> = folder("tests/runners")
        .iter()
        .map(|(name, text)| format!("{name} {}", told(text, "")))
        .collect();
    let expected: Vec<&str> = RECORDED.trim().lines().collect();
    assert_eq!(told, expected);
}

#[test]
fn it_does_not_matter_which_stream_a_runner_uses() {
    for (name, text) in folder("tests/runners") {
        assert_eq!(told(&text, ""), told("", &text), "{name}");
    }
}

#[test]
fn summaries_are_added_up() {
    let recorded = folder("tests/runners");
    let text = |name: &str| recorded[name].as_str();
    let (pytest, jest) = (text("pytest-some"), text("jest-some"));
    assert_eq!(told(pytest, pytest), "8 pytest");
    assert_eq!(told(pytest, jest), format!("7 {SEVERAL}"));
    assert_eq!(told(text("pytest-zero"), jest), "3 jest");
    assert_eq!(
        told(text("go-verbose"), text("go-some")),
        format!("7 {SEVERAL}")
    );
    assert_eq!(
        told(text("nextest-failing"), text("cargo-test-some")),
        format!("9 {SEVERAL}")
    );
}

#[test]
fn what_only_looks_like_a_summary_is_none() {
    for text in [
        "",
        "\n",
        "I ran 3 tests, all passed",
        "3 passed in the morning",
        "3 passed, 2 lost in 0.1s",
        "Tests: 3 passed",
        "  1 failing",
        "# pass 3",
        "Tests run: many, Failures: 0, Errors: 0, Skipped: 0",
        "99999999999999999999 passed in 0.1s",
        "4 examples of failures",
        "{\"Action\":\"pass\"}",
    ] {
        assert_eq!(told(text, ""), "- -", "{text:?}");
    }
}

#[test]
fn a_progress_line_that_is_drawn_over_hides_nothing() {
    assert_eq!(
        told("running 3/5\r\x1b[2K3 passed in 0.1s\r\n", ""),
        "3 pytest"
    );
}

#[test]
fn a_run_of_surefire_without_totals_is_counted_by_class() {
    let cut = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0 s - in A\n\
               [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0 s -- in B\n";
    assert_eq!(told(cut, ""), "4 maven");
}

#[test]
fn what_the_fuzzer_found_is_read() {
    for text in folder("../../fuzz/corpus/tests_run").values() {
        tests_run(text, text);
    }
}

/// Lines as the runners print them, whole, cut and with other numbers.
fn line() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        "[0-9]{1,21} (passed|failed|tests? run:|examples?|passing \\(|failures?|tests completed)",
        "(test result: ok\\. |Summary \\[|Tests run: |Tests: |Tests  |=== RUN |ok  \t|FAIL\t|# tests |Ran )",
        "\\PC{0,12}",
        "(\x1b\\[[0-9;]{0,4}m?|[=,;|() \t\r\n]| in 0\\.1s| total| out of [0-9]{1,3})",
    ];
    proptest::collection::vec(words, 0..6).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_text_is_too_strange(lines in proptest::collection::vec(line(), 0..20), other in ".*") {
        let text = lines.join("\n");
        let alone = tests_run(&text, "");
        // A text that says nothing changes nothing, and what is said twice counts twice.
        prop_assert_eq!(tests_run(&text, "nothing"), alone);
        if let (Some(once), Some(twice)) = (alone, tests_run(&text, &text)) {
            prop_assert!(twice.run >= once.run);
        }
        tests_run(&other, &text);
    }
}
