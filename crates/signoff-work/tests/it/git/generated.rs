//! What holds whatever the files are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::slice::from_ref;

use proptest::prelude::*;
use signoff_work::git::{HarnessGit, Id, LandingReadiness, Merge};

use crate::git::world::{Files, World, files, write};

/// A path and what is written there; nothing means that it is removed.
type Edit = (String, Option<&'static str>);

fn edits(first: &'static str, most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let text = prop_oneof![
        1 => Just(None),
        3 => prop_oneof![Just("1\n"), Just("2\r\n"), Just("#!x\n"), Just("-> a"), Just(""), Just("a\nb\nc\n")]
            .prop_map(Some),
    ];
    let path = (first, "(/[ab]){0,2}").prop_map(|(first, rest)| first + &rest);
    proptest::collection::vec((path, text), 0..most)
}

fn apply(folder: &Path, edits: &[Edit]) {
    for (name, text) in edits {
        let path = folder.join(name);
        // Whatever is in the way goes, the outermost first: a link would lead elsewhere.
        let above: Vec<&Path> = Path::new(name).ancestors().skip(1).collect();
        for above in above.into_iter().rev() {
            let above = folder.join(above);
            if above.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
                fs::remove_file(&above).unwrap();
            }
        }
        if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            fs::remove_dir_all(&path).unwrap();
        }
        match text {
            Some(text) => write(folder, name, text),
            None => drop(fs::remove_file(&path)),
        }
    }
}

fn committed(edits: &[Edit]) -> World {
    let world = World::new();
    world.write(".gitignore", "ignored\n");
    apply(&world.repo(), edits);
    world.commit("first");
    world
}

fn step(world: &World, own: &HarnessGit, base: &Id, edits: &[Edit]) -> (Id, Files) {
    let worktree = world.worktree(own, "step");
    worktree.make(base).unwrap();
    apply(worktree.path(), edits);
    let tree = worktree.tree().unwrap();
    let commit = own.commit(&tree, from_ref(base), "step").unwrap();
    let files = files(worktree.path());
    worktree.remove().unwrap();
    (commit, files)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn a_worktree_of_a_snapshot_is_the_checkout(first in edits("[abc]", 8), then in edits("[abc]", 8)) {
        let world = committed(&first);
        apply(&world.repo(), &then);
        let own = world.own();
        let tree = own.snapshot().unwrap();
        let commit = own.commit(&tree, &[world.head()], "snapshot").unwrap();
        let worktree = world.worktree(&own, "one");
        worktree.make(&commit).unwrap();
        prop_assert_eq!(files(worktree.path()), files(&world.repo()));
        prop_assert_eq!(worktree.tree().unwrap(), tree);
        worktree.set(&world.head()).unwrap();
        prop_assert_eq!(worktree.tree().unwrap(), own.tree_of(&world.head()).unwrap());
        worktree.set(&commit).unwrap();
        prop_assert_eq!(files(worktree.path()), files(&world.repo()));
    }

    #[test]
    fn disjoint_edits_merge_in_either_order(
        first in edits("[ab]", 8),
        one in edits("a", 5),
        two in edits("b", 5),
    ) {
        let world = committed(&first);
        let own = world.own();
        let base = world.head();
        let (left, _) = step(&world, &own, &base, &one);
        let (right, _) = step(&world, &own, &base, &two);
        let both: Vec<Edit> = one.into_iter().chain(two).collect();
        let (_, expected) = step(&world, &own, &base, &both);
        let here = own.merge(&base, &left, &right).unwrap();
        prop_assert_eq!(&here, &own.merge(&base, &right, &left).unwrap());
        let Merge::Clean(tree) = here else {
            panic!("{here:?}");
        };
        let commit = own.commit(&tree, &[], "both").unwrap();
        let worktree = world.worktree(&own, "both");
        worktree.make(&commit).unwrap();
        prop_assert_eq!(files(worktree.path()), expected);
    }

    #[test]
    fn landing_changes_what_the_run_changed_or_nothing(
        first in edits("[abc]", 8),
        before in edits("[abc]", 4),
        run in edits("[abc]", 5),
        meanwhile in edits("[abcd]", 3),
    ) {
        let world = committed(&first);
        apply(&world.repo(), &before);
        let own = world.own();
        let start = own.commit(&own.snapshot().unwrap(), &[world.head()], "snapshot").unwrap();
        let (head, expected) = step(&world, &own, &start, &run);
        apply(&world.repo(), &meanwhile);
        let touched: BTreeSet<Vec<u8>> = own
            .changed_paths(&start, &head)
            .unwrap()
            .into_iter()
            .map(String::into_bytes)
            .collect();
        let untouched = world.untouched();
        let mut wanted = files(&world.repo());
        match own.prepare_landing(&start, &head).unwrap() {
            LandingReadiness::Nothing => prop_assert_eq!(world.untouched(), untouched),
            LandingReadiness::Refused(reasons) | LandingReadiness::Conflict(reasons) => {
                prop_assert!(!reasons.is_empty());
                prop_assert_eq!(world.untouched(), untouched);
            }
            LandingReadiness::Ready(landing) => {
                prop_assert_eq!(world.untouched(), untouched);
                own.land(&landing, &|_| {}).unwrap();
                for name in &touched {
                    match expected.get(name) {
                        Some(content) => drop(wanted.insert(name.clone(), content.clone())),
                        None => drop(wanted.remove(name)),
                    }
                }
                prop_assert_eq!(files(&world.repo()), wanted);
                prop_assert_eq!(world.head(), landing.to);
                // Nothing is staged that was not: the index is what HEAD is.
                prop_assert_eq!(world.git("diff-index --cached HEAD"), "");
                let again = own.prepare_landing(&start, &head).unwrap();
                prop_assert_eq!(again, LandingReadiness::Nothing);
            }
        }
    }

    #[test]
    fn landing_on_commits_of_others_is_clean_and_can_be_taken_back(
        first in edits("[abc]", 8),
        run in edits("[abc]", 5),
        meanwhile in edits("[abcd]", 4),
    ) {
        let world = committed(&first);
        let own = world.own();
        let start = world.head();
        let (head, _) = step(&world, &own, &start, &run);
        apply(&world.repo(), &meanwhile);
        let mine = world.commit("mine");
        let before = files(&world.repo());
        let untouched = world.untouched();
        match own.prepare_landing(&start, &head).unwrap() {
            LandingReadiness::Ready(landing) => {
                own.land(&landing, &|_| {}).unwrap();
                prop_assert_eq!(world.git("status --porcelain"), "");
                let range = format!("{mine}..HEAD");
                world.git(&format!("-c merge.renames=false revert --no-edit {range}"));
                prop_assert_eq!(files(&world.repo()), before);
            }
            LandingReadiness::Nothing | LandingReadiness::Conflict(_) => {
                prop_assert_eq!(world.untouched(), untouched);
            }
            LandingReadiness::Refused(reasons) => panic!("nothing is uncommitted: {reasons:?}"),
        }
    }
}
