//! A tree that its holder writes to.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use signoff_work::layers::{ExclusiveTree, LayerError, TreePool, record_taken};

use crate::git::world::{shown, write};
use crate::layers::layer::{Layer, changes, roots};

const FILES: [(&str, &str); 6] = [
    (".gitignore", "*.pyc\n/dist/\n"),
    ("a", "a\n"),
    ("d/e", "e\n"),
    ("d/f", "f\n"),
    ("forced.pyc", "tracked\n"),
    ("link", "-> a"),
];

fn taken() -> (Layer, TreePool, ExclusiveTree) {
    let layer = Layer::new(&FILES[..4]);
    write(&layer.world.repo(), "forced.pyc", "tracked\n");
    write(&layer.world.repo(), "link", "-> a");
    layer.world.git("add -f forced.pyc link");
    let head = layer.world.commit("second");
    let base = layer.own.tree_of(&head).unwrap();
    let rules = signoff_work::layers::IgnoreRules::of_tree(&layer.own, &base).unwrap();
    let layer = Layer {
        base,
        rules,
        ..layer
    };
    let pool = TreePool::open(layer.own.clone(), &layer.world.root.join("pool")).unwrap();
    let taken = pool.take(&head).unwrap();
    (layer, pool, taken)
}

#[test]
fn what_the_holder_did_is_recorded_by_the_rules_of_the_first_tree() {
    let (layer, _pool, taken) = taken();
    assert_eq!(
        record_taken(&layer.context(), &taken).unwrap().tree,
        layer.base
    );
    let path = taken.path();
    write(path, ".gitignore", "*\n");
    write(path, "conftest.py", "evil\n");
    write(path, "dist/x", "built");
    write(path, "forced.pyc", "changed\n");
    write(path, "d/new.pyc", "");
    fs::remove_file(path.join("d/e")).unwrap();
    fs::remove_file(path.join("a")).unwrap();
    write(path, "a/inner", "a directory\n");
    fs::create_dir(path.join(".git")).unwrap();
    let report = record_taken(&layer.context(), &taken).unwrap();
    assert_eq!(
        changes(&report),
        [
            "modified .gitignore",
            "removed a",
            "added a/inner",
            "added conftest.py",
            "removed d/e",
            "modified forced.pyc",
        ]
    );
    assert_eq!(roots(&report), ["d/new.pyc", "dist"]);
    mknodat(
        CWD,
        path.join("device"),
        FileType::CharacterDevice,
        Mode::empty(),
        0,
    )
    .unwrap();
    let error = record_taken(&layer.context(), &taken).unwrap_err();
    assert!(matches!(error, LayerError::Special { .. }), "{error}");
}

/// Same size, and the time put back.
#[test]
fn a_file_that_looks_the_same_is_seen_to_be_another() {
    let (layer, _pool, taken) = taken();
    let file = taken.path().join("a");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "b\n").unwrap();
    let opened = fs::File::options().append(true).open(&file).unwrap();
    opened.set_modified(time).unwrap();
    let report = record_taken(&layer.context(), &taken).unwrap();
    assert_eq!(changes(&report), ["modified a"]);
}

#[test]
fn what_is_given_back_is_as_it_was() {
    for gives_back in [true, false] {
        let (_layer, pool, taken) = taken();
        let (path, tree) = (taken.path().to_owned(), taken.tree().clone());
        let before = shown(&path);
        fs::remove_dir_all(path.join("d")).unwrap();
        write(&path, "d/e/f/g", "deep\n");
        write(&path, "dist/x", "built");
        write(&path, "a", "b\n");
        write(&path, "link", "-> /etc");
        fs::create_dir(path.join("empty")).unwrap();
        for (name, mode) in [("d/e", 0o000), ("d", 0o500), (".", 0o500)] {
            let rights = fs::Permissions::from_mode(mode);
            fs::set_permissions(path.join(name), rights).unwrap();
        }
        if gives_back {
            taken.give_back().unwrap();
        } else {
            drop(taken);
        }
        let lent = pool.share(&tree).unwrap();
        assert_eq!(lent.path(), path);
        assert_eq!(shown(&path), before);
        assert!(!path.join("empty").exists());
    }
}
