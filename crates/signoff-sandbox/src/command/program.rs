//! Which file a program name means.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::command::error::StartError;

/// Where programs are looked up if the environment has no `PATH`, as `execvp` does.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Finds the file to execute, as seen from `cwd`.
///
/// This happens before anything is started, so that a missing program is reported before anything is written down. The
/// system decides again when the file is executed.
pub(crate) fn find(
    program: &OsStr,
    cwd: &Path,
    env: &[(OsString, OsString)],
) -> Result<PathBuf, StartError> {
    find_by(program, cwd, env, executability)
}

/// The same with another way to decide whether a file can be executed.
pub(crate) fn find_by(
    program: &OsStr,
    cwd: &Path,
    env: &[(OsString, OsString)],
    executability: impl Fn(&Path) -> Executability,
) -> Result<PathBuf, StartError> {
    let mut is_refused = false;
    for candidate in candidates(program, env) {
        match executability(&cwd.join(&candidate)) {
            Executability::Yes => return Ok(candidate),
            Executability::No => is_refused = true,
            Executability::Missing => {}
        }
    }
    let program = program.to_owned();
    if is_refused {
        Err(StartError::NotExecutable { program })
    } else {
        Err(StartError::NotFound { program })
    }
}

/// Whether a command that starts in `cwd` with this `PATH` finds the program.
pub fn program_exists(program: &OsStr, path: &OsStr, cwd: &Path) -> bool {
    find(program, cwd, &[("PATH".into(), path.to_owned())]).is_ok()
}

fn candidates(program: &OsStr, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    if program.is_empty() {
        return Vec::new();
    }
    if program.as_bytes().contains(&b'/') {
        return vec![PathBuf::from(program)];
    }
    let path = env.iter().find(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value.as_os_str());
    std::env::split_paths(path)
        // An empty entry means the working directory, which agents write to.
        .filter(|directory| !directory.as_os_str().is_empty())
        .map(|directory| directory.join(program))
        .collect()
}

/// Whether a file can be executed.
pub(crate) enum Executability {
    Yes,
    No,
    Missing,
}

pub(crate) fn executability(path: &Path) -> Executability {
    match path.metadata() {
        Ok(found) if found.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok() => {
            Executability::Yes
        }
        Ok(_) => Executability::No,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Executability::No,
        Err(_) => Executability::Missing,
    }
}
