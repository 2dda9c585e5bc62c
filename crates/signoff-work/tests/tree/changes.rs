//! What is seen.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Site;

/// Makes some files, does something, and compares what is seen of it.
#[track_caller]
fn check(does: impl Fn(&Site), expected: &[&str]) {
    let mut site = Site::new();
    for file in ["a", "b/c", "b/d/e", "b-x"] {
        site.write(file, "old");
    }
    symlink("a", site.path("link")).expect("a link");
    let before = site.look();
    does(&site);
    assert_eq!(site.told(&before), expected);
}

#[test]
fn files_come_go_and_change() {
    check(|_| (), &[]);
    check(|site| site.write("new", ""), &["added new"]);
    check(|site| site.write("deep/er/new", ""), &["added deep/er/new"]);
    check(|site| site.write("b/c", "new"), &["modified b/c"]);
    check(
        |site| fs::remove_file(site.path("a")).unwrap(),
        &["removed a"],
    );
    check(
        |site| fs::remove_dir_all(site.path("b")).unwrap(),
        &["removed b/c", "removed b/d/e"],
    );
    check(
        |site| fs::rename(site.path("b"), site.path("c")).unwrap(),
        &["removed b/c", "removed b/d/e", "added c/c", "added c/d/e"],
    );
}

#[test]
fn what_only_looks_changed_is_not() {
    check(|site| site.write("a", "old"), &[]);
    check(|site| fs::create_dir(site.path("empty")).unwrap(), &[]);
    check(
        |site| {
            fs::remove_file(site.path("a")).unwrap();
            site.write("a", "old");
        },
        &[],
    );
}

#[test]
fn permissions_and_links_count() {
    check(|site| site.mode("a", 0o755), &["modified a"]);
    check(
        |site| {
            fs::remove_file(site.path("link")).unwrap();
            symlink("b/c", site.path("link")).unwrap();
        },
        &["modified link"],
    );
    check(
        |site| {
            fs::remove_file(site.path("a")).unwrap();
            symlink("b/c", site.path("a")).unwrap();
        },
        &["modified a"],
    );
    // A link to a folder is a link, and nothing in it is the workspace's.
    check(
        |site| symlink("/usr", site.path("usr")).unwrap(),
        &["added usr"],
    );
    check(
        |site| {
            fs::remove_file(site.path("a")).unwrap();
            site.write("a/b", "");
        },
        &["removed a", "added a/b"],
    );
}

#[test]
fn what_is_not_the_works_is_left_out() {
    check(
        |site| {
            for file in [
                ".git/index",
                ".signoff/runs/x",
                ".hg/x",
                "b/.git",
                "b/sub/.svn/x",
            ] {
                site.write(file, "");
            }
        },
        &[],
    );
    // Ours only where it is ours.
    check(
        |site| site.write("b/.signoff/x", ""),
        &["added b/.signoff/x"],
    );
}

#[test]
fn a_name_that_is_no_text_is_shown_as_well_as_it_can_be() {
    let name = OsStr::from_bytes(b"\xff\xfe.txt");
    check(|site| site.write(name, ""), &["added \u{fffd}\u{fffd}.txt"]);
}

#[test]
fn a_pipe_is_not_waited_for() {
    check(
        |site| {
            let pipe = site.path("pipe");
            let made = std::process::Command::new("mkfifo").arg(pipe).status();
            assert!(made.expect("mkfifo is there").success());
        },
        &["added pipe"],
    );
}

#[test]
fn files_may_vanish_while_they_are_looked_at() {
    let mut site = Site::new();
    site.write("stays", "");
    let before = site.look();
    let (root, stop) = (site.root.clone(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for number in 0..50 {
                    let folder = root.join(format!("f{number}"));
                    fs::create_dir_all(&folder).unwrap();
                    fs::write(folder.join("file"), "x").unwrap();
                }
                for number in 0..50 {
                    fs::remove_dir_all(root.join(format!("f{number}"))).unwrap();
                }
            }
        });
        for _ in 0..50 {
            let seen = site.look();
            assert!(seen.paths().any(|path| path == "stays"));
            assert_eq!(seen.warnings(), [""; 0]);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(site.told(&before), [""; 0]);
}

#[test]
fn without_a_workspace_there_is_nothing_to_see() {
    let mut site = Site::new();
    fs::remove_dir(&site.root).unwrap();
    assert!(site.keeper.snapshot().is_err());
}
