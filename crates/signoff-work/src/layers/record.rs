//! Records what work left in a layer as a tree.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use super::changes::{ChangedPath, LayerReport};
use super::copies::Copies;
use super::walk::{LayerWalk, WalkOptions, open_layer};
use super::{ExclusiveTree, IgnoreRules, LayerError, LayerLimits};
use crate::git::{HarnessGit, Id, Name, TreeDepth, TreeEdit};

/// What [`record_layer`] needs to know.
#[derive(Debug, Clone, Copy)]
pub struct LayerContext<'l> {
    /// Where objects are stored.
    pub own: &'l HarnessGit,
    /// The tree that the work began with. A tree, not a commit: it is what is answered when nothing changed.
    pub base: &'l Id,
    /// The rules of the run's first tree.
    pub rules: &'l IgnoreRules,
    /// Patterns of paths that are recorded although they are ignored.
    pub produces: &'l [String],
    /// The ignored paths that the layers below have ([`super::Mask::ignored_roots`]): they are reported where a
    /// directory above them was removed.
    pub ignored_roots: &'l [Vec<u8>],
    /// Layers of ignored files that the work found, the newest first.
    pub ignored_layers: &'l [PathBuf],
    /// How much is read.
    pub limits: LayerLimits,
}

/// Records what the upper directory of an overlay changed. It costs what the changes cost; an empty directory costs
/// nothing.
pub fn record_layer(context: &LayerContext<'_>, upper: &Path) -> Result<LayerReport, LayerError> {
    let root = open_layer(upper)?;
    let mut walk = LayerWalk::new(
        context.walk_options(),
        Copies::new(context.own, context.limits),
    );
    walk.walk_all(root.as_fd())?;
    context.find_tracked(&mut walk, root.as_fd())?;
    context.finish(walk)
}

/// Records what the holder of a tree changed in it: for machines without overlays, and for what the harness itself
/// writes. `context.base` is the tree that was taken.
pub fn record_taken(
    context: &LayerContext<'_>,
    taken: &ExclusiveTree,
) -> Result<LayerReport, LayerError> {
    let root = open_layer(taken.path())?;
    let mut walk = LayerWalk::new(
        context.walk_options(),
        Copies::new(context.own, context.limits),
    );
    walk.walk_exclusive(taken, root.as_fd())?;
    context.finish(walk)
}

impl<'l> LayerContext<'l> {
    fn walk_options(&self) -> WalkOptions<'l> {
        WalkOptions {
            rules: self.rules,
            produces: self.produces,
            kept: &self.own.kept,
            ignored_roots: self.ignored_roots,
            ignored_layers: self.ignored_layers,
            limits: self.limits,
        }
    }

    /// Ignored paths may hold files of the base: an earlier step produced them, or the work put a `.gitignore` beside them.
    fn find_tracked(
        &self,
        walk: &mut LayerWalk<'_>,
        root: BorrowedFd<'_>,
    ) -> Result<(), LayerError> {
        // What the first tree has is known to the rules.
        let is_known = self.rules.tree() == self.base && !walk.found.has_self_ignored;
        if walk.found.ignored.is_empty() || is_known {
            return Ok(());
        }
        let ignored: Vec<Name> = walk.found.ignored.iter().cloned().collect();
        let there = self
            .own
            .entries_at(self.base, &ignored, TreeDepth::Entries)?;
        let there: Vec<Name> = there.into_iter().map(|entry| entry.name).collect();
        if there.is_empty() {
            return Ok(());
        }
        let tracked = self.own.entries_at(self.base, &there, TreeDepth::Files)?;
        walk.walk_ignored_again(root, &there, tracked.into_iter().map(|entry| entry.name))
    }

    /// Makes a tree of what was found.
    fn finish(&self, walk: LayerWalk<'_>) -> Result<LayerReport, LayerError> {
        let LayerWalk { copies, found, .. } = walk;
        let mut removed = found.removed;
        removed.extend(self.files_at(&found.hollow)?);
        let stored = copies.store(self.base, &removed)?;
        let mut edits: Vec<TreeEdit> = removed.into_iter().map(TreeEdit::Remove).collect();
        let files = stored.into_iter().zip(found.executable);
        edits.extend(files.map(|((name, id), is_executable)| TreeEdit::File {
            name,
            id,
            is_executable,
        }));
        let names: Vec<Name> = found.links.iter().map(|(name, _)| name.clone()).collect();
        if let Some(path) = self.own.refused_link(&names)? {
            return Err(LayerError::Name { path });
        }
        let links = found.links.into_iter();
        edits.extend(links.map(|(name, target)| TreeEdit::Link { name, target }));
        let ignored_roots = found.ignored.into_iter().collect();
        if edits.is_empty() {
            return Ok(LayerReport {
                tree: self.base.clone(),
                changed: Vec::new(),
                ignored_roots,
            });
        }
        let tree = self.own.compose_tree(self.base, &edits)?;
        let differences = self.own.differences(self.base, &tree)?;
        Ok(LayerReport {
            tree,
            changed: differences.into_iter().map(ChangedPath::from).collect(),
            ignored_roots,
        })
    }

    /// The directories among these that are files in the base.
    fn files_at(&self, folders: &[Name]) -> Result<Vec<Name>, LayerError> {
        let mut found = self
            .own
            .entries_at(self.base, folders, TreeDepth::Entries)?;
        found.retain(|entry| entry.mode != 0o040_000);
        Ok(found.into_iter().map(|entry| entry.name).collect())
    }
}
