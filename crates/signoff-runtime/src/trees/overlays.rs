//! What a process finds at the checkout's path: a recorded tree, and through a mask what the checkout has and git
//! ignores.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use signoff_sandbox::{KeptMounts, Overlay, is_opaque, start_scoped_thread};
use signoff_work::confine::{Confined, OBJECTS, VisibleTree};
use signoff_work::git::{HarnessGit, Id};
use signoff_work::layers::{
    ExclusiveTree, IgnoreRules, Mask, MaskStamp, SharedTree, ignores_itself,
};
use signoff_work::tree::{DirectoryState, read_only_files};

use super::builds::LentBuildCache;
use super::masks::OmittedFiles;
use super::{Start, Trees, error_text, lock, make_empty_directory, remove_tree};
use crate::confinement::{OverlayMode, Scratch};

/// A recorded tree, ready to be shown to one process.
pub(crate) struct TreeMount {
    pub(crate) shown: VisibleTree,
    files: Files,
    pub(crate) mask: Arc<Mask>,
    stamp: MaskStamp,
    pub(crate) left_out: OmittedFiles,
    own: HarnessGit,
    /// Removed with it.
    pub(crate) thrown_away: Option<PathBuf>,
    /// What else a contract finds.
    pub(crate) contract_setup: Option<ContractSetup>,
    /// It shows what attempts left in ignored directories.
    pub(crate) has_ignored_work: bool,
    /// What contracts built, which it changes.
    pub(crate) builds: Option<LentBuildCache>,
}

/// What a contract finds besides the tree.
pub(crate) struct ContractSetup {
    pub(super) commit: Id,
    /// Files that the contract may not change.
    pub(super) read_only: Vec<PathBuf>,
    pub(crate) confined: Confined,
    pub(crate) mounts: Option<KeptMounts>,
    /// Its state when it was new; nothing if it is for one contract only.
    pub(super) first_state: Option<DirectoryState>,
    /// Removed after the mounts are gone.
    pub(super) _scratch: Scratch,
}

/// The directory that shows the tree to the harness.
enum Files {
    Lent(SharedTree),
    Taken(Box<ExclusiveTree>),
}

impl TreeMount {
    /// Where the harness finds the files of the tree.
    pub(crate) fn files(&self) -> &Path {
        match &self.files {
            Files::Lent(tree) => tree.path(),
            Files::Taken(tree) => tree.path(),
        }
    }

    /// The tree that is shown, by its name.
    pub(crate) fn tree(&self) -> String {
        let tree = match &self.files {
            Files::Lent(tree) => tree.tree(),
            Files::Taken(tree) => tree.tree(),
        };
        tree.to_string()
    }

    /// What nobody may change, as the process finds it: files that a step protects, and those that were signed with
    /// the plan.
    pub(crate) fn read_only(
        &self,
        protects: &[String],
        signed: &[String],
        checkout: &Path,
    ) -> Vec<PathBuf> {
        let files = read_only_files(self.files(), checkout, protects, signed);
        files.into_iter().map(|file| checkout.join(file)).collect()
    }

    /// Does it show what the checkout ignores through this mask? Masks do not outlive a change there.
    pub(crate) fn is_seen_through(&self, mask: &Arc<Mask>) -> bool {
        Arc::ptr_eq(&self.mask, mask)
    }

    /// Which ignored files of the checkout changed since it was prepared, and which names are visible that did not
    /// exist when its mask was made.
    pub(crate) fn changed_meanwhile(&self) -> std::io::Result<CheckoutChanges> {
        let mut names = self.mask.changed_since(&self.stamp)?;
        // Also those that appeared before it was prepared.
        names.extend(self.mask.new_names()?);
        names.sort();
        names.dedup();
        names.retain(|name| !self.own.is_kept(name));
        let (changed, new) = names.into_iter().partition(|name| self.mask.has_name(name));
        Ok(CheckoutChanges {
            changed: lossy_names(changed),
            new: lossy_names(new),
        })
    }

    /// Is each ignored directory a mount of its own in it?
    pub(crate) fn is_detached(&self) -> bool {
        self.mask.own_roots().is_some()
    }

    /// Does it show what earlier contracts built?
    pub(crate) fn is_warm(&self) -> bool {
        self.builds.as_ref().is_some_and(LentBuildCache::is_warm)
    }

    /// Does it show only a commit and the checkout's ignored files? Only then another contract can use it.
    pub(crate) fn is_plain(&self) -> bool {
        !self.has_ignored_work && self.builds.is_none()
    }

    /// Files that were omitted because they changed.
    pub(crate) fn left_out(&self) -> &OmittedFiles {
        &self.left_out
    }

    /// The directory that the process itself changes, where there are no overlays.
    pub(crate) fn exclusive_tree(&self) -> Option<&ExclusiveTree> {
        match &self.files {
            Files::Lent(_) => None,
            Files::Taken(tree) => Some(tree),
        }
    }

    /// The directory that takes the process's changes.
    pub(crate) fn upper_layer(&self) -> Option<&Path> {
        match &self.shown {
            VisibleTree::Overlay { tree, .. } => Some(&tree.upper),
            VisibleTree::Checkout | VisibleTree::Copy { .. } => None,
        }
    }
}

/// What changed in the checkout while a process ran, as people read it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckoutChanges {
    /// Ignored paths.
    pub(crate) changed: Vec<String>,
    /// Names that the process may have seen although they belong to no recorded tree.
    pub(crate) new: Vec<String>,
}

fn lossy_names(names: Vec<Vec<u8>>) -> Vec<String> {
    let names = names
        .iter()
        .map(|name| String::from_utf8_lossy(name).into_owned());
    names.collect()
}

impl std::fmt::Debug for TreeMount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeMount")
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

impl Drop for TreeMount {
    fn drop(&mut self) {
        // Its mounts first: they show the directories that are removed.
        self.contract_setup = None;
        if let Some(path) = &self.thrown_away {
            // What stays is removed with the run.
            remove_tree(path).ok();
        }
    }
}

impl Trees {
    /// A commit for work, over these layers of ignored files. `layer` keeps what is changed.
    pub(crate) fn work_overlay(
        &self,
        commit: &Id,
        ignored: &[PathBuf],
        layer: &Path,
        start: Start<'_>,
    ) -> Result<TreeMount, String> {
        self.claim()?;
        let prepared = self.prepared_layer(start)?;
        let mask = self.mask(false)?;
        self.mount(commit, ignored, prepared.as_deref(), mask, layer)
    }

    /// The run's first tree for `prepare`, which is not prepared itself.
    pub(crate) fn first_tree(&self, first: &Id, layer: &Path) -> Result<TreeMount, String> {
        self.mount(first, &[], None, self.mask(false)?, layer)
    }

    /// The layers below a directory that is the uppermost one itself: the run's tree, for commands of tools.
    pub(crate) fn visible_run_tree(&self, start: Start<'_>) -> Result<VisibleTree, String> {
        let OverlayMode::Overlays(_) = &self.overlay_mode else {
            let mask = self.mask(false)?;
            return Ok(VisibleTree::Copy {
                from: self.run_path(),
                ignored: ignored_roots(&mask),
            });
        };
        let mut lower = self.ignored_layers();
        lower.extend(self.prepared_layer(start)?);
        lower.push(self.mask(false)?.path().to_owned());
        lower.push(self.checkout.clone());
        let work = self.root.join("run.work");
        make_empty_directory(&work).map_err(|why| format!("{}: {why}", work.display()))?;
        Ok(VisibleTree::in_layers(Overlay {
            at: self.checkout.clone(),
            lower,
            upper: self.run_path(),
            work,
        }))
    }

    pub(crate) fn mount(
        &self,
        commit: &Id,
        ignored: &[PathBuf],
        prepared: Option<&Path>,
        mask: Arc<Mask>,
        layer: &Path,
    ) -> Result<TreeMount, String> {
        let stamp = match mask.own_roots() {
            None => mask.stamp_now().map_err(error_text)?,
            // Some of it was copied when the mask was made.
            Some(_) => mask.stamp().clone(),
        };
        let (shown, files) = match &self.overlay_mode {
            OverlayMode::Overlays(_) => {
                let (tree, repository) = self.tree_with_repository(commit)?;
                let mut lower: Vec<PathBuf> = repository.into_iter().collect();
                lower.push(tree.path().to_owned());
                lower.extend(ignored.iter().cloned());
                lower.extend(prepared.map(Path::to_owned));
                lower.push(mask.path().to_owned());
                let mut roots = Vec::new();
                match mask.own_roots() {
                    None => lower.push(self.checkout.clone()),
                    Some(own) => roots = self.root_overlays(own, tree.path(), prepared, layer)?,
                }
                let tree_overlay = overlay(self.checkout.clone(), lower, layer)?;
                let shown = VisibleTree::Overlay {
                    tree: tree_overlay,
                    roots,
                };
                (shown, Files::Lent(tree))
            }
            OverlayMode::Copies => {
                let tree = self.pool()?.take(commit).map_err(error_text)?;
                if self.has_git() {
                    let objects = Path::new(OBJECTS);
                    let written = self.own.write_repository(tree.path(), commit, objects);
                    written.map_err(error_text)?;
                }
                let shown = VisibleTree::Copy {
                    from: tree.path().to_owned(),
                    ignored: ignored_roots(&mask),
                };
                (shown, Files::Taken(Box::new(tree)))
            }
        };
        Ok(TreeMount {
            shown,
            files,
            left_out: self.left_out(&mask),
            mask,
            stamp,
            own: self.own.clone(),
            thrown_away: None,
            contract_setup: None,
            has_ignored_work: false,
            builds: None,
        })
    }

    /// A directory with the files of a commit, and the layer with a repository at it.
    fn tree_with_repository(&self, commit: &Id) -> Result<(SharedTree, Option<PathBuf>), String> {
        let share = || self.pool()?.share(commit).map_err(error_text);
        if !self.has_git() || self.repository_folder(commit).exists() {
            return Ok((share()?, self.repository_layer(commit)?));
        }
        // Neither needs the other, and in a large repository both take their time.
        std::thread::scope(|scope| {
            let make = || self.repository_layer(commit);
            let made =
                start_scoped_thread(scope, "signoff-repository", make).map_err(error_text)?;
            let tree = share();
            let made = made.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok((tree?, made?))
        })
    }

    /// Ignored directories of the checkout, each to be mounted by itself. `layer` keeps what is changed there.
    fn root_overlays(
        &self,
        roots: &[Vec<u8>],
        tree: &Path,
        prepared: Option<&Path>,
        layer: &Path,
    ) -> Result<Vec<Overlay>, String> {
        let mut overlays = Vec::new();
        for (number, root) in roots.iter().enumerate() {
            let root = Path::new(std::ffi::OsStr::from_bytes(root));
            let mut lower = Vec::new();
            let versioned = tree.join(root);
            if is_folder(&versioned) {
                lower.push(versioned);
            }
            if let Some(made) = prepared.map(|prepared| prepared.join(root))
                && made.symlink_metadata().is_ok()
            {
                if !is_folder(&made) || is_opaque(&made) {
                    // `prepare` removed or replaced it: nothing of the checkout is left in it.
                    continue;
                }
                lower.push(made);
            }
            let at = self.checkout.join(root);
            lower.push(at.clone());
            let own = layer.join("roots").join(number.to_string());
            overlays.push(overlay(at, lower, &own)?);
        }
        Ok(overlays)
    }

    /// Does the project have a repository? Then processes find one.
    fn has_git(&self) -> bool {
        self.checkout.join(".git").symlink_metadata().is_ok()
    }

    /// A layer with a repository at this commit, made once: every process has its own copy of what it changes there.
    fn repository_layer(&self, commit: &Id) -> Result<Option<PathBuf>, String> {
        if !self.has_git() {
            return Ok(None);
        }
        let _once = lock(&self.templates);
        let folder = self.repository_folder(commit);
        if !folder.exists() {
            let making = folder.with_extension("making");
            remove_tree(&making).map_err(error_text)?;
            let objects = Path::new(OBJECTS);
            self.own
                .write_repository(&making, commit, objects)
                .map_err(error_text)?;
            fs::rename(&making, &folder).map_err(error_text)?;
        }
        Ok(Some(folder))
    }

    fn repository_folder(&self, commit: &Id) -> PathBuf {
        self.layer_root().join("git").join(commit.as_str())
    }

    /// The versioned files that a contract wrote. They are discarded, and reported.
    pub(crate) fn written_files(&self, mount: &TreeMount) -> Vec<String> {
        let mut found = Vec::new();
        if let (Some(upper), Ok(rules)) = (mount.upper_layer(), self.rules()) {
            written_below(upper, b"", &rules, &mut found);
        }
        found
    }

    /// Are recorded trees shown in layers?
    pub(crate) fn has_layers(&self) -> bool {
        matches!(self.overlay_mode, OverlayMode::Overlays(_))
    }

    /// How recorded trees are shown, in a word.
    pub(crate) fn overlay_mode(&self) -> &'static str {
        self.overlay_mode.name()
    }

    /// Where layers are.
    pub(crate) fn layer_root(&self) -> PathBuf {
        match &self.overlay_mode {
            OverlayMode::Overlays(root) => root.clone(),
            OverlayMode::Copies => self.root.clone(),
        }
    }

    /// Removes the layers that are not in the run's own directory, and trees that are not needed soon.
    pub(crate) fn clean_up_overlays_and_pool(&self) {
        self.clear_overlays();
        if let Some(pool) = self.pool.get() {
            // What stays is used by the next run.
            pool.remove_unused().ok();
        }
        let layers = self.layer_root();
        if layers != self.root {
            // What stays does no harm.
            remove_tree(&layers).ok();
        }
    }
}

/// An overlay whose changes are kept in this directory.
fn overlay(at: PathBuf, lower: Vec<PathBuf>, layer: &Path) -> Result<Overlay, String> {
    let (upper, work) = (layer.join("upper"), layer.join("work"));
    make_empty_directory(&work)
        .and_then(|()| fs::create_dir_all(&upper))
        .map_err(|why| format!("{}: {why}", layer.display()))?;
    Ok(Overlay {
        at,
        lower,
        upper,
        work,
    })
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// How many written files are named.
const MOST_WRITTEN: usize = 50;

fn written_below(folder: &Path, name: &[u8], rules: &IgnoreRules, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let is_git = name.is_empty() && file == ".git";
        if found.len() >= MOST_WRITTEN || is_git {
            continue;
        }
        let mut path = name.to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(file.as_bytes());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if rules.is_ignored(&path, is_folder) {
            continue;
        }
        // A cache such as pytest's is not work.
        if is_folder && ignores_itself(&entry.path()) {
            continue;
        }
        if is_folder {
            written_below(&entry.path(), &path, rules, found);
        } else {
            found.push(String::from_utf8_lossy(&path).into_owned());
        }
    }
}

fn ignored_roots(mask: &Mask) -> Vec<PathBuf> {
    let paths = mask.ignored_roots().map(std::ffi::OsStr::from_bytes);
    paths.map(PathBuf::from).collect()
}
