//! Files that nobody may change, with real files.

mod protected;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A workspace.
struct Site {
    _directory: tempfile::TempDir,
    root: PathBuf,
}

impl Site {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary folder");
        let root = directory.path().join("workspace");
        fs::create_dir(&root).expect("a workspace");
        Self {
            _directory: directory,
            root,
        }
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("within the workspace")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).expect("a mode");
    }

    fn pipe(&self, path: &str) {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, self.path(path), kind, mode, 0).expect("a pipe");
    }
}
