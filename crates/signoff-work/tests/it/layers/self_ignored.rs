//! Directories that ignore themselves, as tools make them for virtual environments and caches.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};
use signoff_work::layers::{IgnoreRules, LayerError, TreePool, record_taken, self_ignored_paths};

use crate::git::world::{World, write};
use crate::layers::layer::{Layer, changes, roots};

const FILES: [(&str, &str); 4] = [
    (".gitignore", "*.pyc\n/dist/\n"),
    ("a", "a\n"),
    ("d/e", "e\n"),
    ("src/main", "m\n"),
];

/// As Python's `venv` writes it.
const VENV: &str = "# Created by venv; see https://docs.python.org/3/library/venv.html\n*\n";

#[test]
fn a_new_directory_that_ignores_itself_is_told_and_not_recorded() {
    let layer = Layer::new(&FILES);
    layer.write(".venv/.gitignore", VENV);
    layer.write(".venv/bin/python", "elf");
    layer.write(".venv/lib/kept/.gitignore", "!*\n");
    layer.write("src/new/.cache/.gitignore", "*");
    layer.write("src/new/.cache/conftest.py", "evil\n");
    layer.write("src/new/file", "n\n");
    let pipe = layer.upper.join(".venv/pipe");
    mknodat(CWD, pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["added src/new/file"]);
    assert_eq!(roots(&report), [".venv", "src/new/.cache"]);
}

/// An agent that puts such a file beside versioned ones hides nothing.
#[test]
fn what_was_versioned_stays_so() {
    let mut layer = Layer::new(&FILES);
    layer.write("d/.gitignore", "*\n");
    layer.write("d/conftest.py", "evil\n");
    layer.write("a/.gitignore", "*\n");
    layer.write(".gitignore", "*\n");
    let expected = [
        "modified .gitignore",
        "removed a",
        "added a/.gitignore",
        "added d/.gitignore",
        "added d/conftest.py",
    ];
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), expected);
    assert!(report.ignored_roots.is_empty());
    // Also where only an earlier step made it.
    layer.base = report.tree;
    fs::remove_dir_all(&layer.upper).unwrap();
    layer.write("d/more.py", "m\n");
    layer.write("d/.gitignore", VENV);
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        ["modified d/.gitignore", "added d/more.py"]
    );
}

#[test]
fn other_rules_are_changes_like_any_other() {
    for rules in ["*\n!.gitignore\n", "!x\n*\n", "*.py\n", "/*\n", ""] {
        let layer = Layer::new(&FILES);
        layer.write("new/.gitignore", rules);
        layer.write("new/x.py", "x\n");
        let report = layer.record().unwrap();
        let expected = ["added new/.gitignore", "added new/x.py"];
        assert_eq!(changes(&report), expected, "{rules:?}");
    }
    let layer = Layer::new(&FILES);
    layer.write("new/rules", "*\n");
    layer.write(
        "new/large/.gitignore",
        &format!("#{}\n*\n", "x".repeat(9000)),
    );
    symlink("rules", layer.folder("new").join(".gitignore")).unwrap();
    assert_eq!(
        changes(&layer.record().unwrap()),
        [
            "added new/.gitignore",
            "added new/large/.gitignore",
            "added new/rules"
        ]
    );
    let layer = Layer::new(&FILES);
    let pipe = layer.folder("new").join(".gitignore");
    mknodat(CWD, pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(matches!(layer.record(), Err(LayerError::Special { .. })));
}

#[test]
fn what_a_step_produces_there_is_recorded() {
    let mut layer = Layer::new(&FILES);
    layer.produces = vec!["site/**/*.html".to_owned()];
    layer.write("site/.gitignore", "*\n");
    layer.write("site/a/index.html", "h\n");
    layer.write("site/a/index.md", "m\n");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["added site/a/index.html"]);
    assert_eq!(roots(&report), ["site"]);
}

/// What came before is in no tree, so what comes after is not either, unless all of it is new.
#[test]
fn what_earlier_work_left_stays_ignored_until_it_is_made_anew() {
    let mut layer = Layer::new(&FILES);
    let left = layer.world.root.join("left");
    write(&left, "new/.gitignore", "*\n");
    write(&left, "new/old.py", "old\n");
    layer.below = vec![layer.world.root.join("other"), left.clone()];
    layer.write("new/more.py", "more\n");
    layer.remove("new/.gitignore");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), Vec::<String>::new());
    assert_eq!(roots(&report), ["new"]);

    let opaque = layer.upper.join("new");
    setxattr(&opaque, "user.overlay.opaque", b"y", XattrFlags::empty()).unwrap();
    fs::remove_file(opaque.join(".gitignore")).unwrap();
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["added new/more.py"]);

    fs::remove_dir_all(&opaque).unwrap();
    layer.remove("new");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), Vec::<String>::new());
    assert_eq!(roots(&report), ["new"]);

    // The newest layer decides: there it was removed, and what is there now is new.
    let newer = layer.world.root.join("newer");
    fs::create_dir(&newer).unwrap();
    mknodat(
        CWD,
        newer.join("new"),
        FileType::CharacterDevice,
        Mode::empty(),
        0,
    )
    .unwrap();
    layer.below = vec![newer, left];
    fs::remove_file(layer.upper.join("new")).unwrap();
    layer.write("new/more.py", "more\n");
    assert_eq!(changes(&layer.record().unwrap()), ["added new/more.py"]);
}

#[test]
fn a_tree_that_was_taken_is_looked_at_in_the_same_way() {
    let layer = Layer::new(&FILES);
    let pool = TreePool::open(layer.own.clone(), &layer.world.root.join("pool")).unwrap();
    let taken = pool.take(&layer.world.head()).unwrap();
    write(taken.path(), ".venv/.gitignore", VENV);
    write(taken.path(), ".venv/x", "x\n");
    write(taken.path(), "d/.gitignore", VENV);
    write(taken.path(), "d/x", "x\n");
    let report = record_taken(&layer.context(), &taken).unwrap();
    assert_eq!(changes(&report), ["added d/.gitignore", "added d/x"]);
    assert_eq!(roots(&report), [".venv"]);
}

/// The rules of a tree know nothing of a `.gitignore` that is in no tree.
#[test]
fn those_of_a_checkout_are_found_and_kept() {
    let world = World::committed(&FILES);
    world.write_all(&[
        (".venv/.gitignore", VENV),
        (".venv/bin/python", "elf"),
        ("src/.cache/.gitignore", "*"),
        ("src/part/.gitignore", "*.o\n"),
        ("dist/inner/.gitignore", "*\n"),
        ("empty [x]/.gitignore", "*\n"),
    ]);
    let own = world.own();
    let tree = own.tree_of(&world.head()).unwrap();
    let rules = IgnoreRules::of_tree(&own, &tree).unwrap();
    assert!(!rules.is_ignored(b".venv/bin/python", false));
    let found = self_ignored_paths(&world.repo(), &rules).unwrap();
    assert_eq!(found, [&b".venv"[..], b"empty [x]", b"src/.cache"]);
    for _ in 0..2 {
        own.ignore_also(&found).unwrap();
    }
    let rules = IgnoreRules::of_tree(&own, &tree).unwrap();
    for name in [&b".venv/bin/python"[..], b"empty [x]/y", b"src/.cache/z"] {
        assert!(rules.is_ignored(name, false));
    }
    assert!(!rules.is_ignored(b"src/main", false));
    assert_eq!(
        self_ignored_paths(&world.repo(), &rules).unwrap(),
        Vec::<Vec<u8>>::new()
    );
    // Whatever becomes of those files.
    fs::remove_file(world.path(".venv/.gitignore")).unwrap();
    fs::remove_file(world.path("src/part/.gitignore")).unwrap();
    assert_eq!(own.snapshot().unwrap(), tree);
}
