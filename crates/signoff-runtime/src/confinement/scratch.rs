//! A directory for one process, removed with it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_work::beneath::remove_tree;
use signoff_work::confine::KeptLogins;

/// Removed when it is dropped. What a crash leaves is removed when the run is taken up again.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    /// The logins of which copies are in there.
    logins: Option<KeptLogins>,
}

impl Scratch {
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self { path, logins: None })
    }

    /// Writes these logins back before the directory is removed.
    pub(crate) fn keep_logins(&mut self, logins: KeptLogins) {
        self.logins = Some(logins);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.logins.take());
        // What cannot be removed does no harm, and is tried again when the run ends.
        remove_tree(&self.path).ok();
    }
}
