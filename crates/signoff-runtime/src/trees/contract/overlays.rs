//! Where contracts are judged: a recorded tree, and a home and a temporary directory of the contract's own.
//!
//! An overlay is made for one evaluation, and what was written there is thrown away. One that was left exactly as it was
//! made is as good as a new one, so the next evaluation of the same commit gets it: making it costs more than many a
//! contract. What contracts built may be kept for later ones all the same (`builds.rs`).

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use signoff_sandbox::{KeptMounts, Policy};
use signoff_work::confine::VisibleTree;
use signoff_work::git::Id;
use signoff_work::layers::Mask;
use signoff_work::tree::DirectoryState;

use super::queue;
use super::queue::{MakingOverlay, QueueTurn};
use crate::confinement::Scratch;
use crate::trees::overlays::ContractSetup;
use crate::trees::{IgnoredWork, Start, TreeMount, Trees, lock};

/// What a contract judges, and how.
pub(crate) struct ContractOverlayOptions {
    pub(crate) commit: Id,
    /// Files that the step protects, and those that were signed with the plan.
    pub(crate) protects: Vec<String>,
    pub(crate) signed: Vec<String>,
    /// The contract's scratch directory; a number is added.
    pub(crate) scratch: PathBuf,
    /// The attempts whose ignored files it shows. `None` for those of the checkout.
    pub(crate) ignored: Option<IgnoredWork>,
    /// It may find what earlier contracts built.
    pub(crate) warm: bool,
}

impl ContractOverlayOptions {
    /// Does it show what attempts left or contracts built? No kept overlay does.
    fn is_special(&self) -> bool {
        self.ignored.is_some() || self.warm
    }
}

impl Trees {
    /// Shows a commit to a contract in an unused overlay, if one was made before; returns at once. Also returns
    /// overlays that are no longer useful, for the caller to drop.
    pub(crate) fn idle_overlay(
        &self,
        wanted: &ContractOverlayOptions,
    ) -> (Option<TreeMount>, Vec<TreeMount>) {
        let mut line = lock(&self.line);
        let idle = line.unused_overlays();
        if idle.is_empty() || wanted.is_special() {
            return (None, Vec::new());
        }
        let mask = self.current_mask();
        // The others hold trees that can be used again.
        let others = idle.extract_if(.., |overlay| !is_of_use(overlay, wanted, mask.as_ref()));
        let others: Vec<TreeMount> = others.collect();
        let index = idle.iter().position(|overlay| self.fits(overlay, wanted));
        (index.map(|index| idle.swap_remove(index)), others)
    }

    fn fits(&self, overlay: &TreeMount, wanted: &ContractOverlayOptions) -> bool {
        let read_only = overlay.read_only(&wanted.protects, &wanted.signed, &self.checkout);
        let contract_setup = overlay.contract_setup.as_ref();
        contract_setup.is_some_and(|contract_setup| contract_setup.read_only == read_only)
    }

    /// Shows a commit to a contract in an overlay that another contract leaves or that is made for it.
    pub(crate) fn contract_overlay(
        &self,
        wanted: &ContractOverlayOptions,
        start: Start<'_>,
    ) -> Result<TreeMount, String> {
        self.claim()?;
        if wanted.is_special() {
            return self.make_overlay(wanted, start, None);
        }
        match queue::wait(&self.line, &wanted.commit) {
            QueueTurn::Left(overlay)
                if is_of_use(&overlay, wanted, self.current_mask().as_ref())
                    && self.fits(&overlay, wanted) =>
            {
                Ok(*overlay)
            }
            QueueTurn::Left(_) => self.make_overlay(wanted, start, None),
            QueueTurn::Make(at_work) => self.make_overlay(wanted, start, Some(at_work)),
        }
    }

    fn make_overlay(
        &self,
        wanted: &ContractOverlayOptions,
        start: Start<'_>,
        at_work: Option<MakingOverlay<'_>>,
    ) -> Result<TreeMount, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let prepared = self.prepared_layer(start)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed).to_string();
        let layer = self.layer_root().join("judging").join(&number);
        // A copy of the tree has no layers.
        let ignored = (wanted.ignored.as_ref()).filter(|_| self.has_layers());
        let mask = self.mask(ignored.is_none())?;
        let below = ignored.map_or_else(Vec::new, |ignored| self.layers_of(ignored));
        // What was built lies in directories that are mounted by themselves there.
        let can_lend = self.has_layers() && mask.own_roots().is_none();
        let lent = if wanted.warm && can_lend {
            self.borrow_builds(&mask)?
        } else {
            None
        };
        let layer = lent.as_ref().map_or(layer, |_| self.builds_layer());
        let mut mount = self.mount(&wanted.commit, &below, prepared.as_deref(), mask, &layer)?;
        match lent {
            Some(mut lent) => {
                self.fit_builds(&mut lent, mount.files())?;
                mount.builds = Some(lent);
            }
            None => mount.thrown_away = Some(layer),
        }
        mount.has_ignored_work = ignored.is_some();
        self.set_up(&mut mount, wanted, &number, start)
            .map_err(|why| format!("cannot confine the contract: {why}"))?;
        drop(at_work);
        if let Some(contract_setup) = mount.contract_setup.as_ref()
            && self.has_other_lockfiles(&wanted.commit)?
        {
            // The attempt's code has taken part in installing this, so it is for this overlay only.
            let (confined, mounts) = (&contract_setup.confined, contract_setup.mounts.as_ref());
            self.run_prepare(&mount.shown, confined, mounts, start)?;
            if let Some(lent) = &mut mount.builds {
                lent.mark_spoiled();
            }
        }
        Ok(mount)
    }

    /// Throws an overlay away, or keeps it if nothing shows that it was used. `is_whole`: its contract ran to its end, and
    /// left nothing half written.
    pub(crate) fn release_overlay(&self, mut mount: TreeMount, is_whole: bool) {
        if let Some(lent) = mount.builds.take() {
            let mask = Arc::clone(&mount.mask);
            // Its mounts are gone with it.
            drop(mount);
            if is_whole {
                self.keep_builds(lent, mask);
            }
            return;
        }
        let is_new = |contract_setup: &ContractSetup| {
            let mounts = contract_setup.mounts.as_ref();
            let first_state = contract_setup.first_state.as_ref();
            mounts.is_some_and(KeptMounts::are_as_new)
                && first_state.is_some_and(DirectoryState::are_same)
        };
        let contract_setup = mount.contract_setup.as_ref().filter(|it| is_new(it));
        if let Some(commit) = contract_setup.map(|contract_setup| contract_setup.commit.clone()) {
            lock(&self.line).give_or_keep(mount, &commit);
        } else {
            lock(&self.line).note_changed_overlay();
        }
    }

    /// Throws away the overlays that are kept.
    pub(crate) fn clear_overlays(&self) {
        let overlays = std::mem::take(lock(&self.line).unused_overlays());
        drop(overlays);
    }

    fn set_up(
        &self,
        mount: &mut TreeMount,
        wanted: &ContractOverlayOptions,
        number: &str,
        start: Start<'_>,
    ) -> io::Result<()> {
        let Some(run_paths) = &self.setup.run_paths else {
            return Ok(());
        };
        let mut scratch = OsString::from(&wanted.scratch);
        scratch.push(format!("-{number}"));
        let scratch = Scratch::make(scratch.into())?;
        let read_only = mount.read_only(&wanted.protects, &wanted.signed, &self.checkout);
        let confined = run_paths.for_contract(scratch.path(), &mount.shown, &read_only)?;
        let policy = confined.policy();
        let mounts = match &mount.shown {
            VisibleTree::Overlay { .. } => start.make_mounts(policy)?,
            VisibleTree::Checkout | VisibleTree::Copy { .. } => None,
        };
        let is_plain = mount.is_plain();
        let first_state = is_plain.then(|| stamps(policy, scratch.path()));
        let first_state = first_state.transpose()?;
        mount.contract_setup = Some(ContractSetup {
            commit: wanted.commit.clone(),
            read_only,
            mounts,
            first_state,
            confined,
            _scratch: scratch,
        });
        Ok(())
    }
}

/// Does it show what is wanted?
fn is_of_use(
    overlay: &TreeMount,
    wanted: &ContractOverlayOptions,
    mask: Option<&Arc<Mask>>,
) -> bool {
    let contract_setup = overlay.contract_setup.as_ref();
    contract_setup.is_some_and(|contract_setup| contract_setup.commit == wanted.commit)
        && mask.is_some_and(|mask| overlay.is_seen_through(mask))
}

/// Stamps of everything that a contract can write to. What lies below other mounts is out of its reach.
fn stamps(policy: &Policy, scratch: &Path) -> io::Result<DirectoryState> {
    let own = policy.binds.iter();
    let own = own.filter(|bind| bind.writable && bind.from.starts_with(scratch));
    let mut writable: Vec<(&Path, &Path)> = own.map(|bind| (&*bind.from, &*bind.to)).collect();
    for at in ["/tmp", "/var/tmp"] {
        writable.extend(policy.temp.as_deref().map(|temp| (temp, Path::new(at))));
    }
    let overlays = || policy.overlays.iter();
    let binds = policy.binds.iter().map(|bind| &bind.to);
    let mounted: Vec<&PathBuf> = overlays().map(|overlay| &overlay.at).chain(binds).collect();
    let below = |(from, to): &(&Path, &Path)| {
        let inside = mounted.iter().filter(|at| ***at != **to);
        let inside = inside.filter_map(|at| at.strip_prefix(to).ok());
        inside.map(|path| from.join(path)).collect::<Vec<_>>()
    };
    let apart: Vec<PathBuf> = writable.iter().flat_map(below).collect();
    let uppers = overlays().map(|overlay| overlay.upper.as_path());
    let roots: Vec<&Path> = writable
        .iter()
        .map(|(from, _)| *from)
        .chain(uppers)
        .collect();
    DirectoryState::of(&roots, &apart)
}
