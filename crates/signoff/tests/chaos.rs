//! A plan with everything in it, killed at every named point and at random times, driven by two at
//! once, with a clock that is set back and on a disk that is full: no attempt and no call twice, no
//! completed step again, nothing lost, nothing left behind.
//!
//! In the ordinary tests each point is visited once on ten steps; `cargo xtask soak` kills fifty
//! steps at each point twenty times, and three hundred times at random.

#[path = "chaos/mod.rs"]
mod chaos;
#[expect(dead_code, reason = "the other tests use the rest of it")]
mod common;

use std::time::{Duration, Instant};

use chaos::plan::{LARGE, SMALL, Size};
use chaos::{Chaos, Dice, Gone};

/// Every named point of a run, and among how many of its next occasions one is drawn.
const POINTS: [(&str, u64); 29] = [
    ("run.created", 1),
    ("append.before", 24),
    ("append.torn", 24),
    ("append.after", 24),
    ("spawn.before", 3),
    ("spawn.held", 3),
    ("started.before", 3),
    ("started.after", 3),
    ("spawn.released", 5),
    ("work.ended", 3),
    ("finished.before", 3),
    ("finished.after", 3),
    ("effect.before", 6),
    ("effect.after", 6),
    ("call.before", 6),
    ("call.after", 6),
    ("contract.before", 5),
    ("contract.ended", 5),
    ("verdict.before", 5),
    ("verdict.after", 5),
    ("answer.before", 1),
    ("answer.after", 1),
    ("mark.before", 2),
    ("mark.after", 2),
    ("replace.before", 6),
    ("replace.temp", 6),
    ("replace.swapped", 2),
    ("replace.after", 6),
    ("resume.ready", 1),
];

fn soak() -> bool {
    std::env::var_os("SIGNOFF_SOAK").is_some()
}

fn size() -> Size {
    if soak() { LARGE } else { SMALL }
}

fn seed() -> u64 {
    let given = std::env::var("SIGNOFF_CHAOS_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn a_run_that_nobody_kills_completes() {
    let mut chaos = Chaos::new(size());
    chaos.finish("undisturbed");
}

/// Kills runs at this point until that has happened often enough; says how many runs it took.
fn kill_at(point: &str, among: u64, goal: u32, dice: &mut Dice) -> u32 {
    let (mut kills, mut runs) = (0, 0);
    while kills < goal {
        runs += 1;
        let mut chaos = Chaos::new(size());
        for _ in 0..200 {
            let place = format!("{point}:{}", 1 + dice.roll(among));
            let armed = (kills < goal).then_some(place.as_str());
            let is_answer = point.starts_with("answer");
            match chaos.go(armed) {
                Gone::Killed => kills += 1,
                Gone::Waiting => kills += u32::from(chaos.attend(armed.filter(|_| is_answer))),
                Gone::Refused => {}
                Gone::Done => break,
            }
            if kills == goal {
                break;
            }
        }
        chaos.finish(&format!("{point}, run {runs}, seed {}", seed()));
        assert!(kills > 0 || runs < 5, "{point} was never reached");
    }
    runs
}

#[test]
fn killed_at_every_named_point() {
    let goal = if soak() { 20 } else { 1 };
    let only = std::env::var("SIGNOFF_CHAOS_POINT").ok();
    println!("| point | kills | runs | s |\n|---|---|---|---|");
    for (number, (point, among)) in (1_u64..).zip(POINTS) {
        if only.as_ref().is_some_and(|only| only != point) {
            continue;
        }
        let begun = Instant::now();
        // Each its own dice, so that one point can be repeated alone.
        let mut dice = Dice(seed().wrapping_mul(1000).wrapping_add(number));
        let among = if soak() { among } else { 1 };
        let runs = kill_at(point, among, goal, &mut dice);
        let seconds = begun.elapsed().as_secs();
        println!("| `{point}` | {goal} | {runs} | {seconds} |");
    }
}

#[test]
fn killed_at_random_times() {
    let goal = if soak() { 300 } else { 8 };
    let (mut kills, mut runs) = (0, 0);
    let mut dice = Dice(seed());
    while kills < goal {
        runs += 1;
        let mut chaos = Chaos::new(size());
        for _ in 0..200 {
            // Mostly soon; now and then late enough for the slowest agent to end.
            let most = if dice.roll(5) == 0 {
                4_000_000
            } else {
                300_000
            };
            let until = Instant::now() + Duration::from_micros(dice.roll(most));
            let mut running = chaos.project.spawn(chaos.args());
            let killed = running.wait_until(|| Instant::now() >= until) && running.is_running();
            let output = if killed {
                running.kill()
            } else {
                running.wait()
            };
            match chaos.judge(&output, "at random") {
                Gone::Killed => kills += 1,
                Gone::Waiting => assert!(!chaos.attend(None)),
                Gone::Refused => {}
                Gone::Done => break,
            }
            if kills == goal {
                break;
            }
        }
        chaos.finish(&format!("random run {runs}, seed {}", seed()));
    }
    println!("random kills: {kills} in {runs} runs");
}
