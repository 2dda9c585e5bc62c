//! What a layer holds of ignored directories.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::FileType;

use super::IgnoreRules;
use super::beneath::{join_path, kind_of, names_in, stat_at};
use super::walk::LayerLimits;
use crate::git::Name;
use crate::tree::{open_folder, open_root};

/// The ignored paths that a layer holds or hides, each the highest one, in order. Nobody may write to the layer any
/// more. What cannot be looked at completely is an error.
pub fn ignored_paths(layer: &Path, rules: &IgnoreRules) -> io::Result<Vec<Name>> {
    let mut search = Search {
        rules,
        found: Vec::new(),
        entries: 0,
    };
    search.folder(open_root(layer)?.as_fd(), b"", 0)?;
    Ok(search.found)
}

struct Search<'s> {
    rules: &'s IgnoreRules,
    found: Vec<Name>,
    entries: usize,
}

impl Search<'_> {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &[u8], depth: usize) -> io::Result<()> {
        let limits = LayerLimits::default();
        for last in names_in(folder)? {
            self.entries += 1;
            if self.entries > limits.entries || depth > limits.depth {
                return Err(io::Error::other("there is too much to look at"));
            }
            // A repository is not a cache.
            if last == b".git" {
                continue;
            }
            let name = join_path(path, &last);
            let stat = stat_at(folder, &last)?;
            let is_folder = kind_of(&stat) == FileType::Directory;
            // It hides what the layers below have, which may be a directory.
            let is_whiteout = kind_of(&stat) == FileType::CharacterDevice && stat.st_rdev == 0;
            let is_ignored = |as_folder| self.rules.is_ignored(&name, as_folder);
            if is_ignored(is_folder) || is_whiteout && is_ignored(true) {
                self.found.push(name);
            } else if is_folder {
                self.folder(open_folder(folder, &last)?.as_fd(), &name, depth + 1)?;
            }
        }
        Ok(())
    }
}
