//! A directory of one process's own, gone with it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Removed when it is dropped. What a crash leaves is removed when the run is taken up again.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            // Its owner may have taken the right to do so from itself.
            unlock(&self.0);
            // What cannot be removed is in nobody's way.
            fs::remove_dir_all(&self.0).ok();
        }
    }
}

/// Makes every directory writable to its owner again. Links are not followed.
pub(crate) fn unlock(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok();
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        unlock(&entry.path());
    }
}
