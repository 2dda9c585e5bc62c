//! docs/design/dependencies.md explains exactly the dependencies that the workspace has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names under `[workspace.dependencies]`, without our own crates.
fn declared(manifest: &str) -> BTreeSet<&str> {
    let (_, rest) = manifest
        .split_once("[workspace.dependencies]\n")
        .expect("the workspace has dependencies");
    let section = rest.split("\n[").next().unwrap_or(rest);
    let outside = section.lines().filter(|line| !line.contains("path = "));
    outside
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .collect()
}

/// Names under `[dependencies]` and the like of a member, if they are not the workspace's.
fn own(manifest: &str) -> BTreeSet<&str> {
    let mut is_dependency = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_dependency = line.ends_with("dependencies]");
        } else if let Some((name, value)) = line.split_once(" = ")
            && is_dependency
            && !name.ends_with(".workspace")
            && !value.contains("workspace = true")
        {
            names.insert(name);
        }
    }
    names
}

/// Names in the first column of the page's tables.
fn explained(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn every_dependency_is_explained() {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let read = |path| fs::read_to_string(Path::new(&xtask).join(path)).expect("a text file");
    let (manifest, page) = (
        read("../Cargo.toml"),
        read("../docs/design/dependencies.md"),
    );
    let members: Vec<String> = fs::read_dir(Path::new(&xtask).join("../crates"))
        .expect("the workspace has crates")
        .map(|entry| entry.expect("an entry").path().join("Cargo.toml"))
        .map(|path| fs::read_to_string(path).expect("a manifest"))
        .collect();
    let mut declared = declared(&manifest);
    declared.extend(members.iter().flat_map(|manifest| own(manifest)));
    let explained = explained(&page);
    let unexplained: Vec<_> = declared.difference(&explained).collect();
    let gone: Vec<_> = explained.difference(&declared).collect();
    assert!(unexplained.is_empty(), "add to the page: {unexplained:?}");
    assert!(gone.is_empty(), "remove from the page: {gone:?}");
}

#[test]
fn names_are_found_in_both_files() {
    let manifest = "[workspace.dependencies]\nours = { path = \"ours\" }\n\nclap = \"4\"\n\
                    serde = { version = \"1\" }\n\n[profile.dev]\ndebug = \"full\"\n";
    assert_eq!(declared(manifest), BTreeSet::from(["clap", "serde"]));
    let member = "[package]\nname = \"a\"\n\n[dependencies]\nlibc = \"0.2\"\nserde.workspace = true\n\
                  clap = { workspace = true }\n\n[lints]\nworkspace = true\n";
    assert_eq!(own(member), BTreeSet::from(["libc"]));
    let page = "| crate | why |\n|---|---|\n| `clap` | `derive` |\n";
    assert_eq!(explained(page), BTreeSet::from(["clap"]));
}
