//! Mounts that one command after the other finds: nothing of the first is left to the second unnoticed.

use signoff_sandbox::{
    Command, CommandReport, ExitStatus, KeptMounts, Level, Network, Policy, Sandbox,
};

use crate::processes::shell::bash;

struct World {
    directory: tempfile::TempDir,
    sandbox: Sandbox,
}

impl World {
    fn new() -> (Self, KeptMounts) {
        let world = Self {
            directory: tempfile::tempdir().unwrap(),
            sandbox: Sandbox::with_level(Level::Namespaces).unwrap(),
        };
        let mounts = world.sandbox.make_mounts(&world.policy()).unwrap();
        (
            world,
            mounts.expect("nothing is in the way of keeping them"),
        )
    }

    fn policy(&self) -> Policy {
        Policy {
            temp: Some(self.directory.path().canonicalize().unwrap()),
            network: Network::On,
            processes: Some(500),
            ..Policy::default()
        }
    }

    fn run(&self, mounts: &KeptMounts, script: &str) -> CommandReport {
        let command = Command {
            policy: Some(self.policy()),
            mounts: Some(mounts.clone()),
            ..bash(script)
        };
        self.sandbox.run(command).unwrap()
    }
}

#[test]
fn a_command_that_leaves_nothing_leaves_them_as_new() {
    let (world, mounts) = World::new();
    assert!(mounts.are_as_new());
    for _ in 0..3 {
        let script = "echo $$ > /dev/null; cat /proc/self/comm; echo x > /dev/shm/x; rm /dev/shm/x; ls /dev/shm /dev/pts";
        let ended = world.run(&mounts, script);
        assert_eq!(ended.status, ExitStatus::Exited(0));
        assert_eq!(ended.stdout.text(), "cat\n/dev/pts:\nptmx\n\n/dev/shm:\n");
        assert!(mounts.are_as_new());
    }
}

#[test]
fn whatever_is_left_in_devices_is_seen() {
    for left in [
        "echo x > /dev/shm/x",
        "mkdir /dev/shm/d",
        "chmod 700 /dev/shm",
        "chmod 000 /dev/pts/ptmx",
    ] {
        let (world, mounts) = World::new();
        assert_eq!(
            world.run(&mounts, left).status,
            ExitStatus::Exited(0),
            "{left}"
        );
        assert!(!mounts.are_as_new(), "{left}");
    }
}

/// Two forks, a session and an environment of its own, in the place of the leader's child and of its sibling.
#[test]
fn no_process_that_was_left_running_stays() {
    let (world, mounts) = World::new();
    let ended = world.run(
        &mounts,
        "(setsid env -i sleep 1000 < /dev/null > /dev/null 2>&1 &); sleep 1000 > /dev/null 2>&1 & exit 0",
    );
    assert_eq!((ended.survivors_ended, ended.survivors_left), (2, 0));
    assert!(mounts.are_as_new());
    let ended = world.run(&mounts, "cat /proc/[0-9]*/comm | sort | uniq");
    let others = ended.stdout.text();
    assert!(!others.contains("sleep"), "{others}");
}

/// System V's shared memory and queues are in no directory that could be looked at.
#[test]
fn each_command_has_shared_memory_of_its_own() {
    let (world, mounts) = World::new();
    let made = world.run(&mounts, "ipcmk -M 4096 -Q");
    assert_eq!(made.status, ExitStatus::Exited(0), "{}", made.stderr.text());
    let found = world.run(&mounts, "tail -qn +2 /proc/sysvipc/shm /proc/sysvipc/msg");
    assert_eq!(found.stdout.text(), "");
}
