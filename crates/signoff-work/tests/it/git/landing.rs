//! Landing: what comes into the checkout, what is refused, and that nothing of the person's is lost.

use std::cell::RefCell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::from_ref;

use signoff_work::git::{HarnessGit, Id, LandOutcome, Landing, LandingReadiness};

use crate::git::world::{World, shown, write};

const FILES: [(&str, &str); 5] = [
    ("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    ("b", "b\n"),
    ("d/x", "x\n"),
    ("old", "old\n"),
    (".gitignore", "*.o\n"),
];

/// A run that began now and changed a few things in two commits.
struct Run {
    own: HarnessGit,
    start: Id,
    head: Id,
}

impl Run {
    fn new(world: &World) -> Self {
        Self::changing(
            world,
            &[("a", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"), ("n/m", "#!new\n")],
            &["old"],
        )
    }

    fn changing(world: &World, written: &[(&str, &str)], removed: &[&str]) -> Self {
        let own = world.own();
        let at = world.repository().head().unwrap().commit;
        let tree = own.snapshot().unwrap();
        let start = match &at {
            Some(at) if own.tree_of(at).unwrap() == tree => at.clone(),
            Some(at) => own.commit(&tree, from_ref(at), "snapshot").unwrap(),
            None => own.commit(&tree, &[], "snapshot").unwrap(),
        };
        let worktree = world.worktree(&own, "run");
        worktree.make(&start).unwrap();
        for name in removed {
            fs::remove_file(worktree.path().join(name)).unwrap();
        }
        let first = own
            .commit(&worktree.tree().unwrap(), from_ref(&start), "one\n")
            .unwrap();
        for (name, text) in written {
            write(worktree.path(), name, text);
        }
        let head = own
            .commit(&worktree.tree().unwrap(), &[first], "two\n")
            .unwrap();
        worktree.remove().unwrap();
        Self { own, start, head }
    }

    fn prepare(&self) -> LandingReadiness {
        self.own.prepare_landing(&self.start, &self.head).unwrap()
    }

    #[track_caller]
    fn ready(&self) -> Landing {
        match self.prepare() {
            LandingReadiness::Ready(landing) => landing,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn land(&self) -> Id {
        let landing = self.ready();
        let landed = self.own.land(&landing, &|_| {}).unwrap();
        assert_eq!(
            landed,
            LandOutcome::Done {
                commit: landing.to.clone()
            }
        );
        assert_eq!(self.prepare(), LandingReadiness::Nothing);
        landing.to
    }

    /// Lands until this point and is killed there.
    fn land_until(&self, point: &str) {
        let landing = self.ready();
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            self.own
                .land(&landing, &|at| assert_ne!(at, point, "killed"))
        }));
        assert!(stopped.is_err(), "{point} was never reached");
    }
}

/// What somebody does to a repository.
type Meanwhile<'w> = &'w dyn Fn(&World);

#[track_caller]
fn refused(world: &World, run: &Run, words: &[&str]) {
    let before = world.untouched();
    let (LandingReadiness::Refused(reasons) | LandingReadiness::Conflict(reasons)) = run.prepare()
    else {
        panic!("it is not refused");
    };
    for word in words {
        assert!(reasons.concat().contains(word), "{word}: {reasons:?}");
    }
    assert_eq!(world.untouched(), before);
}

#[test]
fn a_clean_checkout_is_moved_forward() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    let before = world.untouched();
    let landing = run.ready();
    assert_eq!(world.untouched(), before);
    assert_eq!(
        (landing.to, landing.branch.as_deref()),
        (run.head.clone(), Some("refs/heads/main"))
    );
    assert_eq!(run.land(), run.head);
    assert_eq!(world.head(), run.head);
    assert_eq!(world.git("status --porcelain"), "");
    assert_eq!(world.git("diff-files"), "", "the index is fresh");
    assert!(!world.path("old").exists());
    assert_eq!(world.git("reflog -1 --format=%gs").trim(), "signoff land");
    world.git("fsck --strict");
}

#[test]
fn what_is_uncommitted_stays_uncommitted() {
    let world = World::committed(&FILES);
    world.write_all(&[
        ("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\n"),
        ("b", "mine\n"),
        ("untracked", "u\n"),
        ("x.o", "o"),
    ]);
    world.git("add b");
    let run = Run::changing(&world, &[("c", "c\n"), ("d/x", "y\n")], &["old"]);
    let to = run.land();
    assert_ne!(to, run.head);
    assert_eq!(
        world.git("status --porcelain"),
        " M a\nM  b\n?? untracked\n"
    );
    assert_eq!(world.git("log --format=%s"), "two\none\nfirst\n");
    assert_eq!(
        world.git("show --format= --name-only HEAD HEAD^"),
        "c\nd/x\nold\n"
    );
}

#[test]
fn changes_beside_uncommitted_ones_of_the_same_file_go_together() {
    let world = World::committed(&FILES);
    world.write("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let run = Run::changing(&world, &[("a", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")], &[]);
    run.land();
    assert_eq!(world.git("show HEAD:a"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert_eq!(
        fs::read_to_string(world.path("a")).unwrap(),
        "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
    );
    assert_eq!(world.git("status --porcelain"), " M a\n");
}

/// A change of the moved file belongs to no file that is committed.
#[test]
fn a_file_that_is_moved_and_not_committed_is_not_followed() {
    let world = World::committed(&FILES);
    fs::rename(world.path("a"), world.path("moved")).unwrap();
    let run = Run::changing(&world, &[("moved", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")], &[]);
    refused(
        &world,
        &run,
        &["what you have not committed in `moved`: commit that, then"],
    );
    world.commit("moved");
    run.land();
    assert_eq!(world.git("status --porcelain"), "");
}

#[test]
fn a_person_who_went_on_committing_is_joined() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    world.write("other", "o\n");
    world.commit("mine");
    run.land();
    assert_eq!(world.git("log --format=%s"), "two\none\nmine\nfirst\n");
    assert_eq!(world.git("status --porcelain"), "");
}

/// The run changes the last line of `a`, whoever has done what to the others.
#[test]
fn commits_to_the_same_file_go_together() {
    const NINE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let one = || NINE.replace('1', "one");
    // What is in the checkout at first, what somebody does meanwhile, and what is there and uncommitted in the end.
    let table: [(&str, Meanwhile<'_>, &str, &str); 5] = [
        (
            NINE,
            &|world| {
                world.write("a", &one());
                world.commit("mine");
            },
            "one\n2\n3\n4\n5\n6\n7\n8\nnine\n",
            "",
        ),
        // It began with something that was not committed, and is by now, with more.
        (
            "1\n2\nthree\n4\n5\n6\n7\n8\n9\n",
            &|world| {
                world.write("a", &one().replace('3', "three"));
                world.commit("mine");
            },
            "one\n2\nthree\n4\n5\n6\n7\n8\nnine\n",
            "",
        ),
        // Or is put away.
        (
            &one(),
            &|world| drop(world.git("stash")),
            "1\n2\n3\n4\n5\n6\n7\n8\nnine\n",
            "",
        ),
        // What is not committed stays so beside a commit to another file.
        (
            &one(),
            &|world| {
                world.write("b", "mine\n");
                world.git("commit -q -m b b");
            },
            "one\n2\n3\n4\n5\n6\n7\n8\nnine\n",
            " M a\n",
        ),
        (
            NINE,
            &|world| {
                world.write("a", &NINE.replace('9', "nine"));
                world.commit("the same");
                world.write("u", "u\n");
            },
            "1\n2\n3\n4\n5\n6\n7\n8\nnine\n",
            "?? u\n",
        ),
    ];
    for (at, (before, meanwhile, expected, status)) in table.into_iter().enumerate() {
        for point in ["", ["land.files", "land.index", "land.ref"][at % 3]] {
            let world = World::committed(&FILES);
            world.write("a", before);
            let nine = before.replace('9', "nine");
            let run = Run::changing(&world, &[("a", &nine), ("n", "n\n")], &[]);
            meanwhile(&world);
            if !point.is_empty() {
                run.land_until(point);
            }
            run.land();
            let case = format!("{at} killed at `{point}`");
            let now = fs::read_to_string(world.path("a")).unwrap();
            assert_eq!(now, expected, "{case}");
            assert_eq!(world.git("status --porcelain"), status, "{case}");
            assert!(!world.git("log --format=%s").contains("snapshot"), "{case}");
        }
    }
}

/// A run of two commits to the same line, as the harness tells of them.
fn landed_run(world: &World) -> Run {
    let own = world.own();
    let start = own
        .commit(&own.snapshot().unwrap(), &[world.head()], "snapshot")
        .unwrap();
    let worktree = world.worktree(&own, "told");
    worktree.make(&start).unwrap();
    let mut head = start.clone();
    for (number, text) in [(1, "first\n"), (2, "second\n")] {
        write(worktree.path(), "b", text);
        let tree = worktree.tree().unwrap();
        let message = format!("step\n\nSignoff-Attempt: r/s/{number}\n");
        head = own.commit(&tree, from_ref(&head), &message).unwrap();
    }
    worktree.remove().unwrap();
    Run { own, start, head }
}

#[test]
fn what_was_brought_in_by_hand_has_landed() {
    let table: [(Meanwhile<'_>, bool); 5] = [
        (&|_| {}, false),
        (&|world| drop(world.git("cherry-pick r~2..r")), true),
        // By its commits, not by what became of them.
        (
            &|world| {
                world.git("cherry-pick r~2..r");
                world.write("b", "third\n");
                world.commit("better");
                world.write("b", "fourth\n");
            },
            true,
        ),
        // Without a word about where it came from.
        (
            &|world| {
                world.write("b", "second\n");
                world.commit("squashed");
            },
            true,
        ),
        (&|world| drop(world.git("reset -q --hard r")), true),
    ];
    for (at, (by_hand, landed)) in table.into_iter().enumerate() {
        let world = World::committed(&FILES);
        world.write("u", "u\n");
        let run = landed_run(&world);
        world.git(&format!("branch r {}", run.head));
        fs::remove_file(world.path("u")).unwrap();
        by_hand(&world);
        let before = world.untouched();
        assert_eq!(run.prepare() == LandingReadiness::Nothing, landed, "{at}");
        assert_eq!(world.untouched(), before, "{at}");
    }
}

#[test]
fn the_rest_of_what_was_brought_in_by_hand_lands() {
    let world = World::committed(&FILES);
    let run = landed_run(&world);
    world.git(&format!("branch r {}", run.head));
    world.git("cherry-pick r~1");
    run.land();
    assert_eq!(world.git("log --format=%s"), "step\nstep\nfirst\n");
    assert_eq!(world.git("show HEAD:b"), "second\n");
    assert_eq!(world.git("status --porcelain"), "");
}

#[test]
fn detached_and_unborn_heads_are_moved_too() {
    let world = World::committed(&FILES);
    world.git("checkout -q --detach");
    let run = Run::new(&world);
    assert_eq!(run.ready().branch, None);
    run.land();
    assert_eq!(world.git("rev-parse HEAD^^"), world.git("rev-parse main"));

    let world = World::new();
    world.write("mine", "m\n");
    let run = Run::changing(&world, &[("n", "n\n")], &[]);
    run.land();
    assert_eq!(world.git("status --porcelain"), "?? mine\n");
    assert_eq!(world.git("log --format=%s"), "two\n");
    assert_eq!(world.git("ls-files"), "n\n");
}

#[test]
fn files_become_directories_and_the_other_way_round() {
    let world = World::committed(&FILES);
    let own = world.own();
    let start = world.head();
    let worktree = world.worktree(&own, "run");
    worktree.make(&start).unwrap();
    fs::remove_dir_all(worktree.path().join("d")).unwrap();
    write(worktree.path(), "d", "-> b");
    fs::remove_file(worktree.path().join("b")).unwrap();
    write(worktree.path(), "b/c/e", "e\n");
    let tree = worktree.tree().unwrap();
    let head = own.commit(&tree, from_ref(&start), "m").unwrap();
    let run = Run { own, start, head };
    run.land();
    assert_eq!(world.git("status --porcelain"), "");
    assert_eq!(
        shown(&world.repo())[2..4],
        ["b/c/e: file e\\n", "d: link b"]
    );
}

#[test]
fn what_would_be_lost_is_refused() {
    let table: [(Meanwhile<'_>, &[&str]); 11] = [
        (&|world| world.write("a", "mine\n"), &["`a` changed since"]),
        (&|world| world.write("n/m", "mine\n"), &["`n/m`"]),
        (&|world| world.write("n", "mine\n"), &["`n`"]),
        (&|world| world.write("old", "mine\n"), &["`old`"]),
        (
            &|world| {
                world.write("a", "mine\n");
                world.git("add a");
                world.git("restore --worktree --source=HEAD a");
            },
            &["staged changes of `a`"],
        ),
        (
            &|world| fs::write(world.path(".git/index.lock"), "").unwrap(),
            &["index.lock"],
        ),
        (
            &|world| fs::write(world.path(".git/MERGE_HEAD"), "").unwrap(),
            &["a merge is not finished"],
        ),
        (
            &|world| fs::create_dir(world.path(".git/rebase-merge")).unwrap(),
            &["a rebase is not finished"],
        ),
        (
            &|world| world.git("update-ref CHERRY_PICK_HEAD HEAD").clear(),
            &["a cherry-pick"],
        ),
        (
            &|world| {
                world.write("a", "mine\n");
                world.commit("mine");
            },
            &[
                "conflict with what is committed now in `a`",
                "`git cherry-pick`",
            ],
        ),
        (
            &|world| {
                world.write("a", "mine\n");
                world.write("old", "mine\n");
            },
            &["`a`, `old` changed"],
        ),
    ];
    for (meanwhile, words) in table {
        let world = World::committed(&FILES);
        let run = Run::new(&world);
        meanwhile(&world);
        refused(&world, &run, words);
    }
}

/// Only what helps is said.
#[test]
fn what_is_refused_is_told_with_what_helps() {
    const NINE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let table: [(Meanwhile<'_>, Meanwhile<'_>, bool, &str); 6] = [
        (
            &|_| {},
            &|world| {
                world.write("a", &NINE.replace('8', "eight"));
                world.commit("mine");
            },
            true,
            "the run's commits conflict with what is committed now in `a`: bring them in with `git cherry-pick`",
        ),
        (
            &|_| {},
            &|world| world.write("a", "mine\n"),
            false,
            "`a` changed since the run began: commit that, stash it or move it away,",
        ),
        (
            &|world| world.write("a", &NINE.replace('1', "one")),
            &|world| world.write("a", &NINE.replace('1', "two")),
            false,
            "`a` changed since the run began: commit that,",
        ),
        // Committed in part: what is not is still in the way.
        (
            &|_| {},
            &|world| {
                world.write("a", &NINE.replace('1', "one"));
                world.commit("mine");
                world.write("a", &NINE.replace('1', "two"));
            },
            false,
            "`a` changed since the run began: commit that,",
        ),
        (
            &|world| world.write("a", &NINE.replace('8', "eight")),
            &|_| {},
            false,
            "do not fit without what you have not committed in `a`: commit that,",
        ),
        (
            &|world| world.write("a", &NINE.replace('8', "eight")),
            &|world| drop(world.git("stash")),
            true,
            "conflict with what is committed now in `a`",
        ),
    ];
    for (before, meanwhile, by_hand, said) in table {
        let world = World::committed(&FILES);
        before(&world);
        let now = fs::read_to_string(world.path("a")).unwrap();
        let run = Run::changing(&world, &[("a", &now.replace('9', "nine"))], &[]);
        meanwhile(&world);
        let (reasons, is_conflict) = match run.prepare() {
            LandingReadiness::Refused(reasons) => (reasons, false),
            LandingReadiness::Conflict(reasons) => (reasons, true),
            other => panic!("not refused: {said}: {other:?}"),
        };
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        assert!(reasons.concat().contains(said), "{said}: {reasons:?}");
        assert_eq!(is_conflict, by_hand, "{said}");
    }
    let world = World::new();
    world.write("a", "mine\n");
    let run = Run::changing(&world, &[("a", "theirs\n")], &[]);
    refused(
        &world,
        &run,
        &["what you have not committed in `a`: commit that,"],
    );
}

#[test]
fn commits_that_git_removed_are_told() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    world.git("gc -q --prune=now");
    let said = run.own.commits(&run.start, &run.head).unwrap_err();
    let words = "the run's commits are no longer in the repository";
    assert!(said.to_string().contains(words), "{said}");
    assert!(said.to_string().contains(run.head.as_str()), "{said}");
    let said = run.own.prepare_landing(&run.start, &run.head).unwrap_err();
    assert!(said.to_string().contains(words), "{said}");
}

#[test]
fn ignored_files_are_not_overwritten() {
    let table: [(&str, &str, &[&str]); 4] = [
        ("new.o", "mine", &["`new.o` is in the way (git ignores"]),
        ("dir.o/inner", "mine", &["`dir.o/inner` is in the way"]),
        ("sub.o", "-> elsewhere", &["`sub.o` is in the way"]),
        ("sub.o", "mine", &["`sub.o` is in the way"]),
    ];
    for (name, text, words) in table {
        let world = World::committed(&FILES);
        let written = [
            (".gitignore", "\n"),
            ("new.o", "n\n"),
            ("dir.o", "d\n"),
            ("sub.o/x", "x\n"),
        ];
        let run = Run::changing(&world, &written, &[]);
        world.write(name, text);
        refused(&world, &run, words);
    }
    // The same content is nothing to lose.
    let world = World::committed(&FILES);
    let run = Run::changing(&world, &[(".gitignore", "\n"), ("new.o", "n\n")], &[]);
    world.write("new.o", "n\n");
    run.land();
    assert_eq!(world.git("status --porcelain"), "");
}

#[test]
fn a_landing_that_was_killed_is_finished() {
    for point in ["land.files", "land.index", "land.ref", "land.done"] {
        for dirty in [false, true] {
            let world = World::committed(&FILES);
            if dirty {
                world.write_all(&[("b", "mine\n"), ("u", "u\n")]);
            }
            let run = Run::new(&world);
            run.land_until(point);
            if point == "land.done" {
                assert_eq!(run.prepare(), LandingReadiness::Nothing);
            } else {
                run.land();
            }
            let status = world.git("status --porcelain");
            assert_eq!(status, if dirty { " M b\n?? u\n" } else { "" }, "{point}");
            assert_eq!(world.git("log --format=%s"), "two\none\nfirst\n");
            assert!(!world.path(".git/index.lock").exists());
        }
    }
}

#[test]
fn what_a_person_changes_between_kill_and_landing_is_kept() {
    for point in ["land.index", "land.ref"] {
        let world = World::committed(&FILES);
        let run = Run::new(&world);
        run.land_until(point);
        world.write("a", "mine\n");
        refused(&world, &run, &["`a`"]);
    }
}

#[test]
fn half_of_the_files_are_enough_to_go_on_from() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    // An empty directory is nothing.
    fs::create_dir_all(world.path("n/m/empty/empty")).unwrap();
    run.land();
    assert_eq!(world.git("status --porcelain"), "");

    let world = World::committed(&FILES);
    let run = Run::new(&world);
    world.write("n/m", "#!new\n");
    fs::remove_file(world.path("old")).unwrap();
    run.land();
    assert_eq!(world.git("status --porcelain"), "");
}

#[test]
fn a_lock_that_we_left_is_ours_to_remove() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    fs::write(world.path(".git/index.signoff"), "half").unwrap();
    fs::hard_link(
        world.path(".git/index.signoff"),
        world.path(".git/index.lock"),
    )
    .unwrap();
    run.land();
    assert_eq!(world.git("status --porcelain"), "");
    assert!(!world.path(".git/index.signoff").exists());
}

#[test]
fn a_head_that_moves_meanwhile_is_seen() {
    for point in ["land.files", "land.index", "land.ref"] {
        let world = World::committed(&FILES);
        let run = Run::new(&world);
        let landing = run.ready();
        let elsewhere = RefCell::new(None);
        let landed = run.own.land(&landing, &|at| {
            if at == point {
                world.git("commit -q --allow-empty -m mine");
                *elsewhere.borrow_mut() = Some(world.head());
            }
        });
        assert_eq!(landed.unwrap(), LandOutcome::Moved, "{point}");
        assert_eq!(Some(world.head()), elsewhere.take());
        if point == "land.ref" {
            // What was in the index by then went into the person's commit.
            assert_eq!(run.prepare(), LandingReadiness::Nothing);
            assert_eq!(world.git("log --format=%s"), "mine\nfirst\n");
        } else {
            run.land();
            assert_eq!(world.git("log --format=%s"), "two\none\nmine\nfirst\n");
        }
        assert_eq!(world.git("status --porcelain"), "");
    }
}

#[test]
fn a_tree_takes_single_paths_of_another() {
    let world = World::committed(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n"), ("d", "1\n")]);
    let own = world.own();
    let onto = own.snapshot().unwrap();
    world.write_all(&[("a", "2\n"), ("b", "2\n"), ("new", "2\n")]);
    fs::remove_file(world.path("c")).unwrap();
    fs::remove_file(world.path("d")).unwrap();
    world.write("d/e", "2\n");
    let from = own.snapshot().unwrap();
    let paths = ["a", "c", "d/e", "new", "absent"].map(str::to_owned);
    let made = own.with_paths_from(&onto, &from, &paths).unwrap();
    assert_eq!(own.changed_paths(&made, &from).unwrap(), ["b"]);
    assert_eq!(own.with_paths_from(&onto, &from, &[]).unwrap(), onto);
}

/// The person meant the path, whatever is there.
#[test]
fn what_git_was_told_of_a_path_stays() {
    let world = World::committed(&FILES);
    let run = Run::new(&world);
    world.git("update-index --assume-unchanged a");
    world.git("update-index --skip-worktree b");
    run.land();
    let flags = world.git("ls-files -v a b");
    assert_eq!(flags.trim(), "h a\nS b");
}
