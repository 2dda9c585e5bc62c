//! Looking through directories.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::tools::bench::{Bench, at};

fn paths(list: &Value) -> Vec<&str> {
    let entries = list.as_array().unwrap().iter();
    entries
        .map(|entry| entry["path"].as_str().unwrap())
        .collect()
}

#[test]
fn a_directory_is_listed_in_order() {
    let bench = Bench::new(&[("b/c", "123"), ("a", "")]);
    symlink("b", bench.root().join("link")).unwrap();
    let listed = bench.done("list_directory", json!({}));
    let expected = json!({"path": ".", "entries": [
        {"path": "a", "type": "file", "size": 0},
        {"path": "b", "type": "directory", "size": null},
        {"path": "link", "type": "link", "size": null},
    ]});
    assert_eq!(listed, expected);
    let listed = bench.done("list_directory", json!({"recursive": true}));
    assert_eq!(paths(&listed["entries"]), ["a", "b", "b/c", "link"]);
    // A link that is asked for by name is meant.
    let listed = bench.done("list_directory", at("link"));
    assert_eq!(
        listed["entries"],
        json!([{"path": "c", "type": "file", "size": 3}])
    );
    assert_eq!(
        bench.fails("list_directory", at("a")),
        "`a` is not a directory"
    );
    assert_eq!(
        bench.fails("list_directory", at("no")),
        "cannot open `no`: there is no such file"
    );
}

#[test]
fn a_listing_that_is_cut_says_so() {
    let bench = Bench::new(&[]);
    for number in 0..10_001 {
        fs::write(bench.root().join(number.to_string()), "").unwrap();
    }
    let listed = bench.done("list_directory", json!({}));
    assert_eq!(listed["entries"].as_array().unwrap().len(), 10_000);
    assert_eq!(listed["truncated"], true);
}

#[test]
fn lines_are_found_by_pattern() {
    let bench = Bench::new(&[
        ("src/a.rs", "fn one() {}\nlet x;\nfn two() {}\n"),
        ("src/deep/b.rs", "fn three() {}"),
        ("notes.md", "fn in prose"),
        ("binary", "fn\0"),
    ]);
    symlink("notes.md", bench.root().join("link.rs")).unwrap();
    let found = |args: Value| bench.done("search_files", args);
    let all = found(json!({"pattern": r"^fn \w+\("}));
    let expected = json!({"matches": [
        {"path": "src/a.rs", "line": 1, "text": "fn one() {}"},
        {"path": "src/a.rs", "line": 3, "text": "fn two() {}"},
        {"path": "src/deep/b.rs", "line": 1, "text": "fn three() {}"},
    ]});
    assert_eq!(all, expected);
    for (args, expected) in [
        (json!({"pattern": "fn", "glob": "*.md"}), &["notes.md"][..]),
        (
            json!({"pattern": "fn", "glob": "src/*.rs"}),
            &["src/a.rs", "src/a.rs"],
        ),
        (
            json!({"pattern": "fn", "path": "src/deep"}),
            &["src/deep/b.rs"],
        ),
        (json!({"pattern": "fn", "path": "notes.md"}), &["notes.md"]),
        (json!({"pattern": "FN"}), &[]),
    ] {
        assert_eq!(paths(&found(args.clone())["matches"]), expected, "{args}");
    }
    let few = found(json!({"pattern": "fn", "max_results": 2}));
    assert_eq!(few["matches"].as_array().unwrap().len(), 2);
    assert_eq!(few["truncated"], true);
    assert_eq!(
        bench.fails("search_files", json!({"pattern": "a("})),
        "`pattern` is not a regular expression: unclosed group"
    );
    assert_eq!(
        bench.fails("search_files", json!({"pattern": "a", "path": "no"})),
        "cannot open `no`: there is no such file"
    );
}
