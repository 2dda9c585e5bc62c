//! Commands.

use std::fs;
use std::time::Duration;

use serde_json::json;
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::{Bench, call};

#[test]
fn a_command_gives_what_it_printed() {
    let bench = Bench::new(&[("dir/a", "")]);
    let ran = bench.done(
        "run_command",
        json!({"command": "echo out; echo err >&2; ls", "cwd": "dir"}),
    );
    assert_eq!(
        ran,
        json!({"exit_code": 0, "stdout": "out\na\n", "stderr": "err\n"})
    );
    let seen = bench.done("run_command", json!({"command": "echo $GIVEN $HOME"}));
    assert_eq!(seen["stdout"], "yes\n", "nothing but what it is given");
}

#[test]
fn a_failure_is_one_unless_it_is_wanted() {
    let bench = Bench::new(&[]);
    let failing = "echo some; echo broken >&2; exit 3";
    assert_eq!(
        bench.fails("run_command", json!({"command": failing})),
        "the command exited with 3: broken"
    );
    let wanted = json!({"command": failing, "any_exit_code": true});
    assert_eq!(bench.done("run_command", wanted)["exit_code"], 3);
    assert_eq!(
        bench.fails(
            "run_command",
            json!({"command": "kill -9 $$", "any_exit_code": true})
        ),
        "the command was ended by signal 9"
    );
    assert_eq!(
        bench.fails("run_command", json!({"command": "true", "cwd": "no"})),
        "cannot open `no`: there is no such file"
    );
}

#[test]
fn a_command_that_takes_too_long_is_ended() {
    let bench = Bench::new(&[]);
    let slow = json!({"command": "sleep 1000", "timeout_seconds": 1});
    assert_eq!(
        bench.fails_for_now("run_command", slow),
        "it took longer than 1s"
    );
    let mut slow = call(
        "run_command",
        json!({"command": "sleep 1000", "timeout_seconds": 500}),
    );
    slow.timeout = Duration::from_millis(100);
    let end = bench.tools.call(&slow, &StopFlag::new());
    assert!(
        matches!(
            end,
            CallEnd::Failed {
                transient: true,
                unknown: true,
                ..
            }
        ),
        "{end:?}"
    );
}

#[test]
fn a_stop_ends_what_runs() {
    let bench = Bench::new(&[]);
    let stop = StopFlag::new();
    let log = bench.dir.path().join("log");
    let mut waiting = call("run_command", json!({"command": "echo here; sleep 1000"}));
    waiting.log = Some(log.clone());
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| bench.tools.call(&waiting, &stop));
        while fs::read_to_string(&log).unwrap_or_default() != "here\n" {
            std::thread::yield_now();
        }
        stop.set();
        assert_eq!(calling.join().unwrap(), CallEnd::Stopped);
    });
}
