//! What starting and watching one command costs, by the CPU time that `time` tells of
//! `cargo run --release -p signoff-sandbox --example many -- 2000 16 sandbox`, beside `std` and `hold` in its place;
//! confined with `namespaces`, `network` (namespaces without one for the network), `bubblewrap` or `landlock`.
#![expect(clippy::print_stdout, reason = "it talks to whoever measures")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use signoff_sandbox::{Command, ExitStatus, Level, Limits, Network, Policy, Sandbox, Stdin};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| {
        arguments
            .next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (count, at_once) = (number(2000), number(16));
    let way = arguments.next().unwrap_or_else(|| "sandbox".to_owned());
    let program = arguments.next().unwrap_or_else(|| "/bin/true".to_owned());
    let level = match way.as_str() {
        "namespaces" | "network" => Level::Namespaces,
        "bubblewrap" => Level::Bubblewrap,
        "landlock" => Level::Landlock,
        _ => Level::None,
    };
    let sandbox = Arc::new(Sandbox::with_level(level).expect("a sandbox"));
    let directory = tempfile::tempdir().expect("a directory");
    let policy = (level != Level::None).then(|| policy(directory.path(), &way));
    let next = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let threads: Vec<_> = (0..at_once)
        .map(|_| {
            let (sandbox, next) = (Arc::clone(&sandbox), Arc::clone(&next));
            let (way, program, policy) = (way.clone(), program.clone(), policy.clone());
            std::thread::spawn(move || {
                while next.fetch_add(1, Ordering::Relaxed) < count {
                    run_once(&sandbox, &way, &program, policy.as_ref());
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("ends well");
    }
    println!(
        "{way}: {count} commands, {at_once} at once, {:?} wall",
        begun.elapsed()
    );
}

/// Starts the program, and waits for its end.
fn run_once(sandbox: &Sandbox, way: &str, program: &str, policy: Option<&Policy>) {
    match way {
        "std" => {
            let output = std::process::Command::new(program)
                .env_clear()
                .env("PATH", "/usr/bin:/bin")
                .stdin(std::process::Stdio::null())
                .output()
                .expect("starts");
            assert!(output.status.success());
        }
        "hold" => {
            let held = sandbox.hold(command(program)).expect("starts");
            let ended = held.release().expect("goes").wait();
            assert_eq!(ended.status, ExitStatus::Exited(0));
        }
        _ => {
            let command = Command {
                policy: policy.cloned(),
                ..command(program)
            };
            let ended = sandbox.run(command).expect("starts");
            assert_eq!(ended.status, ExitStatus::Exited(0));
        }
    }
}

/// What a contract gets: its tree without the harness's own directory, a home, a directory for temporary files.
fn policy(directory: &Path, way: &str) -> Policy {
    for name in ["tree/.signoff", "home", "temp"] {
        std::fs::create_dir_all(directory.join(name)).expect("a directory");
    }
    Policy {
        writable: vec![directory.join("tree"), directory.join("home")],
        temp: Some(directory.join("temp")),
        read_only: vec![directory.join("tree/.signoff")],
        hidden: vec!["/run".into()],
        network: if way == "network" {
            Network::On
        } else {
            Network::Off
        },
        processes: Some(1000),
        memory: Some(8 << 30),
        ..Policy::default()
    }
}

fn command(program: &str) -> Command {
    Command {
        argv: vec![program.into()],
        cwd: "/".into(),
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("TERM".into(), "dumb".into()),
        ],
        stdin: Stdin::Null,
        marker: Some("bench/1/contract".to_owned()),
        limits: Limits {
            time: Some(Duration::from_mins(1)),
            output: 1 << 20,
            log: 1 << 26,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}
