//! Attacks that use up what there is, or do not end.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use signoff_sandbox::{ExitStatus, Level};

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{ALL, Attack, By, check};
use crate::attacks::tool::{self, call};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("daemon", daemon),
    ("deaf", deaf),
    ("flood", flood),
    ("fork-bomb", fork_bomb),
    ("memory", memory),
];

fn attack(name: &'static str, stopped_by: &'static [Level]) -> Attack {
    Attack {
        name,
        by: By::Anybody,
        stopped_by,
    }
}

/// A shell as any program starts one, in a group of its own.
#[expect(clippy::disallowed_methods, reason = "with the defence off")]
fn undefended(host: &Host, script: &str) -> std::process::Command {
    use std::os::unix::process::CommandExt;
    let mut shell = std::process::Command::new("/bin/sh");
    shell
        .args(["-c", script])
        .current_dir(host.path("tree"))
        .process_group(0);
    shell
}

/// One that forks twice, leaves its session, clears its environment and goes on when the command has ended. Undefended
/// it survives even the end of its group.
fn daemon(host: &Host) -> bool {
    let script = "env -i setsid -f sh -c '(setsid sh -c \"echo 1 > begun; exec sleep 1000\" &) ; exec sleep 1000' \
                  > /dev/null 2>&1 < /dev/null; while ! [ -s begun ]; do :; done";
    let before = sleepers();
    if host.level == Level::None {
        let mut shell = undefended(host, script).spawn().unwrap();
        let group = Pid::from_raw(shell.id().cast_signed()).unwrap();
        shell.wait().unwrap();
        rustix::process::kill_process_group(group, Signal::KILL).ok();
    } else {
        let ended = host.run(script);
        assert_eq!(
            (ended.status, ended.survivors_left),
            (ExitStatus::Exited(0), 0)
        );
    }
    let left: Vec<i32> = sleepers()
        .into_iter()
        .filter(|pid| !before.contains(pid))
        .collect();
    for pid in &left {
        rustix::process::kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL).ok();
    }
    assert_eq!(host.read("tree/begun"), "1\n");
    !left.is_empty()
}

/// Processes of our user that sleep in our tree.
fn sleepers() -> Vec<i32> {
    let here = std::env::current_dir().unwrap().join("tree");
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == here))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

#[test]
fn leaves_a_daemon() {
    check(&attack("daemon", ALL));
}

/// Sleeps for ever and does not hear that it should end.
fn deaf(host: &Host) -> bool {
    let script = "trap '' TERM INT HUP; echo 1 > begun; while :; do sleep 1; done";
    if host.level != Level::None {
        // On a busy machine it may be ended before it is deaf, which shows nothing.
        let limits = [300, 3_000, 30_000].map(Duration::from_millis);
        let ended = limits.into_iter().find_map(|limit| {
            let mut command = host.command(script);
            command.limits.time = Some(limit);
            let ended = host.sandbox.run(command).unwrap();
            (host.read("tree/begun") == "1\n").then_some(ended)
        });
        let ended = ended.expect("it begins within half a minute");
        return ended.status != ExitStatus::TimedOut || ended.survivors_left > 0;
    }
    let mut shell = undefended(host, script).spawn().unwrap();
    while host.read("tree/begun").is_empty() {
        std::thread::yield_now();
    }
    let group = Pid::from_raw(shell.id().cast_signed()).unwrap();
    rustix::process::kill_process(group, Signal::TERM).unwrap();
    let deaf = shell.try_wait().unwrap().is_none();
    rustix::process::kill_process_group(group, Signal::KILL).unwrap();
    shell.wait().unwrap();
    deaf
}

#[test]
fn does_not_hear_that_it_should_end() {
    check(&attack("deaf", ALL));
}

/// More output than is ever kept, in the long form a gigabyte; with the defence off what is kept of it has no bound.
fn flood(host: &Host) -> bool {
    let is_long = std::env::var_os("SIGNOFF_SOAK").is_some();
    let bytes: u64 = if is_long && host.level != Level::None {
        1 << 30
    } else {
        100 << 20
    };
    let mut command = host.command(&format!("head -c {bytes} /dev/zero"));
    let log = host.path("log");
    command.log = Some(log.clone());
    if host.level == Level::None {
        command.limits.output = u64::MAX;
        command.limits.log = u64::MAX;
    }
    let ended = host.sandbox.run(command).unwrap();
    assert_eq!(
        (ended.status, ended.stdout.bytes_total()),
        (ExitStatus::Exited(0), bytes)
    );
    ended.stdout.text().len() > 70_000 || fs::metadata(log).unwrap().len() > 70_000
}

#[test]
fn floods_us_with_output() {
    check(&attack("flood", ALL));
}

fn fork_bomb(host: &Host) -> bool {
    let script = "i=0; while [ $i -lt 450 ]; do sleep 30 & i=$((i+1)); done; echo all";
    host.run(script).stdout.text().contains("all")
}

#[test]
fn starts_processes_without_end() {
    check(&attack("fork-bomb", &[Level::Namespaces]));
}

fn memory(host: &Host) -> bool {
    if host.level == Level::None {
        let mut command = host.command(&call("memory 600000000"));
        command.policy = None;
        return tool::reached(&host.sandbox.run(command).unwrap());
    }
    tool::reached(&host.run(&call("memory 600000000")))
}

#[test]
fn takes_all_memory() {
    check(&attack("memory", ALL));
}
