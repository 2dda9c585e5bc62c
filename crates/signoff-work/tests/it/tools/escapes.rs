//! Ways out of the workspace, none of which leads anywhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags};
use serde_json::{Value, json};
use signoff_work::tools::CallEnd;

use crate::tools::bench::{Bench, at, tree};

/// Every tool that takes a path, asked for this one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", at(path)),
        ("write_file", json!({"path": path, "content": "bad"})),
        (
            "edit_file",
            json!({"path": path, "old_text": "secret", "new_text": "bad"}),
        ),
        ("delete_file", at(path)),
        ("move_file", json!({"from": path, "to": "stolen"})),
        ("move_file", json!({"from": "mine", "to": path})),
        ("search_files", json!({"pattern": "secret", "path": path})),
    ]
}

#[track_caller]
fn check(bench: &Bench, path: &str, expected: &str) {
    for (tool, args) in calls(path) {
        let message = bench.fails(tool, args);
        assert_eq!(message, format!("`{path}` {expected}"), "{tool}");
    }
    assert_eq!(tree(&bench.outside()), ["secret"]);
    let secret = fs::read_to_string(bench.outside().join("secret")).unwrap();
    assert_eq!(secret, "secret");
    assert_eq!(bench.read("mine").unwrap(), "mine");
}

#[test]
fn no_path_leads_out() {
    let bench = Bench::new(&[("mine", "mine"), ("dir/a", "")]);
    let root = bench.root();
    symlink("../outside", root.join("near")).unwrap();
    symlink(bench.outside(), root.join("far")).unwrap();
    symlink("near", root.join("twice")).unwrap();
    symlink("../../outside", root.join("dir/deep")).unwrap();
    let absolute = bench.outside().join("secret");
    let beside = format!("{}x/secret", root.display());
    for path in [
        "../outside/secret",
        "dir/../../outside/secret",
        absolute.to_str().unwrap(),
        &beside,
        "near/secret",
        "far/secret",
        "twice/secret",
        "dir/deep/secret",
    ] {
        check(&bench, path, "leads out of the workspace");
    }
    let list = json!({"path": "far"});
    assert_eq!(
        bench.fails("list_directory", list),
        "`far` leads out of the workspace"
    );
    let run = json!({"command": "cat secret", "cwd": "far"});
    assert_eq!(
        bench.fails("run_command", run),
        "`far` leads out of the workspace"
    );
}

#[test]
fn a_link_at_the_end_is_not_followed_out() {
    let bench = Bench::new(&[("mine", "mine")]);
    symlink("../outside/secret", bench.root().join("link")).unwrap();
    for tool in ["read_file", "write_file", "edit_file"] {
        let args = calls("link").into_iter().find(|(name, _)| *name == tool);
        let message = bench.fails(tool, args.unwrap().1);
        assert_eq!(message, "`link` leads out of the workspace");
    }
    // The link itself is ours.
    bench.done("move_file", json!({"from": "link", "to": "moved"}));
    bench.done("move_file", json!({"from": "mine", "to": "moved"}));
    assert_eq!(tree(&bench.outside()), ["secret"]);
    assert_eq!(bench.read("moved").unwrap(), "mine");
}

#[test]
fn what_belongs_to_the_harness_and_to_git_is_out_of_reach() {
    let bench = Bench::new(&[
        ("mine", "mine"),
        (".git/config", "secret"),
        (".signoff/config.toml", "secret"),
        ("sub/.git/hooks/x", "secret"),
    ]);
    symlink(".git", bench.root().join("innocent")).unwrap();
    for (path, part) in [
        (".git/config", ".git"),
        ("./.signoff/config.toml", ".signoff"),
        ("dir/../.git/hooks/pre-commit", ".git"),
        ("sub/.git/hooks/x", ".git"),
        ("innocent/config", ".git"),
        (".GIT/config", ".GIT"),
    ] {
        fs::create_dir_all(bench.root().join("dir")).unwrap();
        check(
            &bench,
            path,
            &format!("is in `{part}`, which no tool may use"),
        );
    }
    for path in [".git/config", ".signoff/config.toml", "sub/.git/hooks/x"] {
        assert_eq!(bench.read(path).unwrap(), "secret");
    }
    let found = bench.done("search_files", json!({"pattern": "secret"}));
    assert_eq!(found, json!({"matches": []}));
    let listed = bench.done("list_directory", json!({"recursive": true}));
    let listed = listed["entries"].as_array().unwrap();
    let paths: Vec<_> = listed.iter().map(|entry| &entry["path"]).collect();
    assert_eq!(paths, ["dir", "innocent", "mine", "sub"]);
}

#[test]
fn links_in_circles_end() {
    let bench = Bench::new(&[("mine", "mine")]);
    symlink("b/x", bench.root().join("a")).unwrap();
    symlink("a/x", bench.root().join("b")).unwrap();
    assert_eq!(
        bench.fails("read_file", at("a")),
        "`a` has too many links on its way"
    );
}

/// While somebody swaps a directory for a link to the outside and back, as fast as it can.
#[test]
fn a_link_put_in_between_gains_nothing() {
    let bench = Bench::new(&[("dir/a", "mine")]);
    let (dir, link) = (bench.root().join("dir"), bench.root().join("link"));
    symlink(bench.outside(), &link).unwrap();
    fs::write(bench.outside().join("a"), "secret").unwrap();
    let over = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let swap = RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, &dir, CWD, &link, swap).unwrap();
            }
        });
        for number in 0..2000 {
            let (tool, args) = match number % 3 {
                0 => ("read_file", at("dir/a")),
                1 => ("write_file", json!({"path": "dir/a", "content": "mine"})),
                _ => (
                    "edit_file",
                    json!({"path": "dir/a", "old_text": "mine", "new_text": "mine"}),
                ),
            };
            match bench.end(tool, args) {
                CallEnd::Done(value) => {
                    assert_ne!(value["content"], "secret");
                    inside += 1;
                }
                CallEnd::Failed { .. } => refused += 1,
                CallEnd::Stopped => panic!("nobody stopped it"),
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(inside > 0 && refused > 0, "{inside} {refused}");
    let outside = |name: &str| fs::read_to_string(bench.outside().join(name)).unwrap();
    assert_eq!(
        (outside("a"), outside("secret")),
        ("secret".to_owned(), "secret".to_owned())
    );
    assert_eq!(tree(&bench.outside()), ["a", "secret"]);
}
