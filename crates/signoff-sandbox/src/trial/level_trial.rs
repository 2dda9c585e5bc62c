//! Tries a level with a command that does what it may do, and what it may not.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io, process};

use crate::command::error::StartError;
use crate::command::report::{CommandReport, ExitStatus};
use crate::command::{Command, Limits, Stdin};
use crate::launch::launcher::Launcher;
use crate::policy::Policy;
use crate::policy::level::Level;

/// A trial is short, but a busy machine may be slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Exit code of a command that could not write where it may.
const CANNOT_WRITE: i32 = 20;
const SCRIPT: &str = "echo 1 > open/a || exit 20; echo 1 > open/shut/b; echo 1 > c; exit 0";

/// Why a trial did not succeed.
#[derive(Debug)]
pub(crate) enum TrialFailure {
    /// What was tried does not work here.
    DoesNotWork(String),
    /// It could not be tried, for a reason that says nothing about it.
    Inconclusive(String),
}

/// Tries a level in a new directory below the first of these that has free space.
pub(crate) fn try_level(level: Level, parents: &[PathBuf]) -> Result<(), TrialFailure> {
    let directory = TrialDirectory::new(parents)
        .map_err(|error| TrialFailure::Inconclusive(format!("no place to try it: {error}")))?;
    let report = run(command(directory.0.as_path(), level), level)?;
    judge(&directory, level, &report).map_err(|why| match directory.check_free_space() {
        Ok(()) => why,
        Err(error) => TrialFailure::Inconclusive(format!("the place to try it is full: {error}")),
    })
}

/// Runs a trial's command to its end.
pub(crate) fn run(command: Command, level: Level) -> Result<CommandReport, TrialFailure> {
    let launcher = Launcher::new().map_err(|error| TrialFailure::from_io(&error))?;
    let running = launcher.start(command, || Ok(level));
    Ok(running.map_err(TrialFailure::from_start)?.wait())
}

impl TrialFailure {
    /// A process that ran out of descriptors, processes or memory says nothing about the level.
    fn from_io(error: &io::Error) -> Self {
        let exhausted = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM];
        let text = error.to_string();
        // The error may be wrapped, and the code only in its message.
        let is = |code: &i32| {
            error.raw_os_error() == Some(*code) || text.contains(&format!("(os error {code})"))
        };
        if exhausted.iter().any(is) {
            Self::Inconclusive(text)
        } else {
            Self::DoesNotWork(text)
        }
    }

    fn from_start(error: StartError) -> Self {
        match &error {
            StartError::Io(cause) => Self::from_io(cause),
            StartError::NotFound { .. } | StartError::NotExecutable { .. } => {
                Self::DoesNotWork(error.to_string())
            }
        }
    }

    /// A trial that was too slow or was killed says nothing about the level.
    pub(crate) fn from_exit(status: ExitStatus, stderr: &str) -> Self {
        let text = format!("a trial ended with {status:?}: {}", stderr.trim());
        match status {
            ExitStatus::TimedOut | ExitStatus::Stopped | ExitStatus::Signaled(libc::SIGKILL) => {
                Self::Inconclusive(text)
            }
            _ => Self::DoesNotWork(text),
        }
    }
}

fn judge(
    directory: &TrialDirectory,
    level: Level,
    report: &CommandReport,
) -> Result<(), TrialFailure> {
    let fails = |why: &str| Err(TrialFailure::DoesNotWork(why.to_owned()));
    match report.status {
        ExitStatus::Exited(0) => {}
        ExitStatus::Exited(CANNOT_WRITE) => return fails("nothing is writable inside"),
        status => return Err(TrialFailure::from_exit(status, &report.stderr.tail(200))),
    }
    if directory.has("c") {
        return fails("a trial could write where it must not");
    }
    if level.uses_mounts() && directory.has("open/shut/b") {
        return fails("a trial could write into what is protected");
    }
    if !directory.has("open/a") {
        return fails("what a trial wrote did not arrive");
    }
    Ok(())
}

fn command(directory: &Path, level: Level) -> Command {
    let open = directory.join("open");
    let shut = open.join("shut");
    Command {
        argv: ["/bin/sh", "-c", SCRIPT].map(Into::into).to_vec(),
        cwd: directory.to_owned(),
        env: Vec::new(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(PATIENCE),
            output: 4096,
            log: 0,
        },
        log: None,
        policy: Some(Policy {
            read_only: if level.uses_mounts() {
                vec![shut]
            } else {
                Vec::new()
            },
            writable: vec![open],
            ..Policy::default()
        }),
        mounts: None,
    }
}

/// Where levels are tried. Several directories, because a variable of the user must not decide the level.
pub(crate) fn trial_directories() -> Vec<PathBuf> {
    let known = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let parents = [env::temp_dir()].into_iter().chain(known);
    parents
        .filter(|directory| directory.is_absolute())
        .collect()
}

/// A new directory, removed when this is dropped.
pub(crate) struct TrialDirectory(pub(crate) PathBuf);

impl TrialDirectory {
    fn new(parents: &[PathBuf]) -> io::Result<Self> {
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        for directory in parents {
            match Self::new_in(directory) {
                Ok(directory) => return Ok(directory),
                Err(why) => error = why,
            }
        }
        Err(error)
    }

    pub(crate) fn new_in(directory: &Path) -> io::Result<Self> {
        for number in 0..100 {
            let name = format!(".signoff-trial-{}-{number}", process::id());
            let path = directory.join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    let directory = Self(path);
                    fs::create_dir_all(directory.0.join("open/shut"))?;
                    directory.check_free_space()?;
                    return Ok(directory);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Fails if nothing more can be written: on a full disk a directory can still be made.
    pub(crate) fn check_free_space(&self) -> io::Result<()> {
        let path = self.0.join("room");
        let mut file = fs::File::create(&path)?;
        io::Write::write_all(&mut file, &[b'x'; 4096])?;
        fs::remove_file(path)
    }

    fn has(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }
}

impl Drop for TrialDirectory {
    fn drop(&mut self) {
        // The kernel leaves directories of an overlay that only root may read.
        for name in ["work", "work/incompat", "work/incompat/volatile"] {
            let path = self.0.join("work").join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok();
        }
        fs::remove_dir_all(&self.0).ok();
    }
}
