//! An agent's own session, kept from one attempt to the next: the home that it lies in goes with each attempt.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::AgentRequirements;
use crate::beneath::{Directory, Links, OpenError};

/// The session of one attempt is not larger.
const LARGEST: u64 = 256 << 20;
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 16;

/// The sessions of one agent, and where they are kept.
#[derive(Debug, Clone)]
pub struct SessionFolders {
    /// Below a home.
    folders: &'static [&'static str],
    /// A directory of the harness's.
    kept: PathBuf,
}

impl SessionFolders {
    /// `None` if it is not known where this agent keeps its sessions.
    pub fn of(needs: &AgentRequirements, kept: PathBuf) -> Option<Self> {
        let folders = needs.session_folders();
        (!folders.is_empty()).then_some(Self { folders, kept })
    }

    /// Keeps what an agent left in its home. `scratch` is the directory that it was confined with.
    pub fn keep(&self, scratch: &Path) -> Result<(), OpenError> {
        let home = Directory::open(&scratch.join("home"))?;
        let mut copy = SessionCopy {
            bytes: LARGEST,
            files: MOST_FILES,
        };
        for folder in self.folders {
            match home.directory(Path::new(folder)) {
                Ok(found) => copy.directory(&found, &self.kept.join(folder), 0)?,
                Err(error) if error.is_absence() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Puts what was kept into the home of the next attempt. Says whether there was anything.
    pub fn restore(&self, scratch: &Path) -> Result<bool, OpenError> {
        if !self.kept.is_dir() {
            return Ok(false);
        }
        let kept = Directory::open(&self.kept)?;
        let mut copy = SessionCopy {
            bytes: LARGEST,
            files: MOST_FILES,
        };
        copy.directory(&kept, &scratch.join("home"), 0)?;
        Ok(true)
    }
}

/// What may still be copied.
struct SessionCopy {
    bytes: u64,
    files: usize,
}

impl SessionCopy {
    /// Copies directories and ordinary files. An agent wrote them: links and the like are left out.
    fn directory(&mut self, from: &Directory, to: &Path, depth: usize) -> Result<(), OpenError> {
        if depth > DEEPEST {
            return Ok(());
        }
        fs::create_dir_all(to)?;
        for name in from.names(self.files)? {
            let path = Path::new(&name);
            if let Ok(below) = from.directory(path) {
                self.directory(&below, &to.join(path), depth + 1)?;
            } else if let Ok(bytes) = from.read(path, Links::Refuse, self.bytes) {
                self.bytes -= bytes.len() as u64;
                self.files = self.files.saturating_sub(1);
                write_private(&to.join(path), &bytes)?;
            }
        }
        Ok(())
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_from_one_home_to_the_next_and_links_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let (first, next) = (dir.path().join("1"), dir.path().join("2"));
        let home = first.join("home");
        fs::create_dir_all(home.join(".claude/projects/-work")).unwrap();
        fs::create_dir_all(next.join("home")).unwrap();
        fs::write(home.join(".claude/projects/-work/s.jsonl"), "said").unwrap();
        fs::write(home.join(".claude/settings.json"), "{}").unwrap();
        let secret = dir.path().join("secret");
        fs::write(&secret, "key").unwrap();
        std::os::unix::fs::symlink(&secret, home.join(".claude/projects/link")).unwrap();
        let needs = AgentRequirements::of_command(&["claude".to_owned()]);
        let sessions = SessionFolders::of(&needs, dir.path().join("kept")).unwrap();
        assert!(!sessions.restore(&next).unwrap());
        sessions.keep(&first).unwrap();
        assert!(sessions.restore(&next).unwrap());
        let found = fs::read(next.join("home/.claude/projects/-work/s.jsonl")).unwrap();
        assert_eq!(found, b"said");
        for absent in [".claude/settings.json", ".claude/projects/link"] {
            assert!(!next.join("home").join(absent).exists(), "{absent}");
        }
    }

    #[test]
    fn what_keeps_no_sessions_that_we_know_has_none() {
        let needs = AgentRequirements::of_command(&["mine".to_owned()]);
        assert!(SessionFolders::of(&needs, PathBuf::from("kept")).is_none());
    }
}
