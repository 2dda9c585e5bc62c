//! A directory of one process's own, gone with it.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Removed when it is dropped. What a crash leaves is removed when the run is taken up again.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn make(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in nobody's way.
        fs::remove_dir_all(&self.0).ok();
    }
}
