//! Commands that wait until they are released.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use signoff_sandbox::{ExitStatus, Sandbox};

use crate::processes::shell::{command, lives, sh, stat_field, state};

#[test]
fn a_held_command_is_identified_and_has_not_begun() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("begun");
    let held = Sandbox::new()
        .unwrap()
        .hold(command(&["touch", file.to_str().unwrap()]))
        .unwrap();
    let identity = held.identity().clone();
    assert_eq!(identity.starttime, stat_field(identity.pid, 22));
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    assert_eq!(identity.boot_id, boot_id.trim());
    assert!(!file.exists());
    assert_eq!(held.release().unwrap().wait().status, ExitStatus::Exited(0));
    assert!(file.exists());
}

#[test]
fn it_keeps_its_identity_and_leads_a_session() {
    let held = Sandbox::new()
        .unwrap()
        .hold(sh("read -r line < /proc/$$/stat; echo $line"))
        .unwrap();
    let pid = held.identity().pid.to_string();
    let output = held.release().unwrap().wait().stdout.text();
    let fields: Vec<&str> = output.split(' ').collect();
    assert_eq!((fields[0], fields[4], fields[5]), (&*pid, &*pid, &*pid));
}

#[test]
fn dropped_it_never_begins() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("begun");
    let held = Sandbox::new()
        .unwrap()
        .hold(command(&["touch", file.to_str().unwrap()]))
        .unwrap();
    let pid = held.identity().pid;
    assert!(lives(pid));
    drop(held);
    assert_eq!(state(pid), None);
    assert!(!file.exists());
}

#[test]
fn several_can_wait_and_go_in_any_order() {
    let sandbox = Sandbox::new().unwrap();
    let mut held: Vec<_> = (0..5)
        .map(|n| sandbox.hold(sh(&format!("exit {n}"))).unwrap())
        .collect();
    drop(held.remove(1));
    drop(sandbox);
    let codes: Vec<ExitStatus> = held
        .into_iter()
        .rev()
        .map(|held| held.release().unwrap().wait().status)
        .collect();
    assert_eq!(codes, [4, 3, 2, 0].map(ExitStatus::Exited));
}

#[test]
fn one_that_was_killed_while_it_waited_is_reported() {
    let held = Sandbox::new().unwrap().hold(sh("exit 0")).unwrap();
    let pid = Pid::from_raw(held.identity().pid.cast_signed()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    assert_eq!(
        held.release().unwrap().wait().status,
        ExitStatus::Signaled(9)
    );
}
