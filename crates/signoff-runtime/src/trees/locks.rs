//! Locks that a git of ours left when it was killed with the harness. No other program writes a run's references, and the
//! process that opens the run holds its lock, so they can be removed.

use std::fs;
use std::path::Path;

use signoff_work::git::Repository;

use super::{branch, refs};

/// Removes them.
pub(super) fn remove_stale_git_locks(repository: &Repository, run: &str) {
    let Some(common) = repository.objects().parent() else {
        return;
    };
    let of_branch = common.join(format!("{}.lock", branch(run)));
    // The git that finds a remaining lock reports it.
    fs::remove_file(of_branch).ok();
    clear_below(&common.join(refs(run)));
}

fn clear_below(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            clear_below(&path);
        } else if path.extension().is_some_and(|ending| ending == "lock") {
            fs::remove_file(path).ok();
        }
    }
}
