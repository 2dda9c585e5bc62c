//! Which sessions of agents are in plan mode.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::directory;
use crate::files::atomic::{self, FileMode};
use crate::files::{FileError, no_follow};
use crate::key;

const ON: &[u8] = b"on\n";
const OFF: &[u8] = b"off\n";

/// What was said about a session: on, off, or nothing. What cannot be understood is on.
pub fn recorded(state_dir: &Path, session: &str) -> Result<Option<bool>, FileError> {
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
        assert_eq!(recorded(state, "s").unwrap(), None);
        assert!(!any_on(state).unwrap());
        record(state, "s", true).unwrap();
        record(state, "../x", false).unwrap();
        assert_eq!(recorded(state, "s").unwrap(), Some(true));
        assert_eq!(recorded(state, "../x").unwrap(), Some(false));
        assert!(any_on(state).unwrap());
        record(state, "s", false).unwrap();
        assert_eq!(recorded(state, "s").unwrap(), Some(false));
        assert!(!any_on(state).unwrap());
        fs::write(path(state, "s"), "o").unwrap();
        assert_eq!(recorded(state, "s").unwrap(), Some(true));
        fs::remove_file(path(state, "s")).unwrap();
        std::os::unix::fs::symlink("/dev/null", path(state, "s")).unwrap();
        assert!(recorded(state, "s").is_err());
    }
}
