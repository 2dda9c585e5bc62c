//! The log of what the guard refused, or would have refused.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use signoff_api::guard::LoggedDecision;

use super::directory;
use crate::files::{FileError, atomic, no_follow};

/// A log of this size is put aside, and the one that was put aside before is dropped.
const LARGEST: u64 = 2 * 1024 * 1024;

/// Where the log is.
pub fn path(state_dir: &Path) -> PathBuf {
    directory(state_dir).join("decisions.jsonl")
}

fn earlier_log(state_dir: &Path) -> PathBuf {
    directory(state_dir).join("decisions.1.jsonl")
}

/// Adds a line. Lines of several agents do not mix: each is one write at the end of the file.
pub fn append(state_dir: &Path, decision: &LoggedDecision) -> Result<(), FileError> {
    let path = path(state_dir);
    let at = |what| FileError::at(what, &path);
    atomic::create_directories(&directory(state_dir))?;
    let is_full = |found: fs::Metadata| found.len() >= LARGEST;
    if path.symlink_metadata().is_ok_and(is_full) {
        fs::rename(&path, earlier_log(state_dir)).map_err(at("put aside"))?;
    }
    let mut line = serde_json::to_vec(decision).map_err(|why| at("write")(why.into()))?;
    line.push(b'\n');
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or(0))
        .open(&path)
        .map_err(at("open"))?;
    file.write_all(&line).map_err(at("write"))
}

/// What was logged, oldest first.
#[derive(Debug, Default)]
pub struct Logged {
    /// The lines that could be read.
    pub decisions: Vec<LoggedDecision>,
    /// How many could not.
    pub unreadable: u64,
}

/// Reads the log and the one before it.
pub fn read(state_dir: &Path) -> Result<Logged, FileError> {
    let mut logged = Logged::default();
    for path in [earlier_log(state_dir), path(state_dir)] {
        let bytes = no_follow::read_if_exists(&path)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(decision) => logged.decisions.push(decision),
                Err(_) => logged.unreadable += 1,
            }
        }
    }
    Ok(logged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(subject: &str) -> LoggedDecision {
        LoggedDecision {
            schema: signoff_api::guard::LOG_SCHEMA.to_owned(),
            at: "2026-11-15T09:30:12.345Z".to_owned(),
            agent: Some("claude".to_owned()),
            session: None,
            project: None,
            tool: Some("Bash".to_owned()),
            subject: Some(subject.to_owned()),
            decision: "denied".to_owned(),
            rule: "plan-mode".to_owned(),
            reason: "no".to_owned(),
        }
    }

    #[test]
    fn the_log_grows_and_is_put_aside_when_it_is_full() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path();
        assert!(read(state).unwrap().decisions.is_empty());
        append(state, &decision("one")).unwrap();
        append(state, &decision("two\nlines")).unwrap();
        fs::write(
            path(state),
            [fs::read(path(state)).unwrap(), b"{half".to_vec()].concat(),
        )
        .unwrap();
        let found = read(state).unwrap();
        assert_eq!(found.decisions, [decision("one"), decision("two\nlines")]);
        assert_eq!(found.unreadable, 1);
        let full = usize::try_from(LARGEST).unwrap();
        fs::write(path(state), vec![b'\n'; full]).unwrap();
        append(state, &decision("three")).unwrap();
        assert_eq!(read(state).unwrap().decisions, [decision("three")]);
        assert_eq!(fs::metadata(earlier_log(state)).unwrap().len(), LARGEST);
    }
}
