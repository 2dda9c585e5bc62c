//! Directories that show recorded trees.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use signoff_work::git::{HarnessGit, Id};
use signoff_work::layers::{SharedTree, TreePool};

use crate::git::world::{World, shown};

fn pool(world: &World) -> TreePool {
    TreePool::open(world.own(), &world.root.join("pool")).unwrap()
}

fn three_commits() -> (World, Vec<Id>) {
    let world = World::committed(&[
        ("a", "a\n"),
        ("d/e", "e\n"),
        ("run", "#!/bin/sh\n"),
        ("link", "-> a"),
    ]);
    let first = world.head();
    world.write("a", "changed\n");
    world.git("rm -q -r d");
    world.write("d", "now a file\n");
    let second = world.commit("second");
    world.git("rm -q d link");
    world.write("d/e/f", "deeper\n");
    world.write("link/x", "was a link\n");
    let third = world.commit("third");
    (world, vec![first, second, third])
}

fn fresh(world: &World, commit: &Id) -> Vec<String> {
    let folder = world.root.join(format!("fresh-{commit}"));
    if !folder.exists() {
        let target = folder.to_str().unwrap();
        world.git_in(
            &world.repo(),
            &["worktree", "add", "-q", "--detach", target, commit.as_str()],
        );
    }
    shown(&folder)
}

fn folders(world: &World) -> usize {
    let entries = fs::read_dir(world.root.join("pool")).unwrap();
    entries
        .filter(|entry| entry.as_ref().unwrap().path().is_dir())
        .count()
}

#[test]
fn a_directory_shows_each_commit_in_turn() {
    let (world, commits) = three_commits();
    let pool = pool(&world);
    for index in [0, 1, 2, 0, 2, 1] {
        let lent = pool.share(&commits[index]).unwrap();
        assert_eq!(
            shown(lent.path()),
            fresh(&world, &commits[index]),
            "{index}"
        );
        assert!(!lent.path().join(".git").exists());
    }
    assert_eq!(folders(&world), 1);
}

#[test]
fn those_who_want_the_same_share_it_and_nobody_else_changes_it() {
    let (world, commits) = three_commits();
    let (one, other) = (pool(&world), pool(&world));
    let lent: Vec<SharedTree> = vec![
        one.share(&commits[0]).unwrap(),
        one.share(&commits[0]).unwrap(),
        other.share(&commits[0]).unwrap(),
    ];
    let paths: BTreeSet<&Path> = lent.iter().map(SharedTree::path).collect();
    assert_eq!(paths.len(), 1);
    let second = other.share(&commits[1]).unwrap();
    assert!(!paths.contains(second.path()));
    assert_eq!(shown(lent[0].path()), fresh(&world, &commits[0]));
    // The tree of a commit is the same thing.
    let tree = world.own().tree_of(&commits[1]).unwrap();
    assert_eq!(one.share(&tree).unwrap().path(), second.path());
    drop(lent);
    let third = one.share(&commits[2]).unwrap();
    assert_eq!(shown(third.path()), fresh(&world, &commits[2]));
    assert_eq!(shown(second.path()), fresh(&world, &commits[1]));
    assert_eq!(folders(&world), 2);
}

#[test]
fn threads_that_begin_together_make_one() {
    let (world, commits) = three_commits();
    let pool = Arc::new(pool(&world));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let (pool, commit) = (Arc::clone(&pool), commits[number % 2].clone());
            std::thread::spawn(move || pool.share(&commit).unwrap())
        })
        .collect();
    let lent: Vec<SharedTree> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let paths: BTreeSet<&Path> = lent.iter().map(SharedTree::path).collect();
    assert_eq!(paths.len(), 2);
    for (number, lent) in lent.iter().enumerate() {
        assert_eq!(shown(lent.path()), fresh(&world, &commits[number % 2]));
    }
}

/// What a process that was killed in the middle of an update leaves.
#[test]
fn one_that_was_cut_off_is_made_anew() {
    let (world, commits) = three_commits();
    let killed = pool(&world);
    let path = killed.share(&commits[0]).unwrap().path().to_owned();
    drop(killed);
    fs::remove_file(path.parent().unwrap().join("shows")).unwrap();
    fs::write(path.join("a"), "half").unwrap();
    fs::write(path.join("stray"), "left").unwrap();
    fs::set_permissions(path.join("d"), fs::Permissions::from_mode(0o000)).unwrap();
    let lent = pool(&world).share(&commits[0]).unwrap();
    assert_eq!(lent.path(), path);
    assert_eq!(shown(lent.path()), fresh(&world, &commits[0]));
}

fn modified(path: PathBuf) -> SystemTime {
    fs::symlink_metadata(path).unwrap().modified().unwrap()
}

#[test]
fn files_have_the_times_of_the_checkout_where_they_have_its_content() {
    let (world, commits) = three_commits();
    let old = SystemTime::now() - Duration::from_hours(1000);
    for name in ["a", "run", "d/e/f"] {
        let file = fs::File::options()
            .append(true)
            .open(world.path(name))
            .unwrap();
        file.set_modified(old).unwrap();
    }
    let pool = pool(&world);
    // Shown before there were times, by an earlier run.
    drop(pool.share(&commits[0]).unwrap());
    let (tree, times) = world.own().snapshot_with_times().unwrap();
    assert_eq!(tree, world.own().tree_of(&commits[2]).unwrap());
    let before = modified(world.root.join("pool/1/tree/a"));
    pool.set_times(times.clone());
    let lent = pool.share(&commits[2]).unwrap();
    for name in ["a", "run", "d/e/f"] {
        assert_eq!(modified(lent.path().join(name)), old, "{name}");
    }
    drop(lent);
    let lent = pool.share(&commits[0]).unwrap();
    assert_eq!(modified(lent.path().join("run")), old);
    assert!(modified(lent.path().join("a")) > before);
    assert!(modified(lent.path().join("d/e")) > before);
    drop(lent);
    // Something was built meanwhile: what differs from the checkout is newer than that.
    let built = modified(world.root.join("pool/1/tree/a"));
    pool.set_times(times.taken_now());
    let lent = pool.share(&commits[0]).unwrap();
    assert!(modified(lent.path().join("a")) > built);
    assert_eq!(modified(lent.path().join("run")), old);
}

#[test]
fn attributes_that_change_are_seen_in_every_file() {
    let world = World::committed(&[("a.txt", "one\n"), ("b", "b\n")]);
    let first = world.head();
    world.write(".gitattributes", "*.txt eol=crlf\n");
    let second = world.commit("second");
    let pool = pool(&world);
    let text = |commit: &Id| fs::read(pool.share(commit).unwrap().path().join("a.txt")).unwrap();
    assert_eq!(text(&first), b"one\n");
    assert_eq!(text(&second), b"one\r\n");
    assert_eq!(text(&first), b"one\n");
}

/// A run has a git directory of its own; the next one must not make ten thousand files anew for that.
#[test]
fn a_later_run_changes_what_differs() {
    let (world, commits) = three_commits();
    let inode = |own: HarnessGit, commit: &Id| {
        own.keep_attributes_of(commit);
        let pool = TreePool::open(own, &world.root.join("pool")).unwrap();
        let lent = pool.share(commit).unwrap();
        assert_eq!(shown(lent.path()), fresh(&world, commit));
        fs::metadata(lent.path().join("run")).unwrap().ino()
    };
    let later = world
        .repository()
        .open_harness_git(&world.root.join("later"), &[])
        .unwrap();
    let first = inode(world.own(), &commits[0]);
    assert_eq!(inode(later, &commits[1]), first);
}

/// An agent that writes `check.sh eol=crlf` must not change how its contract's script looks.
#[test]
fn attributes_that_are_kept_hold_in_every_tree() {
    let world = World::committed(&[
        (".gitattributes", "*.bat eol=crlf\n"),
        ("check.sh", "set -e\n"),
        ("run.bat", "echo\n"),
    ]);
    let first = world.head();
    world.write(".gitattributes", "* text eol=crlf ident\n");
    world.write("d/.gitattributes", "* text eol=lf\n");
    world.write("d/a.bat", "$Id$\n");
    let second = world.commit("second");
    let own = world.own();
    own.keep_attributes_of(&first);
    let pool = TreePool::open(own, &world.root.join("pool")).unwrap();
    for commit in [&first, &second] {
        let lent = pool.share(commit).unwrap();
        let text = |name: &str| fs::read_to_string(lent.path().join(name)).unwrap();
        assert_eq!(text("check.sh"), "set -e\n");
        assert_eq!(text("run.bat"), "echo\r\n");
    }
    let lent = pool.share(&second).unwrap();
    let text = fs::read_to_string(lent.path().join("d/a.bat")).unwrap();
    assert_eq!(text, "$Id$\r\n");
    // Another run that begins with them sees them.
    let own = world.own();
    own.keep_attributes_of(&second);
    drop(lent);
    let pool = TreePool::open(own, &world.root.join("pool")).unwrap();
    let lent = pool.share(&second).unwrap();
    assert_eq!(
        fs::read(lent.path().join("check.sh")).unwrap(),
        b"set -e\r\n"
    );
}

/// `core.autocrlf` and the like.
#[test]
fn settings_of_the_person_that_change_are_seen_in_every_file() {
    let world = World::committed(&[("a.txt", "one\n")]);
    let text = || {
        let lent = pool(&world).share(&world.head()).unwrap();
        fs::read(lent.path().join("a.txt")).unwrap()
    };
    assert_eq!(text(), b"one\n");
    world.git("config core.autocrlf true");
    assert_eq!(text(), b"one\r\n");
}

#[test]
fn files_are_made_anew_and_shared_with_nothing() {
    let (world, commits) = three_commits();
    let pool = pool(&world);
    let path = pool.share(&commits[0]).unwrap().path().to_owned();
    let kept = fs::File::open(path.join("a")).unwrap();
    let lent = pool.share(&commits[1]).unwrap();
    // A link or a mapping of the old file still has the old content.
    assert_ne!(
        kept.metadata().unwrap().ino(),
        fs::metadata(lent.path().join("a")).unwrap().ino()
    );
    assert_eq!(fs::metadata(lent.path().join("a")).unwrap().nlink(), 1);
}

#[test]
fn spare_directories_are_removed_but_for_a_few() {
    let (world, commits) = three_commits();
    let pool = pool(&world);
    let taken: Vec<_> = (0..5).map(|_| pool.take(&commits[0]).unwrap()).collect();
    let lent = pool.share(&commits[1]).unwrap();
    assert_eq!(folders(&world), 6);
    pool.remove_unused().unwrap();
    assert_eq!(folders(&world), 6);
    for taken in taken {
        // As an overlay leaves it.
        let inner = taken.path().join("work/work");
        fs::create_dir_all(&inner).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
    }
    pool.remove_unused().unwrap();
    assert_eq!(folders(&world), 4);
    assert_eq!(shown(lent.path()), fresh(&world, &commits[1]));
}
