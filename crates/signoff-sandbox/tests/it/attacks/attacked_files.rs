//! The files that are attacked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// A tree with what an agent must not change, things beside it, and this program where everybody can execute it.
pub(crate) struct AttackedFiles {
    directory: tempfile::TempDir,
}

const FILES: [&str; 6] = [
    "place/tree/.signoff/journal",
    "place/tree/plan.md",
    "place/tree/docs/protected.md",
    "place/outside/file",
    "place/run/nothing",
    "place/temp/nothing",
];

impl AttackedFiles {
    pub(crate) fn new(owner: u32) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
        for file in FILES {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "true\n").unwrap();
        }
        fs::create_dir(root.join("place/home")).unwrap();
        // Prepared before the sandbox is there, by an earlier step for example.
        fs::hard_link(root.join(FILES[0]), root.join("place/tree/link")).unwrap();
        give(&root.join("place"), owner);
        fs::hard_link(std::env::current_exe().unwrap(), root.join("program"))
            .or_else(|_| fs::copy(std::env::current_exe().unwrap(), root.join("program")).map(drop))
            .unwrap();
        Self { directory }
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.directory.path().join("place")
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.directory.path().join("program")
    }
}

fn give(path: &Path, owner: u32) {
    chown(path, Some(owner), Some(owner)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), owner);
        }
    }
}
