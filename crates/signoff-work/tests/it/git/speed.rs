//! Figures, printed: `SIGNOFF_SOAK=1 cargo test --release -p signoff-work --test git speed -- --nocapture`. Nothing is
//! asserted about time.

use std::slice::from_ref;
use std::time::{Duration, Instant};

use crate::git::world::{World, write};

/// As in the requirement, or as many as take no time.
fn how_many() -> usize {
    match std::env::var_os("SIGNOFF_SOAK") {
        Some(_) => 10_000,
        None => 300,
    }
}

#[test]
fn many_files() {
    let world = World::new();
    for number in 0..how_many() {
        let name = format!("d{}/s/f{}.rs", number / 100, number % 100);
        world.write(&name, &format!("// {number}\n").repeat(40));
    }
    let head = world.commit("first");
    let (own, time) = timed(|| world.own());
    show("own", time);
    let (_, time) = timed(|| world.repository().obstacles().unwrap());
    show("obstacles", time);
    let (tree, time) = timed(|| own.snapshot().unwrap());
    show("snapshot", time);
    for what in ["join, first", "join, nothing new"] {
        let (report, time) = timed(|| {
            own.join_checkout(
                &tree,
                &tree,
                &tree,
                &mut signoff_work::git::RestlessFiles::default(),
            )
            .unwrap()
        });
        show(what, time);
        assert_eq!(report.joined, [""; 0]);
    }
    world.write("d5/s/f5.rs", "changed\n");
    let (report, time) = timed(|| {
        own.join_checkout(
            &tree,
            &tree,
            &tree,
            &mut signoff_work::git::RestlessFiles::default(),
        )
        .unwrap()
    });
    show("join, one changed", time);
    let edited = report.head_tree;
    let (report, time) = timed(|| own.land_files(&edited, &tree, &tree, &|_| {}).unwrap());
    show("land one file", time);
    assert_eq!(report.written, ["d5/s/f5.rs"]);
    assert_eq!(own.tree_of(&head).unwrap(), tree);
    let worktree = world.worktree(&own, "one");
    let ((), time) = timed(|| worktree.make(&head).unwrap());
    show("make", time);
    let ((), time) = timed(|| worktree.make(&head).unwrap());
    show("make, in its place", time);
    let (_, time) = timed(|| worktree.tree().unwrap());
    show("tree, first", time);
    write(worktree.path(), "d5/s/f5.rs", "changed\n");
    let (tree, time) = timed(|| worktree.tree().unwrap());
    show("tree, one changed", time);
    let step = own.commit(&tree, from_ref(&head), "step").unwrap();
    let (_, time) = timed(|| own.merge(&head, &step, &step).unwrap());
    show("merge", time);
    let ((), time) = timed(|| worktree.set(&head).unwrap());
    show("set", time);
    let (_, time) = timed(|| own.prepare_landing(&head, &step).unwrap());
    show("prepare_landing", time);
    let ((), time) = timed(|| worktree.remove().unwrap());
    show("remove", time);
}

fn timed<T>(action: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = action();
    (result, start.elapsed())
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn show(what: &str, time: Duration) {
    println!("{what:<20} {:>5} ms", time.as_millis());
}
