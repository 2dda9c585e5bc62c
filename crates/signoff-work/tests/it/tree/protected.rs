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

/// Control: opening the pipe would wait, reading the holes would take an hour.
#[test]
fn traps_in_their_place_are_noticed_and_not_read() {
    let replace = |site: &Site, path: &str| fs::remove_file(site.path(path)).unwrap();
    check(
        |site| {
            replace(site, "ci/run");
            site.pipe("ci/run");
        },
        &["`ci/run` was changed"],
    );
    check(
        |site| {
            replace(site, "key");
            symlink("/dev/zero", site.path("key")).unwrap();
        },
        &["`key` was changed"],
    );
    check(
        |site| {
            let file = fs::File::create(site.path("tests/a.py")).unwrap();
            file.set_len(1 << 40).unwrap();
        },
        &["`tests/a.py` was changed"],
    );
    // What lies outside is not read, not even to hash it.
    let site = site();
    replace(&site, "key");
    symlink("/etc/passwd", site.path("key")).unwrap();
    let found = protected(&site.root, &globs());
    assert_eq!(
        found["key"],
        "link to `/etc/passwd`, it lies outside the workspace"
    );
}
