//! What is not committed when a run begins, and what the run makes of it: it lands so that it can be taken back, or not
//! at all.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::slice::from_ref;

use proptest::prelude::*;
use signoff_work::git::{HarnessGit, Id, LandingReadiness};

use crate::git::world::{World, files, write};

const FILES: [(&str, &str); 3] = [
    ("f", "1\n2\n3\n4\n5\n6\n"),
    ("old", "old\n"),
    ("other", "o\n"),
];

/// What somebody does to files in a folder.
type Does<'d> = &'d dyn Fn(&Path);

/// A run that begins with the checkout as it is, and makes one commit for each of these.
fn run(world: &World, steps: &[Does<'_>]) -> (HarnessGit, Id, Id) {
    let own = world.own();
    let at = world.repository().head().unwrap().commit;
    let tree = own.snapshot().unwrap();
    let start = own.commit(&tree, at.as_slice(), "snapshot").unwrap();
    let worktree = world.worktree(&own, "run");
    worktree.make(&start).unwrap();
    let mut head = start.clone();
    for does in steps {
        does(worktree.path());
        let tree = worktree.tree().unwrap();
        head = own.commit(&tree, from_ref(&head), "step").unwrap();
    }
    worktree.remove().unwrap();
    (own, start, head)
}

fn put(name: &'static str, text: &'static str) -> impl Fn(&Path) {
    move |folder| write(folder, name, text)
}

fn remove(name: &'static str) -> impl Fn(&Path) {
    move |folder| fs::remove_file(folder.join(name)).unwrap()
}

fn mode(name: &'static str, mode: u32) -> impl Fn(&Path) {
    move |folder| fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap()
}

/// It is refused because of this file; once all is committed it lands, and can be taken back.
#[track_caller]
fn refused_until_committed(world: &World, persons: Does<'_>, steps: &[Does<'_>], name: &str) {
    persons(&world.repo());
    let (own, start, head) = run(world, steps);
    let before = world.untouched();
    let LandingReadiness::Refused(reasons) = own.prepare_landing(&start, &head).unwrap() else {
        panic!("`{name}` would be lost");
    };
    let said = format!("what you have not committed in `{name}`, ");
    assert!(reasons.concat().contains(&said), "{reasons:?}");
    assert_eq!(world.untouched(), before);
    let mine = files(&world.repo());
    let committed = world.commit("mine");
    let LandingReadiness::Ready(landing) = own.prepare_landing(&start, &head).unwrap() else {
        panic!("`{name}` is committed");
    };
    own.land(&landing, &|_| {}).unwrap();
    assert_eq!(world.git("status --porcelain"), "");
    world.git(&format!("revert --no-edit {committed}..HEAD"));
    assert_eq!(files(&world.repo()), mine);
}

#[test]
fn what_no_commit_would_show_does_not_land() {
    let renamed = |folder: &Path| fs::rename(folder.join("old"), folder.join("new")).unwrap();
    let back = |folder: &Path| fs::rename(folder.join("new"), folder.join("old")).unwrap();
    let top = "mine\n1\n2\n3\n4\n5\n6\n";
    let table: [(Does<'_>, &[Does<'_>], &str); 10] = [
        (&put("u", "precious\n"), &[&remove("u")], "u"),
        (&put("d/u", "precious\n"), &[&remove("d/u")], "d/u"),
        (&put("f", "mine\n"), &[&put("f", FILES[0].1)], "f"),
        (&mode("f", 0o755), &[&mode("f", 0o644)], "f"),
        (&remove("old"), &[&put("old", "old\n")], "old"),
        (&renamed, &[&back], "new`, `old"),
        // A commit would show something else of the same file.
        (
            &put("f", top),
            &[&put("f", "1\n2\n3\n4\n5\n6\ntheirs\n")],
            "f",
        ),
        (
            &put("f", top),
            &[&put("f", FILES[0].1), &put("f", "theirs\n")],
            "f",
        ),
        // A commit would show another file of this name.
        (
            &put("u", "precious\n"),
            &[&remove("u"), &put("u", "theirs\n")],
            "u",
        ),
        (
            &put("u", "precious\n"),
            &[&remove("u"), &put("other", "theirs\n")],
            "u",
        ),
    ];
    for (persons, steps, name) in table {
        refused_until_committed(&World::committed(&FILES), persons, steps, name);
    }
}

#[test]
fn before_the_first_commit_nothing_is_lost_either() {
    let world = World::new();
    world.write("u", "precious\n");
    let (own, start, head) = run(&world, &[&remove("u")]);
    let prepared = own.prepare_landing(&start, &head).unwrap();
    assert!(
        matches!(prepared, LandingReadiness::Refused(_)),
        "{prepared:?}"
    );
    // Gone by the person's own hand.
    fs::remove_file(world.path("u")).unwrap();
    let prepared = own.prepare_landing(&start, &head).unwrap();
    assert_eq!(prepared, LandingReadiness::Nothing);
}

#[test]
fn what_the_person_took_away_too_is_not_lost() {
    let world = World::committed(&FILES);
    world.write("u", "precious\n");
    let (own, start, head) = run(&world, &[&remove("u"), &put("other", "theirs\n")]);
    fs::remove_file(world.path("u")).unwrap();
    let LandingReadiness::Ready(landing) = own.prepare_landing(&start, &head).unwrap() else {
        panic!("nothing would be lost");
    };
    own.land(&landing, &|_| {}).unwrap();
    assert_eq!(world.git("status --porcelain"), "");
}

/// The commits show it, though the run left it as it was.
#[test]
fn what_a_run_took_away_and_put_back_is_in_the_index() {
    let world = World::committed(&FILES);
    world.write("u", "precious\n");
    let (own, start, head) = run(&world, &[&remove("u"), &put("u", "precious\n")]);
    let LandingReadiness::Ready(landing) = own.prepare_landing(&start, &head).unwrap() else {
        panic!("nothing would be lost");
    };
    own.land(&landing, &|_| {}).unwrap();
    assert_eq!(world.git("status --porcelain"), "");
}

/// A file: whether it is executable, and its lines at both ends.
type Kind = Option<(bool, bool, bool)>;

/// A file as committed, as the person has it, and after each of two steps.
type Life = [Kind; 4];

fn life() -> impl Strategy<Value = Life> {
    let kind = || proptest::option::weighted(0.8, any::<(bool, bool, bool)>());
    let next = || prop_oneof![Just(None), kind().prop_map(Some)];
    (kind(), next(), next(), next()).prop_map(|(committed, mine, one, two)| {
        let mine = mine.unwrap_or(committed);
        let one = one.unwrap_or(mine);
        [committed, mine, one, two.unwrap_or(one)]
    })
}

fn set(folder: &Path, lives: &[Life], at: usize) {
    for (number, life) in lives.iter().enumerate() {
        let name = number.to_string();
        fs::remove_file(folder.join(&name)).ok();
        let Some((is_executable, top, end)) = life[at] else {
            continue;
        };
        let line = |is: bool, text| if is { text } else { "" };
        let (top, end) = (line(top, "top\n"), line(end, "end\n"));
        write(folder, &name, &format!("{top}1\n2\n3\n4\n5\n{end}"));
        let mode = if is_executable { 0o755 } else { 0o644 };
        fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_landed_can_be_taken_back(lives in proptest::collection::vec(life(), 1..3)) {
        let world = World::committed(&FILES);
        set(&world.repo(), &lives, 0);
        let committed = world.commit("second");
        set(&world.repo(), &lives, 1);
        let mine = files(&world.repo());
        let (own, start, head) = run(
            &world,
            &[&|folder| set(folder, &lives, 2), &|folder| set(folder, &lives, 3)],
        );
        if let LandingReadiness::Ready(landing) = own.prepare_landing(&start, &head).unwrap() {
            own.land(&landing, &|_| {}).unwrap();
            // Nothing is staged that was not: the index is what HEAD is.
            prop_assert_eq!(world.git("diff-index --cached HEAD"), "");
            if landing.to != committed {
                world.commit("what is not committed, so that git goes on");
                let range = format!("{committed}..{}", landing.to);
                world.git(&format!("-c merge.renames=false revert --no-edit {range}"));
            }
        }
        let now = files(&world.repo());
        for (number, [_, before, _, after]) in lives.iter().enumerate() {
            let name = number.to_string().into_bytes();
            // What was taken away and put back is in a commit, whatever is reverted.
            if before != after {
                prop_assert_eq!(now.get(&name), mine.get(&name));
            }
        }
    }
}
