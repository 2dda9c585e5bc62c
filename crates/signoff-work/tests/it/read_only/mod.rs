//! The judge of plan mode against an oracle: command lines that it takes for read-only really run, in
//! bash, in `sh` and, where it is installed, in zsh, and neither a file nor a counter of the network may change.
//!
//! Which lines is up to the seed; `PROPTEST_CASES` asks for more of them, as `cargo xtask soak` does.
//! Set apart are programs that ask another machine by their nature: plain requests of `curl` are allowed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod lines;
mod world;

use lines::{Lines, is_apart};
use signoff_plan::shell::read_only;
use world::World;

/// How many lines run in one sandbox.
const BATCH: usize = 100;

fn asked() -> usize {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(60)
}

#[test]
fn what_is_judged_read_only_changes_nothing() {
    let Some(mut world) = World::new() else {
        return;
    };
    let mut lines = Lines::new(&world);
    let mut tried = 0;
    let mut wanted = asked();
    while wanted > 0 {
        let mut batch = Vec::new();
        while batch.len() < BATCH.min(wanted) {
            let line = lines.next_line();
            tried += 1;
            if read_only(&line).is_ok() {
                batch.push(line);
            }
        }
        wanted -= batch.len();
        let changes = world.changes_of(&batch);
        if !changes.is_empty() {
            drop(world);
            let culprits = culprits(&batch);
            panic!("{changes:?} by {culprits:#?}");
        }
    }
    println!("{} of {tried} lines ran and changed nothing", asked());
}

/// The lines that the judge's own tables let pass; a tenth of them in the short form.
#[test]
fn what_the_tables_let_pass_changes_nothing() {
    let Some(mut world) = World::new() else {
        return;
    };
    let every = if asked() > 500 { 1 } else { 10 };
    let allowed = allowed_by_the_tables();
    assert!(allowed.len() > 500, "only {}", allowed.len());
    let lines: Vec<String> = allowed.into_iter().step_by(every).collect();
    for batch in lines.chunks(BATCH) {
        let changes = world.changes_of(batch);
        if !changes.is_empty() {
            drop(world);
            let culprits = culprits(batch);
            panic!("{changes:?} by {culprits:#?}");
        }
    }
    println!("{} lines ran and changed nothing", lines.len());
}

fn allowed_by_the_tables() -> Vec<String> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../signoff-plan/tests/read_only"
    );
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "tsv") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let allowed = text.lines().filter_map(|line| line.strip_prefix("allow\t"));
        let allowed = allowed.filter(|line| !is_apart(line));
        lines.extend(allowed.map(|line| line.replace('⏎', "\n")));
    }
    // The order of a directory is not that of every machine.
    lines.sort();
    lines
}

/// The lines that change something in a world of their own.
fn culprits(batch: &[String]) -> Vec<(String, Vec<String>)> {
    let mut culprits = Vec::new();
    let mut world = World::new().unwrap();
    for line in batch {
        let changes = world.changes_of(std::slice::from_ref(line));
        if !changes.is_empty() {
            culprits.push((line.clone(), changes));
            drop(world);
            world = World::new().unwrap();
        }
    }
    culprits
}

#[test]
fn the_oracle_sees_changes() {
    for (line, expected) in [
        ("rm in.txt", "in.txt"),
        ("echo x > out", "out"),
        ("touch -d 2001-01-01 in.txt", "in.txt"),
        ("sort in.txt -o b.txt", "b.txt"),
        ("echo x > ~/.profile", ".profile"),
        ("git tag x", "refs/tags/x"),
        ("sed -n '1w out' in.txt", "out"),
        ("curl -s http://127.0.0.1:9/", "network"),
        ("curl -s http://192.0.2.1/", "network"),
        ("cat < /dev/tcp/127.0.0.1/9", "network"),
    ] {
        let Some(mut world) = World::new() else {
            return;
        };
        let changes = world.changes_of(&[line.to_owned()]);
        let seen = changes.iter().any(|change| change.contains(expected));
        assert!(seen, "{line}: {changes:?}");
    }
}
