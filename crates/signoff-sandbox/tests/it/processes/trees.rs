//! Everything a command started ends with it, and nothing else does.

use std::{fs, thread};

use signoff_sandbox::{Command, ExitStatus, Sandbox, find_marked};

use crate::processes::shell::{Fifo, command, lives, marker, run, sh, state};

/// Runs a script that leaves processes behind and prints their numbers; all must be gone afterwards.
#[track_caller]
fn check_survivors(command: Command, survivors: usize) {
    let marker = marker();
    let ended = run(Command {
        marker: Some(marker.clone()),
        ..command
    });
    assert_eq!(
        (ended.status, ended.survivors_ended, ended.survivors_left),
        (ExitStatus::Exited(0), survivors, 0)
    );
    let left: Vec<u32> = ended
        .stdout
        .text()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert_eq!(left.len(), survivors);
    for pid in left {
        assert_eq!(state(pid), None, "neither living nor waiting to be reaped");
    }
    assert_eq!(find_marked(&marker), []);
}

const SILENT: &str = "> /dev/null 2>&1 < /dev/null";

#[test]
fn a_background_child_ends() {
    check_survivors(sh(&format!("sleep 1000 {SILENT} & echo $!")), 1);
}

#[test]
fn a_child_that_ignores_signals_ends() {
    check_survivors(
        sh(&format!(
            "(trap '' TERM HUP INT; exec sleep 1000) {SILENT} & echo $!"
        )),
        1,
    );
}

#[test]
fn a_daemon_in_a_session_of_its_own_ends() {
    // The subshell is gone before the daemon has told its number: it is an orphan for certain.
    let script =
        format!("p=$(setsid -f sh -c 'echo $$; exec >&-; exec sleep 1000 {SILENT}'); echo $p");
    check_survivors(sh(&script), 1);
}

#[test]
fn a_daemon_without_environment_ends() {
    let script = format!(
        "p=$(env -i setsid -f sh -c 'echo $$; exec >&-; exec sleep 1000 {SILENT}'); echo $p"
    );
    check_survivors(sh(&script), 1);
}

#[test]
fn a_family_of_daemons_ends() {
    let family =
        format!("setsid sleep 1000 {SILENT} & echo $!; sleep 1000 {SILENT} & echo $!; echo $$");
    let script = format!("p=$(setsid -f sh -c '{family}; exec sleep 1000 {SILENT}'); echo \"$p\"");
    check_survivors(sh(&script), 3);
}

#[test]
fn a_grandchild_that_keeps_the_pipe_does_not_keep_us() {
    // Kept waiting, it would be ended by the limit for tests.
    check_survivors(sh("sleep 1000 & echo $!"), 1);
    check_survivors(sh("setsid sleep 1000 & echo $!"), 1);
}

#[test]
fn orphans_that_ended_are_reaped() {
    let script = "for i in 1 2 3; do (sh -c 'exec sh -c \"echo \\$\\$\"' &); done";
    let ended = run(sh(script));
    assert_eq!(ended.stdout.text().lines().count(), 3);
    for line in ended.stdout.text().lines() {
        assert_eq!(state(line.parse().unwrap()), None);
    }
}

#[test]
fn commands_at_once_leave_each_other_alone() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let sandbox = Sandbox::new().unwrap();
    // Both carry the same marker, and both have a daemon that is already our child.
    let marker = Some(marker());
    let daemon =
        format!("p=$(env -i setsid -f sh -c 'echo $$; exec >&-; exec sleep 1000 {SILENT}')");
    let marked_daemon =
        format!("q=$(setsid -f sh -c 'echo $$; exec >&-; exec sleep 1000 {SILENT}')");
    let long = Command {
        marker: marker.clone(),
        ..sh(&format!(
            "{daemon}; {marked_daemon}; echo $p $q > {}; read -r _ < {}",
            fifo.path(),
            fifo.path()
        ))
    };
    let short = Command {
        marker,
        ..sh(&format!("{daemon}; {marked_daemon}; echo $p $q"))
    };
    let running = sandbox.hold(long).unwrap().release().unwrap();
    let pid_of = |text: &str| {
        text.split_whitespace()
            .map(|pid| pid.parse().unwrap())
            .collect::<Vec<u32>>()
    };
    let waiting = thread::spawn(move || running.wait());
    let theirs = pid_of(&fifo.read());
    let ended = sandbox.run(short).unwrap();
    assert_eq!(ended.survivors_ended, 2);
    assert!(
        pid_of(&ended.stdout.text())
            .into_iter()
            .all(|pid| state(pid).is_none())
    );
    assert!(
        theirs.iter().all(|pid| lives(*pid)),
        "the other command's daemons were ended"
    );
    fs::write(fifo.path(), "go\n").unwrap();
    let ended = waiting.join().unwrap();
    assert_eq!(
        (ended.status, ended.survivors_ended),
        (ExitStatus::Exited(0), 2)
    );
    assert!(theirs.into_iter().all(|pid| state(pid).is_none()));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the point is a process that the sandbox did not start"
)]
fn children_of_the_host_are_left_alone() {
    let mut own = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    check_survivors(sh(&format!("setsid sleep 1000 {SILENT} & echo $!")), 1);
    assert!(own.try_wait().unwrap().is_none());
    own.kill().unwrap();
    own.wait().unwrap();
}

#[test]
fn many_commands_at_once_each_end_their_own() {
    let sandbox = Sandbox::new().unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let ended = sandbox
                        .run(sh(&format!("env -i setsid sleep 1000 {SILENT} & echo $!")))
                        .unwrap();
                    assert_eq!((ended.survivors_ended, ended.survivors_left), (1, 0));
                    let pid = ended.stdout.text().trim().parse().unwrap();
                    assert_eq!(state(pid), None);
                }
            });
        }
    });
}

#[test]
fn commands_at_once_with_one_marker_leave_each_other_alone() {
    let sandbox = Sandbox::new().unwrap();
    let marker = marker();
    std::thread::scope(|scope| {
        // Many, because one that is just being born has to be looked at in the wrong moment.
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let mut command = command(&["/bin/true"]);
                    command.marker = Some(marker.clone());
                    let ended = sandbox.run(command).unwrap();
                    assert_eq!(
                        (ended.status, ended.survivors_ended),
                        (ExitStatus::Exited(0), 0)
                    );
                }
            });
        }
    });
}
