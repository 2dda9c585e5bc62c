//! Small commands, and ways to wait for what they do without guessing how long it takes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};
use signoff_sandbox::{Command, CommandReport, Limits, Sandbox, Stdin};

/// What hangs is given up after this, also on a machine that has other work to do.
pub(crate) const PATIENCE: Duration = Duration::from_mins(3);

pub(crate) const LIMITS: Limits = Limits {
    time: Some(PATIENCE),
    output: 64 * 1024,
    log: 64 * 1024,
};

pub(crate) fn command(argv: &[&str]) -> Command {
    Command {
        argv: argv.iter().map(OsString::from).collect(),
        cwd: PathBuf::from("/"),
        env: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
        stdin: Stdin::Null,
        marker: None,
        limits: LIMITS,
        log: None,
        policy: None,
        mounts: None,
    }
}

pub(crate) fn sh(script: &str) -> Command {
    command(&["/bin/sh", "-c", script])
}

pub(crate) fn bash(script: &str) -> Command {
    command(&["bash", "-c", script])
}

pub(crate) fn run(command: Command) -> CommandReport {
    Sandbox::new().unwrap().run(command).unwrap()
}

/// A marker that no other test uses.
pub(crate) fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "test-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// A pipe with a name, through which a command tells that it has come so far.
pub(crate) struct Fifo(PathBuf);

impl Fifo {
    pub(crate) fn new(directory: &Path) -> Self {
        let path = directory.join("fifo");
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Waits for a writer, and returns all it writes.
    pub(crate) fn read(&self) -> String {
        fs::read_to_string(&self.0).unwrap()
    }

    pub(crate) fn read_pid(&self) -> u32 {
        self.read().trim().parse().unwrap()
    }
}

/// Waits until a process is gone; fails if it stays.
pub(crate) fn wait_until_gone(pid: u32) {
    let process = Pid::from_raw(pid.cast_signed()).unwrap();
    let Ok(fd) = pidfd_open(process, PidfdFlags::empty()) else {
        return;
    };
    let patience = Timespec {
        tv_sec: 20,
        tv_nsec: 0,
    };
    let gone = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&patience)).unwrap();
    assert_eq!(gone, 1, "process {pid} is still there");
    // As an orphan it may have become a child of ours, since another test made us a subreaper.
    waitpid(Some(process), WaitOptions::NOHANG).ok();
}

/// Says whether a process exists and has not exited.
pub(crate) fn lives(pid: u32) -> bool {
    state(pid).is_some_and(|state| state != 'Z' && state != 'X')
}

/// The state letter of a process that exists.
pub(crate) fn state(pid: u32) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

/// Field of `/proc/<pid>/stat`, counted from 1 as its manual does.
pub(crate) fn stat_field(pid: u32, number: usize) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = text.rsplit_once(") ").unwrap();
    fields.split(' ').nth(number - 3).unwrap().parse().unwrap()
}
