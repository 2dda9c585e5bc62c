//! What a process finds at the checkout's path: a recorded tree, and through a mask what the checkout has and git
//! ignores.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use signoff_sandbox::Overlay;
use signoff_work::confine::{OBJECTS, VisibleTree};
use signoff_work::git::{HarnessGit, Id};
use signoff_work::layers::{ExclusiveTree, IgnoreRules, Mask, MaskStamp, SharedTree, is_cache};
use signoff_work::tree::read_only_files;

use super::builds::LentBuilds;
use super::rooms::Furniture;
use super::{Start, Trees, locked, remove_tree, said};

/// How recorded trees are shown.
#[derive(Debug, Clone)]
pub(crate) enum Showing {
    /// By overlays, whose uppermost layers are in this directory.
    Overlays(PathBuf),
    /// By directories of their own, where overlays cannot be mounted.
    Copies,
}

impl Showing {
    /// The word for it in evidence.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Overlays(_) => "overlay",
            Self::Copies => "copy",
        }
    }
}

/// The masks of a run: made anew when the checkout changes where they let it be seen.
#[derive(Default)]
pub(super) struct Masks {
    /// Shows everything that is ignored.
    whole: Option<Arc<Mask>>,
    /// Leaves out what changed since the run began.
    unchanged: Option<Arc<Mask>>,
    /// How the checkout looked when the run began, and what it ignored.
    first: Option<(MaskStamp, Vec<Vec<u8>>)>,
    /// What changed since.
    changed: Vec<Vec<u8>>,
    /// What the run itself wrote there.
    landed: BTreeSet<String>,
}

/// What was kept from a contract because it changed in the checkout since the run began, as people read it.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    /// What the contract may have needed.
    pub(crate) needed: Vec<String>,
    /// What it does as well without.
    pub(crate) caches: Vec<String>,
}

/// A recorded tree, ready to be shown to one process.
pub(crate) struct TreeMount {
    pub(crate) shown: VisibleTree,
    files: Files,
    pub(super) mask: Arc<Mask>,
    stamp: MaskStamp,
    pub(super) left_out: LeftOut,
    own: HarnessGit,
    /// Removed with it.
    pub(super) thrown_away: Option<PathBuf>,
    /// What a contract finds besides.
    pub(crate) furniture: Option<Furniture>,
    /// It shows what attempts left in ignored directories.
    pub(crate) has_ignored_work: bool,
    /// What contracts built, which it changes.
    pub(super) builds: Option<LentBuilds>,
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
    pub(super) fn is_seen_through(&self, mask: &Arc<Mask>) -> bool {
        Arc::ptr_eq(&self.mask, mask)
    }

    /// What of the checkout's ignored files changed since it was made ready, as people read it.
    pub(crate) fn changed_meanwhile(&self) -> Vec<String> {
        let changed = self.mask.changed_since(&self.stamp).unwrap_or_default();
        changed
            .iter()
            .filter(|path| !self.own.is_kept(path))
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect()
    }

    /// Does it show what earlier contracts built?
    pub(crate) fn is_warm(&self) -> bool {
        self.builds.as_ref().is_some_and(LentBuilds::is_warm)
    }

    /// Does it show nothing but a commit and the checkout's ignored files? Only then it is as good for another contract.
    pub(super) fn is_plain(&self) -> bool {
        !self.has_ignored_work && self.builds.is_none()
    }

    /// What of them was left out because somebody changed it.
    pub(crate) fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// The directory that the process itself changes, where there are no overlays.
    pub(super) fn taken(&self) -> Option<&ExclusiveTree> {
        match &self.files {
            Files::Lent(_) => None,
            Files::Taken(tree) => Some(tree),
        }
    }

    /// The directory that takes the process's changes.
    pub(crate) fn upper(&self) -> Option<&Path> {
        match &self.shown {
            VisibleTree::Overlay(overlay) => Some(&overlay.upper),
            VisibleTree::Checkout | VisibleTree::Copy { .. } => None,
        }
    }
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
        // Its mounts first: they show what is removed.
        self.furniture = None;
        if let Some(path) = &self.thrown_away {
            // What stays is removed with the run.
            remove_tree(path).ok();
        }
    }
}

impl Trees {
    /// A commit for work, over these layers of ignored files. `layer` keeps what is changed.
    pub(super) fn working(
        &self,
        commit: &Id,
        ignored: &[PathBuf],
        layer: &Path,
        start: Start<'_>,
    ) -> Result<TreeMount, String> {
        self.claim()?;
        let prepared = self.prepared(start)?;
        let mask = self.mask(false)?;
        self.mount(commit, ignored, prepared.as_deref(), mask, layer)
    }

    /// The run's first tree for `prepare`, which is not prepared itself.
    pub(super) fn first_tree(&self, first: &Id, layer: &Path) -> Result<TreeMount, String> {
        self.mount(first, &[], None, self.mask(false)?, layer)
    }

    /// The layers below a directory that is the uppermost one itself: the run's tree, for commands of tools.
    pub(crate) fn below_run_tree(&self, start: Start<'_>) -> Result<VisibleTree, String> {
        let Showing::Overlays(_) = &self.showing else {
            let mask = self.mask(false)?;
            return Ok(VisibleTree::Copy {
                from: self.run_path(),
                ignored: ignored_roots(&mask),
            });
        };
        let mut lower = self.ignored_layers();
        lower.extend(self.prepared(start)?);
        lower.push(self.mask(false)?.path().to_owned());
        lower.push(self.checkout.clone());
        let work = self.root.join("run.work");
        fresh(&work).map_err(|why| format!("{}: {why}", work.display()))?;
        Ok(VisibleTree::Overlay(Overlay {
            at: self.checkout.clone(),
            lower,
            upper: self.run_path(),
            work,
        }))
    }

    pub(super) fn mount(
        &self,
        commit: &Id,
        ignored: &[PathBuf],
        prepared: Option<&Path>,
        mask: Arc<Mask>,
        layer: &Path,
    ) -> Result<TreeMount, String> {
        let stamp = mask.stamp_now().map_err(said)?;
        let (shown, files) = match &self.showing {
            Showing::Overlays(_) => {
                let tree = self.pool()?.share(commit).map_err(said)?;
                let mut lower: Vec<PathBuf> = self.repository_layer(commit)?.into_iter().collect();
                lower.push(tree.path().to_owned());
                lower.extend(ignored.iter().cloned());
                lower.extend(prepared.map(Path::to_owned));
                lower.push(mask.path().to_owned());
                lower.push(self.checkout.clone());
                let (upper, work) = (layer.join("upper"), layer.join("work"));
                fresh(&work)
                    .and_then(|()| fs::create_dir_all(&upper))
                    .map_err(|why| format!("{}: {why}", layer.display()))?;
                let overlay = Overlay {
                    at: self.checkout.clone(),
                    lower,
                    upper,
                    work,
                };
                (VisibleTree::Overlay(overlay), Files::Lent(tree))
            }
            Showing::Copies => {
                let tree = self.pool()?.take(commit).map_err(said)?;
                if self.has_git() {
                    let objects = Path::new(OBJECTS);
                    let written = self.own.write_repository(tree.path(), commit, objects);
                    written.map_err(said)?;
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
            furniture: None,
            has_ignored_work: false,
            builds: None,
        })
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
        let _once = locked(&self.templates);
        let folder = self.layer_root().join("git").join(commit.as_str());
        if !folder.exists() {
            let making = folder.with_extension("making");
            remove_tree(&making).map_err(said)?;
            let objects = Path::new(OBJECTS);
            self.own
                .write_repository(&making, commit, objects)
                .map_err(said)?;
            fs::rename(&making, &folder).map_err(said)?;
        }
        Ok(Some(folder))
    }

    /// The versioned files that a contract wrote. They are thrown away; a person is told.
    pub(crate) fn written(&self, mount: &TreeMount) -> Vec<String> {
        let mut found = Vec::new();
        if let (Some(upper), Ok(rules)) = (mount.upper(), self.rules()) {
            written_below(upper, b"", &rules, &mut found);
        }
        found
    }

    /// Are recorded trees shown in layers?
    pub(super) fn has_layers(&self) -> bool {
        matches!(self.showing, Showing::Overlays(_))
    }

    /// How recorded trees are shown, in a word.
    pub(crate) fn showing(&self) -> &'static str {
        self.showing.name()
    }

    /// Where layers are.
    pub(super) fn layer_root(&self) -> PathBuf {
        match &self.showing {
            Showing::Overlays(root) => root.clone(),
            Showing::Copies => self.root.clone(),
        }
    }

    /// Removes the layers that are not in the run's own directory, and trees that nobody needs soon.
    pub(super) fn remove_layers(&self) {
        self.clear_rooms();
        if let Some(pool) = self.pool.get() {
            // What stays is used by the next run.
            pool.trim().ok();
        }
        let layers = self.layer_root();
        if layers != self.root {
            // What stays is in nobody's way.
            remove_tree(&layers).ok();
        }
    }

    /// The mask over what the checkout has and git knows. `unchanged`: also over ignored roots that changed since the
    /// run began: somebody may have built there what steps wrote.
    pub(super) fn mask(&self, unchanged: bool) -> Result<Arc<Mask>, String> {
        let mut masks = locked(&self.masks);
        // What is left out may go on changing.
        let known = if unchanged {
            masks.unchanged.as_ref()
        } else {
            masks.whole.as_ref()
        };
        if !known.is_some_and(|mask| mask.is_current().unwrap_or(false)) {
            self.renew(&mut masks)?;
        }
        let (Some(whole), Some(part)) = (&masks.whole, &masks.unchanged) else {
            return Err("no mask could be made".to_owned());
        };
        Ok(Arc::clone(if unchanged { part } else { whole }))
    }

    /// The same mask for contracts, if the one that is known still holds.
    pub(super) fn current_mask(&self) -> Option<Arc<Mask>> {
        let masks = locked(&self.masks);
        let whole = masks.whole.as_ref()?;
        let is_current = whole.is_current().unwrap_or(false);
        masks.unchanged.clone().filter(|_| is_current)
    }

    /// The ignored roots of the checkout, as they were last seen.
    pub(super) fn known_ignored(&self) -> Vec<Vec<u8>> {
        let masks = locked(&self.masks);
        let roots = masks.whole.iter().flat_map(|mask| mask.ignored_roots());
        roots.map(<[u8]>::to_vec).collect()
    }

    fn renew(&self, masks: &mut Masks) -> Result<(), String> {
        let rules = self.rules()?;
        let make = || Mask::make(&self.checkout, &rules, &self.next_mask()?, &[]);
        let whole = Arc::new(make().map_err(said)?);
        if let Some((first, roots)) = &masks.first {
            let is_gone = |root: &&Vec<u8>| !whole.ignored_roots().any(|now| now == **root);
            let gone: Vec<Vec<u8>> = roots.iter().filter(is_gone).cloned().collect();
            let changed = whole.changed_since(first).map_err(said)?;
            let of_person = changed.into_iter().chain(gone);
            let of_person = of_person.filter(|name| !self.own.is_kept(name));
            masks.changed.extend(of_person);
            masks.changed.sort();
            masks.changed.dedup();
        } else {
            let roots = whole.ignored_roots().map(<[u8]>::to_vec).collect();
            masks.first = Some((whole.stamp().clone(), roots));
        }
        masks.unchanged = Some(if masks.changed.is_empty() {
            Arc::clone(&whole)
        } else {
            let at = self.next_mask().map_err(said)?;
            Arc::new(whole.without(&masks.changed, &at).map_err(said)?)
        });
        masks.whole = Some(whole);
        Ok(())
    }

    /// What a mask leaves out, but for what the run itself wrote: that is in its trees.
    fn left_out(&self, mask: &Mask) -> LeftOut {
        let masks = locked(&self.masks);
        let is_ours = |root: &Path| {
            let mut landed = masks.landed.iter();
            landed.any(|file| Path::new(file).starts_with(root))
        };
        let mut left_out = LeftOut::default();
        for root in mask.left_out() {
            let name = String::from_utf8_lossy(root).into_owned();
            if is_ours(Path::new(std::ffi::OsStr::from_bytes(root))) {
                continue;
            }
            if is_cache(root) {
                left_out.caches.push(name);
            } else {
                left_out.needed.push(name);
            }
        }
        left_out
    }

    /// These files were written to the checkout.
    pub(super) fn note_landed(&self, files: &[String]) {
        locked(&self.masks).landed.extend(files.iter().cloned());
    }

    /// A person was told what was left out because they changed it: from now on it is as they left it.
    pub(crate) fn accept_changed(&self) {
        let mut masks = locked(&self.masks);
        if !masks.changed.is_empty() {
            let landed = std::mem::take(&mut masks.landed);
            *masks = Masks {
                landed,
                ..Masks::default()
            };
        }
    }

    /// A directory for a mask. Old ones stay until the run ends: something may be mounted over them.
    fn next_mask(&self) -> io::Result<PathBuf> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let masks = self.layer_root().join("masks");
        fs::create_dir_all(&masks)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}", std::process::id());
            let path = masks.join(name);
            if !path.exists() {
                return Ok(path);
            }
        }
    }
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

/// Makes a directory that is empty, for the kernel: it refuses one that was used before.
pub(super) fn fresh(path: &Path) -> io::Result<()> {
    remove_tree(path)?;
    fs::create_dir_all(path)
}
