//! Repositories and files as people really have them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::slice::from_ref;

use signoff_work::git::{HarnessGit, Id, LandOutcome, LandingReadiness, Repository};

use crate::git::world::{World, files, write};

/// Takes a snapshot, has a worktree of it, changes something there and lands it: files are the same everywhere, and
/// nothing is touched before the landing.
#[track_caller]
fn whole_way(world: &World) -> Id {
    whole_way_in(world, &world.repository())
}

#[track_caller]
fn whole_way_in(world: &World, repository: &Repository) -> Id {
    assert_eq!(repository.obstacles().unwrap(), [""; 0]);
    let before = world.untouched();
    let own = repository
        .open_harness_git(&world.root.join("place"), &[])
        .unwrap();
    let (start, head) = changed(world, &own, repository);
    assert_eq!(world.untouched(), before);
    let status = world.git_in(repository.top(), &["status", "--porcelain"]);
    let LandingReadiness::Ready(landing) = own.prepare_landing(&start, &head).unwrap() else {
        panic!("it cannot land");
    };
    let landed = own.land(&landing, &|_| {}).unwrap();
    assert!(matches!(landed, LandOutcome::Done { .. }));
    let after = world.git_in(repository.top(), &["status", "--porcelain"]);
    assert_eq!(after, status);
    world.git_in(repository.top(), &["fsck", "--strict"]);
    landing.to
}

fn changed(world: &World, own: &HarnessGit, repository: &Repository) -> (Id, Id) {
    let tree = own.snapshot().unwrap();
    let parents: Vec<Id> = repository.head().unwrap().commit.into_iter().collect();
    let start = match parents.first() {
        Some(commit) if own.tree_of(commit).unwrap() == tree => commit.clone(),
        _ => own.commit(&tree, &parents, "snapshot").unwrap(),
    };
    let worktree = world.worktree(own, "one");
    worktree.make(&start).unwrap();
    assert_eq!(files(worktree.path()), files(repository.top()));
    assert_eq!(
        world.git_in(worktree.path(), &["status", "--porcelain"]),
        ""
    );
    world.git_in(worktree.path(), &["log", "-1", "--stat"]);
    assert_eq!(worktree.tree().unwrap(), tree);
    write(worktree.path(), "added", "by the run\n");
    let new = worktree.tree().unwrap();
    assert_eq!(own.changed_paths(&tree, &new).unwrap(), ["added"]);
    let head = own.commit(&new, from_ref(&start), "step").unwrap();
    (start, head)
}

#[test]
fn every_kind_of_repository_works() {
    for init in [
        "init -q -b main",
        "init -q -b main --object-format=sha256",
        "init -q -b main --ref-format=reftable",
        "init -q -b main --separate-git-dir=../elsewhere.git",
        "init -q -b main --shared=group",
    ] {
        let world = World::with(init);
        world.write_all(&[("a", "1\n"), ("d/b", "#!2\n")]);
        // Without a commit, and then with one.
        whole_way(&world);
        world.commit("all");
        world.write("added", "x");
        let world = World::with(init);
        world.write_all(&[("a", "1\n"), ("d/b", "#!2\n")]);
        world.commit("first");
        let head = whole_way(&world);
        assert_eq!(world.head(), head, "{init}");
    }
    whole_way(&World::new());
}

#[test]
fn a_linked_worktree_of_the_persons_works() {
    let world = World::committed(&[("a", "1\n")]);
    world.git("worktree add -q ../linked -b side");
    let repository = world.repository_at(&world.root.join("linked")).unwrap();
    assert_eq!(
        repository.head().unwrap().branch.as_deref(),
        Some("refs/heads/side")
    );
    let before = world.git("rev-parse main");
    whole_way_in(&world, &repository);
    assert_eq!(world.git("rev-parse main"), before);
    assert_ne!(world.git("rev-parse side"), before);
}

#[test]
fn clones_that_borrow_or_lack_history_work() {
    for words in [
        "clone -q -s repo clone",
        "clone -q --depth=1 file://ROOT/repo clone",
    ] {
        let world = World::committed(&[("a", "1\n")]);
        world.write("a", "2\n");
        world.commit("second");
        let root = world.root.to_str().unwrap();
        let words = words.replace("ROOT", root);
        world.git_in(&world.root, &words.split(' ').collect::<Vec<_>>());
        let clone = world.repository_at(&world.root.join("clone")).unwrap();
        whole_way_in(&world, &clone);
    }
}

#[test]
fn every_name_of_a_file_works() {
    let world = World::committed(&[("plain", "1\n")]);
    let names: [&[u8]; 14] = [
        b"new\nline",
        b"quo\"te",
        b"\"quoted\"",
        b"it's",
        b":(top)magic",
        b":!magic",
        b"-dash",
        b"back\\slash",
        b"*[glob]?",
        b" spaces ",
        b"\xff\xfe not utf-8",
        b"tab\there",
        "ümläut".as_bytes(),
        b"deep/\xff/:x\n/y",
    ];
    for name in names {
        write(&world.repo(), "x", "content\n");
        let path = world.repo().join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::rename(world.path("x"), path).unwrap();
    }
    world.write_all(&[
        ("case", "1\n"),
        ("CASE", "2\n"),
        ("link", "-> nowhere"),
        ("empty", ""),
    ]);
    let own = world.own();
    let tree = own.snapshot().unwrap();
    let changed = own.changed_paths(&world.head(), &tree).unwrap();
    assert_eq!(changed.len(), names.len() + 4);
    // Each is found again by its text.
    let commit = own.commit(&tree, &[], "all").unwrap();
    let worktree = world.worktree(&own, "one");
    worktree.make(&commit).unwrap();
    worktree.put_back(&world.head(), &changed).unwrap();
    assert_eq!(
        own.changed_paths(&world.head(), &worktree.tree().unwrap())
            .unwrap(),
        [""; 0]
    );
    assert_eq!(files(worktree.path()).len(), 1);
    worktree.put_back(&commit, &changed).unwrap();
    assert_eq!(files(worktree.path()), files(&world.repo()));
    worktree.remove().unwrap();
    whole_way(&world);
}

#[test]
fn line_endings_stay_as_each_side_has_them() {
    for (setting, attributes) in [
        ("core.autocrlf true", ""),
        ("core.autocrlf input", ""),
        ("core.eol crlf", "* text=auto\n"),
        (
            "core.autocrlf false",
            "*.bat text eol=crlf\n*.sh text eol=lf\n*.bin -text\n",
        ),
        ("core.safecrlf true", "a.sh text\n"),
    ] {
        let world = World::new();
        world.git(&format!("config {setting}"));
        if !attributes.is_empty() {
            world.write(".gitattributes", attributes);
        }
        world.write_all(&[
            ("a.bat", "1\n2\n"),
            ("a.sh", "1\n2\n"),
            ("a.bin", "1\r\n2\n"),
        ]);
        world.commit("first");
        // As git writes them, which is not as they were written.
        world.git("rm -q -r .");
        world.git("reset -q --hard");
        let own = world.own();
        let seen = own.changed_paths(&world.head(), &own.snapshot().unwrap());
        assert_eq!(seen.unwrap(), [""; 0], "{setting}");
        whole_way(&world);
        assert_eq!(world.git("status --porcelain"), "", "{setting}");
    }
}

#[test]
fn attributes_that_only_the_person_has_count() {
    let world = World::new();
    fs::create_dir_all(world.root.join("home/.config/git")).unwrap();
    fs::write(
        world.root.join("home/.config/git/attributes"),
        "*.txt text eol=crlf\n",
    )
    .unwrap();
    fs::write(world.path(".git/info/attributes"), "raw.txt -text\n").unwrap();
    fs::write(world.root.join("home/.config/git/ignore"), "*.global\n").unwrap();
    fs::write(world.path(".git/info/exclude"), "*.local\n").unwrap();
    world.write_all(&[("a.txt", "1\r\n"), ("raw.txt", "1\r\n")]);
    world.commit("first");
    let own = world.own();
    assert_eq!(own.snapshot().unwrap(), own.tree_of(&world.head()).unwrap());
    world.write_all(&[("x.global", "x"), ("x.local", "x")]);
    assert_eq!(own.snapshot().unwrap(), own.tree_of(&world.head()).unwrap());
}

#[test]
fn bits_and_forms_of_the_index_hide_nothing() {
    type Prepare<'w> = &'w dyn Fn(&World);
    let table: [(&str, Prepare<'_>); 5] = [
        ("assume", &|world| {
            drop(world.git("update-index --assume-unchanged a"));
        }),
        ("intent", &|world| {
            world.write("n", "n\n");
            world.git("add -N n");
        }),
        ("split", &|world| {
            drop(world.git("update-index --split-index"));
        }),
        ("cache", &|world| {
            drop(world.git("update-index --force-untracked-cache"));
        }),
        ("version", &|world| {
            drop(world.git("update-index --index-version 4"));
        }),
    ];
    for (name, prepare) in table {
        let world = World::committed(&[("a", "1\n"), ("b", "1\n")]);
        prepare(&world);
        let own = world.own();
        let before = own
            .changed_paths(&world.head(), &own.snapshot().unwrap())
            .unwrap();
        world.write_all(&[("a", "2\n"), ("b", "2\n")]);
        let changed = own
            .changed_paths(&world.head(), &own.snapshot().unwrap())
            .unwrap();
        let mut expected = ["a", "b"].map(str::to_owned).to_vec();
        expected.extend(before);
        assert_eq!(changed, expected, "{name}");
        whole_way(&world);
    }
}

/// Where that is so before a run, it gets no worktrees; this is about those who say it meanwhile.
#[test]
fn what_git_was_told_to_skip_is_not_overwritten() {
    let world = World::committed(&[("a", "1\n"), ("b", "1\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    worktree.make(&world.head()).unwrap();
    write(worktree.path(), "a", "work\n");
    let tree = worktree.tree().unwrap();
    let commit = own.commit(&tree, &[world.head()], "m").unwrap();
    world.git("update-index --skip-worktree a");
    world.write("a", "mine\n");
    let prepared = own.prepare_landing(&world.head(), &commit).unwrap();
    let LandingReadiness::Refused(why) = prepared else {
        panic!("it would land");
    };
    assert!(why.concat().contains("`a`"), "{why:?}");
    assert_eq!(fs::read(world.path("a")).unwrap(), b"mine\n");
}

/// The time of an index says which files have to be read again.
#[test]
fn a_change_in_the_same_moment_is_seen() {
    let world = World::committed(&[("a", "0\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    let (a, theirs) = (world.path("a"), worktree.path().join("a"));
    // Not every round falls into one tick of the clock.
    for _ in 0..20 {
        fs::write(&a, "1\n").unwrap();
        world.git("add a");
        fs::write(&a, "2\n").unwrap();
        let second = own.snapshot().unwrap();
        fs::write(&a, "3\n").unwrap();
        assert_ne!(own.snapshot().unwrap(), second);
        fs::write(&a, "2\n").unwrap();
        assert_eq!(own.snapshot().unwrap(), second);
    }
    worktree.make(&world.head()).unwrap();
    for _ in 0..5 {
        fs::write(&theirs, "1\n").unwrap();
        let changed = own.changed_paths(&world.head(), &worktree.tree().unwrap());
        assert_eq!(changed.unwrap(), ["a"]);
        worktree.set(&world.head()).unwrap();
        assert_eq!(fs::read(&theirs).unwrap(), b"0\n");
    }
}

/// Git compares whole seconds, and looks again at files that were written within the one that their index was. Whatever
/// writes the index later has to do that, too.
#[test]
fn a_change_in_the_same_second_is_seen_when_it_is_over() {
    let second = || {
        let now = std::time::UNIX_EPOCH.elapsed();
        now.unwrap().as_secs()
    };
    let world = World::committed(&[("a", "0\n"), ("b", "0\n")]);
    let own = world.own();
    let base = own.snapshot().unwrap();
    fs::remove_file(world.path("b")).unwrap();
    for _ in 0..3 {
        fs::write(world.path("a"), "1\n").unwrap();
        let seen = own.snapshot().unwrap();
        let began = second();
        fs::write(world.path("a"), "2\n").unwrap();
        while second() == began {
            std::thread::yield_now();
        }
        // The base has a path that the index does not know, so the index is written before it is compared.
        let tree = own.checkout_tree(&base, &base).unwrap();
        assert_eq!(own.changed_paths(&seen, &tree).unwrap(), ["a"]);
    }
}

#[test]
fn repositories_in_the_tree_are_taken_as_files() {
    let world = World::committed(&[("a", "1\n"), (".gitignore", "ignored\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    worktree.make(&world.head()).unwrap();
    let tree = worktree.path().to_owned();
    for (name, commits) in [
        ("one", true),
        ("two/deep", false),
        ("one/three", true),
        ("ignored", false),
    ] {
        write(&tree, &format!("{name}/file"), "x\n");
        world.git_in(&tree.join(name), &["init", "-q"]);
        if commits {
            world.git_in(&tree.join(name), &["add", "file"]);
            world.git_in(&tree.join(name), &["commit", "-q", "-m", "x"]);
        }
    }
    let expected = ["one/file", "one/three/file", "two/deep/file"];
    for _ in 0..2 {
        let seen = worktree.tree().unwrap();
        assert_eq!(own.changed_paths(&world.head(), &seen).unwrap(), expected);
    }
    write(&tree, "one/more", "x\n");
    let seen = worktree.tree().unwrap();
    assert_eq!(own.changed_paths(&world.head(), &seen).unwrap().len(), 4);
    let commit = own.commit(&seen, &[world.head()], "m").unwrap();
    let LandingReadiness::Ready(landing) = own.prepare_landing(&world.head(), &commit).unwrap()
    else {
        panic!("it cannot land");
    };
    own.land(&landing, &|_| {}).unwrap();
    assert_eq!(world.git("status --porcelain"), "");
    worktree.set(&world.head()).unwrap();
    assert_eq!(worktree.tree().unwrap(), seen);
    let first: Id = world.git("rev-parse HEAD^").trim().parse().unwrap();
    worktree.set(&first).unwrap();
    assert!(
        !tree.join("one").exists() && !tree.join("two").exists() && tree.join("ignored").exists()
    );
}

#[test]
fn a_repository_in_the_tree_cannot_be_overlooked() {
    let world = World::committed(&[("a", "1\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    worktree.make(&world.head()).unwrap();
    let inner = worktree.path().join("sub");
    write(&inner, "file", "x\n");
    world.git_in(&inner, &["init", "-q"]);
    world.git_in(&inner, &["add", "file"]);
    world.git_in(&inner, &["commit", "-q", "-m", "x"]);
    let modules = "[submodule \"sub\"]\n\tpath = sub\n\turl = x\n\tignore = all\n";
    write(worktree.path(), ".gitmodules", modules);
    let seen = worktree.tree().unwrap();
    let changed = own.changed_paths(&world.head(), &seen).unwrap();
    assert_eq!(changed, [".gitmodules", "sub/file"]);
}

/// Root needs no rights, so this shows something only to others.
#[test]
fn rights_that_an_agent_took_from_its_files_stop_nothing() {
    let world = World::committed(&[("a", "1\n"), ("d/x", "1\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    worktree.make(&world.head()).unwrap();
    let take = |names: &[&str]| {
        for name in names {
            let path = worktree.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        }
    };
    write(worktree.path(), "n", "n\n");
    write(worktree.path(), "new/n", "n\n");
    take(&["d", "new"]);
    let seen = own.changed_paths(&world.head(), &worktree.tree().unwrap());
    assert_eq!(seen.unwrap(), ["n", "new/n"]);
    take(&["n", "a", "d", "new"]);
    let changed = own
        .changed_paths(&world.head(), &worktree.tree().unwrap())
        .unwrap();
    assert_eq!(changed, ["n", "new/n"]);
    take(&["n", "d", "new"]);
    worktree.set(&world.head()).unwrap();
    assert_eq!(files(worktree.path()).len(), 2);
    take(&["d", ""]);
    worktree.remove().unwrap();
    assert!(!worktree.path().exists());
}
