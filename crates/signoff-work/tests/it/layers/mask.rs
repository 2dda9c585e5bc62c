//! Whiteouts over what is versioned in the checkout.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use signoff_work::layers::{IgnoreRules, Mask};

use crate::git::world::World;

fn world() -> World {
    let world = World::committed(&[
        (".gitignore", "target/\nnode_modules\n*.pyc\n/vendor/\n"),
        ("src/main.rs", "main\n"),
        ("src/deep/er/lib.rs", "lib\n"),
        ("web/app.js", "app\n"),
        ("README.md", "read\n"),
    ]);
    world.write_all(&[
        ("vendor/kept.c", "tracked\n"),
        ("vendor/other.c", "ignored\n"),
        ("target/debug/x", "x"),
        ("web/node_modules/m/index.js", "m"),
        ("web/node_modules/.git/HEAD", "m"),
        ("src/deep/er/x.pyc", "x"),
        ("untracked/file", "x"),
        (".signoff/config.toml", ""),
    ]);
    world.git("add -f vendor/kept.c");
    world.git("commit -q -m vendor");
    world
}

fn rules(world: &World) -> IgnoreRules {
    IgnoreRules::of_tree(&world.own(), &world.head()).unwrap()
}

/// `-name` for a whiteout, `name/` for a directory.
fn listed(folder: &Path) -> Vec<String> {
    fn gather(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes();
            let name = name.escape_ascii();
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                found.push(format!("{name}/"));
                gather(root, &path, found);
            } else {
                assert!(kind.file_type().is_char_device() && kind.rdev() == 0);
                found.push(format!("-{name}"));
            }
        }
    }
    let mut found = Vec::new();
    gather(folder, folder, &mut found);
    found.sort();
    found
}

fn roots(mask: &Mask) -> Vec<String> {
    let roots = mask.ignored_roots();
    roots.map(|root| root.escape_ascii().to_string()).collect()
}

#[test]
fn only_what_is_ignored_is_seen() {
    let world = world();
    let at = world.root.join("mask");
    let mask = Mask::make(&world.repo(), &rules(&world), &at, &[]).unwrap();
    assert_eq!(
        listed(mask.path()),
        [
            "-.git",
            "-.gitignore",
            "-.signoff",
            "-README.md",
            "-src/deep/er/lib.rs",
            "-src/main.rs",
            "-untracked",
            "-vendor/kept.c",
            "-web/app.js",
            "src/",
            "src/deep/",
            "src/deep/er/",
            "vendor/",
            "web/",
        ]
    );
    let expected = [
        "src/deep/er/x.pyc",
        "target",
        "vendor/other.c",
        "web/node_modules",
    ];
    assert_eq!(roots(&mask), expected);
    assert!(mask.is_current().unwrap());
}

#[test]
fn in_place_of_the_checkout_it_shows_what_was_ignored_then() {
    let world = world();
    world.write_all(&[("web/debug.pyc", "d"), ("src/deep/er/target/x", "x")]);
    std::os::unix::fs::symlink("web", world.repo().join("vendor/link")).unwrap();
    let mask = Mask::make(&world.repo(), &rules(&world), &world.root.join("mask"), &[]).unwrap();
    let at = world.root.join("detached");
    let detached = mask.detached_mask(&at).unwrap().expect("it is little");
    let own: Vec<String> = (detached.own_roots().unwrap().iter())
        .map(|root| root.escape_ascii().to_string())
        .collect();
    // A cache further down is not worth a mount.
    assert_eq!(own, ["target", "web/node_modules"]);
    for root in own {
        assert_eq!(fs::read_dir(at.join(root)).unwrap().count(), 0);
    }
    assert_eq!(fs::read(at.join("vendor/other.c")).unwrap(), b"ignored\n");
    assert_eq!(
        fs::read_link(at.join("vendor/link")).unwrap(),
        Path::new("web")
    );
    for hidden in [
        ".git",
        "README.md",
        "vendor/kept.c",
        "untracked",
        "src/deep/er/target",
    ] {
        assert!(!at.join(hidden).exists(), "{hidden}");
    }
    // What comes is not seen through it, as it is through the other one; what changes is.
    world.write_all(&[("new", "n"), ("web/new.pyc", "n")]);
    assert!(!mask.is_current().unwrap());
    assert_eq!(mask.new_names().unwrap().len(), 2);
    assert!(detached.is_current().unwrap());
    assert!(detached.new_names().unwrap().is_empty());
    world.write_all(&[("vendor/other.c", "changed\n")]);
    assert!(!detached.is_current().unwrap());
}

#[test]
fn there_may_be_too_much_ignored_to_show_it_piece_by_piece() {
    let world = world();
    let many: Vec<(String, &str)> = (0..65)
        .map(|n| (format!("p{n}/node_modules/x"), "x"))
        .collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    world.write_all(&many);
    let mask = Mask::make(&world.repo(), &rules(&world), &world.root.join("mask"), &[]).unwrap();
    assert!(
        mask.detached_mask(&world.root.join("detached"))
            .unwrap()
            .is_none()
    );
}

#[test]
fn what_is_left_out_is_hidden_too() {
    let world = world();
    let first = world.root.join("mask");
    let mask = Mask::make(&world.repo(), &rules(&world), &first, &[]).unwrap();
    let left_out = [
        b"target".to_vec(),
        b"web/node_modules/m".to_vec(),
        b"src/deep/new.pyc".to_vec(),
        b"untracked/new.pyc".to_vec(),
    ];
    let without = mask
        .without_paths(&left_out, &world.root.join("without"))
        .unwrap();
    assert_eq!(roots(&without), ["src/deep/er/x.pyc", "vendor/other.c"]);
    let listed = listed(without.path());
    for name in [
        "-target",
        "-web/node_modules",
        "-src/deep/new.pyc",
        "-untracked",
    ] {
        assert!(listed.contains(&name.to_owned()), "{name} {listed:?}");
    }
    assert_eq!(roots(&mask).len(), 4);
}

#[test]
fn odd_things_neither_stop_it_nor_are_seen() {
    let world = world();
    let repo = world.repo();
    let pipe = |name: &str| {
        mknodat(
            CWD,
            repo.join(name),
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
    };
    pipe("pipe");
    pipe("src/.gitattributes");
    fs::write(repo.join(OsStr::from_bytes(b"\xff.rs")), "").unwrap();
    fs::write(repo.join(OsStr::from_bytes(b"\xff.pyc")), "").unwrap();
    std::os::unix::fs::symlink("/", repo.join("everything")).unwrap();
    fs::create_dir_all(repo.join("closed/target")).unwrap();
    fs::set_permissions(repo.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let mask = Mask::make(&repo, &rules(&world), &world.root.join("mask"), &[]).unwrap();
    let listed = listed(mask.path());
    let masked = ["-pipe", "-src/.gitattributes", r"-\xff.rs", "-everything"];
    for name in masked {
        assert!(listed.contains(&name.to_owned()), "{name} {listed:?}");
    }
    assert!(roots(&mask).contains(&r"\xff.pyc".to_owned()));
    // Only root can look into it.
    let is_closed = listed.contains(&"-closed".to_owned());
    assert_eq!(is_closed, !rustix::process::geteuid().is_root());
    fs::set_permissions(repo.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_changed_in_the_checkout_is_told_where_it_is_seen() {
    let world = world();
    let mask = Mask::make(&world.repo(), &rules(&world), &world.root.join("mask"), &[]).unwrap();
    let changed = |mask: &Mask| -> Vec<String> {
        let changed = mask.changed_since(mask.stamp()).unwrap();
        let texts = changed.iter().map(|name| name.escape_ascii().to_string());
        texts.collect()
    };
    // What is masked may change, and be replaced.
    world.write("README.md", "edited\n");
    world.write("untracked/more", "x");
    world.write("src/deep/er/lib.rs", "edited\n");
    fs::remove_file(world.path("web/app.js")).unwrap();
    assert!(changed(&mask).is_empty());
    assert!(mask.is_current().unwrap());
    world.write("web/new.js", "new\n");
    assert_eq!(changed(&mask), ["web/new.js"]);
    world.write("top", "new\n");
    world.write("target/new", "x");
    fs::remove_dir_all(world.path("web/node_modules")).unwrap();
    assert_eq!(
        changed(&mask),
        ["target", "top", "web/new.js", "web/node_modules"]
    );
    let stamp = mask.stamp_now().unwrap();
    world.write("target/debug/new", "built by somebody");
    let later = mask.changed_since(&stamp).unwrap();
    assert_eq!(later, [b"target".to_vec()]);
    let stamp = mask.stamp_now().unwrap();
    world.write("src/deep/er/x.pyc", "other");
    let later = mask.changed_since(&stamp).unwrap();
    assert!(later.contains(&b"src/deep/er/x.pyc".to_vec()));
    assert!(!later.contains(&b"target".to_vec()));
    assert!(!mask.is_current().unwrap());
}

#[test]
fn a_file_in_an_ignored_directory_that_is_written_in_place_is_noticed() {
    let world = world();
    let mask = Mask::make(&world.repo(), &rules(&world), &world.root.join("mask"), &[]).unwrap();
    for name in ["target/debug/x", "web/node_modules/m/index.js"] {
        let stamp = mask.stamp_now().unwrap();
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(world.path(name))
            .unwrap();
        std::io::Write::write_all(&mut file, b"more").unwrap();
        let changed = mask.changed_since(&stamp).unwrap();
        assert_eq!(changed.len(), 1, "{name}");
        assert!(name.as_bytes().starts_with(&changed[0]), "{name}");
    }
}
