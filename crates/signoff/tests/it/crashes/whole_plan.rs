//! A plan with everything in it, killed at every named point and at random times, driven by two at
//! once, with a clock that is set back and on a disk that is full: no attempt and no call twice, no
//! completed step again, nothing lost, nothing left behind.
//!
//! In the ordinary tests each point is visited once on ten steps; `cargo xtask soak` kills fifty
//! steps at each point twenty times, and three hundred times at random. `SIGNOFF_CHAOS_SEED` gives
//! other places and times, `SIGNOFF_CHAOS_POINT` picks one point.

use std::time::{Duration, Instant};

use signoff_testkit::{Dice, Ledger, PATIENCE, Reply, Script};

use crate::support::chaos::plan::{LARGE, SMALL, Size};
use crate::support::chaos::{Chaos, Gone};
use crate::support::{agent, plan, signed, soak};

/// Every named point of a run, and among how many of its next occasions one is drawn.
const POINTS: [(&str, u64); 30] = [
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
    ("overwrite.temp", 3),
    ("resume.ready", 1),
];

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
            let kill_point = format!("{point}:{}", 1 + dice.roll(among));
            let armed = (kills < goal).then_some(kill_point.as_str());
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

/// Between the last event and the end a few files are still written: killed at each of them.
#[test]
fn killed_at_each_file_that_the_end_writes() {
    let mut killed = 0;
    for occasion in 1.. {
        let mut chaos = Chaos::new(SMALL);
        assert_eq!(chaos.go(None), Gone::Waiting);
        chaos.attend(None);
        let kill_point = format!("overwrite.temp:{occasion}");
        let gone = chaos.go(Some(&kill_point));
        chaos.finish(&kill_point);
        if gone == Gone::Done {
            break;
        }
        killed += 1;
    }
    assert!(killed > 1, "killed {killed} times");
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

#[test]
fn of_two_that_resume_at_once_one_wins() {
    let script = Script::new().ledger("LEDGER").reply(
        Reply::when(["Make it"])
            .write("begun", "")
            .wait_for("go")
            .write("out", "x\n"),
    );
    let project = signed(&script, &plan(&[&agent("Make it.", "out")]));
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    running.kill();
    for _ in 0..2 {
        let mut both = [project.spawn(["resume"]), project.spawn(["resume"])];
        let began = Instant::now();
        // The winner's agent waits for a file, so the loser is the one that ends.
        let ended = loop {
            if let Some(at) = both.iter_mut().position(|one| !one.is_running()) {
                break at;
            }
            assert!(began.elapsed() < PATIENCE, "nobody gave way");
        };
        let [first, second] = both;
        let (loser, mut winner) = if ended == 0 {
            (first, second)
        } else {
            (second, first)
        };
        loser.wait().assert_code(5);
        assert!(winner.is_running());
        winner.kill();
    }
    project.write("go", "");
    project.signoff(["resume"]).assert_success();
    let ledger = Ledger::read(project.outside("ledger"));
    ledger.assert_each_attempt_once().assert_one_at_a_time();
}

/// A plan whose only agent fails once; the pause before its retry is long.
fn pausing() -> signoff_testkit::Project {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["Make it", "The previous attempt failed"]).write("out", "x\n"))
        .reply(Reply::when(["Make it"]).say("done"));
    let project = crate::support::project(&script, &plan(&[&agent("Make it.", "out")]));
    let config = project.read(".signoff/config.toml");
    project.write(".signoff/config.toml", &config.replace("5ms", "50s"));
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

#[test]
fn a_clock_set_back_between_two_processes_holds_nothing_up() {
    let project = pausing();
    let an_hour_ahead = [("SIGNOFF_CLOCK", "3600000")];
    let mut running = project.spawn_with(&an_hour_ahead, ["run", "plan.md"]);
    let waits = || {
        let log = project.signoff(["log", "--format", "json"]);
        log.code == Some(0) && log.stdout.contains("\"retry_scheduled\"")
    };
    assert!(running.wait_until(waits));
    running.kill();
    // An hour and the pause would be longer than any test waits.
    project.signoff(["resume"]).assert_success();
    let log = project.signoff(["log", "--format", "json"]).json_lines();
    let seqs: Vec<u64> = log
        .iter()
        .filter_map(|event| event["seq"].as_u64())
        .collect();
    assert!(seqs.is_sorted_by(|one, next| one + 1 == *next));
    Ledger::read(project.outside("ledger"))
        .assert_each_attempt_once()
        .assert_starts("step-1", 2);
}

/// From its n-th change on, nothing more fits on the disk. False if there were not so many.
fn full_disk_from(change: usize) -> bool {
    let mut chaos = Chaos::new(SMALL);
    let what = format!("disk full from change {change}");
    let fault = format!("{change}+");
    let variables = [("SIGNOFF_FAULT", fault.as_str())];
    let output = chaos.project.signoff_with(&variables, chaos.args());
    let reported = output.stderr.contains("No space left");
    // It came to its question before the disk was full.
    if output.code == Some(3) && !reported {
        return false;
    }
    let stopped = matches!(output.code, Some(1 | 3 | 6));
    assert!(stopped && reported, "{what}: {output}");
    let left = chaos.project.processes();
    assert!(left.is_empty(), "{what}: {left:#?}");
    chaos.begun_if_there_is_a_run();
    chaos.finish(&what);
    true
}

#[test]
fn a_full_disk_stops_a_run_that_goes_on_when_there_is_space() {
    let every = if soak() { 1 } else { 9 };
    let tried = (1..)
        .step_by(every)
        .take_while(|change| full_disk_from(*change));
    let tried = tried.count();
    println!("disks full: {tried}");
    assert!(tried > 3, "only {tried}");
}
