//! What contracts build in ignored directories, for later contracts of the run (`[contract] cache = "warm"`).
//!
//! It is the uppermost layer of one overlay at a time; other overlays build for themselves. Between two overlays
//! everything that is not ignored is removed from it, and it does not outlive the process, because a killed process may
//! have left anything in it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fs, io};

use signoff_work::layers::{Mask, ignored_paths};

use super::{Trees, error_text, lock, make_empty_directory, remove_tree};

/// Where the builds are.
#[derive(Default)]
pub(crate) enum BuildCache {
    /// There are none.
    #[default]
    None,
    /// In their layer. They were made over what this mask shows of the checkout, and are valid only over that.
    Kept(Arc<Mask>),
    /// In an overlay.
    Lent,
}

/// The layer for the builds, for one overlay. It is thrown away unless it is given back.
pub(crate) struct LentBuildCache {
    slot: Arc<Mutex<BuildCache>>,
    layer: Option<PathBuf>,
    /// An earlier contract built something in it.
    is_warm: bool,
    /// Its present content is for this overlay only.
    is_spoiled: bool,
}

impl LentBuildCache {
    pub(crate) fn is_warm(&self) -> bool {
        self.is_warm
    }

    pub(crate) fn mark_spoiled(&mut self) {
        self.is_spoiled = true;
    }
}

impl Drop for LentBuildCache {
    fn drop(&mut self) {
        if let Some(layer) = self.layer.take() {
            // What stays is removed before it is used again.
            remove_tree(&layer).ok();
            *lock(&self.slot) = BuildCache::None;
        }
    }
}

impl Trees {
    /// The layer for the builds, with what earlier contracts left in it. `None` if another overlay has it.
    pub(crate) fn borrow_builds(&self, mask: &Arc<Mask>) -> Result<Option<LentBuildCache>, String> {
        let known = {
            let mut builds = lock(&self.builds);
            if matches!(*builds, BuildCache::Lent) {
                return Ok(None);
            }
            std::mem::replace(&mut *builds, BuildCache::Lent)
        };
        let layer = self.builds_layer();
        let is_warm = matches!(&known, BuildCache::Kept(over) if Arc::ptr_eq(over, mask));
        let lent = LentBuildCache {
            slot: Arc::clone(&self.builds),
            layer: Some(layer.clone()),
            is_warm,
            is_spoiled: false,
        };
        if !is_warm {
            remove_tree(&layer).map_err(|why| format!("{}: {why}", layer.display()))?;
        }
        Ok(Some(lent))
    }

    /// Removes from the builds what would hide files of this tree: the tree's versioned or produced files win.
    pub(crate) fn fit_builds(&self, lent: &mut LentBuildCache, tree: &Path) -> Result<(), String> {
        let Some(layer) = lent.layer.as_ref().filter(|_| lent.is_warm) else {
            return Ok(());
        };
        let upper = layer.join("upper");
        let mut left = 0;
        for path in self.built_paths(&upper).map_err(error_text)? {
            if is_in_the_way(tree, &path) {
                remove_tree(&upper.join(&path)).map_err(error_text)?;
            } else {
                left += 1;
            }
        }
        lent.is_warm = left > 0;
        Ok(())
    }

    /// Keeps what a contract built. Its overlay must be gone.
    pub(crate) fn keep_builds(&self, mut lent: LentBuildCache, mask: Arc<Mask>) {
        let Some(layer) = lent.layer.clone().filter(|_| !lent.is_spoiled) else {
            return;
        };
        if let Ok(true) = self.keep_built(&layer) {
            lent.layer = None;
            *lock(&self.builds) = BuildCache::Kept(mask);
        }
    }

    /// Throws the builds away. Contracts are about to run without them; if one fails, the builds cannot be trusted.
    pub(crate) fn forget_builds(&self) {
        let mut builds = lock(&self.builds);
        if matches!(*builds, BuildCache::Kept(_)) {
            *builds = BuildCache::None;
            // What stays is removed before it is used again.
            remove_tree(&self.builds_layer()).ok();
        }
    }

    pub(crate) fn builds_layer(&self) -> PathBuf {
        self.layer_root().join("builds")
    }

    /// Removes everything from the layer that is not ignored; returns whether anything is left.
    fn keep_built(&self, layer: &Path) -> io::Result<bool> {
        let (upper, kept) = (layer.join("upper"), layer.join("kept"));
        make_empty_directory(&kept)?;
        let paths = self.built_paths(&upper)?;
        for path in &paths {
            let to = kept.join(path);
            if let Some(above) = to.parent() {
                fs::create_dir_all(above)?;
            }
            fs::rename(upper.join(path), to)?;
        }
        remove_tree(&upper)?;
        fs::rename(kept, upper)?;
        Ok(!paths.is_empty())
    }

    fn built_paths(&self, upper: &Path) -> io::Result<Vec<PathBuf>> {
        let rules = self.rules().map_err(io::Error::other)?;
        let mut paths = ignored_paths(upper, &rules)?;
        paths.retain(|path| !self.own.is_kept(path));
        let paths = paths.iter().map(|path| OsStr::from_bytes(path));
        Ok(paths.map(PathBuf::from).collect())
    }
}

/// Would this path of an upper layer hide something of the tree?
fn is_in_the_way(tree: &Path, path: &Path) -> bool {
    let found = |path: &Path| tree.join(path).symlink_metadata().ok();
    let mut above = path.ancestors().skip(1);
    found(path).is_some() || above.any(|above| found(above).is_some_and(|found| !found.is_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tree_has_is_the_trees() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("dist/sub")).unwrap();
        fs::write(tree.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("dist", tree.path().join("link")).unwrap();
        for (path, expected) in [
            ("target", false),
            ("pkg/target", false),
            ("dist", true),
            ("dist/sub/x", false),
            ("file", true),
            ("file/target", true),
            ("link/target", true),
        ] {
            let found = is_in_the_way(tree.path(), Path::new(path));
            assert_eq!(found, expected, "{path}");
        }
    }
}
