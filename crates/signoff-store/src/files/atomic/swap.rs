//! The next content of a file that exists, and how it takes the old one's place.
//!
//! No system call compares and renames at once, so the two files are exchanged, and the one that came out is compared:
//! if an editor without a lock was quicker, its file is put back.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::temp::{self, TempFile};
use super::{Fingerprint, read_if_exists};
use crate::files::{FileError, failpoint};

/// A second hidden file beside the target; exists only while its [`TempFile`] is locked.
#[derive(Debug)]
pub(super) struct NextFile<'a> {
    file: File,
    path: PathBuf,
    target: &'a Path,
}

impl<'a> NextFile<'a> {
    /// Starts it, closed to others. What a killed writer left there is in the way; the lock says that
    /// no writer is at work.
    pub(super) fn create(_held: &TempFile, target: &'a Path) -> Result<Self, FileError> {
        let path = temp::hidden_path(target, "next");
        let stray = fs::remove_file(&path);
        if let Err(error) = stray
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(FileError::at("remove", &path)(error));
        }
        let opened = failpoint::change().and_then(|()| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)
        });
        let file = opened.map_err(FileError::at("write", &path))?;
        Ok(Self { file, path, target })
    }

    pub(super) fn fill(
        &mut self,
        old: &fs::Metadata,
        bytes: &[u8],
        sync: bool,
    ) -> Result<(), FileError> {
        temp::take_over(&self.file, old).map_err(FileError::at("set the mode of", &self.path))?;
        let written = temp::write(&mut self.file, bytes, sync);
        written.map_err(FileError::at("write", &self.path))
    }

    pub(super) fn fingerprint(&self) -> Result<Fingerprint, FileError> {
        let metadata = self.file.metadata();
        Ok(Fingerprint::from(
            &metadata.map_err(FileError::at("read", &self.path))?,
        ))
    }

    /// Takes the target's place, if the target still is what was expected; false if not.
    pub(super) fn replace_target(self, expected: &[u8]) -> Result<bool, FileError> {
        failpoint::change().map_err(FileError::at("replace", self.target))?;
        match exchange(&self.path, self.target) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(false),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return self.rename(expected),
            Err(error) => return Err(FileError::at("replace", self.target)(error.into())),
        }
        failpoint::reach("replace.swapped");
        if read_if_exists(&self.path)?.as_deref() == Some(expected) {
            return Ok(true);
        }
        self.put_back()
            .map_err(FileError::at("put back", self.target))?;
        Ok(false)
    }

    /// Gives the target back to the quicker writer. If that writes once more meanwhile, its file comes out instead of
    /// ours and is put back again.
    fn put_back(&self) -> io::Result<()> {
        let ours = identity(&self.file.metadata()?);
        let mut before = None;
        loop {
            let put = identity(&fs::symlink_metadata(&self.path)?);
            match exchange(&self.path, self.target) {
                // The other writer removed it; the file that came out is older than that.
                Err(Errno::NOENT) => return Ok(()),
                exchanged => exchanged?,
            }
            let out = identity(&fs::symlink_metadata(&self.path)?);
            if out == ours || Some(out) == before {
                return Ok(());
            }
            before = Some(put);
        }
    }

    /// Where files cannot change places: compares right before the rename.
    fn rename(self, expected: &[u8]) -> Result<bool, FileError> {
        if read_if_exists(self.target)?.as_deref() != Some(expected) {
            return Ok(false);
        }
        fs::rename(&self.path, self.target).map_err(FileError::at("replace", self.target))?;
        Ok(true)
    }
}

impl Drop for NextFile<'_> {
    /// Whatever has the hidden name now is of no use any more.
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

fn exchange(one: &Path, other: &Path) -> Result<(), Errno> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The editor's rename falls right between our last look and our own.
    #[test]
    fn whoever_was_quicker_gets_the_file_back() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("plan.md");
        fs::write(&target, "old").unwrap();
        let old = fs::metadata(&target).unwrap();
        let held = TempFile::lock(&target, 0o600).unwrap();
        for (there, expected, taken, left) in [
            ("old", "old", true, "ours"),
            ("theirs", "old", false, "theirs"),
        ] {
            let mut next = NextFile::create(&held, &target).unwrap();
            next.fill(&old, b"ours", false).unwrap();
            fs::write(dir.path().join("editor"), there).unwrap();
            fs::rename(dir.path().join("editor"), &target).unwrap();
            assert_eq!(next.replace_target(expected.as_bytes()).unwrap(), taken);
            assert_eq!(fs::read_to_string(&target).unwrap(), left);
        }
        let mut next = NextFile::create(&held, &target).unwrap();
        next.fill(&old, b"ours", false).unwrap();
        fs::remove_file(&target).unwrap();
        assert!(!next.replace_target(b"theirs").unwrap());
        assert!(!target.exists());
        drop(held);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
