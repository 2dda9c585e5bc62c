//! Replays what the fuzzers found: inputs that once panicked, hung or broke a law, and the ones that
//! reach far into the code.

use std::path::Path;

use signoff_plan::dialect::Dialect;

/// Runs every file of a target's corpus.
fn replay(target: &str, run: impl Fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut files: Vec<_> = std::fs::read_dir(&corpus)
        .expect("every target has a corpus")
        .map(|entry| entry.expect("the corpus is readable").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus of {target} is empty");
    for file in files {
        run(&std::fs::read(&file).expect("the corpus is readable"));
    }
}

fn replay_plans(dialect: Dialect) {
    replay(dialect.as_str(), |bytes| {
        crate::exercise::plan(bytes, dialect);
    });
}

#[test]
fn workunits() {
    replay_plans(Dialect::Workunit);
}

#[test]
fn threads() {
    replay_plans(Dialect::Thread);
}

#[test]
fn proposals() {
    replay_plans(Dialect::Proposal);
}

#[test]
fn records() {
    replay_plans(Dialect::Record);
}

#[test]
fn toolplans() {
    replay_plans(Dialect::Toolplan);
}

#[test]
fn imports() {
    replay("import", crate::exercise::import::import);
}

#[test]
fn shell() {
    replay("shell", crate::exercise::shell);
}

#[test]
fn read_only() {
    replay("read_only", crate::exercise::read_only);
}

#[test]
fn expressions() {
    replay("expression", crate::exercise::expression);
}
