//! `progress.jsonl` of an attempt: what its agent told last, for other processes to tail.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use signoff_api::progress::AgentProgress;

/// Lines are written at most this often.
const EVERY: Duration = Duration::from_millis(100);
/// The file starts anew beyond this size: only its last line counts.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Writes lines, not too often.
#[derive(Debug)]
pub(super) struct ProgressFile {
    path: PathBuf,
    file: Option<File>,
    size: u64,
    written: Option<Instant>,
}

impl ProgressFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            size: 0,
            written: None,
        }
    }

    /// Is it time for another line?
    pub(super) fn is_due(&self) -> bool {
        self.written.is_none_or(|at| at.elapsed() >= EVERY)
    }

    /// Adds a line. A full disk costs the display, not the run.
    pub(super) fn write(&mut self, progress: &AgentProgress) {
        self.written = Some(Instant::now());
        let Ok(mut line) = serde_json::to_vec(progress) else {
            return;
        };
        line.push(b'\n');
        if self.file.is_none() || self.size + line.len() as u64 > LIMIT {
            self.size = 0;
            self.file = create(&self.path).ok();
        }
        let Some(file) = &mut self.file else {
            return;
        };
        match file.write_all(&line) {
            Ok(()) => self.size += line.len() as u64,
            Err(_) => self.file = None,
        }
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::last_progress;

    fn progress(doing: String) -> AgentProgress {
        AgentProgress {
            at: String::new(),
            driver: "claude".to_owned(),
            doing,
            progress: None,
            todo: Vec::new(),
            model: None,
            session: None,
            version: None,
            denied: Vec::new(),
            usage: Vec::new(),
        }
    }

    #[test]
    fn the_last_line_is_what_counts_and_the_file_stays_small() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("progress.jsonl");
        let mut file = ProgressFile::new(path.clone());
        for number in 0..3000 {
            file.write(&progress(format!("{number} {}", "x".repeat(2000))));
        }
        let last = last_progress(&path).unwrap();
        assert!(last.doing.starts_with("2999 "), "{}", last.doing);
        assert!(path.metadata().unwrap().len() <= LIMIT);
    }

    #[test]
    fn a_line_that_a_crash_cut_off_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("progress.jsonl");
        assert_eq!(last_progress(&path), None);
        ProgressFile::new(path.clone()).write(&progress("works".to_owned()));
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"at\":\"2026").unwrap();
        assert_eq!(last_progress(&path).unwrap().doing, "works");
    }
}
