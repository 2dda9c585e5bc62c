//! Pipes where git expects a file that it reads before all others: it would wait until somebody writes into them.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Files that git reads wherever it comes upon them.
const READ: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Removes them from a tree: no commit could hold one.
pub(super) fn remove(tree: &Path) {
    for entry in fs::read_dir(tree).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name();
        if kind.is_dir() && name != ".git" {
            remove(&entry.path());
        } else if kind.is_fifo() && READ.iter().any(|read| name == *read) {
            // Where it cannot be removed, git is ended in time and says so.
            fs::remove_file(entry.path()).ok();
        }
    }
}
