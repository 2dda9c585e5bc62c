//! The harness is killed. A copy of this test program plays it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::{env, fs};

use signoff_sandbox::{
    Command, ExitStatus, Overlay, Policy, ProcessIdentity, Sandbox, end_leftovers, find_marked,
};

use crate::processes::shell::{Fifo, lives, marker, run, sh, state, wait_until_gone};

/// What the harness does, if this process plays it; its test otherwise does nothing.
const PART: &str = "SIGNOFF_TEST_PART";
/// What its command may write to, if it is confined.
const TREE: &str = "SIGNOFF_TEST_TREE";
/// Where the layers of its command's tree are, if it is made of layers.
const LAYERS: &str = "SIGNOFF_TEST_LAYERS";

#[test]
fn harness() {
    let Ok(part) = env::var(PART) else { return };
    let (part, rest) = part.split_once(' ').unwrap();
    let (marker, script) = rest.split_once(' ').unwrap();
    let sandbox = Sandbox::new().unwrap();
    if part == "outlive" {
        let started = sandbox.start_outliving(sh(script)).unwrap();
        println!("\nidentity {} 0 none", std::process::id());
        drop(started.wait());
        return;
    }
    let policy = env::var_os(TREE).map(|tree| Policy {
        writable: vec![tree.clone().into()],
        overlays: env::var_os(LAYERS)
            .map(|layers| overlay(tree.as_ref(), layers.as_ref()))
            .into_iter()
            .collect(),
        ..Policy::default()
    });
    let held = sandbox
        .hold(Command {
            marker: Some(marker.to_owned()),
            policy,
            ..sh(script)
        })
        .unwrap();
    let ProcessIdentity {
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

fn overlay(at: &Path, layers: &Path) -> Overlay {
    Overlay {
        at: at.join("overlay"),
        lower: vec![layers.join("lower"), at.join("overlay")],
        upper: layers.join("upper"),
        work: layers.join("work"),
    }
}

pub(crate) struct Harness {
    pub(crate) process: Child,
    pub(crate) command: ProcessIdentity,
}

impl Harness {
    fn start(part: &str, marker: &str, script: &str) -> Self {
        Self::play(&format!("{part} {marker} {script}"), &[])
    }

    /// One whose command runs, confined to a tree.
    pub(crate) fn start_confined(marker: &str, tree: &Path, script: &str) -> Self {
        Self::play(&format!("run {marker} {script}"), &[(TREE, tree)])
    }

    /// One whose command finds `overlay` in its tree made of layers: `lower`, `upper` and `work` of a directory.
    pub(crate) fn start_overlaid(marker: &str, tree: &Path, layers: &Path, script: &str) -> Self {
        let variables = [(TREE, tree), (LAYERS, layers)];
        Self::play(&format!("run {marker} {script}"), &variables)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the harness itself is not a command"
    )]
    fn play(part: &str, variables: &[(&str, &Path)]) -> Self {
        let mut process = std::process::Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::crash::harness", "--nocapture"])
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
        let command = ProcessIdentity {
            pid: words[1].parse().unwrap(),
            starttime: words[2].parse().unwrap(),
            boot_id: words[3].to_owned(),
        };
        Self { process, command }
    }

    pub(crate) fn crash(mut self) -> ProcessIdentity {
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
fn what_is_to_outlive_the_harness_comes_to_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let script = "echo $$ > FIFO; cd DIR; until [ -e go ]; do sleep 0.02; done; touch done"
        .replace("FIFO", fifo.path())
        .replace("DIR", &directory.path().display().to_string());
    let harness = Harness::start("outlive", "none", &script);
    let command = fifo.read_pid();
    harness.crash();
    fs::write(directory.path().join("go"), "").unwrap();
    wait_until_gone(command);
    assert!(directory.path().join("done").exists());
}

/// It left its session, its environment and its parent.
#[test]
fn a_daemon_without_environment_is_found_by_its_run() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = Fifo::new(directory.path());
    let run = marker();
    let script = "env -i setsid -f sh -c 'echo $$ > FIFO; exec sleep 1000 > /dev/null 2>&1'; exec sleep 1000"
        .replace("FIFO", fifo.path());
    let harness = Harness::start("run", &format!("{run}/step/1"), &script);
    let daemon = fifo.read_pid();
    let command = harness.crash();
    wait_until_gone(command.pid);
    assert!(lives(daemon));
    let other = format!("{run}0/");
    assert_eq!(end_leftovers(None, &other).unwrap(), 0);
    assert_eq!(
        end_leftovers(Some(&command), &format!("{run}/step/1")).unwrap(),
        0
    );
    assert!(lives(daemon), "another step may still run");
    assert_eq!(end_leftovers(None, &format!("{run}/")).unwrap(), 1);
    assert!(!lives(daemon));
}

#[test]
fn inside_a_command_of_another_harness_nothing_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    // The inner command leaves a daemon that has only the command tag, and kills its harness.
    let daemon = format!(
        "p=$(env -i setsid -f sh -c 'echo $$; exec sleep 1000 > /dev/null 2>&1'); echo $p > {}",
        file.display()
    );
    let mut command =
        sh("\"$harness\" --exact processes::crash::harness --nocapture > /dev/null; exit 6");
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
    assert_eq!(ended.status, ExitStatus::Exited(6));
    let daemon = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    assert_eq!(state(daemon), None);
    assert_eq!(ended.survivors_left, 0);
}
