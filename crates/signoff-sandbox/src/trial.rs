//! One trial of a level: a command that does what it may, and what it may not.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io, process};

use crate::command::{Command, Limits, Stdin};
use crate::ended::How;
use crate::level::Level;
use crate::policy::Policy;
use crate::sandbox::Sandbox;

/// Nothing that is tried takes long; on a busy machine it may.
const PATIENCE: Duration = Duration::from_secs(20);
/// Exits of the command, by what it found.
const CANNOT_WRITE: i32 = 20;
const SCRIPT: &str = "echo 1 > open/a || exit 20; echo 1 > open/shut/b; echo 1 > c; exit 0";

/// Says why a level does not work here, if it does not.
pub(crate) fn try_out(level: Level) -> Result<(), String> {
    let place = Place::new().map_err(|error| format!("no place to try it: {error}"))?;
    let sandbox = Sandbox::at(level).map_err(|error| error.to_string())?;
    let ended = sandbox
        .run(command(place.0.as_path(), level))
        .map_err(|error| error.to_string())?;
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
    fn new() -> io::Result<Self> {
        for number in 0..100 {
            let name = format!("signoff-trial-{}-{number}", process::id());
            let path = env::temp_dir().join(name);
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
