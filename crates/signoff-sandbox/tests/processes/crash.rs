//! The harness is killed. A copy of this test program plays it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::{env, fs};

use signoff_sandbox::{Command, How, Identity, Policy, Sandbox, end_leftovers, find_marked};

use crate::shell::{Fifo, lives, marker, run, sh, state, wait_until_gone};

/// What the harness does, if this process plays it; its test otherwise does nothing.
const PART: &str = "SIGNOFF_TEST_PART";
/// What its command may write to, if it is confined.
const TREE: &str = "SIGNOFF_TEST_TREE";

#[test]
fn harness() {
    let Ok(part) = env::var(PART) else { return };
    let (part, rest) = part.split_once(' ').unwrap();
    let (marker, script) = rest.split_once(' ').unwrap();
    let sandbox = Sandbox::new().unwrap();
    let policy = env::var_os(TREE).map(|tree| Policy {
        writable: vec![tree.into()],
        ..Policy::default()
    });
    let held = sandbox
        .hold(Command {
            marker: Some(marker.to_owned()),
            policy,
            ..sh(script)
        })
        .unwrap();
    let Identity {
        pid,
        starttime,
        boot_id,
    } = held.identity();
    println!("\nidentity {pid} {starttime} {boot_id}");
    match part {
        "hold" => std::io::stdin()
            .read_to_end(&mut Vec::new())
            .map(drop)
            .unwrap(),
        "run" => drop(held.release().unwrap().wait()),
        other => panic!("unknown part {other}"),
    }
}

pub(crate) struct Harness {
    pub(crate) process: Child,
    pub(crate) command: Identity,
}

impl Harness {
    fn start(part: &str, marker: &str, script: &str) -> Self {
        Self::play(&format!("{part} {marker} {script}"), &[])
    }

    /// One whose command runs, confined to a tree.
    pub(crate) fn start_confined(marker: &str, tree: &Path, script: &str) -> Self {
        Self::play(&format!("run {marker} {script}"), &[(TREE, tree)])
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the harness itself is not a command"
    )]
    fn play(part: &str, variables: &[(&str, &Path)]) -> Self {
        let mut process = std::process::Command::new(env::current_exe().unwrap())
            .args(["--exact", "crash::harness", "--nocapture"])
            .env(PART, part)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines
            .map(Result::unwrap)
            .find(|line| line.starts_with("identity "))
            .unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let command = Identity {
            pid: words[1].parse().unwrap(),
            starttime: words[2].parse().unwrap(),
            boot_id: words[3].to_owned(),
        };
        Self { process, command }
    }

    pub(crate) fn crash(mut self) -> Identity {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.command
    }
}

#[test]
fn while_a_command_is_held_it_never_begins() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("begun");
    let harness = Harness::start("hold", &marker(), &format!("touch {}", file.display()));
    assert!(lives(harness.command.pid));
    let command = harness.crash();
    wait_until_gone(command.pid);
    assert!(!file.exists());
}

#[test]
fn while_a_command_runs_nothing_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let marker = marker();
    // One that stays in the session without its environment, one that leaves the session.
    let script = "env -i sleep 1000 & a=$!; setsid sleep 1000 & echo $a $! > FIFO; wait"
        .replace("FIFO", fifo.path());
    let harness = Harness::start("run", &marker, &script);
    let children: Vec<u32> = fifo
        .read()
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect();
    assert!(find_marked(&marker).contains(&harness.command.pid));
    let command = harness.crash();
    wait_until_gone(command.pid);
    assert!(
        children.iter().all(|pid| lives(*pid)),
        "orphans outlive the crash, which is why they are looked for"
    );
    assert_eq!(end_leftovers(Some(&command), &marker).unwrap(), 2);
    assert!(!children.into_iter().any(lives));
    assert_eq!(find_marked(&marker), []);
    assert_eq!(end_leftovers(Some(&command), &marker).unwrap(), 0);
}

#[test]
fn inside_a_command_of_another_harness_nothing_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    // The inner command leaves a daemon without any mark but the brand, and kills its harness.
    let daemon = format!(
        "p=$(env -i setsid -f sh -c 'echo $$; exec sleep 1000 > /dev/null 2>&1'); echo $p > {}",
        file.display()
    );
    let mut command = sh("\"$harness\" --exact crash::harness --nocapture > /dev/null; exit 6");
    command
        .env
        .push(("harness".into(), env::current_exe().unwrap().into()));
    command.env.push((
        PART.into(),
        format!(
            "run {} {daemon}; kill -KILL $PPID; exec sleep 1000",
            marker()
        )
        .into(),
    ));
    let ended = run(command);
    assert_eq!(ended.how, How::Exited(6));
    let daemon = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    assert_eq!(state(daemon), None);
    assert_eq!(ended.survivors_left, 0);
}
