//! A directory for one process, removed with it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_work::beneath::remove_tree;

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
        // What cannot be removed does no harm, and is tried again when the run ends.
        remove_tree(&self.0).ok();
    }
}
