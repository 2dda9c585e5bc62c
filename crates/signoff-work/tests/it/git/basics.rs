use std::fs;
use std::slice::from_ref;

use signoff_work::git::Merge;

use crate::git::world::{World, files, shown, write};

#[test]
fn a_snapshot_is_the_checkout_and_touches_nothing() {
    let world = World::committed(&[
        ("a", "1\n"),
        (".gitignore", "*.o\n"),
        ("gone", "x\n"),
        ("plan.md", "old\n"),
    ]);
    world.write_all(&[
        ("a", "2\n"),
        ("new/b", "#!x\n"),
        ("c.o", "x"),
        ("l", "-> a"),
        (".signoff/x", "s"),
        ("plan.md", "new\n"),
    ]);
    fs::remove_file(world.path("gone")).unwrap();
    world.git("add -N new/b");
    world.git("add plan.md");
    let before = world.untouched();
    let own = world.own_keeping(&[".signoff", "plan.md"]);
    let tree = own.snapshot().unwrap();
    let commit = own.commit(&tree, &[world.head()], "snapshot").unwrap();
    assert_eq!(own.tree_of(&commit).unwrap(), tree);
    assert_eq!(
        own.changed_paths(&world.head(), &tree).unwrap(),
        ["a", "gone", "l", "new/b"]
    );
    assert_eq!(world.untouched(), before);
    let worktree = world.worktree(&own, "one");
    worktree.make(&commit).unwrap();
    assert_eq!(
        shown(worktree.path()),
        [
            ".gitignore: file *.o\\n",
            "a: file 2\\n",
            "l: link a",
            "new/b: exec #!x\\n",
            "plan.md: file old\\n"
        ]
    );
    assert_eq!(
        world.git_in(worktree.path(), &["status", "--porcelain"]),
        ""
    );
    assert_eq!(worktree.tree().unwrap(), tree);
    assert_eq!(world.untouched(), before);
    world.git("fsck --strict");
}

#[test]
fn what_is_kept_may_be_ignored_as_well() {
    let world = World::committed(&[(".gitignore", ".signoff\nplan.md\n"), ("a", "1\n")]);
    world.write_all(&[(".signoff/x", "s"), ("plan.md", "new\n"), ("b", "2\n")]);
    let own = world.own_keeping(&[".signoff", "plan.md", "missing"]);
    let tree = own.snapshot().unwrap();
    assert_eq!(own.changed_paths(&world.head(), &tree).unwrap(), ["b"]);
    let commit = own.commit(&tree, &[world.head()], "snapshot").unwrap();
    let worktree = world.worktree(&own, "one");
    worktree.make(&commit).unwrap();
    write(worktree.path(), "plan.md", "mine\n");
    assert_eq!(worktree.tree().unwrap(), tree);
}

#[test]
fn a_worktree_is_set_put_back_and_removed() {
    let world = World::committed(&[("a", "1\n"), ("d/x", "x\n"), (".gitignore", "ignored\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    let first = world.head();
    worktree.make(&first).unwrap();
    let tree = worktree.path().to_owned();
    for (name, text) in [
        ("a", "2\n"),
        ("new", "n\n"),
        ("ignored", "i"),
        ("e/f", "f\n"),
    ] {
        write(&tree, name, text);
    }
    fs::remove_dir_all(tree.join("d")).unwrap();
    write(&tree, "d", "now a file\n");
    let changed = worktree.tree().unwrap();
    assert_eq!(
        own.changed_paths(&first, &changed).unwrap(),
        ["a", "d", "d/x", "e/f", "new"]
    );
    worktree
        .put_back(&first, &["d/x".to_owned(), "e".to_owned()])
        .unwrap();
    assert_eq!(
        own.changed_paths(&first, &worktree.tree().unwrap())
            .unwrap(),
        ["a", "new"]
    );
    worktree.set(&first).unwrap();
    assert_eq!(
        shown(&tree),
        [
            ".gitignore: file ignored\\n",
            "a: file 1\\n",
            "d/x: file x\\n",
            "ignored: file i"
        ]
    );
    assert_eq!(world.git_in(&tree, &["status", "--porcelain"]), "");
    let second = own.commit(&changed, &[first], "second").unwrap();
    worktree.set(&second).unwrap();
    assert_eq!(worktree.tree().unwrap(), changed);
    assert_eq!(files(&tree).len(), 6);
    assert!(worktree.exists());
    worktree.remove().unwrap();
    worktree.remove().unwrap();
    assert!(!worktree.exists() && !tree.exists());
}

#[test]
fn one_that_takes_the_place_of_another_is_as_good_as_new() {
    let world = World::committed(&[("a", "1\n"), ("d/x", "x\n"), (".gitignore", "*.o\n")]);
    let own = world.own();
    let [one, two, fresh] = ["one", "two", "fresh"].map(|name| world.worktree(&own, name));
    one.make(&world.head()).unwrap();
    write(one.path(), "a", "changed\n");
    write(one.path(), "d/x", "-> /etc/passwd");
    write(one.path(), "new/b.o", "ignored");
    write(one.path(), ".git/hooks/post-checkout", "#!x\n");
    write(one.path(), "nested/.git/HEAD", "ref: refs/heads/x\n");
    fs::remove_file(one.path().join(".gitignore")).unwrap();
    one.move_to(&two).unwrap();
    two.renew(&world.head()).unwrap();
    fresh.make(&world.head()).unwrap();
    assert!(two.exists() && !one.exists() && !one.path().exists());
    assert_eq!(shown(two.path()), shown(fresh.path()));
    assert!(!two.path().join(".git/hooks").exists());
    assert!(!two.path().join("new").exists());
    assert_eq!(two.tree().unwrap(), fresh.tree().unwrap());
    assert_eq!(world.git_in(two.path(), &["status", "--porcelain"]), "");
}

#[test]
fn results_of_preparation_are_ignored_from_then_on() {
    let world = World::committed(&[("a", "1\n"), (".gitignore", "!deps\n!*\n/.env\n")]);
    let own = world.own();
    let worktree = world.worktree(&own, "one");
    worktree.make(&world.head()).unwrap();
    let tree = worktree.path().to_owned();
    for name in ["deps/x/y", "odd *[a]", "a", ".env"] {
        write(&tree, name, "prepared\n");
    }
    worktree.tree().unwrap();
    worktree.adopt_untracked_and_reset().unwrap();
    assert_eq!(fs::read_to_string(tree.join("a")).unwrap(), "1\n");
    write(&tree, "deps/more", "x");
    write(&tree, "mine", "x\n");
    let changed = || {
        own.changed_paths(&world.head(), &worktree.tree().unwrap())
            .unwrap()
    };
    assert_eq!(changed(), ["mine"]);
    // What was ignored does not become work because an agent says so.
    write(&tree, ".gitignore", "");
    assert_eq!(changed(), [".gitignore", "mine"]);
    worktree.set(&world.head()).unwrap();
    assert!(tree.join("deps/x/y").exists() && tree.join("odd *[a]").exists());
    assert_eq!(changed(), [""; 0]);
}

#[test]
fn commits_are_merged_or_their_conflict_is_shown() {
    let lines: Vec<String> = (0..40).map(|line| format!("{line}\n")).collect();
    let lines = lines.concat();
    let world = World::committed(&[
        ("a", &lines),
        ("u", "x\n"),
        (".gitattributes", "u merge=union\n"),
    ]);
    let own = world.own();
    let base = world.head();
    let commit = |files: &[(&str, &str)]| {
        world.git("reset -q --hard HEAD");
        world.write_all(files);
        let tree = own.snapshot().unwrap();
        own.commit(&tree, from_ref(&base), "m\n\nSignoff-Attempt: r/s/1\n")
            .unwrap()
    };
    let one = commit(&[("a", &lines.replace("\n5\n", "\nfive\n")), ("u", "x\n1\n")]);
    let two = commit(&[
        ("a", &lines.replace("\n30\n", "\nthirty\n")),
        ("u", "x\n2\n"),
    ]);
    let three = commit(&[("a", &lines.replace("\n5\n", "\nfünf\n"))]);
    let Merge::Clean(tree) = own.merge(&base, &one, &two).unwrap() else {
        panic!("they go together");
    };
    assert_eq!(own.changed_paths(&base, &tree).unwrap(), ["a", "u"]);
    let Merge::Conflict { files, text } = own.merge(&base, &one, &three).unwrap() else {
        panic!("they do not");
    };
    assert_eq!(files, ["a"]);
    let part = "3\n4\n<<<<<<< merged before\nfive\n=======\nfünf\n>>>>>>> this attempt\n6\n";
    assert!(text.contains(part), "{text}");
    assert!(!text.contains("\n20\n"), "{text}");
    assert_eq!(own.commits(&base, &one).unwrap(), from_ref(&one));
    assert_eq!(
        own.find_attempt_commit(&base, &one, "r/s/1").unwrap(),
        Some(one.clone())
    );
    assert_eq!(own.find_attempt_commit(&base, &one, "r/s/2").unwrap(), None);
    assert_eq!(own.find_attempt_commit(&one, &one, "r/s/1").unwrap(), None);
}

/// An agent that writes `* merge=union` must not have conflicts with a person vanish.
#[test]
fn attributes_that_are_kept_decide_how_files_are_merged() {
    let world = World::committed(&[("u", "x\n")]);
    let own = world.own();
    let first = world.head();
    world.write(".gitattributes", "* merge=union\n");
    let base = world.commit("an agent's");
    let commit = |text: &str| {
        world.write("u", text);
        let tree = own.snapshot().unwrap();
        own.commit(&tree, from_ref(&base), "m\n").unwrap()
    };
    let (one, two) = (commit("one\n"), commit("two\n"));
    assert!(matches!(
        own.merge(&base, &one, &two).unwrap(),
        Merge::Clean(_)
    ));
    own.keep_attributes_of(&first);
    let Merge::Conflict { files, .. } = own.merge(&base, &one, &two).unwrap() else {
        panic!("they conflict");
    };
    assert_eq!(files, ["u"]);
}

#[test]
fn conflicts_of_whole_files_show_both_sides() {
    let files = [
        ("a b", "1\n"),
        ("bin", "\0b"),
        ("d", "1\n"),
        ("r", "long enough\n"),
    ];
    let world = World::committed(&files);
    let own = world.own();
    let base = world.head();
    let commit = |change: &str| {
        world.git("reset -q --hard HEAD");
        world.git("clean -ffdq");
        let mut bash = std::process::Command::new("bash");
        let bash = bash.args(["-ec", change]).current_dir(world.repo());
        assert!(bash.status().unwrap().success());
        let tree = own.snapshot().unwrap();
        own.commit(&tree, from_ref(&base), "m").unwrap()
    };
    let ours = commit("rm 'a b' d r; mkdir d; echo x > d/x; printf '\\0o' > bin");
    let theirs = commit("echo 2 >> 'a b'; printf '\\0t' > bin; echo 2 >> d; mv r r2");
    let Merge::Conflict { files, text } = own.merge(&base, &ours, &theirs).unwrap() else {
        panic!("they do not go together");
    };
    assert_eq!(files, ["a b", "bin", "d", "r", "r2"]);
    let sides = |name: &str, ours: &str, theirs: &str| {
        let part = format!(
            "\n{name}:\n<<<<<<< merged before\n{ours}\n=======\n{theirs}\n>>>>>>> this attempt\n"
        );
        assert!(text.contains(&part), "{part}: {text}");
    };
    sides("a b", "(was removed)", "1\n2");
    sides("bin", "(is not text)", "(is not text)");
    sides("d", "(is a directory)", "1\n2");
    sides("r2", "(is not there)", "long enough");
    assert!(
        text.contains("r renamed to r2 in this attempt, but deleted in what was merged before")
    );
    for id in [&ours, &theirs] {
        assert!(!text.contains(id.as_str()), "{text}");
    }
}

#[test]
fn references_move_by_compare_and_swap() {
    for init in ["init -q -b main", "init -q -b main --ref-format=reftable"] {
        let world = World::with(init);
        let first = world.commit("first");
        let second = world.commit("second");
        let repository = world.repository();
        let name = "refs/heads/signoff/r1";
        assert_eq!(repository.read_ref(name).unwrap(), None);
        assert!(repository.move_ref(name, &first, None).unwrap());
        assert!(!repository.move_ref(name, &second, None).unwrap());
        assert!(!repository.move_ref(name, &first, Some(&second)).unwrap());
        assert!(repository.move_ref(name, &second, Some(&first)).unwrap());
        assert_eq!(repository.read_ref(name).unwrap(), Some(second.clone()));
        assert_eq!(repository.read_ref("refs/heads/signoff").unwrap(), None);
        let all = repository.refs("refs/heads/sig").unwrap();
        assert_eq!(all, [(name.to_owned(), second.clone())]);
        repository.delete_ref(name).unwrap();
        repository.delete_ref(name).unwrap();
        assert_eq!(repository.refs("refs/heads/signoff/").unwrap(), []);
        let head = repository.head().unwrap();
        assert_eq!(head.branch.as_deref(), Some("refs/heads/main"));
        assert_eq!(head.commit, Some(second));
    }
}

#[test]
fn every_checkout_is_known_with_its_branch() {
    let world = World::committed(&[("a", "1\n")]);
    let [linked, detached] = ["linked", "detached"].map(|name| world.root.join(name));
    let words =
        |path: &std::path::Path, more: &str| format!("worktree add -q {more} {}", path.display());
    world.git(&words(&linked, "-b signoff/r1"));
    world.git(&words(&detached, "--detach"));
    let seen = |checkouts: Vec<signoff_work::git::Checkout>| -> Vec<_> {
        let each = checkouts.into_iter();
        each.map(|one| (one.path, one.branch)).collect()
    };
    let expected = [
        (world.repo(), Some("refs/heads/main".to_owned())),
        (detached, None),
        (linked.clone(), Some("refs/heads/signoff/r1".to_owned())),
    ];
    let from_the_first = seen(world.repository().checkouts().unwrap());
    let from_a_linked_one = world.repository_at(&linked).unwrap().checkouts().unwrap();
    for mut found in [from_the_first, seen(from_a_linked_one)] {
        found[1..].sort();
        assert_eq!(found, expected);
    }
    std::fs::remove_dir_all(&linked).unwrap();
    let left = world.repository().checkouts().unwrap();
    assert_eq!(left.len(), 3, "git remembers one that is gone for a while");
}

#[test]
fn worktrees_are_made_and_looked_at_side_by_side() {
    fn shared<T: Send + Sync + Clone>(value: &T) -> T {
        value.clone()
    }
    let world = World::committed(&[("a", "1\n"), ("d/b", "2\n")]);
    let (own, head) = (world.own(), world.head());
    let trees: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (own, head, world) = (shared(&own), head.clone(), &world);
                scope.spawn(move || {
                    let worktree = world.worktree(&own, &number.to_string());
                    worktree.make(&head).unwrap();
                    write(worktree.path(), &format!("n{number}"), "n\n");
                    let seen = (worktree.tree().unwrap(), own.snapshot().unwrap());
                    worktree.remove().unwrap();
                    seen
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for (number, (tree, snapshot)) in trees.iter().enumerate() {
        assert_eq!(
            own.changed_paths(&head, tree).unwrap(),
            [format!("n{number}")]
        );
        assert_eq!(own.changed_paths(&head, snapshot).unwrap(), [""; 0]);
    }
}

/// Other runs write beside this one.
#[test]
fn what_the_harness_has_beside_files_while_it_writes_is_in_no_snapshot() {
    let world = World::committed(&[("a/plan.md", "p\n")]);
    let own = world.own();
    let before = own.snapshot().unwrap();
    world.write_all(&[
        ("a/.plan.md.signoff-tmp", "half"),
        ("a/.plan.md.signoff-next", "half"),
        ("a/.plan.md.signoff-gone", "old"),
        (".signoff-landing-12", "half"),
    ]);
    assert_eq!(own.snapshot().unwrap(), before);
    world.write("a/.signoff-tmp", "mine");
    assert_ne!(own.snapshot().unwrap(), before);
}
