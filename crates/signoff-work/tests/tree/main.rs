//! What changed in a workspace, with real files.

mod changes;
mod ignored;
mod limits;
mod protected;
mod restoring;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signoff_work::tree::{Change, Keeper, Restored, Snapshot};

/// A workspace and its keeper.
struct Site {
    _directory: tempfile::TempDir,
    root: PathBuf,
    keeper: Keeper,
}

impl Site {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary folder");
        let root = directory.path().join("workspace");
        fs::create_dir(&root).expect("a workspace");
        let keeper = Keeper::new(&root, &directory.path().join("store"));
        Self {
            _directory: directory,
            root,
            keeper,
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

    fn look(&mut self) -> Snapshot {
        self.keeper.snapshot().expect("the workspace is there")
    }

    /// What happened since then: `added a`, in the order of paths.
    fn told(&mut self, before: &Snapshot) -> Vec<String> {
        told(&self.changes(before))
    }

    fn changes(&mut self, before: &Snapshot) -> Vec<Change> {
        let after = self.look();
        self.keeper.changes(before, &after)
    }

    /// Undoes everything since then.
    fn undo(&mut self, before: &Snapshot) -> Restored {
        let changes = self.changes(before);
        self.keeper.restore(before, &changes)
    }
}

fn told(changes: &[Change]) -> Vec<String> {
    let line = |change: &Change| format!("{} {}", change.kind.name(), change.path);
    changes.iter().map(line).collect()
}
