//! Files of the harness's own: short-lived ones, and ones that are replaced whole.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::git::GitError;

/// A directory for the time of one operation.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(parent: &Path) -> Result<Self, GitError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{}.{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // Left by another process of the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(GitError::File { path, error }),
            }
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A directory in it.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, GitError> {
        let path = self.path(name);
        fs::create_dir_all(&path).map_err(GitError::file(&path))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed with the git directory.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Writes a file that is there whole or not at all.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), GitError> {
    let new = sibling_path(path, &format!(".{}", std::process::id()));
    fs::write(&new, content).map_err(GitError::file(&new))?;
    fs::rename(&new, path).map_err(GitError::file(path))
}

/// A file's content; empty where there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Vec<u8>, GitError> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(GitError::file(path)),
    }
}

/// A path beside another one.
pub(crate) fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Copies an index with its time: whatever was written to a file after that time has to be read again.
pub(crate) fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    let source = File::open(from)?;
    copy_open_index(source, File::create(to)?)
}

/// The same with files that are open.
pub(crate) fn copy_open_index(mut source: File, mut target: File) -> io::Result<()> {
    io::copy(&mut source, &mut target)?;
    target.set_modified(source.metadata()?.modified()?)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_copied_index_is_as_old_as_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "index").unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        File::options()
            .append(true)
            .open(&from)
            .unwrap()
            .set_modified(time)
            .unwrap();
        copy_index(&from, &to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), time);
        assert_eq!(fs::read(&to).unwrap(), b"index");
        // Where there is none, none is made.
        let none = folder.path().join("none");
        assert!(copy_index(&none, &folder.path().join("copy")).is_err());
        assert!(!folder.path().join("copy").exists());
    }
}
