//! What keeps worktrees from standing for a checkout, and that its configuration runs nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::slice::from_ref;

use signoff_work::git::Merge;

use crate::git::world::{World, write};

/// What somebody does to a repository.
type Meanwhile<'w> = &'w dyn Fn(&World);

#[track_caller]
fn obstacles(world: &World, workspace: &Path, words: &[&str]) {
    let before = world.untouched();
    let repository = world.repository_at(workspace).expect("a repository");
    let found = repository.obstacles().unwrap();
    assert_eq!(found.len(), words.len(), "{found:?}");
    for (sentence, word) in found.iter().zip(words) {
        assert!(sentence.contains(word), "{word}: {found:?}");
    }
    assert_eq!(world.untouched(), before);
}

#[test]
fn what_cannot_be_stood_for_is_said_all_at_once() {
    let table: [(Meanwhile<'_>, &[&str]); 12] = [
        (&|_| {}, &[]),
        (
            &|world| drop(world.git("config core.sparseCheckout true")),
            &["sparse checkout"],
        ),
        (
            &|world| drop(world.git("update-index --skip-worktree a")),
            &["`a` is left out"],
        ),
        (
            &|world| drop(world.git("config remote.origin.promisor true")),
            &["partial clone"],
        ),
        (
            &|world| {
                world.git("config core.repositoryFormatVersion 1");
                world.git("config extensions.strange true");
            },
            &["git refuses this repository: fatal: unknown repository extension"],
        ),
        (
            &|world| drop(world.git("config core.worktree /nowhere")),
            &["elsewhere"],
        ),
        (&|world| drop(world.git("config core.worktree ..")), &[]),
        (
            &|world| drop(world.git("config core.worktree /")),
            &["elsewhere"],
        ),
        (
            &|world| {
                let entry = format!("160000,{},sub", world.head());
                world.git(&format!("update-index --add --cacheinfo {entry}"));
            },
            &["`sub` is a submodule"],
        ),
        (
            &|world| {
                world.git("config filter.lfs.clean false");
                world.write(".gitattributes", "a filter=lfs\nb filter=other\n");
                world.git("config core.sparseCheckout true");
            },
            &["sparse checkout", "`a` is changed by a filter"],
        ),
        (
            &|world| world.write(".gitattributes", "* filter=lfs\n"),
            &[],
        ),
        (
            &|world| {
                let id = world.git("rev-parse HEAD:a");
                let line = |stage| format!("100644 {} {stage}\tb\n", id.trim());
                let lines = [1, 2, 3].map(line).concat();
                let mut git = world.command(&world.repo(), &["update-index", "--index-info"]);
                let mut child = git.stdin(std::process::Stdio::piped()).spawn().unwrap();
                std::io::Write::write_all(child.stdin.as_mut().unwrap(), lines.as_bytes()).unwrap();
                assert!(child.wait().unwrap().success());
            },
            &["`b` is in conflict"],
        ),
    ];
    for (prepare, words) in table {
        let world = World::committed(&[("a", "1\n"), ("b", "1\n")]);
        prepare(&world);
        obstacles(&world, &world.repo(), words);
    }
}

#[test]
fn places_that_are_no_checkout_are_known() {
    let world = World::committed(&[("d/a", "1\n")]);
    obstacles(
        &world,
        &world.path("d"),
        &["is not the top of the repository"],
    );
    world.git("clone -q --bare . ../bare");
    obstacles(&world, &world.root.join("bare"), &["bare"]);
    assert!(world.repository_at(&world.root.join("home")).is_none());
    fs::create_dir(world.root.join("home/.git")).unwrap();
    assert!(world.repository_at(&world.root.join("home")).is_none());
}

#[test]
fn somebody_elses_repository_is_refused_by_git() {
    let world = World::committed(&[("a", "1\n")]);
    // Only root can give files away.
    if std::os::unix::fs::chown(world.path(".git"), Some(12345), None).is_err() {
        return;
    }
    std::os::unix::fs::chown(world.repo(), Some(12345), None).unwrap();
    let repository = world.repository();
    let found = repository.obstacles().unwrap();
    assert!(found.concat().contains("dubious ownership"), "{found:?}");
    assert!(repository.head().is_err());
}

/// Every setting and file that makes git run a program, each touching the canary.
fn make_hostile(world: &World) {
    let canary = world.root.join("canary");
    let program = world.root.join("evil");
    write(
        &world.root,
        "evil",
        &format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\ncat\n", canary.display()),
    );
    let evil = program.to_str().unwrap();
    for setting in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "merge.evil.driver",
        "merge.default",
        "gpg.program",
        "credential.helper",
        "sequence.editor",
        "uploadpack.packObjectsHook",
        "hook.a.command",
        "alias.add",
        "alias.merge-tree",
        "trace2.eventTarget",
    ] {
        world.git_in(&world.repo(), &["config", setting, evil]);
    }
    for (setting, value) in [
        ("filter.evil.required", "true"),
        ("commit.gpgSign", "true"),
        ("hook.a.event", "reference-transaction"),
        ("core.attributesFile", "/dev/null"),
        ("core.splitIndex", "true"),
        ("merge.default", "evil"),
    ] {
        world.git_in(&world.repo(), &["config", setting, value]);
    }
    let included = world.root.join("included");
    fs::write(
        &included,
        format!(
            "[core]\n\thooksPath = {}\n",
            world.root.join("hooks").display()
        ),
    )
    .unwrap();
    world.git_in(
        &world.repo(),
        &["config", "include.path", included.to_str().unwrap()],
    );
    for folder in [world.root.join("hooks"), world.path(".git/hooks")] {
        fs::create_dir_all(&folder).unwrap();
        for hook in [
            "reference-transaction",
            "post-index-change",
            "post-checkout",
            "pre-commit",
            "pre-auto-gc",
            "fsmonitor-watchman",
        ] {
            fs::copy(&program, folder.join(hook)).unwrap();
            fs::set_permissions(folder.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

#[test]
fn nothing_that_the_configuration_names_is_run() {
    let world = World::committed(&[
        ("a", "1\n"),
        ("b", "1\n"),
        (".gitattributes", "* diff=evil merge=evil\n"),
    ]);
    let canary = world.root.join("canary");
    make_hostile(&world);
    let repository = world.repository();
    assert_eq!(repository.obstacles().unwrap(), [""; 0]);
    // From here on, whatever obstacles say: an agent may have written this.
    world.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    let filtered = repository.obstacles().unwrap();
    assert!(filtered.concat().contains("filter"), "{filtered:?}");
    let own = world.own();
    let head = repository.head().unwrap().commit.unwrap();
    let tree = own.snapshot().unwrap();
    let start = own.commit(&tree, &[head], "snapshot").unwrap();
    assert!(
        repository
            .move_ref("refs/heads/signoff/r", &start, None)
            .unwrap()
    );
    let worktree = world.worktree(&own, "one");
    worktree.make(&start).unwrap();
    make_nested_hostile(&world, worktree.path());
    write(worktree.path(), "a", "2\n");
    let one = own
        .commit(&worktree.tree().unwrap(), from_ref(&start), "one")
        .unwrap();
    worktree.set(&start).unwrap();
    write(worktree.path(), "a", "3\n");
    let two = own
        .commit(&worktree.tree().unwrap(), from_ref(&start), "two")
        .unwrap();
    let merged = own.merge(&start, &one, &two).unwrap();
    assert!(matches!(merged, Merge::Conflict { .. }));
    worktree.put_back(&one, &["a".to_owned()]).unwrap();
    worktree.adopt_untracked_and_reset().unwrap();
    let signoff_work::git::LandingReadiness::Ready(landing) =
        own.prepare_landing(&start, &two).unwrap()
    else {
        panic!("it cannot land");
    };
    own.land(&landing, &|_| {}).unwrap();
    repository.delete_ref("refs/heads/signoff/r").unwrap();
    worktree.remove().unwrap();
    let said = fs::read_to_string(&canary).unwrap_or_default();
    assert_eq!(said, "", "something was run");
    // The canary does sing.
    let status = world
        .command(&world.repo(), &["add", "-A"])
        .output()
        .unwrap();
    assert!(canary.exists(), "{status:?}");
}

/// What an agent can write into its worktree.
fn make_nested_hostile(world: &World, tree: &Path) {
    let evil = world.root.join("evil");
    let nested = tree.join("nested");
    write(&nested, "file", "x\n");
    for folder in [&nested, &tree.to_owned()] {
        world.git_in(&nested, &["init", "-q"]);
        for setting in [
            "core.fsmonitor",
            "filter.evil.clean",
            "filter.evil.smudge",
            "merge.evil.driver",
        ] {
            world.git_in(folder, &["config", setting, evil.to_str().unwrap()]);
        }
    }
    let settings = ["-c", "core.fsmonitor=false", "-c", "filter.evil.clean="];
    world.git_in(&nested, &[&settings[..], &["add", "file"]].concat());
    world.git_in(
        &nested,
        &[&settings[..], &["commit", "-q", "-m", "x"]].concat(),
    );
    write(&nested, "file", "dirty\n");
    write(
        tree,
        ".gitattributes",
        "* filter=evil diff=evil merge=evil text=auto\n",
    );
}
