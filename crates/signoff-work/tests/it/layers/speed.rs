//! Figures, printed: `SIGNOFF_SOAK=1 cargo test --release -p signoff-work --test layers speed -- --nocapture`. Nothing
//! is asserted about time.

use std::fs;
use std::time::{Duration, Instant};

use signoff_work::layers::{
    IgnoreRules, LayerContext, LayerLimits, Mask, TreePool, record_layer, record_taken,
};

use crate::git::world::{World, write};

/// As in the requirement, or as many as take no time.
fn how_many() -> usize {
    match std::env::var_os("SIGNOFF_SOAK") {
        Some(_) => 10_000,
        None => 200,
    }
}

#[test]
fn many_files() {
    let world = World::new();
    for number in 0..how_many() {
        let name = format!("d{}/s/f{}.rs", number / 100, number % 100);
        world.write(&name, &format!("// {number}\n").repeat(40));
    }
    world.write(".gitignore", "node_modules\ntarget\n.venv\n__pycache__\n");
    for number in 0..how_many() / 4 {
        for root in ["node_modules", "target", ".venv", "d1/s/__pycache__"] {
            world.write(&format!("{root}/{}/{number}", number / 50), "x");
        }
    }
    let head = world.commit("first");
    let own = world.own();
    let ((base, times), time) = timed(|| own.snapshot_with_times().unwrap());
    show("snapshot with times", time);
    let (rules, time) = timed(|| IgnoreRules::of_tree(&own, &base).unwrap());
    show("ignore rules", time);
    let (mask, time) =
        timed(|| Mask::make(&world.repo(), &rules, &world.root.join("mask"), &[]).unwrap());
    show("mask", time);
    let (_, time) = timed(|| {
        mask.without_paths(&[b"target".to_vec()], &world.root.join("mask2"))
            .unwrap()
    });
    show("mask, less one root", time);
    let (_, time) = timed(|| mask.is_current().unwrap());
    show("mask is current", time);
    let pool = TreePool::open(own.clone(), &world.root.join("pool")).unwrap();
    pool.set_times(times.clone());
    let (_, time) = timed(|| pool.share(&head).unwrap());
    show("lend, first", time);
    let (_, time) = timed(|| pool.share(&head).unwrap());
    show("lend, current", time);
    pool.set_times(times.taken_now());
    let (_, time) = timed(|| pool.share(&head).unwrap());
    show("lend, next run", time);
    let upper = world.root.join("upper");
    fs::create_dir(&upper).unwrap();
    let context = LayerContext {
        own: &own,
        base: &base,
        rules: &rules,
        produces: &[],
        ignored_roots: &[],
        ignored_layers: &[],
        limits: LayerLimits::default(),
    };
    let (_, time) = timed(|| record_layer(&context, &upper).unwrap());
    show("record, empty", time);
    for number in 0..10 {
        write(
            &upper,
            &format!("d{}/s/f{number}.rs", number % 2),
            "changed\n",
        );
    }
    let (report, time) = timed(|| record_layer(&context, &upper).unwrap());
    show("record, 10 files", time);
    assert_eq!(report.changed.len(), 10);
    let (_, time) = timed(|| pool.share(&report.tree).unwrap());
    show("lend, 10 files other", time);
    let (taken, time) = timed(|| pool.take(&report.tree).unwrap());
    show("take", time);
    write(taken.path(), "d0/s/f0.rs", "again\n");
    let context = LayerContext {
        base: &report.tree,
        ..context
    };
    let (_, time) = timed(|| record_taken(&context, &taken).unwrap());
    show("record taken", time);
    let ((), time) = timed(|| taken.give_back().unwrap());
    show("give back", time);
}

fn timed<T>(action: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = action();
    (result, start.elapsed())
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn show(what: &str, time: Duration) {
    println!("{what:<20} {:>8.2} ms", time.as_secs_f64() * 1000.0);
}
