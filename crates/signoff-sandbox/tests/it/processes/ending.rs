//! Commands that do not end by themselves.

use std::thread;
use std::time::{Duration, Instant};

use signoff_sandbox::{CommandReport, ExitStatus, RunningCommand, Sandbox, find_marked};

use crate::processes::shell::{Fifo, lives, marker, run, sh};

/// Runs a script that says through `$fifo` when it is ready, and stops it then.
fn stop_when_ready(script: &str) -> CommandReport {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let sandbox = Sandbox::new().unwrap();
    let mut command = sh(script);
    command.env.push(("fifo".into(), fifo.path().into()));
    let running = sandbox.hold(command).unwrap().release().unwrap();
    let stopper = running.stopper();
    let waiting = thread::spawn(move || running.wait());
    fifo.read();
    stopper.stop();
    let ended = waiting.join().unwrap();
    stopper.stop();
    ended
}

#[test]
fn the_time_limit_ends_it() {
    // On a busy machine it may be ended before it said anything.
    let limits = [300, 3_000, 30_000].map(Duration::from_millis);
    let said = limits.into_iter().find_map(|limit| {
        let mut slow = sh("echo started; exec sleep 1000");
        slow.limits.time = Some(limit);
        let ended = run(slow);
        assert_eq!(ended.status, ExitStatus::TimedOut);
        assert!(ended.duration >= limit);
        let said = ended.stdout.text();
        (!said.is_empty()).then_some(said)
    });
    assert_eq!(said.as_deref(), Some("started\n"));
}

#[test]
fn a_time_limit_of_nothing_still_ends_it() {
    let mut slow = sh("exec sleep 1000");
    slow.limits.time = Some(Duration::ZERO);
    assert_eq!(run(slow).status, ExitStatus::TimedOut);
}

#[test]
fn a_time_limit_that_is_paused_ends_nothing() {
    // On a busy machine it may be over before it is paused, which shows nothing.
    let limits = [50, 3_000, 30_000].map(Duration::from_millis);
    let status = limits.into_iter().find_map(|limit| {
        let mut command = sh(&format!("sleep {}", (limit * 2).as_secs_f32()));
        command.limits.time = Some(limit);
        let begun = Instant::now();
        let running = Sandbox::new().unwrap().start(command).unwrap();
        running.time_limit().pause();
        let in_time = begun.elapsed() < limit;
        let ended = running.wait();
        in_time.then_some(ended.status)
    });
    assert_eq!(status, Some(ExitStatus::Exited(0)));
}

#[test]
fn stopping_asks_first() {
    let ended =
        stop_when_ready("trap 'echo bye; exit 7' TERM; echo > $fifo; while :; do sleep 0.01; done");
    assert_eq!(
        (ended.status, ended.stdout.text().as_str()),
        (ExitStatus::Stopped, "bye\n")
    );
}

#[test]
fn stopping_leaves_the_group_time_to_end_though_its_shell_is_gone() {
    let ended = stop_when_ready(
        "(trap 'sleep 0.3; echo bye; exit' TERM; echo > $fifo; while :; do sleep 0.01; done); :",
    );
    assert_eq!(
        (ended.status, ended.stdout.text().as_str()),
        (ExitStatus::Stopped, "bye\n")
    );
}

#[test]
fn a_command_that_ignores_the_request_is_killed() {
    let asked = Instant::now();
    let ended = stop_when_ready("trap '' TERM; sleep 1000 & echo > $fifo; wait");
    assert_eq!(
        (ended.status, ended.survivors_ended),
        (ExitStatus::Stopped, 1)
    );
    assert!(asked.elapsed() >= Duration::from_secs(2));
}

#[test]
fn a_suspended_command_gets_the_request() {
    // Told by a child that waits until its parent is suspended.
    let suspended = "until grep -q '^State:.T' /proc/$$/status; do :; done";
    let ended = stop_when_ready(&format!(
        "({suspended}; echo > $fifo) & kill -STOP $$; exec sleep 1000"
    ));
    assert_eq!(ended.status, ExitStatus::Stopped);
}

#[test]
fn stopping_what_is_over_does_nothing() {
    let running = Sandbox::new()
        .unwrap()
        .hold(sh("exit 5"))
        .unwrap()
        .release()
        .unwrap();
    let stopper = running.stopper();
    assert_eq!(running.wait().status, ExitStatus::Exited(5));
    stopper.stop();
}

#[test]
fn a_dropped_command_is_ended() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let mut command = sh(&format!(
        "setsid sleep 1000 & echo $! > {}; wait",
        fifo.path()
    ));
    command.marker = Some(marker());
    let running: RunningCommand = Sandbox::new()
        .unwrap()
        .hold(command.clone())
        .unwrap()
        .release()
        .unwrap();
    let child = fifo.read_pid();
    assert!(lives(child));
    drop(running);
    assert!(!lives(child));
    assert_eq!(find_marked(&command.marker.unwrap()), []);
}
