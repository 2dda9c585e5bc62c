//! What is ignored, with git itself as the judge.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use signoff_work::layers::IgnoreRules;

use crate::git::world::World;

/// What git says of these paths in the checkout.
fn said_by_git(world: &World, paths: &[&str]) -> BTreeSet<String> {
    let mut child = world
        .command(&world.repo(), &["check-ignore", "-z", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(paths.join("\0").as_bytes()).unwrap();
    drop(stdin);
    let out = child.wait_with_output().unwrap().stdout;
    let parts = out.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts
        .map(|part| String::from_utf8(part.to_vec()).unwrap())
        .collect()
}

const RULES: [(&str, &str); 4] = [
    (
        ".gitignore",
        "*.log\n!keep.log\n/target/\nnode_modules\nbuild/*\n!build/keep\ndoc/**/*.tmp\n__pycache__/\n\\#x\nsp\\ ace\n[ab].o\n",
    ),
    ("sub/.gitignore", "!*.log\nlocal\n/only-here\n"),
    ("sub/deep/.gitignore", "*\n!.gitignore\n!kept\n"),
    ("out/.gitignore", "*.bin\n"),
];

/// A path that ends in `/` is a directory.
const PATHS: [&str; 40] = [
    "a.log",
    "keep.log",
    "sub/a.log",
    "sub/keep.log",
    "target/",
    "target/debug/x",
    "sub/target/",
    "sub/target/x",
    "node_modules/",
    "node_modules/a/b.js",
    "sub/node_modules/x",
    "build/",
    "build/x",
    "build/keep",
    "build/d/keep",
    "doc/x.tmp",
    "doc/a/x.tmp",
    "doc/a/b/x.tmp",
    "x.tmp",
    "__pycache__/",
    "sub/__pycache__/x.pyc",
    "#x",
    "sp ace",
    "a.o",
    "c.o",
    "sub/local",
    "local",
    "sub/only-here",
    "sub/deep/only-here",
    "sub/deep/x",
    "sub/deep/kept",
    "sub/deep/.gitignore",
    "sub/deep/more/kept",
    "personal.me",
    "sub/personal.me",
    "excluded",
    "forced.log",
    "vendor/",
    "vendor/forced.txt",
    "vendor/other.txt",
];

fn ruled() -> World {
    let world = World::new();
    world.write_all(&RULES);
    world.write_all(&[
        ("src/main.rs", "fn main() {}\n"),
        ("forced.log", "tracked\n"),
        ("vendor/forced.txt", "tracked\n"),
    ]);
    std::fs::create_dir_all(world.root.join("home/.config/git")).unwrap();
    std::fs::write(world.root.join("home/.config/git/ignore"), "*.me\n").unwrap();
    std::fs::write(world.path(".git/info/exclude"), "excluded\nvendor\n").unwrap();
    world.git("add -f .");
    world.commit("first");
    world
}

#[test]
fn rules_agree_with_git() {
    let world = ruled();
    for path in PATHS {
        match path.strip_suffix('/') {
            Some(folder) => std::fs::create_dir_all(world.path(folder)).unwrap(),
            None if !world.path(path).exists() => world.write(path, "x"),
            None => {}
        }
    }
    let rules = IgnoreRules::of_tree(&world.own(), &world.head()).unwrap();
    let names = PATHS.map(|path| path.trim_end_matches('/'));
    let said = said_by_git(&world, &names);
    assert!(said.len() > 15, "{said:?}");
    for path in PATHS {
        let name = path.trim_end_matches('/');
        let ours = rules.is_ignored(name.as_bytes(), path.ends_with('/'));
        assert_eq!(ours, said.contains(name), "{path}");
    }
}

#[test]
fn rules_of_the_first_tree_stay() {
    let world = ruled();
    let rules = IgnoreRules::of_tree(&world.own(), &world.head()).unwrap();
    world.write(".gitignore", "conftest.py\n");
    world.write("src/.gitignore", "*\n");
    for (path, ignored) in [
        ("conftest.py", false),
        ("src/new.rs", false),
        ("a.log", true),
        ("target/x", true),
        ("vendor/forced.txt", false),
        ("vendor/other.txt", true),
    ] {
        assert_eq!(rules.is_ignored(path.as_bytes(), false), ignored, "{path}");
    }
}
