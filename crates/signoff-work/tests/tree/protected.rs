//! Files that nobody may change.

use std::fs;
use std::os::unix::fs::symlink;

use signoff_work::tree::{protected, protected_changes};

use super::Site;

const PROTECTED: [&str; 3] = ["tests/**/*.py", "ci/", "key"];

fn globs() -> Vec<String> {
    PROTECTED.map(str::to_owned).to_vec()
}

fn site() -> Site {
    let site = Site::new();
    for file in [
        "tests/a.py",
        "tests/deep/b.py",
        "tests/c.txt",
        "ci/run",
        "src/x.py",
        ".git/y.py",
    ] {
        site.write(file, "old");
    }
    symlink("src/x.py", site.path("key")).expect("a link");
    site
}

#[test]
fn patterns_cover_files() {
    let site = site();
    let found = protected(&site.root, &globs());
    let paths: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(paths, ["ci/run", "key", "tests/a.py", "tests/deep/b.py"]);
    for outside in ["/etc/*", "../*", "~/x", ""] {
        assert!(protected(&site.root, &[outside.to_owned()]).is_empty());
    }
}

/// Does something, and compares the beginnings of what is said about it.
#[track_caller]
fn check(does: impl Fn(&Site), expected: &[&str]) {
    let site = site();
    let before = protected(&site.root, &globs());
    does(&site);
    let found = protected_changes(&before, &protected(&site.root, &globs()));
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (said, expected) in found.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn every_way_to_change_them_is_noticed() {
    check(|_| (), &[]);
    check(|site| site.write("tests/c.txt", "new"), &[]);
    check(
        |site| site.write("tests/a.py", "new"),
        &["`tests/a.py` was changed (sha256 "],
    );
    check(|site| site.mode("ci/run", 0o777), &["`ci/run` was changed"]);
    check(|site| site.write("ci/more", ""), &["`ci/more` was added"]);
    check(
        |site| fs::hard_link(site.path("ci/run"), site.path("other")).unwrap(),
        &["`ci/run` was changed"],
    );
    check(
        |site| fs::rename(site.path("tests"), site.path("moved")).unwrap(),
        &["`tests/a.py` was removed", "`tests/deep/b.py` was removed"],
    );
    // What a link leads to is what its reader gets.
    check(
        |site| site.write("src/x.py", "new"),
        &["`key` was changed (link to `src/x.py`, "],
    );
    check(
        |site| fs::remove_file(site.path("src/x.py")).unwrap(),
        &["`key` was changed"],
    );
}
