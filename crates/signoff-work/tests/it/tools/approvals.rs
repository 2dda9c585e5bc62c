//! When a person must agree, and what may be called again.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::tools::bench::{Bench, at};

#[test]
fn what_changes_something_needs_a_yes() {
    let bench = Bench::new(&[("there", "")]);
    symlink("there", bench.root().join("link")).unwrap();
    symlink("missing", bench.root().join("dangling")).unwrap();
    let check = |tool: &str, args: Value, expected: Option<&str>| {
        let why = bench.tools.needs_approval(tool, &args, false);
        assert_eq!(why.as_deref(), expected, "{tool} {args}");
        assert_eq!(bench.tools.needs_approval(tool, &args, true), None);
    };
    check("read_file", at("there"), None);
    check("list_directory", json!({}), None);
    check("search_files", json!({"pattern": "a"}), None);
    check("write_file", at("new"), None);
    check("write_file", at("no/new"), None);
    check("write_file", at("there"), Some("overwrites `there`"));
    check("write_file", at("link"), Some("overwrites `link`"));
    check(
        "write_file",
        at("no/../there"),
        Some("overwrites `no/../there`"),
    );
    check("write_file", at("no/../new"), None);
    check("write_file", at("dangling"), None);
    check("write_file", at("../outside/secret"), None);
    check("edit_file", at("there"), Some("edits `there`"));
    check("delete_file", at("there"), Some("deletes `there`"));
    check("move_file", json!({"from": "there", "to": "new"}), None);
    check(
        "move_file",
        json!({"from": "there", "to": "dangling"}),
        Some("overwrites `dangling`"),
    );
    check(
        "run_command",
        json!({"command": "make"}),
        Some("runs `make`"),
    );
    let to = "http://a.example";
    check("http_request", json!({"url": to}), None);
    check("http_request", json!({"url": to, "method": "HEAD"}), None);
    check(
        "http_request",
        json!({"url": to, "method": "POST"}),
        Some("sends `POST` to `http://a.example`"),
    );
    check("no.such", json!({}), Some("`no.such` may change something"));
}

#[test]
fn only_what_reads_is_repeated() {
    let bench = Bench::new(&[]);
    for (tool, repeatable, changes) in [
        ("read_file", true, false),
        ("list_directory", true, false),
        ("search_files", true, false),
        ("write_file", false, true),
        ("move_file", false, true),
        ("run_command", false, true),
        ("http_request", false, false),
        ("no.such", false, true),
    ] {
        let args = json!({"method": "POST"});
        assert_eq!(bench.tools.is_repeatable(tool, &args), repeatable, "{tool}");
        assert_eq!(bench.tools.changes_tree(tool), changes, "{tool}");
    }
    for args in [
        json!({}),
        json!({"method": "GET"}),
        json!({"method": "HEAD"}),
    ] {
        assert!(bench.tools.is_repeatable("http_request", &args), "{args}");
    }
}
