//! One trial of a level: a command that does what it may, and what it may not.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io, process};

use crate::command::{Command, Limits, Stdin};
use crate::ended::{Ended, How};
use crate::error::StartError;
use crate::level::Level;
use crate::policy::Policy;
use crate::sandbox::Sandbox;

/// Nothing that is tried takes long; on a busy machine it may.
const PATIENCE: Duration = Duration::from_secs(20);
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

/// Says why a level does not work here, if it does not.
pub(crate) fn try_out(level: Level) -> Result<(), Why> {
    let place =
        Place::new().map_err(|error| Why::Untried(format!("no place to try it: {error}")))?;
    let sandbox = Sandbox::at(level).map_err(|error| why(&error))?;
    let ended = sandbox.run(command(place.0.as_path(), level));
    let ended = ended.map_err(|error| match &error {
        StartError::Io(cause) => why(cause),
        StartError::NotFound { .. } | StartError::NotExecutable { .. } => {
            Why::Fails(error.to_string())
        }
    })?;
    judge(&place, level, &ended).map_err(Why::Fails)
}

/// A process that may open or start nothing more says nothing about the machine.
fn why(error: &io::Error) -> Why {
    let exhausted = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM];
    let text = error.to_string();
    // The code may be in the message of an error that was wrapped.
    let is = |code: &i32| {
        error.raw_os_error() == Some(*code) || text.contains(&format!("(os error {code})"))
    };
    if exhausted.iter().any(is) {
        Why::Untried(text)
    } else {
        Why::Fails(text)
    }
}

fn judge(place: &Place, level: Level, ended: &Ended) -> Result<(), String> {
    match ended.how {
        How::Exited(0) => {}
        How::Exited(CANNOT_WRITE) => return Err("nothing is writable inside".to_owned()),
        how => {
            let said = ended.stderr.tail(200);
            return Err(format!("a trial ended with {how:?}: {}", said.trim()));
        }
    }
    if place.has("c") {
        return Err("a trial could write where it must not".to_owned());
    }
    if level.mounts() && place.has("open/shut/b") {
        return Err("a trial could write into what is protected".to_owned());
    }
    if !place.has("open/a") {
        return Err("what a trial wrote did not arrive".to_owned());
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
            read_only: if level.mounts() {
                vec![shut]
            } else {
                Vec::new()
            },
            writable: vec![open],
            ..Policy::default()
        }),
    }
}

/// A directory of our own, gone when it is dropped.
struct Place(PathBuf);

impl Place {
    /// Wherever there is room: what somebody's variable says must not decide whether they are confined.
    fn new() -> io::Result<Self> {
        let places = [
            env::temp_dir(),
            "/tmp".into(),
            "/var/tmp".into(),
            "/dev/shm".into(),
        ];
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        for place in places.iter().filter(|place| place.is_absolute()) {
            match Self::new_in(place) {
                Ok(place) => return Ok(place),
                Err(why) => error = why,
            }
        }
        Err(error)
    }

    fn new_in(place: &Path) -> io::Result<Self> {
        for number in 0..100 {
            let name = format!("signoff-trial-{}-{number}", process::id());
            let path = place.join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    let place = Self(path);
                    fs::create_dir_all(place.0.join("open/shut"))?;
                    return Ok(place);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    fn has(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
