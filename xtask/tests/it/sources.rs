//! Rules about source text that no lint states: where `unsafe` and processes may be, and that
//! nothing is left open.

mod lexer;

use std::fs;
use std::path::{Path, PathBuf};

use lexer::{Text, split};

/// The only crate that may hold `unsafe` code and start processes in what ships.
const SANDBOX: &str = "crates/signoff-sandbox/";
const DEV_ONLY: [&str; 2] = ["crates/signoff-testkit/", "xtask/"];

// In two parts, so that this file does not break its own rule.
const OPEN_WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const OPEN_CODE: [&str; 3] = ["todo!", "unimplemented!", "#[ignore"];

/// Every rule that the file at this path, relative to the root, breaks.
fn violations(path: &str, source: &str) -> Vec<String> {
    let text = split(source);
    let mut found = Vec::new();
    if !path.starts_with(SANDBOX) && has_word(&text.code, "unsafe") {
        found.push("`unsafe` belongs in signoff-sandbox".to_owned());
    }
    if !may_start_processes(path) && starts_processes(without_tests(&text.code)) {
        found.push("only signoff-sandbox starts processes".to_owned());
    }
    let is_test = path.ends_with("/tests.rs");
    if !is_test && !may_start_processes(path) && starts_threads(without_tests(&text.code)) {
        found.push("threads are started with `start_thread`, which can fail".to_owned());
    }
    found.extend(left_open(&text));
    found
}

/// `thread::spawn` and `Scope::spawn` panic where the machine grants no thread.
fn starts_threads(code: &str) -> bool {
    ["thread::spawn(", "scope.spawn("]
        .iter()
        .any(|call| code.contains(call))
}

fn may_start_processes(path: &str) -> bool {
    path.starts_with(SANDBOX)
        || DEV_ONLY.iter().any(|folder| path.starts_with(folder))
        || path.contains("/tests/")
        || path.ends_with("/build.rs")
}

/// `Command::new` of `std::process` (or another `process` module); clap has a `Command` too.
fn starts_processes(code: &str) -> bool {
    let imported = code
        .split(';')
        .filter_map(|statement| statement.split_once("use ").map(|(_, path)| path))
        .any(|path| path.contains("process::") && has_word(path, "Command"));
    code.contains("process::Command::new") || (imported && code.contains("Command::new"))
}

/// The code before the file's test module, which stands at its end.
fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod ").next().unwrap_or(code)
}

fn left_open(text: &Text) -> Vec<String> {
    let words = OPEN_WORDS
        .iter()
        .filter(|word| has_word(&text.comments, word));
    let code = OPEN_CODE.iter().filter(|mark| text.code.contains(**mark));
    words
        .chain(code)
        .map(|mark| format!("`{mark}` leaves something open"))
        .collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        !text[..start].ends_with(part_of_word)
            && !text[start + word.len()..].starts_with(part_of_word)
    })
}

/// Every Rust file under the folder.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_source_file_keeps_the_rules() {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let root = Path::new(&xtask).parent().expect("xtask is in the root");
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        rust_files(&root.join(folder), &mut files);
    }
    assert!(files.len() > 20, "found only {} files", files.len());
    let mut broken = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).expect("under the root");
        let source = fs::read_to_string(&file).expect("UTF-8 text");
        let path = path.to_string_lossy();
        for rule in violations(&path, &source) {
            broken.push(format!("{path}: {rule}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

const PLAN: &str = "crates/signoff-plan/src/lib.rs";

#[track_caller]
fn check(path: &str, source: &str, broken: usize) {
    let found = violations(path, source);
    assert_eq!(found.len(), broken, "{path}: {source}\n{found:?}");
}

#[test]
fn unsafe_is_found_as_a_keyword_only() {
    let block = "fn f() { unsafe { g() } }";
    check(PLAN, block, 1);
    check("crates/signoff-sandbox/src/lib.rs", block, 0);
    check(PLAN, "#![deny(unsafe_code)] // unsafe is banned", 0);
    check(PLAN, r#"const WHY: &str = "unsafe";"#, 0);
}

#[test]
fn processes_are_started_by_the_sandbox_and_in_tests() {
    let import = "use std::process::{Command, Stdio};\nfn f() { Command::new(\"ls\"); }";
    let full = "fn f() { std::process::Command::new(\"ls\"); }";
    for source in [import, full] {
        check(PLAN, source, 1);
        check("crates/signoff-sandbox/src/lib.rs", source, 0);
        check("crates/signoff/tests/it/crashes/kill.rs", source, 0);
        check("xtask/src/main.rs", source, 0);
        check(PLAN, &format!("#[cfg(test)]\nmod tests {{ {source} }}"), 0);
    }
    let clap = "use clap::Command;\nuse std::process::ExitCode;\nfn f() { Command::new(\"ls\"); }";
    check("crates/signoff/src/main.rs", clap, 0);
}

#[test]
fn threads_are_started_by_what_can_fail() {
    for source in [
        "fn f() { std::thread::spawn(|| ()); }",
        "fn f() { thread::scope(|scope| { scope.spawn(|| ()); }); }",
    ] {
        check(PLAN, source, 1);
        check("crates/signoff/tests/it/crashes/kill.rs", source, 0);
        check(PLAN, &format!("#[cfg(test)]\nmod tests {{ {source} }}"), 0);
    }
    check(PLAN, "fn f() { Builder::new().spawn(g)?; }", 0);
}

#[test]
fn nothing_is_left_open() {
    let [comment, _] = OPEN_WORDS;
    check(PLAN, &format!("// {comment}: later"), 1);
    check(PLAN, &format!("const MARK: &str = \"{comment}\";"), 0);
    check(PLAN, &format!("fn f() {{ {}() }}", OPEN_CODE[0]), 1);
    check(
        PLAN,
        &format!("{} = \"slow\"]\nfn f() {{}}", OPEN_CODE[2]),
        1,
    );
}
