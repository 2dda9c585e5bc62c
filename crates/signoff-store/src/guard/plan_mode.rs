//! Which sessions of agents are in plan mode.

use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::fs::Access;

use super::directory;
use crate::files::atomic::{self, FileMode};
use crate::files::{FileError, no_follow};
use crate::key;

const ON: &[u8] = b"on\n";
const OFF: &[u8] = b"off\n";
const SAID: &str = "said";

/// What was said about a session: on, off, or nothing. What cannot be understood is on.
pub fn recorded_mode(state_dir: &Path, session: &str) -> Result<Option<bool>, FileError> {
    let bytes = no_follow::read_if_exists(&path(state_dir, session))?;
    Ok(bytes.map(|bytes| bytes != OFF))
}

/// Whether any session is in plan mode, for an agent that does not say which is its own.
pub fn any_on(state_dir: &Path) -> Result<bool, FileError> {
    let sessions = sessions(state_dir);
    let entries = match fs::read_dir(&sessions) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        entries => entries.map_err(FileError::at("read", &sessions))?,
    };
    for entry in entries {
        let path = entry.map_err(FileError::at("read", &sessions))?.path();
        if no_follow::read_if_exists(&path)?.is_some_and(|bytes| bytes != OFF) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Records it, synced.
pub fn record(state_dir: &Path, session: &str, on: bool) -> Result<(), FileError> {
    atomic::create_directories(&sessions(state_dir))?;
    let bytes = if on { ON } else { OFF };
    atomic::overwrite(&path(state_dir, session), bytes, FileMode::Private)
}

/// Whether the agent of a session said in its last call that it is in its own plan mode.
pub fn was_said(state_dir: &Path, session: &str) -> Result<bool, FileError> {
    let said = no_follow::read_if_exists(&said_path(state_dir, session))?;
    Ok(said.is_some())
}

/// Remembers what the agent of a session says of its own plan mode.
pub fn remember_said(state_dir: &Path, session: &str, on: bool) -> Result<(), FileError> {
    let path = said_path(state_dir, session);
    if on {
        atomic::create_directories(&directory(state_dir).join(SAID))?;
        return atomic::overwrite(&path, ON, FileMode::Private);
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileError::at("remove", &path)(error))
        }
        _ => Ok(()),
    }
}

/// Whether it can be remembered, as far as permissions tell. Whoever cannot remember has to be strict.
pub fn can_remember(state_dir: &Path) -> Result<(), FileError> {
    let said = directory(state_dir).join(SAID);
    let found = said
        .ancestors()
        .find(|path| path.symlink_metadata().is_ok());
    let nearest = found.unwrap_or(&said);
    let writable = Access::WRITE_OK | Access::EXEC_OK;
    let granted = if nearest.is_dir() {
        rustix::fs::access(nearest, writable).map_err(io::Error::from)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    };
    granted.map_err(FileError::at("write to", nearest))
}

fn said_path(state_dir: &Path, session: &str) -> PathBuf {
    directory(state_dir).join(SAID).join(key::encode(session))
}

fn sessions(state_dir: &Path) -> PathBuf {
    directory(state_dir).join("sessions")
}

fn path(state_dir: &Path, session: &str) -> PathBuf {
    sessions(state_dir).join(key::encode(session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_what_was_said_last_and_on_if_in_doubt() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path();
        assert_eq!(recorded_mode(state, "s").unwrap(), None);
        assert!(!any_on(state).unwrap());
        record(state, "s", true).unwrap();
        record(state, "../x", false).unwrap();
        assert_eq!(recorded_mode(state, "s").unwrap(), Some(true));
        assert_eq!(recorded_mode(state, "../x").unwrap(), Some(false));
        assert!(any_on(state).unwrap());
        record(state, "s", false).unwrap();
        assert_eq!(recorded_mode(state, "s").unwrap(), Some(false));
        assert!(!any_on(state).unwrap());
        fs::write(path(state, "s"), "o").unwrap();
        assert_eq!(recorded_mode(state, "s").unwrap(), Some(true));
        fs::remove_file(path(state, "s")).unwrap();
        std::os::unix::fs::symlink("/dev/null", path(state, "s")).unwrap();
        assert!(recorded_mode(state, "s").is_err());
    }

    #[test]
    fn what_an_agent_said_last_is_remembered_apart_from_what_a_person_said() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path();
        remember_said(state, "s", false).unwrap();
        assert!(!was_said(state, "s").unwrap());
        remember_said(state, "s", true).unwrap();
        assert!(was_said(state, "s").unwrap());
        assert!(!was_said(state, "t").unwrap());
        assert_eq!(recorded_mode(state, "s").unwrap(), None);
        assert!(!any_on(state).unwrap());
        remember_said(state, "s", false).unwrap();
        assert!(!was_said(state, "s").unwrap());
    }

    #[test]
    fn it_is_known_beforehand_whether_anything_can_be_remembered() {
        let dir = tempfile::tempdir().unwrap();
        can_remember(&dir.path().join("not/made/yet")).unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        can_remember(&file.join("state")).unwrap_err();
        std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
        can_remember(&dir.path().join("link")).unwrap_err();
    }
}
