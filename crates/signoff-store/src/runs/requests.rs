//! What other processes ask of the one that drives a run: a file each in the run's directory, and
//! the answer beside it.

use std::fs;
use std::path::PathBuf;

use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::key;
use crate::root::create_private;
use crate::runs::RunDir;

const REQUEST: &str = "request";
const REPLY: &str = "reply";

/// The requests of one run.
#[derive(Debug, Clone)]
pub struct Requests {
    dir: PathBuf,
}

impl Requests {
    pub fn of(run: &RunDir) -> Self {
        Self {
            dir: run.path().join("requests"),
        }
    }

    /// Writes a request under a unique name.
    pub fn send(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        create_private(&self.dir)?;
        atomic::create(&self.path(name, REQUEST), bytes, FileMode::Private)?;
        Ok(())
    }

    /// The requests without an answer, by name. Unreadable ones are left to their senders.
    pub fn pending(&self) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut found: Vec<(String, Vec<u8>)> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let is_request = path.extension().is_some_and(|ending| ending == REQUEST);
                let name = path.file_stem()?.to_str()?.to_owned();
                let bytes = is_request.then(|| fs::read(&path).ok())??;
                Some((name, bytes))
            })
            .collect();
        found.sort();
        found
    }

    /// Answers a request, which is no longer pending then.
    pub fn reply(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        atomic::create(&self.path(name, REPLY), bytes, FileMode::Private)?;
        self.withdraw(name);
        Ok(())
    }

    /// The answer, if there is one; it is given once.
    pub fn take_reply(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.path(name, REPLY);
        let bytes = fs::read(&path).ok()?;
        // No other process looks for it.
        fs::remove_file(&path).ok();
        Some(bytes)
    }

    /// Takes a request back.
    pub fn withdraw(&self, name: &str) {
        fs::remove_file(self.path(name, REQUEST)).ok();
    }

    fn path(&self, name: &str, ending: &str) -> PathBuf {
        self.dir.join(format!("{}.{ending}", key::encode(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Store;

    #[test]
    fn a_request_is_pending_until_it_is_answered() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let run = store.run_dir("20261115-093012-0000");
        run.create().unwrap();
        let requests = Requests::of(&run);
        assert_eq!(requests.pending(), []);
        requests.send("2", b"pause").unwrap();
        requests.send("1", b"stop").unwrap();
        let names: Vec<String> = requests
            .pending()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["1", "2"]);
        assert_eq!(requests.take_reply("1"), None);
        requests.reply("1", b"done").unwrap();
        assert_eq!(requests.take_reply("1").as_deref(), Some(&b"done"[..]));
        assert_eq!(requests.take_reply("1"), None);
        requests.withdraw("2");
        assert_eq!(requests.pending(), []);
    }
}
