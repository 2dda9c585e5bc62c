//! Leftovers are ended; strangers with the same number are not.

use std::process::{Child, Stdio};

use signoff_sandbox::{ProcessIdentity, Sandbox, end_leftovers, find_marked};

use crate::processes::shell::{Fifo, lives, marker, sh, stat_field};

/// A process in a session of its own, such as a number may come to mean after years.
struct Stranger {
    process: Child,
    identity: ProcessIdentity,
}

impl Stranger {
    #[expect(
        clippy::disallowed_methods,
        reason = "a process that the sandbox did not start"
    )]
    fn start(variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let fifo = Fifo::new(directory.path());
        let process = std::process::Command::new("setsid")
            .args([
                "sh",
                "-c",
                &format!("echo > {}; exec sleep 1000", fifo.path()),
            ])
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        fifo.read();
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let identity = ProcessIdentity {
            pid: process.id(),
            starttime: stat_field(process.id(), 22),
            boot_id: boot_id.trim().to_owned(),
        };
        Self { process, identity }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_number_that_means_another_process_is_left_alone() {
    let stranger = Stranger::start(&[]);
    let identity = &stranger.identity;
    let mut earlier = identity.clone();
    earlier.starttime -= 1;
    let mut before_reboot = identity.clone();
    before_reboot.boot_id = "another boot".to_owned();
    assert_eq!(end_leftovers(Some(&earlier), &marker()).unwrap(), 0);
    assert_eq!(end_leftovers(Some(&before_reboot), &marker()).unwrap(), 0);
    assert!(lives(identity.pid));
    assert_eq!(end_leftovers(Some(identity), &marker()).unwrap(), 1);
}

#[test]
fn the_marker_is_enough_and_must_be_the_same() {
    let marker = marker();
    let Stranger { identity, .. } = &Stranger::start(&[("SIGNOFF_INSIDE", &marker)]);
    let longer = format!("{marker}0");
    assert_eq!(end_leftovers(None, &longer).unwrap(), 0);
    assert_eq!(find_marked(&longer), []);
    assert_eq!(find_marked(&marker), [identity.pid]);
    assert_eq!(end_leftovers(None, &marker).unwrap(), 1);
    assert!(!lives(identity.pid));
}

#[test]
fn a_running_command_is_found_with_its_descendants() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let mut command = sh(&format!(
        "env -i setsid sleep 1000 & echo > {}; wait",
        fifo.path()
    ));
    let marker = marker();
    command.marker = Some(marker.clone());
    let held = Sandbox::new().unwrap().hold(command).unwrap();
    let identity = held.identity().clone();
    let running = held.release().unwrap();
    fifo.read();
    assert_eq!(end_leftovers(Some(&identity), &marker).unwrap(), 2);
    let ended = running.wait();
    assert_eq!(
        (ended.status, ended.survivors_ended),
        (signoff_sandbox::ExitStatus::Signaled(9), 0)
    );
}
