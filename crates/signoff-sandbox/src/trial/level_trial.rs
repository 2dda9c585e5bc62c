//! One trial of a level: a command that does what it may, and what it may not.

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

/// Nothing that is tried takes long; on a busy machine it may.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Exits of the command, by what it found.
const CANNOT_WRITE: i32 = 20;
const SCRIPT: &str = "echo 1 > open/a || exit 20; echo 1 > open/shut/b; echo 1 > c; exit 0";

/// Why a level is not used.
#[derive(Debug)]
pub(crate) enum Why {
    /// It does not work here.
    Fails(String),
    /// It could not be tried, for a reason that says nothing about it.
    Untried(String),
}

/// Says why a level does not work here, if it does not. It is tried in the first of these directories with room.
pub(crate) fn try_out(level: Level, places: &[PathBuf]) -> Result<(), Why> {
    let place =
        Place::new(places).map_err(|error| Why::Untried(format!("no place to try it: {error}")))?;
    let ended = run(command(place.0.as_path(), level), level)?;
    judge(&place, level, &ended).map_err(|why| match place.check_room() {
        Ok(()) => why,
        Err(error) => Why::Untried(format!("the place to try it is full: {error}")),
    })
}

/// Runs a trial's command to its end.
pub(crate) fn run(command: Command, level: Level) -> Result<CommandReport, Why> {
    let launcher = Launcher::new().map_err(|error| Why::of(&error))?;
    let running = launcher.start(command, || Ok(level));
    Ok(running.map_err(Why::of_start)?.wait())
}

impl Why {
    /// A process that may open or start nothing more says nothing about the machine.
    fn of(error: &io::Error) -> Self {
        let exhausted = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM];
        let text = error.to_string();
        // The code may be in the message of an error that was wrapped.
        let is = |code: &i32| {
            error.raw_os_error() == Some(*code) || text.contains(&format!("(os error {code})"))
        };
        if exhausted.iter().any(is) {
            Self::Untried(text)
        } else {
            Self::Fails(text)
        }
    }

    fn of_start(error: StartError) -> Self {
        match &error {
            StartError::Io(cause) => Self::of(cause),
            StartError::NotFound { .. } | StartError::NotExecutable { .. } => {
                Self::Fails(error.to_string())
            }
        }
    }

    /// A trial that was too slow, or that somebody killed, says nothing about the machine.
    pub(crate) fn of_end(how: ExitStatus, said: &str) -> Self {
        let text = format!("a trial ended with {how:?}: {}", said.trim());
        match how {
            ExitStatus::TimedOut | ExitStatus::Stopped | ExitStatus::Signaled(libc::SIGKILL) => {
                Self::Untried(text)
            }
            _ => Self::Fails(text),
        }
    }
}

fn judge(place: &Place, level: Level, ended: &CommandReport) -> Result<(), Why> {
    let fails = |why: &str| Err(Why::Fails(why.to_owned()));
    match ended.status {
        ExitStatus::Exited(0) => {}
        ExitStatus::Exited(CANNOT_WRITE) => return fails("nothing is writable inside"),
        how => return Err(Why::of_end(how, &ended.stderr.tail(200))),
    }
    if place.has("c") {
        return fails("a trial could write where it must not");
    }
    if level.uses_mounts() && place.has("open/shut/b") {
        return fails("a trial could write into what is protected");
    }
    if !place.has("open/a") {
        return fails("what a trial wrote did not arrive");
    }
    Ok(())
}

fn command(place: &Path, level: Level) -> Command {
    let open = place.join("open");
    let shut = open.join("shut");
    Command {
        argv: ["/bin/sh", "-c", SCRIPT].map(Into::into).to_vec(),
        cwd: place.to_owned(),
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

/// Where levels are tried: what somebody's variable says must not decide whether they are confined.
pub(crate) fn places() -> Vec<PathBuf> {
    let known = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let places = [env::temp_dir()].into_iter().chain(known);
    places.filter(|place| place.is_absolute()).collect()
}

/// A directory of our own, gone when it is dropped.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    fn new(places: &[PathBuf]) -> io::Result<Self> {
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        for place in places {
            match Self::new_in(place) {
                Ok(place) => return Ok(place),
                Err(why) => error = why,
            }
        }
        Err(error)
    }

    pub(crate) fn new_in(place: &Path) -> io::Result<Self> {
        for number in 0..100 {
            let name = format!(".signoff-trial-{}-{number}", process::id());
            let path = place.join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    let place = Self(path);
                    fs::create_dir_all(place.0.join("open/shut"))?;
                    place.check_room()?;
                    return Ok(place);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Fails if nothing more can be written: a directory can be made on a disk that is full.
    pub(crate) fn check_room(&self) -> io::Result<()> {
        let path = self.0.join("room");
        let mut file = fs::File::create(&path)?;
        io::Write::write_all(&mut file, &[b'x'; 4096])?;
        fs::remove_file(path)
    }

    fn has(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The kernel leaves directories of an overlay that nobody but root may read.
        for name in ["work", "work/incompat", "work/incompat/volatile"] {
            let path = self.0.join("work").join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok();
        }
        fs::remove_dir_all(&self.0).ok();
    }
}
